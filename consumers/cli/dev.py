"""`torpor dev`: everything on this machine, for trying things out, until Ctrl-C or SIGTERM."""

import asyncio
import contextlib
import json
import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from consumers.cli import options
from consumers.cli.output import ExitCode, fail, quiet_libraries
from consumers.cli.serving import configuration, unreachable
from consumers.dev.environment import DevEnvironment, DevOptions
from consumers.dev.errors import DevServerError
from consumers.init import PARTITIONS_MAX
from consumers.log import LogUnavailableError
from consumers.namespace import NamespaceError
from storage.errors import StoreUnavailableError

PARTITIONS = 8
SESSION_MS = "6000"
"""Quicker than by default to join the group, and as quick as a Kafka of any configuration lets."""


@click.command()
@click.option(
    "--engines",
    envvar="TORPOR_ENGINES",
    show_envvar=True,
    type=click.IntRange(min=1, max=16),
    default=1,
    show_default=True,
    metavar="N",
    help="How many engine processes.",
)
@click.option(
    "--partitions",
    envvar="TORPOR_PARTITIONS",
    show_envvar=True,
    type=click.IntRange(1, PARTITIONS_MAX),
    default=PARTITIONS,
    show_default=True,
    metavar="N",
    help="Partitions of the command topic.",
)
@click.option(
    "--ready-file",
    envvar="TORPOR_READY_FILE",
    show_envvar=True,
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Gets the addresses, as JSON, when all serves; removed at the end.",
)
@click.option(
    "--kafka",
    envvar="TORPOR_KAFKA",
    show_envvar=True,
    callback=options.kafka_addresses,
    metavar="HOST:PORT,...",
    help="Use this Kafka instead of starting one.",
)
@click.option(
    "--redis",
    envvar="TORPOR_REDIS",
    show_envvar=True,
    metavar="URL",
    help="Use this Redis instead of starting one.",
)
@options.namespace
@click.option(
    "--http",
    envvar="TORPOR_HTTP",
    show_envvar=True,
    callback=options.http_address,
    metavar="HOST:PORT",
    help=f"Where the first engine answers queries.  [default: {options.HTTP}, or another port if"
    " that, or what the variable says, is taken]",
)
@click.pass_context
def dev(
    context: click.Context,
    /,
    *,
    ready_file: Path | None,
    kafka: str | None,
    redis: str | None,
    namespace: str,
    http: str | None,
    **given: Any,
) -> None:
    """Start a Kafka, a Redis and an engine on this machine, for trying things out.

    Addresses that are given are used; else what can be had is started, and stopped again at the
    end, by Ctrl-C or SIGTERM. Data are in a temporary folder, and gone then. An engine that is
    killed is not started again: that is what you may want to see.
    """
    quiet_libraries()
    # Refuses what cannot be used before anything is started.
    configuration(
        kafka=kafka or "127.0.0.1:9092",
        redis=redis or "redis://127.0.0.1",
        namespace=namespace,
        http=http or options.HTTP,
    )
    _require_folder(ready_file)
    chosen = DevOptions(
        kafka=kafka,
        redis=redis,
        namespace=namespace,
        http=http or options.HTTP,
        # `dev` itself asks to export TORPOR_HTTP: it says where to ask, not where to listen.
        any_port=context.get_parameter_source("http") is not ParameterSource.COMMANDLINE,
        variables={"TORPOR_SESSION_MS": SESSION_MS, **os.environ},
        **given,
    )
    try:
        asyncio.run(_serve(chosen, ready_file))
    except DevServerError as error:
        fail(ExitCode.UNREACHABLE, str(error))
    except NamespaceError as error:
        fail(ExitCode.REFUSED, str(error))
    except (LogUnavailableError, StoreUnavailableError) as error:
        unreachable(kafka or "the address of the Kafka that was started", error)


def _require_folder(ready_file: Path | None) -> None:
    """Also removes a file that an earlier run has left: nobody may take it for this one's."""
    if ready_file is None:
        return
    if not ready_file.absolute().parent.is_dir():
        raise click.UsageError(f"--ready-file: there is no folder {ready_file.parent}")
    ready_file.unlink(missing_ok=True)


async def _serve(chosen: DevOptions, ready_file: Path | None) -> None:
    """Serve until a signal comes; one that comes while servers start ends that, too."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with contextlib.AsyncExitStack() as stack:
        environment = DevEnvironment(chosen, say=_say)
        starting = asyncio.create_task(stack.enter_async_context(environment))
        stopping = asyncio.create_task(stopped.wait())
        await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not starting.done():
            starting.cancel()
            await asyncio.wait([starting])
            return
        await starting
        stack.enter_context(_told(environment, ready_file))
        await environment.wait(stopped)
        _say("stopping")


def _say(line: str) -> None:
    click.echo(line, err=True)


@contextlib.contextmanager
def _told(environment: DevEnvironment, ready_file: Path | None) -> Iterator[None]:
    """People and programs know where it is, for as long as it is there."""
    ready = environment.ready()
    variables = " ".join(
        f"TORPOR_{name.upper()}={shlex.quote(ready[name])}"
        for name in ("kafka", "http", "namespace")
    )
    engines = ", ".join(f"{engine.pid} (at {engine.http})" for engine in environment.engines)
    click.echo(
        f"ready. In another shell:\n\n    export {variables}\n\n"
        f"Engines are the processes {engines}; their logs are in {environment.folder}.\n"
        "Ctrl-C stops everything."
    )
    if ready_file is None:
        yield
        return
    _write_whole(ready_file, json.dumps(ready))
    try:
        yield
    finally:
        ready_file.unlink(missing_ok=True)


def _write_whole(path: Path, text: str) -> None:
    """Whoever waits for the file never sees half of it."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text + "\n")
    beside.replace(path)
