"""`torpor upgrade`: what a newer version or another secret changes in a namespace."""

from pathlib import Path

import click

from consumers.cli import options
from consumers.cli.output import print_json, quiet_libraries
from consumers.cli.serving import Serving, configuration, on_servers
from consumers.secret_file import SecretSource
from consumers.upgrade import upgrade as upgrade_namespace


@click.command(cls=Serving)
@click.option(
    "--rotate-secret",
    "rotate",
    is_flag=True,
    help="Seal with another secret from now on; what the former one has sealed still counts.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Do not look whether engines run. What one that does sends with the former secret from"
    " then on is refused, and lost: only when you know that none does.",
)
@options.stacked(
    options.secret_file,
    options.trust_log,
    options.kafka,
    options.redis,
    options.namespace,
    options.as_json,
)
def upgrade(
    *,
    rotate: bool,
    force: bool,
    secret_file: Path | None,
    trust_log: bool,
    kafka: str,
    redis: str,
    namespace: str,
    as_json: bool,
) -> None:
    """Seal what engines send, in a namespace that an older version made.

    Replace the engines first: this version runs the namespace as it is. Then stop all, run this,
    and start them; commands wait in the log meanwhile. Again: nothing changes.
    """
    quiet_libraries()
    config = configuration(kafka=kafka, redis=redis, namespace=namespace, http=options.HTTP)
    secrets = SecretSource(file=secret_file, trust_log=trust_log)
    if force:
        click.echo(
            "torpor: --force: nobody looks whether engines run; stop any that does", err=True
        )
    work = upgrade_namespace(config, rotate=rotate, secrets=secrets, force=force)
    doing = f"upgrading namespace {namespace}; up to a minute after an engine was killed"
    done = on_servers(doing, work, kafka)
    if as_json:
        print_json(done)
        return
    for what in done.changed:
        click.echo(f"changed  {what}")
    for what in done.found:
        click.echo(f"found    {what}")
