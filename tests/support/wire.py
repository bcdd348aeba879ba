"""A client that is as raw as can be: JSON on the command topic, and every topic as it is.

    async with Wire(kafka.bootstrap, namespace, partitions=4) as wire:
        reply = await wire.ask("StartInstance", process_id="order", instance_id="order-1")
        effects = await wire.read("effects")        # all records, copies too, with offsets

What is published is routed and decoded by the project's own rules (`engine.routing`, `schemas`),
which have tests of their own; nothing else is taken from the product.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from engine import records as r
from engine.routing import DEPLOYMENTS, kafka_key, message_address, partition_of
from schemas.codec import Codec
from tests.support.waiting import DEADLINE_S, eventually, until

Published = TypeVar("Published", bound=r.Effect | r.Job | r.Task | r.Reply | r.Transition)
Headers = Sequence[tuple[str, bytes]]


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A record as a topic has it."""

    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]

    def header(self, name: str) -> str | None:
        """The last header of this name, as text."""
        values = [value for each, value in self.headers if each == name]
        return values[-1].decode() if values else None


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """Where a command was written, and the id that it carries."""

    command_id: str
    partition: int
    offset: int


def address_of(fields: Mapping[str, Any]) -> str:
    """The address that a command is for, from its fields."""
    if "resources" in fields:
        return DEPLOYMENTS
    if "correlation_key" in fields:
        return message_address(fields["name"], fields["correlation_key"])
    for name in ("job_id", "task_id", "incident_id"):
        if fields.get(name) is not None:
            return str(fields[name]).rpartition(":")[0]
    return str(fields["instance_id"])


class Wire:
    """One client of one namespace. Commands get ids `c-1`, `c-2`, ... unless they are given one."""

    def __init__(self, bootstrap: str, namespace: str, partitions: int) -> None:
        self.namespace = namespace
        self.partitions = partitions
        self.codec = Codec(namespace)
        self.replies: dict[str, list[r.Reply]] = {}
        self._bootstrap = bootstrap
        self._stack = contextlib.AsyncExitStack()
        self._sent = 0

    async def __aenter__(self) -> "Wire":
        self._producer = AIOKafkaProducer(
            bootstrap_servers=self._bootstrap, acks="all", enable_idempotence=True
        )
        await self._stack.enter_async_context(self._producer)
        await self._stack.enter_async_context(self.following("replies", self._take_reply))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    # --- commands ---

    async def send(
        self,
        command: str,
        *,
        command_id: str | None = None,
        partition: int | None = None,
        **fields: Any,
    ) -> Sent:
        """Publish a command, and return when it is written. `partition` None: the right one."""
        command_id = command_id or self.new_id()
        key = kafka_key(address_of(fields))
        body = {"type": command, "command_id": command_id, **fields}
        return await self.send_raw(
            msgspec.json.encode(body),
            key=key.encode(),
            partition=partition_of(key, self.partitions) if partition is None else partition,
            command_id=command_id,
        )

    async def send_raw(
        self,
        value: bytes | None,
        *,
        partition: int,
        key: bytes | None = None,
        command_id: str | None = None,
        headers: Headers = (),
    ) -> Sent:
        """Publish any bytes. The reply is asked for; its `command_id` header says whose it is."""
        written = await self._producer.send_and_wait(
            self.topic("commands"),
            value,
            key=key,
            partition=partition,
            headers=[*headers, *self._asking(command_id)],
        )
        return Sent(
            command_id=command_id or f"{partition}-{written.offset}",
            partition=partition,
            offset=written.offset,
        )

    async def send_again(self, found: Found, partition: int) -> None:
        """Publish a record as it was found, there or elsewhere. Nobody is asked for a reply."""
        await self._producer.send_and_wait(
            self.topic("commands"),
            found.value,
            key=found.key,
            partition=partition,
            headers=list(found.headers),
        )

    async def send_batch(self, partition: int, values: Sequence[bytes]) -> int:
        """Publish records as one batch of the log; the first offset."""
        batch = self._producer.create_batch()
        for value in values:
            added = batch.append(
                key=None, value=value, timestamp=None, headers=[*self._asking(None)]
            )
            assert added, "the batch is full"
        batch.close()
        written = await self._producer.send_batch(
            batch, self.topic("commands"), partition=partition
        )
        return int((await written).offset)

    async def send_many(self, commands: Sequence[Mapping[str, Any]]) -> None:
        """Publish commands, as many at once as go, and return when all are written."""
        written = []
        for command in commands:
            key = kafka_key(address_of(command))
            sent = await self._producer.send(
                self.topic("commands"),
                msgspec.json.encode({"command_id": self.new_id(), **command}),
                key=key.encode(),
                partition=partition_of(key, self.partitions),
            )
            written.append(sent)
        await asyncio.gather(*written)

    async def ask(self, command: str, *, seconds: float = DEADLINE_S, **fields: Any) -> r.Reply:
        """Publish a command and wait for its first reply."""
        sent = await self.send(command, **fields)
        return await self.reply_to(sent.command_id, seconds=seconds)

    async def accepted(self, command: str, **fields: Any) -> r.Reply:
        """As `ask`; fails unless the command is accepted."""
        reply = await self.ask(command, **fields)
        assert reply.status == r.ReplyStatus.ACCEPTED, reply
        return reply

    async def reply_to(
        self, command_id: str, *, number: int = 1, seconds: float = DEADLINE_S
    ) -> r.Reply:
        """The reply number `number` that carries this command id."""
        await until(
            f"reply {number} to {command_id}",
            lambda: len(self.replies.get(command_id, ())) >= number,
            seconds,
            poll_s=0.01,
        )
        return self.replies[command_id][number - 1]

    def new_id(self) -> str:
        """A command id that this client has not used."""
        self._sent += 1
        return f"c-{self._sent}"

    def _asking(self, command_id: str | None) -> list[tuple[str, bytes]]:
        headers = [("reply-to", self.topic("replies").encode())]
        if command_id is not None:
            headers.append(("correlation-id", command_id.encode()))
        return headers

    def _take_reply(self, found: Found) -> None:
        assert found.value is not None
        reply = self.codec.decode_published(found.value, r.Reply)
        self.replies.setdefault(reply.command_id, []).append(reply)

    # --- what was published ---

    def topic(self, kind: str) -> str:
        """The full name of a topic of this namespace."""
        return f"{self.namespace}.{kind}"

    async def read(self, kind: str) -> list[Found]:
        """Every record that the topic has now, in order within its partitions."""
        async with self._consumer(kind) as (consumer, assigned):
            ends = await consumer.end_offsets(assigned)
            found: list[Found] = []
            while any([await consumer.position(each) < ends[each] for each in assigned]):
                got = await consumer.getmany(timeout_ms=1_000)
                found += [as_found(record) for records in got.values() for record in records]
            return found

    async def ends(self, kind: str = "commands") -> list[int]:
        """The offset after the last record, by partition."""
        async with self._consumer(kind) as (consumer, assigned):
            ends = await consumer.end_offsets(assigned)
            return [ends[each] for each in assigned]

    def decode(self, found: Found, kind: type[Published]) -> Published:
        """The record that the bytes are."""
        assert found.value is not None
        return self.codec.decode_published(found.value, kind)

    @contextlib.asynccontextmanager
    async def following(self, kind: str, take: Callable[[Found], object]) -> AsyncIterator[None]:
        """Hand over each record of the topic, from the first, while the block runs.

        An exception of `take`, or of the reading, ends the block with it.
        """
        async with self._consumer(kind) as (consumer, _):
            task = asyncio.create_task(self._hand_over(consumer, take))
            try:
                yield
            finally:
                if not task.done():
                    task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    async def _hand_over(self, consumer: Any, take: Callable[[Found], object]) -> None:
        while True:
            got = await consumer.getmany(timeout_ms=1_000)
            for records in got.values():
                for record in records:
                    take(as_found(record))

    @contextlib.asynccontextmanager
    async def _consumer(self, kind: str) -> AsyncIterator[tuple[Any, list[TopicPartition]]]:
        """A consumer at the beginning of all partitions, of no group."""
        topic = self.topic(kind)
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self._bootstrap,
            group_id=None,
            isolation_level="read_committed",
            auto_offset_reset="earliest",
            fetch_max_wait_ms=100,
        )
        await consumer.start()
        try:
            partitions = await eventually(f"topic {topic}", lambda: _partitions(consumer, topic))
            assigned = [TopicPartition(topic, number) for number in sorted(partitions)]
            consumer.assign(assigned)
            await consumer.seek_to_beginning(*assigned)
            yield consumer, assigned
        finally:
            await consumer.stop()


async def _partitions(consumer: Any, topic: str) -> set[int]:
    client = consumer._client
    await client.add_topic(topic)
    await client.force_metadata_update()
    return client.cluster.partitions_for_topic(topic) or set()


def as_found(record: Any) -> Found:
    return Found(
        partition=record.partition,
        offset=record.offset,
        timestamp_ms=record.timestamp,
        key=record.key,
        value=record.value,
        headers=tuple(record.headers),
    )
