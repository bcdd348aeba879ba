"""The log port on a real Kafka: positions, what loses them, and the group's assignments."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient

from consumers.dev.kafka_server import Kafka
from consumers.kafka_connection import KafkaConnection
from consumers.kafka_log import KafkaMember
from consumers.kafka_topics import KafkaTopics, TopicPlan, planned_topics, replicas_for
from consumers.log import (
    Assignments,
    Fetched,
    LogInterruptedError,
    LogUnavailableError,
    NotAssignedError,
)

PARTITIONS = 4


class Recorder(Assignments):
    """What the group gives and takes."""

    def __init__(self) -> None:
        self.owned: set[int] = set()
        self.taken: list[int] = []

    async def assigned(self, partitions: Sequence[int]) -> None:
        assert not self.owned & set(partitions)
        self.owned.update(partitions)

    async def revoked(self, partitions: Sequence[int]) -> None:
        self.owned.difference_update(partitions)
        self.taken.extend(partitions)


@pytest.fixture
def connection(kafka: Kafka) -> KafkaConnection:
    return KafkaConnection(bootstrap=kafka.bootstrap)


async def create_topic(connection: KafkaConnection, namespace: str) -> str:
    async with KafkaTopics(connection) as topics:
        brokers = await topics.brokers()
        plan: TopicPlan = planned_topics(namespace, PARTITIONS, brokers)[0]
        await topics.create(plan, replicas_for(brokers))
    return plan.name


@pytest.fixture
async def topic(connection: KafkaConnection, namespace: str) -> str:
    """The command topic of an empty namespace."""
    return await create_topic(connection, namespace)


class Members:
    """Members of one group, each with what it was given."""

    def __init__(self, connection: KafkaConnection, topic: str) -> None:
        self._connection = connection
        self._topic = topic
        self.all: list[tuple[KafkaMember, Recorder]] = []

    async def add(self) -> tuple[KafkaMember, Recorder]:
        member, recorder = KafkaMember(self._connection, self._topic, "engines"), Recorder()
        await member.join(recorder)
        self.all.append((member, recorder))
        return member, recorder


@pytest.fixture
async def members(connection: KafkaConnection, topic: str) -> AsyncIterator[Members]:
    found = Members(connection, topic)
    yield found
    for member, _ in found.all:
        await member.leave()


async def until(is_true: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def alone(members: Members) -> KafkaMember:
    """A member that has all partitions."""
    member, recorder = await members.add()
    await until(lambda: len(recorder.owned) == PARTITIONS)
    for partition in range(PARTITIONS):
        await steady(member, partition)
    return member


async def steady(member: KafkaMember, partition: int) -> None:
    """Until fetches of a new topic do not fail any more."""
    deadline = time.monotonic() + 20
    while True:
        await member.seek(partition, 0)
        try:
            await member.fetch(partition, 1, 300)
        except LogInterruptedError:
            assert time.monotonic() < deadline
        else:
            return


async def write(
    connection: KafkaConnection, topic: str, values: Sequence[bytes], partition: int = 0
) -> None:
    async with AIOKafkaProducer(acks="all", **connection.options()) as producer:
        for value in values:
            await producer.send_and_wait(topic, value, key=b"k", partition=partition)


async def fetch_when_there(member: KafkaMember, partition: int = 0) -> Fetched:
    deadline = time.monotonic() + 20
    while True:
        found = await member.fetch(partition, 100, 1000)
        if found.records:
            return found
        assert time.monotonic() < deadline


async def test_records_are_read_from_where_one_seeks(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    before = time.time_ns() // 1_000_000
    await write(connection, topic, [b"0", b"1", b"2", b"3"])
    member = await alone(members)
    await member.seek(0, 1)
    found = await member.fetch(0, 2, 5000)
    assert [record.value for record in found.records] == [b"1", b"2"]
    assert (found.start, found.end) == (1, 3)
    assert found.records[0].key == b"k"
    assert before <= found.records[0].timestamp_ms <= time.time_ns() // 1_000_000 + 1000
    found = await member.fetch(0, 2, 5000)
    assert (found.start, found.end, len(found.records)) == (3, 4, 1)
    found = await member.fetch(0, 2, 50)
    assert (found.start, found.end, found.records) == (4, 4, ())


async def test_a_fetch_waits_for_what_comes(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    member = await alone(members)
    await member.seek(0, 0)
    waiting = asyncio.create_task(fetch_when_there(member))
    await write(connection, topic, [b"late"])
    assert (await waiting).records[0].value == b"late"


async def test_a_cancelled_fetch_loses_no_record(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    member = await alone(members)
    await member.seek(0, 0)
    taken: list[bytes | None] = []
    for number in range(5):
        waiting = asyncio.create_task(member.fetch(0, 1, 5000))
        await asyncio.sleep(0)
        if waiting.done():
            taken += [record.value for record in waiting.result().records]
        waiting.cancel()
        await asyncio.wait([waiting])
        await write(connection, topic, [str(number).encode()])
    while len(taken) < 5:
        taken += [record.value for record in (await fetch_when_there(member)).records]
    assert taken == [b"0", b"1", b"2", b"3", b"4"]


async def test_seeking_back_drops_what_was_fetched_ahead(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    await write(connection, topic, [b"0", b"1", b"2"])
    member = await alone(members)
    await member.seek(0, 0)
    assert len((await member.fetch(0, 1, 5000)).records) == 1
    await member.seek(0, 0)
    found = await fetch_when_there(member)
    assert found.start == 0
    assert found.records[0].value == b"0"


async def test_without_a_seek_nothing_is_read(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    await write(connection, topic, [b"0"])
    member, recorder = await members.add()
    await until(lambda: len(recorder.owned) == PARTITIONS)
    with pytest.raises(LogInterruptedError):
        await member.fetch(0, 10, 100)


async def test_a_position_outside_the_log_is_lost_and_not_reset(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    await write(connection, topic, [b"0"])
    member = await alone(members)
    await member.seek(0, 99)
    with pytest.raises(LogInterruptedError):
        await member.fetch(0, 10, 5000)
    await member.seek(0, 0)
    assert (await fetch_when_there(member)).records[0].value == b"0"


async def test_what_a_transaction_aborted_is_never_read(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    async with AIOKafkaProducer(transactional_id=topic, **connection.options()) as producer:
        for value, is_kept in ((b"lost", False), (b"kept", True)):
            await producer.begin_transaction()
            await producer.send_and_wait(topic, value, partition=0)
            if is_kept:
                await producer.commit_transaction()
            else:
                await producer.abort_transaction()
    member = await alone(members)
    await member.seek(0, 0)
    found = await fetch_when_there(member)
    assert [record.value for record in found.records] == [b"kept"]
    assert found.records[0].offset == 2  # 0 was aborted, 1 is the marker
    assert found.end >= 3


async def test_a_partition_that_is_not_ones_own_is_refused(members: Members) -> None:
    member = await alone(members)
    with pytest.raises(NotAssignedError):
        await member.seek(77, 0)
    with pytest.raises(NotAssignedError):
        await member.fetch(77, 1, 10)


async def test_single_records_and_bounds_are_read_beside_the_position(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    await write(connection, topic, [b"0", b"1", b"2"])
    await write(connection, topic, [b"x"], partition=1)
    member = await alone(members)
    await member.seek(0, 0)
    found = await asyncio.gather(
        *(member.record_at(0, offset) for offset in (2, 0, 3, 1)), member.record_at(1, 0)
    )
    assert [record and record.value for record in found] == [b"2", b"0", None, b"1", b"x"]
    bounds = await member.bounds(0)
    assert (bounds.start, bounds.end) == (0, 3)
    assert await member.partitions() == PARTITIONS
    assert (await fetch_when_there(member)).start == 0


async def test_a_second_member_takes_half_and_the_rest_lose_only_their_position(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    first, mine = await members.add()
    await until(lambda: len(mine.owned) == PARTITIONS)
    for partition in range(PARTITIONS):
        await first.seek(partition, 0)
    second, theirs = await members.add()
    await until(lambda: len(mine.owned) == 2 and len(theirs.owned) == 2)
    assert mine.owned | theirs.owned == set(range(PARTITIONS))
    assert set(mine.taken) == theirs.owned
    kept, gone = min(mine.owned), min(theirs.owned)
    with pytest.raises(LogInterruptedError):
        await first.fetch(kept, 1, 100)
    with pytest.raises(NotAssignedError):
        await first.fetch(gone, 1, 100)
    await write(connection, topic, [b"x"], partition=kept)
    await first.seek(kept, 0)
    assert (await fetch_when_there(first, kept)).records[0].value == b"x"
    await second.leave()
    await until(lambda: len(mine.owned) == PARTITIONS)
    assert theirs.owned == set()


async def test_who_leaves_hands_back_all_partitions_first(members: Members) -> None:
    member, recorder = await members.add()
    await until(lambda: len(recorder.owned) == PARTITIONS)
    await member.leave()
    assert recorder.owned == set()
    assert sorted(recorder.taken) == list(range(PARTITIONS))


async def test_a_topic_that_is_deleted_is_missed_and_one_made_anew_is_given_out(
    members: Members, connection: KafkaConnection, namespace: str, topic: str
) -> None:
    member, recorder = await members.add()
    await until(lambda: len(recorder.owned) == PARTITIONS)
    assert member.missing_topic is None

    admin = AIOKafkaAdminClient(**connection.options())
    await admin.start()
    await admin.delete_topics([topic])
    await admin.close()
    await until(lambda: member.missing_topic == topic and not recorder.owned)

    await create_topic(connection, namespace)
    await until(lambda: len(recorder.owned) == PARTITIONS)
    assert member.missing_topic is None


async def test_reported_positions_are_the_groups_committed_offsets(
    members: Members, connection: KafkaConnection, topic: str
) -> None:
    await write(connection, topic, [b"0", b"1"])
    member = await alone(members)
    await member.report({0: 2, 99: 5})
    async with KafkaTopics(connection) as topics:
        assert (await topics.committed("engines", topic))[0] == 2


async def test_nobody_there_is_unavailable() -> None:
    member = KafkaMember(KafkaConnection(bootstrap="127.0.0.1:1"), "none.commands", "engines")
    with pytest.raises(LogUnavailableError):
        await member.join(Recorder())
    with pytest.raises(LogUnavailableError):
        await member.bounds(0)
    await member.leave()


async def test_a_new_leader_interrupts_reading(kafka_cluster: Kafka, namespace: str) -> None:
    """What follows may be another log; whoever reads on must have looked."""
    connection = KafkaConnection(bootstrap=kafka_cluster.bootstrap)
    topic = await create_topic(connection, namespace)
    await write(connection, topic, [b"0", b"1"])
    members = Members(connection, topic)
    member = await alone(members)
    try:
        await member.seek(0, 0)
        assert (await fetch_when_there(member)).start == 0
        leader = await leader_of(connection, topic)
        index = next(
            number for number, address in enumerate(kafka_cluster.addresses) if address == leader
        )
        kafka_cluster.kill(index)
        try:
            await until_interrupted(member)
            await sought(member, 1)
            assert (await fetch_when_there(member)).records[0].value == b"1"
        finally:
            await kafka_cluster.restart(index)
    finally:
        await member.leave()


async def until_interrupted(member: KafkaMember) -> None:
    deadline = time.monotonic() + 60
    while True:
        assert time.monotonic() < deadline
        try:
            await member.fetch(0, 10, 200)
        except LogInterruptedError:
            return


async def sought(member: KafkaMember, offset: int) -> None:
    """Seek as the loop does: again after every interruption, until there is something to read."""
    deadline = time.monotonic() + 60
    while True:
        assert time.monotonic() < deadline
        try:
            await member.seek(0, offset)
            found = await member.fetch(0, 10, 1000)
        except (LogInterruptedError, LogUnavailableError):
            await asyncio.sleep(0.1)
            continue
        if found.records:
            await member.seek(0, offset)
            return


async def leader_of(connection: KafkaConnection, topic: str) -> str:
    async with AIOKafkaProducer(**connection.options()) as producer:
        await producer.partitions_for(topic)
        cluster = producer.client.cluster
        node = next(
            part.leader for part in cluster._partitions[topic].values() if part.partition == 0
        )
        broker = cluster.broker_metadata(node)
        return f"{broker.host}:{broker.port}"
