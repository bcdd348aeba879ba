"""Replies: one partition of the reply topic, read from its end, matched by correlation id."""

import asyncio
import contextlib
import logging
import secrets
from typing import Any
from weakref import WeakValueDictionary

from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from torpor_client.connection import Connection
from torpor_client.errors import KafkaUnavailableError
from torpor_client.frames import FrameError, read_published
from torpor_client.records import Reply
from torpor_client.schema_topic import SchemaTopic

log = logging.getLogger("torpor_client")

RETRY_S = 0.5
_CORRELATION = "correlation-id"


class ReplyReader:
    """Reads the replies to one client's commands. No group, no offsets: replies are for now."""

    def __init__(self, connection: Connection, topic: str, schemas: SchemaTopic) -> None:
        self._connection = connection
        self._topic = topic
        self._schemas = schemas
        self._consumer: Any = None
        self._task: asyncio.Task[None] | None = None
        # Weak: who has let go of what was to be a reply does not wait for it.
        self._waiting: WeakValueDictionary[bytes, asyncio.Future[Reply]] = WeakValueDictionary()
        self.partition = 0

    async def start(self, partitions: int) -> None:
        """Read one partition from its end on. Raises KafkaUnavailableError."""
        self.partition = secrets.randbelow(partitions)
        found = TopicPartition(self._topic, self.partition)
        self._consumer = self._connection.consumer(auto_offset_reset="latest")
        try:
            await self._consumer.start()
            self._consumer.assign([found])
            await self._consumer.seek_to_end(found)
            await self._consumer.position(found)  # known before the first command is sent
        except KafkaError as error:
            await self._consumer.stop()
            raise KafkaUnavailableError(f"replies cannot be read: {error!r}") from error
        self._task = asyncio.create_task(self._read())

    def expect(self) -> tuple[bytes, asyncio.Future[Reply]]:
        """A new correlation id, and what will be the reply that carries it."""
        correlation = secrets.token_bytes(16)
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[correlation] = reply
        return correlation, reply

    def headers(self, correlation: bytes) -> list[tuple[str, bytes]]:
        """The headers by which a command asks for its reply here."""
        return [
            ("reply-to", self._topic.encode()),
            ("reply-partition", b"%d" % self.partition),
            (_CORRELATION, correlation),
        ]

    async def stop(self) -> None:
        """Replies that are still expected are given up."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        for reply in list(self._waiting.values()):
            reply.cancel()
        if self._consumer is not None:
            await self._consumer.stop()

    async def _read(self) -> None:
        while True:
            try:
                batches = await self._consumer.getmany(timeout_ms=1_000)
            except KafkaError as error:
                log.warning("replies cannot be read at the moment: %r", error)
                await asyncio.sleep(RETRY_S)
                continue
            for records in batches.values():
                for record in records:
                    await self._take(record)

    async def _take(self, record: Any) -> None:
        waiting = self._waiting.get(dict(record.headers).get(_CORRELATION, b""))
        if waiting is None or waiting.done() or record.value is None:
            return
        try:
            known = await self._schemas.for_record(record.value)
            reply = read_published(record.value, Reply, known)
        except (FrameError, KafkaUnavailableError):
            log.exception("a reply cannot be read")
            return
        if not waiting.done():  # given up while the schema was looked for
            waiting.set_result(reply)
