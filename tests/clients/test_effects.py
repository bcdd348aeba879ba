"""Effects without duplicates: the rule by itself, then the stream on real Kafka."""

import asyncio

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.records_to_delete import RecordsToDelete
from aiokafka.structs import TopicPartition

from engine.records import Publication, Topic
from schemas.publication_writer import OutboxRecord
from tests.clients.scripted_engine import (
    DEADLINE_S,
    ScriptedEngine,
    by_newer,
    effect,
    newer_schema,
    schema_record,
)
from torpor_client import (
    Client,
    DigestMismatchError,
    Effect,
    EffectPosition,
    EffectStream,
    Position,
    PositionLostError,
    UndecodableRecordError,
)
from torpor_client.effects import DIGESTS_MAX, PartitionReading


def found(offset: int, index: int = 0, digest: str = "d") -> Effect:
    return Effect(
        id=f"0-{offset}-{index}",
        type="InstanceStarted",
        partition=0,
        offset=offset,
        index=index,
        time=0,
        instance_id="i",
        root_id="i",
        process_id="p",
        version=1,
        sequence=1,
        digest=digest,
        causation="c",
    )


# --- the rule ---


def test_effects_in_order_are_all_new() -> None:
    reading = PartitionReading(EffectPosition(partition=0, next_offset=0))
    order = [(1, 0), (1, 1), (1, 7), (2, 0), (10, 0)]
    assert [reading.take(found(*each), n + 1) for n, each in enumerate(order)] == [True] * 5


def test_what_is_not_above_the_last_taken_is_a_duplicate() -> None:
    reading = PartitionReading(EffectPosition(partition=0, next_offset=0))
    taken = [reading.take(found(*each), 1) for each in [(1, 0), (2, 0), (1, 0), (2, 0), (2, 1)]]
    assert taken == [True, True, False, False, True]


def test_duplicate_with_another_digest_is_an_alarm() -> None:
    reading = PartitionReading(EffectPosition(partition=0, next_offset=0))
    reading.take(found(1, digest="a"), 1)
    reading.take(found(2, digest="b"), 2)
    with pytest.raises(DigestMismatchError, match="0-1-0 has the digests a and x") as caught:
        reading.take(found(1, digest="x"), 3)
    assert caught.value.effect_id == "0-1-0"
    assert reading.position.next_offset == 3


def test_position_carries_the_digest_of_the_last_effect() -> None:
    reading = PartitionReading(EffectPosition(partition=0, next_offset=0))
    reading.take(found(4, 2, digest="a"), 9)
    assert reading.position == EffectPosition(
        partition=0, next_offset=9, taken=Position(4, 2), digest="a"
    )
    resumed = PartitionReading(reading.position)
    assert not resumed.take(found(4, 2, digest="a"), 10)
    with pytest.raises(DigestMismatchError):
        resumed.take(found(4, 2, digest="x"), 11)


def test_memory_of_digests_is_bounded() -> None:
    reading = PartitionReading(EffectPosition(partition=0, next_offset=0))
    for offset in range(DIGESTS_MAX + 5):
        reading.take(found(offset), offset + 1)
    assert len(reading._digests) == DIGESTS_MAX


# --- the stream ---


async def take(stream: EffectStream, count: int) -> list[str]:
    """The ids of the next effects."""
    async with asyncio.timeout(DEADLINE_S):
        return [(await anext(stream)).id for _ in range(count)]


async def rest(stream: EffectStream) -> list[str]:
    """The ids of all effects up to the end of a stream that does not follow."""
    async with asyncio.timeout(DEADLINE_S):
        return [effect.id async for effect in stream]


def client_of(engine: ScriptedEngine) -> Client:
    return Client(engine.bootstrap, engine.namespace)


async def test_each_effect_comes_once_though_an_engine_published_again(
    any_engine: ScriptedEngine,
) -> None:
    first, second, third = effect(1), effect(1, 1), effect(2)
    await any_engine.publish_effects(first, second, first, second, third, second, third)
    async with client_of(any_engine) as client, client.effects(follow=False) as effects:
        assert await rest(effects) == ["0-1-0", "0-1-1", "0-2-0"]


async def test_stream_follows_what_comes(engine: ScriptedEngine) -> None:
    await engine.publish_effects(effect(1))
    async with client_of(engine) as client, client.effects() as effects:
        assert await take(effects, 1) == ["0-1-0"]
        waiting = asyncio.create_task(take(effects, 1))
        await engine.publish_effects(effect(1), effect(3))
        assert await waiting == ["0-3-0"]


async def test_stream_goes_on_from_its_positions(engine: ScriptedEngine) -> None:
    await engine.publish_effects(*(effect(n) for n in range(5)))
    async with client_of(engine) as client:
        async with client.effects() as effects:
            assert await take(effects, 2) == ["0-0-0", "0-1-0"]
            saved = effects.positions
        await engine.publish_effects(effect(1), effect(5))
        async with client.effects(positions=saved, follow=False) as effects:
            assert await rest(effects) == ["0-2-0", "0-3-0", "0-4-0", "0-5-0"]


async def test_all_partitions_are_followed_each_with_its_own_position(
    engine: ScriptedEngine,
) -> None:
    await engine.publish_effects(
        effect(7, partition=0, id="a"),
        effect(3, partition=1, id="b"),
        effect(1, partition=2, id="c"),
    )
    async with client_of(engine) as client, client.effects(follow=False) as effects:
        assert sorted(await rest(effects)) == ["a", "b", "c"]
        taken = {each.partition: each.taken for each in effects.positions}
    assert taken == {0: Position(7, 0), 1: Position(3, 0), 2: Position(1, 0)}


async def test_stream_from_the_latest_leaves_out_what_is_old(engine: ScriptedEngine) -> None:
    await engine.publish_effects(effect(1))
    async with client_of(engine) as client, client.effects(start="latest") as effects:
        await engine.publish_effects(effect(2))
        assert await take(effects, 1) == ["0-2-0"]


async def test_other_digest_stops_the_stream_and_it_can_go_on(engine: ScriptedEngine) -> None:
    await engine.publish_effects(effect(1), effect(1, digest="forged"), effect(2))
    async with client_of(engine) as client, client.effects() as effects:
        assert await take(effects, 1) == ["0-1-0"]
        with pytest.raises(DigestMismatchError):
            await take(effects, 1)
        assert await take(effects, 1) == ["0-2-0"]


async def test_undecodable_effect_stops_the_stream_and_it_can_go_on(
    engine: ScriptedEngine,
) -> None:
    junk = OutboxRecord(
        topic=f"{engine.namespace}.effects", key=b"k", partition=0, headers=(), value=b"junk"
    )
    await engine.send(junk)
    await engine.publish_effects(effect(2))
    async with client_of(engine) as client, client.effects() as effects:
        with pytest.raises(UndecodableRecordError, match="partition 0, offset 0") as caught:
            await take(effects, 1)
        assert caught.value.value == b"junk"
        assert await take(effects, 1) == ["0-2-0"]


async def test_position_that_retention_has_passed_is_said(engine: ScriptedEngine) -> None:
    await engine.publish_effects(*(effect(n) for n in range(4)))
    admin = AIOKafkaAdminClient(bootstrap_servers=engine.bootstrap)
    await admin.start()
    try:
        partition = TopicPartition(f"{engine.namespace}.effects", 0)
        await admin.delete_records({partition: RecordsToDelete(before_offset=3)})
    finally:
        await admin.close()
    saved = [EffectPosition(partition=0, next_offset=1, taken=Position(0, 0))]
    async with client_of(engine) as client:
        async with client.effects(positions=saved) as effects:
            with pytest.raises(PositionLostError, match="the effects to go on from are gone"):
                await take(effects, 1)
        async with client.effects(follow=False) as effects:
            assert await rest(effects) == ["0-3-0"]


async def test_record_of_a_newer_engine_is_read_by_the_topic_of_schemas(
    engine: ScriptedEngine,
) -> None:
    newer = newer_schema("Effect")
    publication = Publication(topic=Topic.EFFECTS, key="k", record=effect(4), index=0, partition=0)
    await engine.send(by_newer(newer, engine.codec.encode_publication(publication, 0, 0)))
    await engine.send(schema_record(engine, newer))
    async with client_of(engine) as client, client.effects(follow=False) as effects:
        assert await rest(effects) == ["0-4-0"]
