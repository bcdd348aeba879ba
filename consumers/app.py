"""One engine, wired: the only place that makes clients and gives the parts to each other."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable

import msgspec

from consumers.clock import SystemClock
from consumers.config import Config
from consumers.http import HttpServer, Readiness
from consumers.kafka_log import KafkaMember
from consumers.kafka_publisher import KafkaPublishers
from consumers.kafka_topics import KafkaTopics, planned_topics
from consumers.lookup import Lookup
from consumers.member import Member
from consumers.memory_watch import MemoryWatch
from consumers.metrics import Metrics
from consumers.models import CompiledModels
from consumers.namespace import NamespaceRecord, engines_of, read_namespace
from consumers.partition import Condition
from consumers.services import Services
from consumers.start_checks import (
    KafkaFacts,
    Problem,
    Severity,
    StartError,
    check_kafka,
    check_namespace,
    check_redis,
)
from engine.records import Topic
from engine.settings import Settings
from schemas.codec import Codec
from schemas.topics import topic_name
from storage.cache import CacheRoom
from storage.redis_store import RedisStore, connect_store

log = logging.getLogger(__name__)


class MembershipLostError(Exception):
    """aiokafka has given up the consumer group for good. The process ends, to be started again."""


class Engine:
    """The parts of one engine process. `open_engine` makes one."""

    def __init__(self, config: Config, record: NamespaceRecord, store: RedisStore) -> None:
        self.config = config
        self.store = store
        namespace, partitions = config.namespace, record.partitions
        self.settings = Settings(zone=record.zone)
        self.metrics = Metrics()
        self.kafka = KafkaMember(
            config.kafka,
            topic_name(namespace, Topic.COMMANDS),
            engines_of(namespace),
            config.session_ms,
        )
        self.publishers = KafkaPublishers(config.kafka, namespace, partitions)
        self.memory = MemoryWatch(store, self.metrics)
        models = CompiledModels(store, namespace, partitions)
        services = Services(
            namespace=namespace,
            partitions=partitions,
            store=store,
            log=self.kafka,
            publishers=self.publishers,
            clock=SystemClock(),
            codec=Codec(namespace, record.frame, epochs=record.epochs),
            models=models,
            metrics=self.metrics,
            settings=self.settings,
            cache_room=CacheRoom(config.cache_bytes_max),
            may_take=self.memory.has_room,
        )
        self.member = Member(services)
        self.http = HttpServer(
            Lookup(store, namespace, partitions, models), self.metrics, self.readiness
        )

    def readiness(self) -> Readiness:
        """Ready when the group has given this process its share and all of it is served."""
        reasons = []
        if not self.kafka.is_assigned:
            reasons.append("the consumer group has not given this process its partitions yet")
        if (topic := self.kafka.missing_topic) is not None:
            reasons.append(f"there is no topic {topic}")
        if not self.memory.has_room():
            reasons.append("Redis is nearly full: no commands are taken")
        if self.member.unreachable:
            reasons.append(f"Redis does not answer: {self.member.unreachable}")
        reasons += [
            f"partition {number} is {partition.condition}: {partition.reason or 'a moment'}"
            for number, partition in self.member.partitions.items()
            if partition.condition is not Condition.SERVING
        ]
        return Readiness(ready=not reasons, reasons=tuple(reasons))

    async def run(self, stop: asyncio.Event, listening: Callable[[str], None]) -> None:
        """Serve until `stop` is set. `listening` is told the address of HTTP.

        Raises LogUnavailableError, MembershipLostError, OSError when HTTP cannot listen.
        """
        address = await self.http.start(*self.config.http_address())
        log.info("http listens on %s", address)
        listening(address)
        await self.kafka.join(self.member)
        stopping = asyncio.create_task(stop.wait())
        running = [
            stopping,
            asyncio.create_task(self.member.run()),
            asyncio.create_task(self.memory.run()),
            asyncio.create_task(self._watch_membership()),
        ]
        try:
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            log.info("stopping")
        finally:
            for task in running:
                task.cancel()
            await asyncio.wait(running)

    async def close(self) -> None:
        """Hand back the partitions, then let go of everything. Takes seconds at most."""
        await self.http.close()
        await self.kafka.leave()
        await self.member.close()
        await self.publishers.close()
        await self.store.close()

    async def _watch_membership(self) -> None:
        await self.kafka.lost()
        raise MembershipLostError("the consumer group cannot be rejoined")


@contextlib.asynccontextmanager
async def open_engine(config: Config) -> AsyncIterator[Engine]:
    """Check what the process is handed, and make an engine of it.

    Raises StartError, NamespaceError, StoreUnavailableError, LogUnavailableError.
    """
    store = await connect_store(config.redis, config.namespace)
    try:
        record = await checked(config, store)
    except BaseException:
        await store.close()
        raise
    engine = Engine(config, record, store)
    try:
        yield engine
    finally:
        await engine.close()


async def checked(config: Config, store: RedisStore) -> NamespaceRecord:
    """The namespace's record, when nothing speaks against starting; warnings are logged.

    Raises StartError, NamespaceError, StoreUnavailableError, LogUnavailableError.
    """
    problems = check_redis(await store.facts())
    record = await read_namespace(store, config.namespace)
    problems += check_namespace(config.namespace, record)
    if record is not None:
        problems += check_kafka(config.namespace, record, await _kafka_facts(config, record))
    _report(problems)
    if record is None or any(each.severity is Severity.ERROR for each in problems):
        raise StartError(problems)
    return record


async def _kafka_facts(config: Config, record: NamespaceRecord) -> KafkaFacts:
    async with KafkaTopics(config.kafka) as topics:
        brokers = await topics.brokers()
        plans = planned_topics(config.namespace, record.partitions, brokers)
        found = await topics.find([plan.name for plan in plans])
        return KafkaFacts(brokers=brokers, topics=found)


def _report(problems: list[Problem]) -> None:
    for problem in problems:
        level = logging.ERROR if problem.severity is Severity.ERROR else logging.WARNING
        log.log(level, "%s", problem, extra=msgspec.structs.asdict(problem))
