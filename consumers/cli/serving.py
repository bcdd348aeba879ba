"""Commands that serve: `dev` starts everything for trying out, `init` and `run` are for real."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec

from consumers import process
from consumers.cli import options
from consumers.cli.output import ExitCode, fail, print_json, quiet_libraries
from consumers.config import Config, ConfigError, read_config
from consumers.dev.environment import DevEnvironment, DevOptions
from consumers.dev.errors import DevServerError
from consumers.init import PARTITIONS, initialise
from consumers.log import LogUnavailableError
from consumers.namespace import NamespaceError
from schemas.frames import Frame
from storage.errors import StoreUnavailableError

DEV_PARTITIONS = 8


def configuration(*, kafka: str, redis: str, namespace: str, http: str) -> Config:
    """The process's configuration; a usage error says what cannot be used."""
    try:
        return read_config(os.environ, kafka=kafka, redis=redis, namespace=namespace, http=http)
    except ConfigError as error:
        fail(ExitCode.USAGE, str(error))


@click.command()
@click.option(
    "--engines",
    envvar="TORPOR_ENGINES",
    type=click.IntRange(min=1, max=16),
    default=1,
    show_default=True,
    help="How many engine processes.",
)
@click.option(
    "--partitions",
    envvar="TORPOR_PARTITIONS",
    type=click.IntRange(min=1),
    default=DEV_PARTITIONS,
    show_default=True,
    help="Partitions of the command topic.",
)
@click.option(
    "--ready-file",
    envvar="TORPOR_READY_FILE",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Where to write the addresses, as JSON, when all serves.",
)
@click.option("--kafka", envvar="TORPOR_KAFKA", show_envvar=True, help="Use this Kafka.")
@click.option("--redis", envvar="TORPOR_REDIS", show_envvar=True, help="Use this Redis.")
@options.stacked(options.namespace, options.http)
def dev(*, ready_file: Path | None, **given: Any) -> None:
    """Start a Kafka, a Redis and engines on loopback, for trying things out.

    Addresses that are given are used; else what can be had is started, and stopped again at the
    end. Data are in a temporary folder. Ctrl-C or SIGTERM stops all that was started.
    """
    quiet_libraries()
    chosen = DevOptions(**given)
    try:
        asyncio.run(_serve_until_stopped(chosen, ready_file))
    except DevServerError as error:
        fail(ExitCode.UNREACHABLE, str(error))
    except (NamespaceError, LogUnavailableError, StoreUnavailableError) as error:
        fail(ExitCode.UNREACHABLE, str(error))


async def _serve_until_stopped(chosen: DevOptions, ready_file: Path | None) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with DevEnvironment(chosen, say=lambda line: click.echo(line, err=True)) as environment:
        ready = environment.ready()
        if ready_file is not None:
            _write_whole(ready_file, json.dumps(ready))
        click.echo(
            f"ready: namespace {ready['namespace']}, queries at http://{ready['http']}\n"
            f"       TORPOR_KAFKA={ready['kafka']} TORPOR_HTTP={ready['http']}"
            f" TORPOR_NAMESPACE={ready['namespace']}\n"
            "       Ctrl-C stops everything",
        )
        sys.stdout.flush()
        await environment.wait(stopped)


def _write_whole(path: Path, text: str) -> None:
    """Whoever waits for the file never sees half of it."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text)
    beside.replace(path)


@click.command()
@click.option(
    "--partitions",
    envvar="TORPOR_PARTITIONS",
    type=click.IntRange(min=1),
    help=f"Partitions of the command topic, fixed for ever; {PARTITIONS} by default.",
)
@click.option(
    "--frame",
    envvar="TORPOR_FRAME",
    type=click.Choice([frame.value for frame in Frame]),
    default=Frame.SINGLE_OBJECT.value,
    show_default=True,
    help="How the engine frames the records it writes.",
)
@options.stacked(options.kafka, options.redis, options.namespace, options.as_json)
def init(
    *,
    partitions: int | None,
    frame: str,
    kafka: str,
    redis: str,
    namespace: str,
    as_json: bool,
) -> None:
    """Create a namespace: its topics, its record, its fences. Again: nothing changes."""
    quiet_libraries()
    config = configuration(kafka=kafka, redis=redis, namespace=namespace, http="127.0.0.1:0")
    try:
        done = asyncio.run(initialise(config, partitions, Frame(frame)))
    except NamespaceError as error:
        fail(ExitCode.REFUSED, str(error))
    except (LogUnavailableError, StoreUnavailableError) as error:
        unreachable(error)
    if as_json:
        print_json(msgspec.to_builtins(done))
        return
    for what in done.created:
        click.echo(f"created  {what}")
    for what in done.found:
        click.echo(f"found    {what}")


def unreachable(error: Exception) -> NoReturn:
    reason = str(error).rstrip(".")
    fail(ExitCode.UNREACHABLE, f"{reason}. Are --kafka and --redis right, and do both run?")


@click.command()
@click.option(
    "--processes",
    envvar="TORPOR_PROCESSES",
    type=click.IntRange(min=1, max=256),
    default=1,
    show_default=True,
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
