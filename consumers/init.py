"""`torpor init`: topics, the namespace's record and the partitions' first fences.

Idempotent: what is there is found, what is missing is made, and what does not fit is refused before
anything is written. The record comes first, because it decides between two that run at once.
"""

import asyncio
import logging
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from aiokafka.errors import KafkaError
from msgspec.structs import asdict, replace

from consumers.config import Config
from consumers.kafka_publisher import KafkaPublishers
from consumers.kafka_reader import ends_of, keys_of
from consumers.kafka_topics import (
    NUMBERED,
    KafkaTopics,
    TopicPlan,
    planned_topics,
    replicas_for,
)
from consumers.log import LogUnavailableError, OutgoingRecord, PublishError
from consumers.namespace import NamespaceError, NamespaceRecord, read_namespace
from consumers.secret_file import SecretSource, later, read_kept, read_secrets, write_secrets
from engine.expressions.calendar.zones import is_zone
from engine.records import Topic
from schemas.catalogue import published_schemas
from schemas.frames import Frame
from schemas.seals import Epoch, new_epoch, trusting_until
from schemas.topics import SCHEMAS, topic_name
from storage.keys import PartitionKeys
from storage.ports import Fence, HashGetAll, ListRange, SortedRange, Store, StoreRead
from storage.redis_store import connect_store

log = logging.getLogger(__name__)

PARTITIONS = 48
PARTITIONS_MAX = 10_000
FIXED = {"partitions": "partitions", "frame": "frame", "zone": "time zone"}
"""Fields of the record that never change, in words: else the same log means another state."""

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
    frame: Frame | None = None,
    zone: str | None = None,
    secrets: SecretSource = SecretSource(),  # noqa: B008 - frozen
) -> Initialised:
    """Prepare a namespace. `partitions`, `frame` and `zone` None: what there is, in Redis or the
    file of secrets, else PARTITIONS, single-object and UTC.

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
            work = _Initialisation(config, store, topics, secrets)
            return await work.run(partitions, frame, zone)
    finally:
        await store.close()


class _Initialisation:
    def __init__(
        self, config: Config, store: Store, topics: KafkaTopics, secrets: SecretSource
    ) -> None:
        self._config = config
        self._store = store
        self._topics = topics
        self._secrets = secrets
        self._is_restored = False
        self._created: list[str] = []
        self._found: list[str] = []

    async def run(
        self, partitions: int | None, frame: Frame | None, zone: str | None
    ) -> Initialised:
        namespace = self._config.namespace
        wanted = await self._wanted(partitions, frame, zone)
        is_new = await self._store.register(wanted.fields())
        self._note(
            f"namespace {namespace}, {wanted.partitions} partitions, time zone {wanted.zone}"
            + (f", as {self._secrets.file} says" if is_new and self._is_restored else ""),
            created=is_new,
        )
        record = await read_namespace(self._store, namespace)
        # Of two that run at once each has drawn a secret; the one in Redis counts.
        if record is None or replace(record, epochs=wanted.epochs) != wanted:
            raise NamespaceError(f"namespace {namespace} was initialised otherwise at this moment")
        self._keep(record, is_new=is_new)
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
        self, partitions: int | None, frame: Frame | None, zone: str | None
    ) -> NamespaceRecord:
        """The record as it is or is to be. Raises NamespaceError when something contradicts it."""
        namespace = self._config.namespace
        record = await read_namespace(self._store, namespace)
        if record is not None:
            known, where = asdict(record), f"namespace {namespace}"
        else:
            known, where = self._kept(), f"namespace {namespace} in {self._secrets.file}"
        _refuse_other(known, {"partitions": partitions, "frame": frame, "zone": zone}, where)
        is_new = record is None
        if record is None:
            record = NamespaceRecord(
                partitions=partitions or known["partitions"] or PARTITIONS,
                frame=frame or known["frame"] or Frame.SINGLE_OBJECT,
                zone=zone or known["zone"] or "UTC",
            )
        topics = await self._topics.find(topic_name(namespace, kind) for kind in NUMBERED)
        for found in topics.values():
            if found.partitions != record.partitions:
                raise NamespaceError(
                    f"topic {found.name} is there with {found.partitions} partitions, namespace"
                    f" {namespace} is to have {record.partitions}. Run init with --partitions"
                    f" {found.partitions}, as it had, or choose another namespace"
                )
        if is_new:
            return replace(record, epochs=await self._first_epochs(record.partitions, topics))
        return record

    def _kept(self) -> dict[str, Any]:
        """What the file of secrets says of a namespace that is not in Redis; None where it does
        not. Raises NamespaceError."""
        kept = read_kept(self._secrets.file, self._config.namespace)
        if kept is None:
            return dict.fromkeys(FIXED)
        self._is_restored = kept.zone is not None
        return asdict(kept)

    async def _first_epochs(self, partitions: int, topics: Collection[str]) -> tuple[Epoch, ...]:
        """The secrets of a namespace that is not in Redis. Raises NamespaceError."""
        namespace = self._config.namespace
        commands = topic_name(namespace, Topic.COMMANDS)
        kept = read_secrets(self._secrets.file, namespace, partitions)
        if kept:
            return kept
        ends = beginning = (0,) * partitions
        if commands in topics:
            ends = await ends_of(self._config.kafka, commands, partitions)
        if ends == beginning:
            return (new_epoch(beginning),)
        if not self._secrets.trust_log:
            file = self._secrets.file
            lost = "" if file is None or file.exists() else f"{file} does not exist: "
            raise NamespaceError(
                f"{lost}there are commands on {commands}, but namespace {namespace} is not in this"
                " Redis, nor are the secrets that its engines have sealed theirs with. Restore"
                " Redis from a backup, or give the secrets with --secret-file; without them,"
                " --trust-log takes all that the log holds now for genuine"
            )
        return trusting_until(ends)

    def _keep(self, record: NamespaceRecord, *, is_new: bool) -> None:
        """Tell that there are secrets, and copy them to the file. Raises NamespaceError."""
        if not record.epochs:
            self._note("no secrets: `torpor upgrade` seals what engines send", created=False)
            return
        self._note("secrets that seal what engines send", created=is_new)
        file, namespace = self._secrets.file, self._config.namespace
        if file is None:
            return
        if later(record.epochs, read_secrets(file, namespace, record.partitions)) != record.epochs:
            raise NamespaceError(
                f"{file} has secrets that Redis has lost. Stop the engines and run: torpor upgrade"
                f" --namespace {namespace} --secret-file {file}"
            )
        is_written = write_secrets(file, namespace, record)
        self._note(f"a copy of the secrets in {file}", created=is_written)

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


def _refuse_other(known: Mapping[str, object], given: Mapping[str, object], where: str) -> None:
    """Raises NamespaceError when something is given otherwise than it is known."""
    for name, value in given.items():
        if value is None or known[name] in {None, value}:
            continue
        if name == "partitions":
            is_so, other = f"{known[name]} partitions", str(value)
        else:
            is_so, other = f"the {FIXED[name]} {known[name]}", str(value)
        raise NamespaceError(
            f"{where} has {is_so}, which cannot be changed to {other}: leave the option out, or"
            " choose another namespace"
        )


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
