"""How to reach Kafka, and aiokafka's clients as this library needs them."""

import asyncio
import contextlib
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import (
    ClusterAuthorizationFailedError,
    IncompatibleBrokerVersion,
    KafkaError,
    UnknownError,
    UnsupportedVersionError,
)
from aiokafka.protocol.metadata import MetadataRequest

from torpor_client.errors import KafkaUnavailableError

log = logging.getLogger("torpor_client")

RECORD_BYTES_MAX = 2 * 1024 * 1024
REQUEST_TIMEOUT_MS = 15_000
RETRY_BACKOFF_MS = 500
"""While a broker is away. aiokafka's 100 ms make dozens of attempts and lines of log a second."""

TOPIC_APPEARS_S = 3.0
TOPIC_POLL_S = 0.1
PARTITION_FETCH_BYTES = 4 * 1024 * 1024
"""Above the largest record: aiokafka steps over one that is larger."""

NOT_IDEMPOTENT = (
    ClusterAuthorizationFailedError,
    IncompatibleBrokerVersion,
    UnknownError,
    UnsupportedVersionError,
)
"""How brokers answer who asks for a producer id, and cannot or must not have one."""


class Consumer(AIOKafkaConsumer):  # type: ignore[misc] # aiokafka ships no types
    """A consumer that shows its client, as aiokafka's producer does."""

    @property
    def client(self) -> Any:
        return self._client

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


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """Where Kafka is. `options` go to every client of aiokafka: TLS, SASL, `client_id`."""

    bootstrap_servers: str
    options: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        """Raises ValueError for credentials that aiokafka would pass over in silence."""
        protocol = self.options.get("security_protocol", "PLAINTEXT")
        given = [name for name in self.options if name.startswith("sasl_")]
        if given and not str(protocol).startswith("SASL"):
            raise ValueError(
                f"{given[0]} is given, but security_protocol is {protocol}, which logs in nobody:"
                " choose SASL_SSL or SASL_PLAINTEXT"
            )
        if "ssl_context" in self.options and "SSL" not in str(protocol):
            raise ValueError(
                f"ssl_context is given, but security_protocol is {protocol}, which encrypts"
                " nothing: choose SSL or SASL_SSL"
            )

    def consumer(self, **more: Any) -> Any:
        """An AIOKafkaConsumer that commits nothing by itself, not started yet."""
        return Consumer(
            bootstrap_servers=self.bootstrap_servers,
            enable_auto_commit=False,
            max_partition_fetch_bytes=PARTITION_FETCH_BYTES,
            request_timeout_ms=REQUEST_TIMEOUT_MS,
            **{"retry_backoff_ms": RETRY_BACKOFF_MS, **self.options, **more},
        )

    async def start_producer(self) -> Any:
        """A started AIOKafkaProducer: acks=all, idempotent where the broker is able to.

        Raises KafkaUnavailableError.
        """
        try:
            return await self._start_producer(is_idempotent=True)
        except NOT_IDEMPOTENT as error:
            log.warning(
                "this broker, as that of `torpor dev`, does without idempotent producers: a command"
                " that is written twice is applied once, by its id"
            )
            log.debug("it answered %r", error)
        return await self._start_producer(is_idempotent=False)

    async def _start_producer(self, *, is_idempotent: bool) -> Any:
        producer = AIOKafkaProducer(
            bootstrap_servers=self.bootstrap_servers,
            acks="all",
            enable_idempotence=is_idempotent,
            max_request_size=RECORD_BYTES_MAX,
            request_timeout_ms=REQUEST_TIMEOUT_MS,
            **self.options,
        )
        try:
            with expecting_no_producer_id():
                await producer.start()
        except BaseException as error:
            with contextlib.suppress(KafkaError):
                await producer.stop()
            if isinstance(error, KafkaError) and not isinstance(error, NOT_IDEMPOTENT):
                raise KafkaUnavailableError(f"Kafka cannot be reached: {error!r}") from error
            raise
        return producer


@contextlib.contextmanager
def expecting_no_producer_id() -> Iterator[None]:
    """aiokafka logs as an error what it then raises: that a broker gives no producer ids. Whoever
    gets the exception tells it; another error is logged as ever."""
    logger = logging.getLogger("aiokafka.producer.sender")
    logger.addFilter(_is_not_about_producer_ids)
    try:
        yield
    finally:
        logger.removeFilter(_is_not_about_producer_ids)


def _is_not_about_producer_ids(record: logging.LogRecord) -> bool:
    is_about = str(record.msg).startswith("Unexpected error during InitProducerIdRequest")
    return not (is_about and isinstance(record.args, tuple) and record.args[0] in NOT_IDEMPOTENT)


async def existing(
    client: Any, topics: Collection[str], appears_s: float = TOPIC_APPEARS_S
) -> dict[str, int]:
    """As `partition_counts`, but a topic that is missing is given a moment to appear.

    A broker learns of a new topic some time after another has created it.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + appears_s
    while True:
        counts = await partition_counts(client, topics)
        if len(counts) == len(topics) or loop.time() > deadline:
            return counts
        await asyncio.sleep(TOPIC_POLL_S)


async def partition_counts(client: Any, topics: Iterable[str]) -> dict[str, int]:
    """How many partitions the topics have; those that do not exist are left out, and not created.

    `client` is the AIOKafkaClient of a started producer or consumer: its own ways to ask make
    brokers with auto.create.topics create what was asked for. Raises KafkaUnavailableError.
    """
    request = MetadataRequest(list(topics), allow_auto_topic_creation=False)
    try:
        response = await client.send(client.get_random_node(), request)
    except KafkaError as error:
        raise KafkaUnavailableError(f"no metadata: {error!r}") from error
    return {topic: len(partitions) for code, topic, _, partitions in response.topics if code == 0}
