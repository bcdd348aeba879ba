"""How to reach Kafka, and aiokafka's clients with what they do not show by themselves."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError, ProducerClosed
from aiokafka.protocol.fetch import FetchRequest

from consumers.log import LogUnavailableError

ASK_S = 10.0
"""How long a question to the brokers may take."""

ABORT_S = 2.0
"""How long a producer that is given up may take to end its requests."""


@contextlib.asynccontextmanager
async def asking(what: str, seconds: float = ASK_S) -> AsyncIterator[None]:
    """Bound a question to the brokers in time. Raises LogUnavailableError that says what it was."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise LogUnavailableError(f"{what}: no answer within {seconds:g} s") from error
    except KafkaError as error:
        raise LogUnavailableError(f"{what}: {error!r}") from error


class KafkaConnection(msgspec.Struct, frozen=True, kw_only=True):
    """Addresses and credentials. `bootstrap` is `host:port`, comma-separated."""

    bootstrap: str
    security_protocol: str = "PLAINTEXT"
    sasl_mechanism: str = "PLAIN"
    sasl_username: str | None = None
    sasl_password: str | None = None
    ca_file: str | None = None

    def options(self) -> dict[str, Any]:
        """Arguments that every client of aiokafka takes."""
        found: dict[str, Any] = {
            "bootstrap_servers": self.bootstrap.split(","),
            "security_protocol": self.security_protocol,
        }
        if "SSL" in self.security_protocol:
            found["ssl_context"] = ssl.create_default_context(cafile=self.ca_file)
        if self.security_protocol.startswith("SASL"):
            found["sasl_mechanism"] = self.sasl_mechanism
            found["sasl_plain_username"] = self.sasl_username
            found["sasl_plain_password"] = self.sasl_password
        return found


class WatchedConsumer(AIOKafkaConsumer):  # type: ignore[misc]  # aiokafka ships no types
    """A consumer that tells of every fetch that failed. aiokafka repeats them silently.

    `on_broken` is told which partitions a broker did not answer for, or answered with an error: a
    new leader, a reconnect, an offset out of range. What is read next may be another log.
    """

    def __init__(
        self, *, on_broken: Callable[[Iterable[TopicPartition]], None], **options: Any
    ) -> None:
        super().__init__(**options)
        self._on_broken = on_broken
        self._send = self._client.send
        self._client.send = self._send_watched

    async def stop(self) -> None:
        """As aiokafka's, which comes out as a cancellation of the caller, and leaves connections
        open, when a broker is away: it cancels a request of its own and then awaits it."""
        stopping = asyncio.ensure_future(super().stop())
        try:
            await asyncio.wait([stopping])
        finally:
            stopping.cancel()
        if stopping.cancelled():
            await self._client.close()
        else:
            stopping.result()

    @property
    def member_id(self) -> str:
        """What the group's coordinator calls this member; empty before it has joined."""
        return str(self._coordinator.member_id)

    def is_assigned(self, partition: TopicPartition) -> bool:
        return bool(self._subscription.is_assigned(partition))

    def knows(self, topic: str) -> bool:
        """Whether the brokers told of the topic when they were asked last."""
        return bool(self._client.cluster.partitions_for_topic(topic))

    def leader_of(self, partition: TopicPartition) -> int | None:
        leader: int | None = self._client.cluster.leader_for_partition(partition)
        return leader

    async def known_partitions(self, topic: str) -> set[int] | None:
        """Asked anew; None when there is no such topic."""
        await self._client.add_topic(topic)
        await self._client.force_metadata_update()
        found: set[int] | None = self._client.cluster.partitions_for_topic(topic)
        return found

    async def ended(self) -> None:
        """Returns when the membership of the group cannot go on any more."""
        coordinator = self._coordinator
        await asyncio.wait([coordinator._coordination_task])  # noqa: SLF001 - told nowhere else

    async def _send_watched(self, node_id: int, request: Any, **options: Any) -> Any:
        if not isinstance(request, FetchRequest):
            return await self._send(node_id, request, **options)
        try:
            response = await self._send(node_id, request, **options)
        except KafkaError:
            asked = ((topic, part[0]) for topic, parts in request.topics for part in parts)
            self._on_broken(TopicPartition(*each) for each in asked)
            raise
        broken = [
            TopicPartition(topic, partition)
            for topic, parts in response.topics
            for partition, error_code, *_ in parts
            if error_code
        ]
        if broken:
            self._on_broken(broken)
        return response


class OrderedProducer(AIOKafkaProducer):  # type: ignore[misc]  # aiokafka ships no types
    """A producer that can be given up, and that survives a batch which the broker refused."""

    is_given_up = False

    def topic_partitions(self, topic: str) -> int | None:
        """How many partitions the topic is known to have; None: nothing is known."""
        found = self.client.cluster.partitions_for_topic(topic)
        return len(found) if found else None

    async def learn(self, topic: str) -> int | None:
        """As `topic_partitions`, after asking the brokers once."""
        await self.client.add_topic(topic)
        await self.client.force_metadata_update()
        return self.topic_partitions(topic)

    async def existing(self) -> set[str]:
        """All topics, asked for in a way that creates none."""
        cluster = await self.client.fetch_all_metadata()
        found: set[str] = cluster.topics()
        return found

    def forget_refused(self, partition: TopicPartition, records: int) -> None:
        """Take back the sequence numbers of a batch that was refused: they were not used.

        aiokafka leaves a gap, and the broker then takes nothing more from this producer. Java's
        client takes them back, too.
        """
        if self._txn_manager is not None:
            self._txn_manager.increment_sequence_number(partition, -records)

    async def abort(self) -> None:
        """Close without waiting for what is under way; it may still be written."""
        if self.is_given_up:
            return
        self.is_given_up = True
        self._closed = True
        self._message_accumulator.fail_all(ProducerClosed())
        task = self._sender.sender_task
        if task is not None:
            task.cancel()
        with contextlib.suppress(KafkaError, OSError):
            await self.client.close()
        if task is not None:
            await asyncio.wait([task], timeout=ABORT_S)
