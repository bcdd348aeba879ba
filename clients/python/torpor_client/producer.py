"""Publishing commands: to the partition that owns them, acknowledged by all replicas."""

import asyncio
from typing import Any

import msgspec
from aiokafka.errors import KafkaError, MessageSizeTooLargeError

from torpor_client.connection import Connection
from torpor_client.errors import KafkaUnavailableError
from torpor_client.routing import partition_of


class CommandRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A command ready for the log."""

    key: str
    value: bytes
    headers: list[tuple[str, bytes]]


class CommandProducer:
    """Publishes to the command topic of one namespace.

    After a failure the next command gets a new producer: an idempotent one that lost a record
    takes no further ones.
    """

    def __init__(self, connection: Connection, topic: str) -> None:
        self._connection = connection
        self._topic = topic
        self._producer: Any = None
        self._partitions = 0
        self._starting = asyncio.Lock()

    async def start(self) -> Any:
        """Connect; the AIOKafkaClient within, for metadata. Raises KafkaUnavailableError."""
        async with self._starting:
            if self._producer is None:
                self._producer = await self._connection.start_producer()
        return self._producer.client

    def set_partitions(self, partitions: int) -> None:
        """How many partitions the command topic has; fixed for the life of a namespace."""
        self._partitions = partitions

    async def send(self, record: CommandRecord) -> None:
        """Returns when the log has the command.

        Raises ValueError for one that is too large, KafkaUnavailableError: it may be written.
        """
        await self.start()
        producer = self._producer
        try:
            await producer.send_and_wait(
                self._topic,
                value=record.value,
                key=record.key.encode(),
                partition=partition_of(record.key, self._partitions),
                headers=record.headers,
            )
        except MessageSizeTooLargeError as error:
            raise ValueError(f"the command is too large for Kafka: {error}") from error
        except KafkaError as error:
            await self._replace(producer)
            raise KafkaUnavailableError(f"the command was not acknowledged: {error!r}") from error

    async def _replace(self, failed: Any) -> None:
        if self._producer is failed:
            self._producer = None
            await _stop(failed)

    async def stop(self) -> None:
        """Send what is buffered, and disconnect."""
        producer, self._producer = self._producer, None
        if producer is not None:
            await _stop(producer)


STOP_TIMEOUT_S = 5.0


async def _stop(producer: Any) -> None:
    """A producer whose broker is away would wait for it without end."""
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await producer.stop()
    except (KafkaError, TimeoutError):
        await producer.client.close()
