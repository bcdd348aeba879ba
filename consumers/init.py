"""`torpor init`: topics, the namespace's record and the partitions' first fences.

Idempotent: what is there is found, what is missing is made, and what does not fit is refused before
anything is written. The record comes first, because it decides between two that run at once.
"""

import asyncio
import logging
import secrets
from collections.abc import Iterable, Sequence

import msgspec
from aiokafka.errors import KafkaError

from consumers.config import Config
from consumers.kafka_publisher import KafkaPublishers
from consumers.kafka_reader import keys_of
from consumers.kafka_topics import (
    NUMBERED,
    KafkaTopics,
    TopicPlan,
    planned_topics,
    replicas_for,
)
from consumers.log import LogUnavailableError, OutgoingRecord, PublishError
from consumers.namespace import NamespaceError, NamespaceRecord, read_namespace
from engine.expressions.calendar.zones import is_zone
from schemas.catalogue import published_schemas
from schemas.frames import Frame
from schemas.topics import SCHEMAS, topic_name
from storage.keys import PartitionKeys
from storage.ports import Fence, HashGetAll, ListRange, SortedRange, Store, StoreRead
from storage.redis_store import connect_store

log = logging.getLogger(__name__)

PARTITIONS = 48
PARTITIONS_MAX = 10_000
TOPIC_APPEARS_S = 15.0
POLL_S = 0.05


class Initialised(msgspec.Struct, frozen=True, kw_only=True):
    """What `init` created and what it found, as sentences' objects: topics, record, fences."""

    namespace: str
    partitions: int
    frame: str
    format: int
    zone: str
    created: tuple[str, ...]
    found: tuple[str, ...]


async def initialise(
    config: Config,
    partitions: int | None = None,
    frame: Frame = Frame.SINGLE_OBJECT,
    zone: str | None = None,
) -> Initialised:
    """Prepare a namespace. `partitions` and `zone` None: what there is, else PARTITIONS and UTC.

    Raises NamespaceError, LogUnavailableError, StoreUnavailableError.
    """
    if partitions is not None and not 1 <= partitions <= PARTITIONS_MAX:
        raise NamespaceError(f"{partitions} partitions: 1 to {PARTITIONS_MAX} are possible")
    if zone is not None and not is_zone(zone):
        raise NamespaceError(
            f"{zone!r} is no time zone: choose one of the IANA list, such as Europe/Berlin"
        )
    if frame is Frame.CONFLUENT:
        raise NamespaceError(
            "the frame confluent needs the ids of a schema registry, at which this version does not"
            " register: choose single-object or json"
        )
    store = await connect_store(config.redis, config.namespace)
    try:
        async with KafkaTopics(config.kafka) as topics:
            return await _Initialisation(config, store, topics).run(partitions, frame, zone)
    finally:
        await store.close()


class _Initialisation:
    def __init__(self, config: Config, store: Store, topics: KafkaTopics) -> None:
        self._config = config
        self._store = store
        self._topics = topics
        self._created: list[str] = []
        self._found: list[str] = []

    async def run(self, partitions: int | None, frame: Frame, zone: str | None) -> Initialised:
        namespace = self._config.namespace
        wanted = await self._wanted(partitions, frame, zone)
        self._note(
            f"namespace {namespace}, {wanted.partitions} partitions, time zone {wanted.zone}",
            created=await self._store.register(wanted.fields()),
        )
        record = await read_namespace(self._store, namespace)
        if record != wanted:
            raise NamespaceError(f"namespace {namespace} was initialised otherwise at this moment")
        await self._create_topics(wanted)
        await self._write_fences(wanted)
        await self._publish_schemas(wanted)
        return Initialised(
            namespace=namespace,
            partitions=wanted.partitions,
            frame=wanted.frame,
            format=wanted.format,
            zone=wanted.zone,
            created=tuple(self._created),
            found=tuple(self._found),
        )

    async def _wanted(
        self, partitions: int | None, frame: Frame, zone: str | None
    ) -> NamespaceRecord:
        """The record as it is or is to be. Raises NamespaceError when something contradicts it."""
        namespace = self._config.namespace
        record = await read_namespace(self._store, namespace)
        if record is None:
            record = NamespaceRecord(
                partitions=partitions or PARTITIONS, frame=frame, zone=zone or "UTC"
            )
        elif partitions is not None and partitions != record.partitions:
            raise NamespaceError(
                f"namespace {namespace} has {record.partitions} partitions, which cannot be changed"
                f" to {partitions}: choose another namespace"
            )
        if zone not in {None, record.zone}:
            raise NamespaceError(
                f"namespace {namespace} has the time zone {record.zone}, which cannot be changed to"
                f" {zone}: choose another namespace"
            )
        names = {topic_name(namespace, kind): kind for kind in NUMBERED}
        for found in (await self._topics.find(names)).values():
            if found.partitions != record.partitions:
                raise NamespaceError(
                    f"topic {found.name} is there with {found.partitions} partitions, namespace"
                    f" {namespace} is to have {record.partitions}: delete the topic if it is not"
                    f" needed, or run init with --partitions {found.partitions}"
                )
        return record

    async def _create_topics(self, record: NamespaceRecord) -> None:
        brokers = await self._topics.brokers()
        plans = planned_topics(self._config.namespace, record.partitions, brokers)
        known = await self._topics.names()
        for plan in plans:
            is_new = plan.name not in known and await self._create(plan, brokers)
            self._note(f"topic {plan.name}, {plan.partitions} partitions", created=is_new)
        await self._appearance([plan.name for plan in plans])

    async def _create(self, plan: TopicPlan, brokers: int) -> bool:
        try:
            return await self._topics.create(plan, replicas_for(brokers))
        except KafkaError as error:
            raise NamespaceError(f"topic {plan.name} cannot be created: {error!r}") from error

    async def _appearance(self, names: Iterable[str]) -> None:
        """Brokers tell of a topic some time after they have created it."""
        wanted = set(names)
        deadline = asyncio.get_running_loop().time() + TOPIC_APPEARS_S
        while missing := wanted - await self._topics.names():
            if asyncio.get_running_loop().time() > deadline:
                raise NamespaceError(f"created, but not there: {', '.join(sorted(missing))}")
            await asyncio.sleep(POLL_S)

    async def _write_fences(self, record: NamespaceRecord) -> None:
        numbers = range(record.partitions)
        fences = await self._store.fences(numbers)
        missing = [number for number, fence in zip(numbers, fences, strict=True) if fence is None]
        await self._refuse_leftovers(missing)
        written = [
            await self._store.initialise(number, _first_fence()) for number in missing
        ].count(True)
        if written:
            self._note(f"fences of {written} partitions", created=True)
        if written < record.partitions:
            self._note(f"fences of {record.partitions - written} partitions", created=False)

    async def _refuse_leftovers(self, partitions: Sequence[int]) -> None:
        """A partition without a fence must be empty: else the log would be applied twice."""
        reads = [_traces(self._config.namespace, number) for number in partitions]
        answers = await self._store.query([read for group in reads for read in group])
        size = len(_traces("", 0))
        for index, number in enumerate(partitions):
            if any(answers[index * size : (index + 1) * size]):
                raise NamespaceError(
                    f"partition {number} has data in Redis but no fence: it was lost, or deleted by"
                    " hand. Restore Redis from a backup, or delete all keys of the partition"
                    f" ({PartitionKeys(self._config.namespace, number).tag}*) to build it anew from"
                    " the log"
                )

    async def _publish_schemas(self, record: NamespaceRecord) -> None:
        """Whoever reads records finds their schemas there, also those of newer versions."""
        topic = topic_name(self._config.namespace, SCHEMAS)
        known = await keys_of(self._config.kafka, topic)
        records = [
            OutgoingRecord(topic=topic, key=fingerprint.encode(), value=schema.encode())
            for fingerprint, schema in sorted(published_schemas().items())
        ]
        missing = [each for each in records if each.key not in known]
        if missing:
            await self._publish(missing, record.partitions)
            self._note(f"{len(missing)} schemas on {topic}", created=True)
        if len(missing) < len(records):
            self._note(f"{len(records) - len(missing)} schemas on {topic}", created=False)

    async def _publish(self, records: Sequence[OutgoingRecord], partitions: int) -> None:
        publishers = KafkaPublishers(self._config.kafka, self._config.namespace, partitions)
        try:
            publisher = await publishers.open()
            await publisher.send(records)
        except PublishError as error:
            raise LogUnavailableError(f"schemas are not published: {error}") from error
        finally:
            await publishers.close()

    def _note(self, what: str, *, created: bool) -> None:
        (self._created if created else self._found).append(what)


def _first_fence() -> Fence:
    return Fence(
        generation=1,
        next_offset=0,
        now_ms=0,
        stamp_timestamp_ms=None,
        stamp_crc=None,
        commit=secrets.token_hex(8),
    )


def _traces(namespace: str, partition: int) -> list[StoreRead]:
    """What a partition that has ever applied a command has some of."""
    keys = PartitionKeys(namespace, partition)
    return [
        ListRange(keys.outbox, 0, 0),
        HashGetAll(keys.definitions),
        HashGetAll(keys.sources),
        SortedRange(keys.instances, 0, 2**53, 1),
        SortedRange(keys.timers, 0, 2**53, 1),
    ]
