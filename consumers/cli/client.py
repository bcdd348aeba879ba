"""The command line's connection: the client library, and its errors as exit codes."""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Mapping
from typing import Any, NoReturn

import click
import msgspec
from aiokafka.errors import KafkaConnectionError

from consumers.cli.output import ExitCode, fail, plain, print_json, quiet_libraries
from consumers.config import ConfigError, read_kafka
from torpor_client import (
    Client,
    ClientOptions,
    KafkaUnavailableError,
    NamespaceNotFoundError,
    RejectedError,
    ReplyTimeoutError,
    TorporError,
)


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """The namespace that a command is for, and how long to wait for what it answers."""

    kafka: str
    namespace: str
    timeout_s: float


class Publishing(Where, frozen=True, kw_only=True):
    """The options of `options.publishing`, as click hands them over."""

    actor: str | None
    command_id: str | None
    wait: bool
    as_json: bool


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A reply. `status` None: nobody waited for it. `code` is set when it was rejected."""

    command_id: str
    status: str | None = None
    instance_id: str | None = None
    code: str | None = None
    detail: str | None = None
    result: Any = None


@contextlib.asynccontextmanager
async def connected(where: Where, actor: str | None = None) -> AsyncGenerator[Client]:
    """A connected client. What goes wrong ends the program with a sentence, but for rejections."""
    quiet_libraries()
    try:
        kafka = read_kafka(os.environ, where.kafka).options()
    except ConfigError as error:
        fail(ExitCode.USAGE, str(error))
    del kafka["bootstrap_servers"]
    options = ClientOptions(timeout_s=where.timeout_s, actor=actor, kafka=kafka)
    client = Client(where.kafka, where.namespace, options)
    await _connect(client, where)
    try:
        yield client
    except RejectedError:
        raise
    except ReplyTimeoutError as error:
        fail(
            ExitCode.UNREACHABLE,
            f"{error}. The log has it, so it will be applied: does an engine run (torpor run)?"
            f" To ask again, repeat the command with --command-id {error.command_id}.",
        )
    except KafkaUnavailableError as error:
        fail(ExitCode.UNREACHABLE, f"{error} (--kafka is {where.kafka})")
    except TorporError as error:
        fail(ExitCode.REFUSED, plain(error))
    except ValueError as error:
        fail(ExitCode.USAGE, f"the command cannot be sent: {plain(error)}")
    finally:
        await client.close()


async def _connect(client: Client, where: Where) -> None:
    try:
        async with asyncio.timeout(where.timeout_s):
            await client.connect()
    except NamespaceNotFoundError:
        fail(
            ExitCode.REFUSED,
            f"the Kafka at {where.kafka} has no namespace {where.namespace}. Is --namespace (or"
            " TORPOR_NAMESPACE) right, and was `torpor init` run for it?",
        )
    except (KafkaUnavailableError, TimeoutError) as error:
        _no_kafka(where, error)


def _no_kafka(where: Where, error: Exception) -> NoReturn:
    cause = error.__cause__
    is_silence = isinstance(error, TimeoutError) or isinstance(cause, KafkaConnectionError)
    reason = "" if is_silence else f" ({type(cause or error).__name__})"
    fail(
        ExitCode.UNREACHABLE,
        f"no Kafka answers at {where.kafka}{reason}. Is --kafka (or TORPOR_KAFKA) right, and does"
        " it run?",
    )


async def publish(to: Publishing, kind: str, key: str, fields: Mapping[str, Any]) -> Answer:
    """Publish a command, and wait for its reply unless nobody wants it."""
    async with connected(to, to.actor) as client:
        submitted = await client.submit(kind, key, fields, to.command_id)
        if not to.wait:
            return Answer(command_id=submitted.command_id)
        try:
            reply = await submitted.reply()
        except RejectedError as error:
            return Answer(
                command_id=error.command_id,
                status="REJECTED",
                code=error.code,
                detail=error.detail,
                result=error.result,
            )
    return Answer(
        command_id=reply.command_id,
        status=reply.status,
        instance_id=reply.instance_id,
        detail=reply.detail,
        result=None if reply.result is None else msgspec.json.decode(reply.result),
    )


def report(
    to: Publishing,
    answer: Answer,
    done: str,
    own: Mapping[str, Any] | None = None,
    absent: str = "",
) -> None:
    """Print an answer: as JSON, or for people what was `done`. A rejection ends the program.

    `own` is what a command prints as JSON instead of its reply; a rejection has both. `absent` is
    said besides where what the command names is not there.
    """
    if to.as_json:
        is_own = own is not None and answer.status is not None and answer.code is None
        print_json(own if is_own else {**msgspec.to_builtins(answer), **(own or {})})
    elif answer.code is not None:
        click.echo(f"rejected: {answer.code}: {plain(answer.detail)}", err=True)
        if absent and answer.code == "NOT_FOUND":
            click.echo(absent, err=True)
    elif answer.status is None:
        click.echo(f"published, command {plain(answer.command_id)}")
    elif done:
        again = " (by the same command, before)" if answer.status == "DUPLICATE" else ""
        click.echo(f"{plain(done)}{again}")
    if answer.code is not None:
        raise SystemExit(ExitCode.REFUSED)
