"""What the demo checks at its end: one id an effect, an end for every order, no row left behind."""

from collections.abc import Callable, Iterable

from aiokafka import AIOKafkaConsumer, TopicPartition

from storage.keys import PartitionKeys
from storage.ports import ListRange, SortedRange, StoreRead
from storage.redis_store import connect_store

Say = Callable[[str], None]


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
    """What waits has index entries; ended instances have none, nor an entry in the outbox."""
    store = await connect_store(redis_url, namespace)
    try:
        left: dict[str, list[str]] = {}
        for number in range(partitions):
            keys = PartitionKeys(namespace, number)
            reads: list[StoreRead] = [
                SortedRange(key, 0, 2**53, 10) for key in (keys.instances, keys.tasks, keys.timers)
            ]
            for read, answer in zip(reads, await store.query(reads), strict=True):
                if answer:
                    left[str(read)] = [str(entry) for entry in answer]
            (outbox,) = await store.query([ListRange(keys.outbox, 0, -1)])
            if outbox:
                left[keys.outbox] = [f"{len(outbox)} entries"]
    finally:
        await store.close()
    if left:
        raise CheckFailed(f"rows are left in Redis: {left}")
    say("checked  no instance, task, timer or unpublished effect is left in Redis")
