"""What the demo checks at its end: one id an effect, an end for every order, no row left behind."""

import asyncio
import time
from collections.abc import Callable, Iterable

from aiokafka import AIOKafkaConsumer, TopicPartition

from storage.keys import PartitionKeys
from storage.ports import ListRange, SortedRange, Store, StoreRead
from storage.redis_store import connect_store

Say = Callable[[str], None]

PATIENCE_S = 20.0
POLL_S = 0.1


class CheckFailed(Exception):  # noqa: N818 - the demo says "failed: ..."
    """The demo has not shown what it is there to show."""


async def check_effects(bootstrap: str, namespace: str, instances: Iterable[str], say: Say) -> None:
    """Read the whole effects topic as it is: copies are allowed, a second content is not."""
    contents: dict[str, bytes] = {}
    ended: list[str] = []
    copies = 0
    for effect_id, kind, instance_id, value in await _read_effects(
        f"{namespace}.effects", bootstrap
    ):
        if effect_id in contents:
            copies += 1
            if contents[effect_id] != value:
                raise CheckFailed(f"the effect {effect_id} has two contents")
            continue
        contents[effect_id] = value
        if kind == "torpor.effect.InstanceCompleted":
            ended.append(instance_id)
    if sorted(ended) != sorted(instances):
        raise CheckFailed(f"expected one end for each of {sorted(instances)}, found {ended}")
    say(f"checked  {len(contents)} effects, each with one id and one content ({copies} copies)")


async def _read_effects(topic: str, bootstrap: str) -> list[tuple[str, str, str, bytes]]:
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    try:
        numbers = await _partitions(consumer, topic)
        partitions = [TopicPartition(topic, number) for number in numbers]
        consumer.assign(partitions)
        await consumer.seek_to_beginning(*partitions)
        ends = await consumer.end_offsets(partitions)
        found = []
        while any([await consumer.position(each) < ends[each] for each in partitions]):
            for records in (await consumer.getmany(timeout_ms=500)).values():
                for record in records:
                    headers = {name: value.decode() for name, value in record.headers}
                    found.append(
                        (
                            headers["ce_id"],
                            headers["ce_type"],
                            headers.get("ce_subject", ""),
                            record.value,
                        )
                    )
        return found
    finally:
        await consumer.stop()


async def _partitions(consumer: AIOKafkaConsumer, topic: str) -> list[int]:
    """Metadata is fetched for what a consumer is interested in: say so first."""
    consumer.subscribe([topic])
    while not (numbers := consumer.partitions_for_topic(topic)):
        await consumer.topics()
    consumer.unsubscribe()
    return sorted(numbers)


async def check_nothing_left(redis_url: str, namespace: str, partitions: int, say: Say) -> None:
    """What waits has index entries; ended instances have none, nor an entry in the outbox.

    The outbox is emptied by the commit after the one whose effects Kafka has acknowledged, or when
    a partition has been idle for some seconds: hence the patience.
    """
    store = await connect_store(redis_url, namespace)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while left := await _rows_left(store, namespace, partitions):
            if time.monotonic() > deadline:
                raise CheckFailed(f"rows are left in Redis: {left}")
            await asyncio.sleep(POLL_S)
    finally:
        await store.close()
    say("checked  no instance, task, timer or unpublished effect is left in Redis")


async def _rows_left(store: Store, namespace: str, partitions: int) -> dict[str, int]:
    """How many entries the keys of living things have, where there are any."""
    left: dict[str, int] = {}
    for number in range(partitions):
        keys = PartitionKeys(namespace, number)
        indexes = (keys.instances, keys.tasks, keys.incidents, keys.timers)
        reads: list[StoreRead] = [SortedRange(key, 0, 2**53, 1_000) for key in indexes]
        answers = await store.query([*reads, ListRange(keys.outbox, 0, -1)])
        counted = zip((*indexes, keys.outbox), answers, strict=True)
        left.update({key: len(answer) for key, answer in counted if answer})
    return left
