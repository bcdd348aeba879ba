"""The command line's connection: the client library, with its errors as exit codes."""

import contextlib
import os
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import click
import msgspec

from consumers.cli.output import ExitCode, fail, print_json, quiet_libraries
from consumers.config import ConfigError, read_kafka
from torpor_client import (
    Client,
    ClientOptions,
    RejectedError,
    Reply,
    ReplyTimeoutError,
    TorporError,
)


class Publishing(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `options.publishing`, as click hands them over."""

    kafka: str
    namespace: str
    actor: str | None
    wait: bool
    timeout_s: float
    as_json: bool


@contextlib.asynccontextmanager
async def connected(
    kafka: str, namespace: str, options: ClientOptions | None = None
) -> AsyncGenerator[Client]:
    """A connected client. Errors of reaching Kafka end the program, with a sentence."""
    quiet_libraries()
    try:
        found = read_kafka(os.environ, kafka).options()
    except ConfigError as error:
        fail(ExitCode.USAGE, str(error))
    found.pop("bootstrap_servers")
    options = msgspec.structs.replace(options or ClientOptions(), kafka=found)
    try:
        async with Client(kafka, namespace, options) as client:
            yield client
    except RejectedError:
        raise
    except ReplyTimeoutError as error:
        fail(
            ExitCode.UNREACHABLE,
            f"{error}. The command is in the log and will be applied; does an engine run?"
            " (`torpor run`; --timeout waits longer, --no-wait not at all.)",
        )
    except TorporError as error:
        fail(ExitCode.UNREACHABLE, f"{error} (--kafka is {kafka})")


async def publish(to: Publishing, kind: str, key: str, fields: Mapping[str, Any]) -> Reply | None:
    """Publish a command and wait for its reply; None when nobody waits. Rejected: exit code 1."""
    options = ClientOptions(timeout_s=to.timeout_s, actor=to.actor)
    try:
        async with connected(to.kafka, to.namespace, options) as client:
            submitted = await client.submit(kind, key, fields)
            if not to.wait:
                return None
            return await submitted.reply()
    except RejectedError as error:
        refuse(error, as_json=to.as_json)
        raise SystemExit(ExitCode.REFUSED) from None


def refuse(error: RejectedError, *, as_json: bool) -> None:
    """Print a rejection."""
    if as_json:
        print_json(
            {
                "command_id": error.command_id,
                "status": "REJECTED",
                "code": error.code,
                "detail": error.detail,
                "result": error.result,
            }
        )
    else:
        click.echo(f"rejected: {error}", err=True)
