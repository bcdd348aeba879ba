"""The wire under the client: commands out, each with the reply that belongs to it."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from torpor_client.connection import TOPIC_APPEARS_S, Connection, existing
from torpor_client.errors import (
    KafkaUnavailableError,
    NamespaceNotFoundError,
    RejectedError,
    ReplyTimeoutError,
)
from torpor_client.frames import Frame, write_command
from torpor_client.ids import new_id
from torpor_client.producer import CommandProducer, CommandRecord
from torpor_client.records import Reply
from torpor_client.replies import ReplyReader
from torpor_client.schema_topic import SchemaTopic

_CONTENT_TYPES = {Frame.SINGLE_OBJECT: b"application/avro", Frame.JSON: b"application/json"}


class ClientOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`actor` goes into history as who asked. `kafka` are options of every client of aiokafka."""

    timeout_s: float = 10.0
    actor: str | None = None
    frame: Frame = Frame.SINGLE_OBJECT
    kafka: Mapping[str, Any] = {}


class Submitted:
    """A command that the log has. `reply` waits for what the engine says."""

    def __init__(self, command_id: str, reply: asyncio.Future[Reply], timeout_s: float) -> None:
        self.command_id = command_id
        self._reply = reply
        self._timeout_s = timeout_s

    async def reply(self) -> Reply:
        """The reply, ACCEPTED or DUPLICATE. Raises RejectedError, ReplyTimeoutError.

        The engine answers the second of two equal commands with the first one's outcome: a
        DUPLICATE of a rejected command raises RejectedError, too. After a ReplyTimeoutError it may
        be called again, to wait as long once more. Raises KafkaUnavailableError when the client is
        closed meanwhile.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await asyncio.shield(self._reply)
        except TimeoutError:
            raise ReplyTimeoutError(self.command_id, self._timeout_s) from None
        except asyncio.CancelledError:
            if self._reply.cancelled() and not _is_cancelled():
                text = f"the client was closed before the reply to the command {self.command_id}"
                raise KafkaUnavailableError(text) from None
            raise
        if reply.code is not None:
            raise RejectedError(reply.command_id, reply.code, reply.detail or "", reply.result)
        return reply


def _is_cancelled() -> bool:
    """Whether it is the caller who is to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Channel:
    """One namespace's command topic and a partition of its reply topic."""

    def __init__(self, connection: Connection, namespace: str, options: ClientOptions) -> None:
        self.namespace = namespace
        self.connection = connection
        self.schemas = SchemaTopic(connection, f"{namespace}.schemas")
        self.partitions = 0
        self._options = options
        self._topic = f"{namespace}.commands"
        self._reply_topic = f"{namespace}.replies"
        self._producer = CommandProducer(connection, self._topic)
        self._replies = ReplyReader(connection, self._reply_topic, self.schemas)

    async def open(self) -> None:
        """Raises NamespaceNotFoundError, KafkaUnavailableError."""
        kafka = await self._producer.start()
        try:
            # Within the time-out: a namespace that is not there is told from a silent Kafka.
            appears_s = min(TOPIC_APPEARS_S, self._options.timeout_s / 2)
            counts = await existing(kafka, (self._topic, self._reply_topic), appears_s)
            self.partitions = _count(counts, self.namespace, self._topic)
            replies = _count(counts, self.namespace, self._reply_topic)
            self._producer.set_partitions(self.partitions)
            await self._replies.start(replies)
        except BaseException:
            await self._producer.stop()
            raise

    async def close(self) -> None:
        """Replies that are still expected are given up."""
        await self._replies.stop()
        await self._producer.stop()

    async def submit(
        self, kind: str, key: str, fields: Mapping[str, Any], command_id: str | None = None
    ) -> Submitted:
        """See `Client.submit`."""
        identity = command_id or new_id()
        body = {"command_id": identity, "actor": self._options.actor, **fields}
        value = write_command(self._options.frame, kind, body)
        correlation, reply = self._replies.expect()
        headers = [*self._headers(kind, identity), *self._replies.headers(correlation)]
        try:
            await self._producer.send(CommandRecord(key=key, value=value, headers=headers))
        except BaseException:
            reply.cancel()
            raise
        return Submitted(identity, reply, self._options.timeout_s)

    def _headers(self, kind: str, command_id: str) -> list[tuple[str, bytes]]:
        return [
            ("ce_specversion", b"1.0"),
            ("ce_id", command_id.encode()),
            ("ce_source", f"/torpor/{self.namespace}/client".encode()),
            ("ce_type", f"torpor.command.{kind}".encode()),
            ("content-type", _CONTENT_TYPES[self._options.frame]),
        ]


def _count(counts: Mapping[str, int], namespace: str, topic: str) -> int:
    if topic not in counts:
        raise NamespaceNotFoundError(namespace, topic)
    return counts[topic]
