"""The topics of a namespace: what they are to be like, and making them so.

Partition counts: `commands`, `effects`, `history` and `rejections` have the namespace's; records
of other topics are found by key only and spread over fewer.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from consumers.kafka_connection import ASK_S, KafkaConnection, asking
from engine.records import Topic
from schemas.topics import SCHEMAS, topic_name

MINUTE_MS = 60 * 1000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
UNLIMITED_MS = -1

RECORD_BYTES_MAX = 2 * 1024 * 1024
SHARED_PARTITIONS_MAX = 12
"""Partitions of topics that are keyed freely; they may grow."""

NUMBERED = (Topic.COMMANDS, Topic.EFFECTS, Topic.HISTORY, Topic.REJECTIONS)
"""Topics whose partitions are the namespace's, one for each partition of commands."""

REPLICAS_WANTED = 3
IN_SYNC_WANTED = 2
ADMIN_REQUEST_MS = 10_000
POLL_S = 0.1


class TopicPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A topic as it is to be."""

    name: str
    partitions: int
    settings: Mapping[str, str]


class TopicFound(msgspec.Struct, frozen=True, kw_only=True):
    """A topic as it is. `settings` None: this broker does not tell them."""

    name: str
    partitions: int
    replicas: int
    settings: Mapping[str, str] | None


class GroupMember(msgspec.Struct, frozen=True, kw_only=True):
    """Who is in a consumer group. Some brokers do not tell `client_id` and `host`."""

    member_id: str
    client_id: str
    host: str

    def __str__(self) -> str:
        return f"{self.member_id} at {self.host.lstrip('/')}" if self.host else self.member_id


def planned_topics(namespace: str, partitions: int, brokers: int) -> list[TopicPlan]:
    """What `init` creates."""
    common = _common(brokers)
    appended = {"message.timestamp.type": "LogAppendTime"}
    shared = min(partitions, SHARED_PARTITIONS_MAX)
    kept: list[tuple[str, int, dict[str, str]]] = [
        (Topic.COMMANDS, partitions, {**appended, **_kept_for(7 * DAY_MS)}),
        (Topic.EFFECTS, partitions, _kept_for(7 * DAY_MS)),
        (Topic.HISTORY, partitions, _kept_for(90 * DAY_MS)),
        (Topic.REJECTIONS, partitions, _kept_for(7 * DAY_MS)),
        (Topic.JOBS, shared, _kept_for(UNLIMITED_MS)),
        (Topic.TASKS, shared, {"cleanup.policy": "compact"}),
        (Topic.REPLIES, shared, _kept_for(HOUR_MS)),
        (Topic.DEAD_LETTERS, shared, _kept_for(30 * DAY_MS)),
        (SCHEMAS, 1, {"cleanup.policy": "compact"}),
    ]
    return [
        TopicPlan(
            name=topic_name(namespace, kind), partitions=count, settings={**common, **settings}
        )
        for kind, count, settings in kept
    ]


def planned_job_topic(name: str, partitions: int, brokers: int) -> TopicPlan:
    """The topic of one job type, created when the first job of the type is published."""
    settings = {**_common(brokers), **_kept_for(UNLIMITED_MS)}
    count = min(partitions, SHARED_PARTITIONS_MAX)
    return TopicPlan(name=name, partitions=count, settings=settings)


def replicas_for(brokers: int) -> int:
    return min(REPLICAS_WANTED, brokers)


def in_sync_for(brokers: int) -> int:
    """With two brokers, waiting for both would stop everything when one is away."""
    return IN_SYNC_WANTED if brokers >= REPLICAS_WANTED else 1


def _common(brokers: int) -> dict[str, str]:
    return {
        "max.message.bytes": str(RECORD_BYTES_MAX),
        "min.insync.replicas": str(in_sync_for(brokers)),
        "unclean.leader.election.enable": "false",
    }


def _kept_for(retention_ms: int) -> dict[str, str]:
    return {"cleanup.policy": "delete", "retention.ms": str(retention_ms)}


class KafkaTopics:
    """Looks at topics and creates them. An asynchronous context manager."""

    def __init__(self, connection: KafkaConnection) -> None:
        self._connection = connection
        self._admin: Any = None

    async def __aenter__(self) -> "KafkaTopics":
        self._admin = AIOKafkaAdminClient(
            request_timeout_ms=ADMIN_REQUEST_MS, **self._connection.options()
        )
        try:
            async with asking("Kafka cannot be reached"):
                await self._admin.start()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    async def brokers(self) -> int:
        """How many brokers there are. Raises LogUnavailableError."""
        async with asking("asking for the brokers"):
            found = await self._admin.describe_cluster()
        return len(found["brokers"])

    async def names(self) -> set[str]:
        """All topics. Raises LogUnavailableError."""
        async with asking("asking for all topics"):
            return set(await self._admin.list_topics())

    async def create(self, plan: TopicPlan, replicas: int) -> bool:
        """Create a topic; False: there is one. Raises KafkaError, LogUnavailableError."""
        topic = NewTopic(plan.name, plan.partitions, replicas, topic_configs=dict(plan.settings))
        async with asking(f"creating {plan.name}"):
            response = await self._admin.create_topics([topic])
        for _, code, *message in response.topic_errors:
            error = for_code(code)
            if error is TopicAlreadyExistsError:
                return False
            if code:
                raise error(*message)
        return True

    async def find(self, names: Iterable[str]) -> dict[str, TopicFound]:
        """Those of the topics that exist. Raises LogUnavailableError."""
        wanted = sorted(set(names) & await self.names())
        if not wanted:
            return {}
        async with asking("asking for topics"):
            found = await self._admin.describe_topics(wanted)
        settings = await self._settings(wanted)
        return {
            each["topic"]: TopicFound(
                name=each["topic"],
                partitions=len(each["partitions"]),
                replicas=min((len(part["replicas"]) for part in each["partitions"]), default=0),
                settings=settings.get(each["topic"]),
            )
            for each in found
        }

    async def committed(self, group: str, topic: str) -> dict[int, int]:
        """The group's committed offsets of a topic, by partition. Raises LogUnavailableError."""
        async with asking(f"asking for the offsets of {group}"):
            found = await self._admin.list_consumer_group_offsets(group)
        return {
            each.partition: value.offset for each, value in found.items() if each.topic == topic
        }

    async def members(self, group: str) -> tuple[GroupMember, ...]:
        """Who is in a consumer group, as far as the brokers know. Raises LogUnavailableError.

        Asked again while there is no answer yet: the first question makes the topic of groups.
        """
        async with asking(f"asking for the members of {group}"):
            while True:
                try:
                    return await self._members(group)
                except KafkaError as error:
                    if not error.retriable:
                        raise
                    await asyncio.sleep(POLL_S)

    async def _members(self, group: str) -> tuple[GroupMember, ...]:
        responses = await self._admin.describe_consumer_groups([group])
        (found,) = [each for response in responses for each in response.to_object()["groups"]]
        if found["error_code"]:
            raise for_code(found["error_code"])(group)
        return tuple(
            GroupMember(
                member_id=each["member_id"],
                client_id=each["client_id"],
                host=each["client_host"],
            )
            for each in found["members"]
        )

    async def _settings(self, names: list[str]) -> dict[str, dict[str, str]]:
        """Settings by topic; nothing from a broker that does not know the question."""
        resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in names]
        try:
            async with asyncio.timeout(ASK_S):
                responses = await self._admin.describe_configs(resources)
        except (KafkaError, TimeoutError):
            return {}
        return {
            resource["resource_name"]: {
                entry["config_names"]: entry["config_value"] for entry in resource["config_entries"]
            }
            for response in responses
            for resource in response.to_object()["resources"]
            if not resource["error_code"]
        }

    async def _close(self) -> None:
        with suppress(KafkaError, OSError):
            await self._admin.close()
