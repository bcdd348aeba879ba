"""Whether engines run, proved by joining their group for a moment.

A group's list of members also has the dead: for the rest of their session, and with some brokers
(the embedded one) until somebody joins. A join makes the broker ask all; who lives takes part.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from aiokafka.errors import KafkaError

from consumers.config import Config
from consumers.kafka_connection import WatchedConsumer, asking
from consumers.kafka_log import HEARTBEAT_MS, IDLE_MS_MAX
from consumers.kafka_reader import reading_options
from consumers.kafka_topics import GroupMember, KafkaTopics
from consumers.log import LogUnavailableError
from consumers.namespace import engines_of
from engine.records import Topic
from schemas.topics import topic_name

CLIENT_ID = "torpor-upgrade"
SESSION_MS = 6_000
"""As short as a Kafka of any configuration lets."""

SETTLE_S = 45.0
"""How long the dead may stay in the group: their session, and the broker's own time on top."""

SHARED_S = 2.0
"""Who has part of the partitions for so long has them beside somebody who lives."""

QUIET_S = 2.0
"""A member that the broker forgot by mistake learns it by its next heartbeat and joins again."""

POLL_S = 0.25
LEAVE_TIMEOUT_S = 5.0


class SoleMember:
    """A member of the engines' group that takes its partitions and reads nothing."""

    def __init__(
        self, consumer: WatchedConsumer, topics: KafkaTopics, group: str, partitions: int
    ) -> None:
        self._consumer = consumer
        self._topics = topics
        self._group = group
        self._partitions = partitions

    async def others(self) -> tuple[GroupMember, ...]:
        """Who else lives in the group; nobody: all partitions are, and stay, this member's.

        Takes seconds, or SETTLE_S while the broker waits for the dead. Raises LogUnavailableError.
        """
        loop = asyncio.get_running_loop()
        deadline, shared_since, alone_since = loop.time() + SETTLE_S, None, None
        while True:
            others, owned = await self._look()
            now = loop.time()
            is_alone = owned == self._partitions and not others
            alone_since = (alone_since or now) if is_alone else None
            shared_since = (shared_since or now) if owned and others else None
            if alone_since is not None and now - alone_since >= QUIET_S:
                return ()
            if shared_since is not None and now - shared_since >= SHARED_S:
                return others
            if now > deadline:
                if others:
                    return others
                raise LogUnavailableError(f"group {self._group} does not settle: try again")
            await asyncio.sleep(POLL_S)

    async def is_alone(self) -> bool:
        """Whether it still is the only one. Raises LogUnavailableError."""
        others, owned = await self._look()
        return not others and owned == self._partitions

    async def _look(self) -> tuple[tuple[GroupMember, ...], int]:
        members = await self._topics.members(self._group)
        own = self._consumer.member_id
        others = tuple(each for each in members if each.member_id != own)
        return others, len(self._consumer.assignment())


@contextlib.asynccontextmanager
async def joined(config: Config, topics: KafkaTopics, partitions: int) -> AsyncIterator[SoleMember]:
    """Join the engines' group, and leave it at the end. Raises LogUnavailableError."""
    group = engines_of(config.namespace)
    # aiokafka's assignor keeps what this member had on its class: each member gets its own.
    assignor = type("SoleAssignor", (StickyPartitionAssignor,), {})
    consumer = WatchedConsumer(
        on_broken=lambda _: None,
        group_id=group,
        client_id=CLIENT_ID,
        partition_assignment_strategy=(assignor,),
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        max_poll_interval_ms=IDLE_MS_MAX,
        enable_auto_commit=False,
        **reading_options(config.kafka),
    )
    try:
        async with asking(f"joining {group}"):
            await consumer.start()
        consumer.subscribe([topic_name(config.namespace, Topic.COMMANDS)])
        yield SoleMember(consumer, topics, group, partitions)
    finally:
        with contextlib.suppress(KafkaError, TimeoutError):
            async with asyncio.timeout(LEAVE_TIMEOUT_S):
                await consumer.stop()
