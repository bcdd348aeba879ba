"""Commands for real: `init` makes a namespace, `run` serves it."""

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from consumers import process
from consumers.cli import options
from consumers.cli.output import ExitCode, busy, fail, print_json, quiet_libraries
from consumers.config import VARIABLES, Config, ConfigError, read_config
from consumers.init import PARTITIONS, PARTITIONS_MAX, initialise
from consumers.log import LogUnavailableError
from consumers.namespace import NamespaceError
from consumers.secret_file import SecretSource
from consumers.unreachable import unreachable_sentence
from schemas.frames import Frame
from storage.errors import StoreUnavailableError

T = TypeVar("T")


class Serving(click.Command):
    """A command whose help lists what has only a variable, too."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("What has only a variable"):
            formatter.write_dl(list(VARIABLES.items()))


def configuration(*, kafka: str, redis: str, namespace: str, http: str) -> Config:
    """The process's configuration; a usage error says what cannot be used."""
    try:
        return read_config(os.environ, kafka=kafka, redis=redis, namespace=namespace, http=http)
    except ConfigError as error:
        fail(ExitCode.USAGE, str(error))


def on_servers(doing: str, work: Coroutine[Any, Any, T], kafka: str) -> T:
    """Do this with both servers. Where it cannot be done a sentence says why, and all ends."""
    try:
        with busy(doing):
            return asyncio.run(work)
    except NamespaceError as error:
        fail(ExitCode.REFUSED, str(error))
    except (LogUnavailableError, StoreUnavailableError) as error:
        unreachable(kafka, error)


def unreachable(kafka: str, error: LogUnavailableError | StoreUnavailableError) -> NoReturn:
    """Say which of the two servers does not answer, and end."""
    fail(ExitCode.UNREACHABLE, unreachable_sentence(kafka, error))


@click.command(cls=Serving)
@click.option(
    "--partitions",
    envvar="TORPOR_PARTITIONS",
    show_envvar=True,
    type=click.IntRange(1, PARTITIONS_MAX),
    metavar="N",
    help="Partitions of the command topic, fixed for ever; of a new namespace"
    f" {PARTITIONS} by default.",
)
@click.option(
    "--frame",
    envvar="TORPOR_FRAME",
    show_envvar=True,
    type=click.Choice([Frame.SINGLE_OBJECT.value, Frame.JSON.value]),
    help="How the engine frames the records it writes: Avro, or JSON; of a new namespace"
    f" {Frame.SINGLE_OBJECT.value} by default.",
)
@click.option(
    "--time-zone",
    envvar="TORPOR_TIME_ZONE",
    show_envvar=True,
    metavar="ZONE",
    help="Time zone of timers, cron and dates that name none, such as Europe/Berlin, fixed for"
    " ever; of a new namespace UTC by default.",
)
@options.stacked(
    options.secret_file,
    options.trust_log,
    options.kafka,
    options.redis,
    options.namespace,
    options.as_json,
)
def init(
    *,
    partitions: int | None,
    frame: str | None,
    time_zone: str | None,
    secret_file: Path | None,
    trust_log: bool,
    kafka: str,
    redis: str,
    namespace: str,
    as_json: bool,
) -> None:
    """Create a namespace: its topics, its record, its fences. Again: nothing changes."""
    quiet_libraries()
    config = configuration(kafka=kafka, redis=redis, namespace=namespace, http=options.HTTP)
    secrets = SecretSource(file=secret_file, trust_log=trust_log)
    wanted = None if frame is None else Frame(frame)
    work = initialise(config, partitions, wanted, time_zone, secrets)
    done = on_servers(f"creating namespace {namespace}, which takes some seconds", work, kafka)
    if as_json:
        print_json(done)
        return
    for what in done.created:
        click.echo(f"created  {what}")
    for what in done.found:
        click.echo(f"found    {what}")


@click.command(cls=Serving)
@click.option(
    "--processes",
    envvar="TORPOR_PROCESSES",
    show_envvar=True,
    type=click.IntRange(min=1, max=256),
    default=1,
    show_default=True,
    metavar="N",
    help="How many engine processes; each further one answers HTTP on the next port.",
)
@options.stacked(options.kafka, options.redis, options.namespace, options.http)
def run(*, processes: int, kafka: str, redis: str, namespace: str, http: str) -> NoReturn:
    """Run an engine: join the group, serve its share of the partitions.

    Add engines to add speed; kill them as you like. SIGTERM stops within seconds. The log goes to
    standard error, one JSON object a line.
    """
    config = configuration(kafka=kafka, redis=redis, namespace=namespace, http=http)
    raise SystemExit(process.run(config, processes))
