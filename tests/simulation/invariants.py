"""What must hold of a run, looked at when it is over: the promises, one function each."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from consumers.log import Headers, LogRecord
from consumers.memory_log import MemoryBroker, MemoryPartition
from consumers.wire import outgoing
from engine.records import Effect
from engine.routing import partition_of
from engine.state import Tombstone
from schemas.headers import SEND_NUMBER
from schemas.publication_writer import OutboxRecord
from schemas.snapshot import decode, decode_state, has_parts
from storage.memory_store import Value
from tests.simulation.reference import Folded
from tests.simulation.servers import Observed, Snapshot
from tests.simulation.setup import COMMANDS, EFFECTS, PARTITIONS, REPLIES, new_codec

Published: TypeAlias = tuple[bytes | None, bytes | None, Headers]


def states_are_folds(seen: Sequence[Observed], folds: Sequence[Folded]) -> Iterator[str]:
    """Whatever was committed, on any server, is the fold of the log up to its fence."""
    for each in seen:
        fold = folds[each.partition]
        offset = each.fence.next_offset
        where = f"partition {each.partition}, fence {offset}"
        if offset not in fold.states:
            yield f"{where}: no record ends there"
            continue
        if each.values != fold.states[offset]:
            yield f"{where}: {difference(each.values, fold.states[offset])}"
        expected = fold.fences[offset]
        if (each.fence.now_ms, each.fence.stamp_crc) != (expected.now_ms, expected.stamp_crc):
            yield f"{where}: the fence is {each.fence}, the fold's {expected}"
        effects = fold.outbox[: fold.effects[offset]]
        if each.outbox != effects[len(effects) - len(each.outbox) :]:
            yield f"{where}: the outbox is not the end of the fold's effects"


def difference(found: Snapshot, expected: Snapshot) -> str:
    """The first keys that differ."""
    keys = [key for key in sorted({*found, *expected}) if found.get(key) != expected.get(key)]
    shown = (f"{key}: found {found.get(key)!r}, expected {expected.get(key)!r}" for key in keys[:3])
    return "; ".join(shown)


def topics_are_complete(broker: MemoryBroker, folds: Sequence[Folded]) -> Iterator[str]:
    """First copies in order, copies byte-equal, none missing, none from nowhere."""
    expected = _expected(broker, folds)
    for topic, partitions in broker.topics.items():
        for number, partition in enumerate(partitions):
            wanted = expected.get((topic, number), {})
            may_miss = topic == REPLIES
            for problem in _compare(partition, wanted, topic, may_miss=may_miss):
                yield f"{topic}, partition {number}: {problem}"


def _expected(
    broker: MemoryBroker, folds: Sequence[Folded]
) -> dict[tuple[str, int], dict[int, list[Published]]]:
    """By topic partition and command partition: what is published there, in order."""
    expected: dict[tuple[str, int], dict[int, list[Published]]] = defaultdict(dict)
    seals = new_codec().seals
    for source, fold in enumerate(folds):
        for entry in fold.outbox:
            record = decode(entry, OutboxRecord)
            target = record.partition
            if target is None:
                target = partition_of(record.key.decode(), len(broker.topics[record.topic]))
            sent = outgoing(record, seals)
            published = (sent.key, sent.value, sent.headers)
            expected[record.topic, target].setdefault(source, []).append(published)
    return expected


def _compare(
    partition: MemoryPartition,
    wanted: dict[int, list[Published]],
    topic: str,
    *,
    may_miss: bool,
) -> Iterator[str]:
    places = {
        published: (source, index)
        for source, sequence in wanted.items()
        for index, published in enumerate(sequence)
    }
    last = dict.fromkeys(wanted, -1)
    found: set[Published] = set()
    for record in partition.records():
        published = (record.key, record.value, record.headers)
        if published not in places:
            if topic != COMMANDS or _is_send(record):
                yield f"offset {record.offset} is no effect of the log: {published}"
            continue
        if published in found:
            continue
        found.add(published)
        source, index = places[published]
        if index < last[source] or (index > last[source] + 1 and not may_miss):
            yield f"offset {record.offset}: first copy {index} of {source} after {last[source]}"
        last[source] = index
    missing = [place for published, place in places.items() if published not in found]
    if missing and not may_miss:
        yield f"missing: {missing[:5]} of {len(places)}"


def _is_send(record: LogRecord) -> bool:
    """Whether an engine has sent it; what forgers say of themselves does not count."""
    is_numbered = any(name == SEND_NUMBER for name, _ in record.headers)
    return is_numbered and new_codec().seals.is_trusted(record)


def subscribers_see_each_effect_once(
    broker: MemoryBroker, folds: Sequence[Folded]
) -> Iterator[str]:
    """Who drops what is not above the last (offset, index) taken loses none."""
    codec = new_codec()
    for number in range(PARTITIONS):
        taken: list[str] = []
        last = (-1, -1)
        for record in broker.topics[EFFECTS][number].records():
            effect = codec.decode_published(record.value or b"", Effect)
            if (effect.offset, effect.index) > last:
                last = (effect.offset, effect.index)
                taken.append(effect.id)
        entries = (decode(entry, OutboxRecord) for entry in folds[number].outbox)
        wanted = [
            codec.decode_published(entry.value or b"", Effect).id
            for entry in entries
            if entry.topic == EFFECTS
        ]
        if taken != wanted:
            yield f"a subscriber of effects {number} took {taken}, wanted {wanted}"


def nothing_is_left(final: Sequence[Observed], broker: MemoryBroker) -> Iterator[str]:
    """Everything is applied, published and trimmed; instances have left only tombstones."""
    for each in final:
        where = f"partition {each.partition}"
        end = broker.topics[COMMANDS][each.partition]
        last = end.records(0)[-1].offset + 1 if end.records(0) else 0
        if each.fence.next_offset != last:
            yield f"{where}: the fence is {each.fence.next_offset}, the log's end {last}"
        if each.outbox:
            yield f"{where}: {len(each.outbox)} entries are left in the outbox"
        for key, value in each.values.items():
            kind = key.partition("}:")[2].partition(":")[0]
            if kind in ("instances", "tasks", "timers"):
                yield f"{where}: {key} still holds {value!r}"
            if kind == "instance" and not _is_tombstone(value):
                yield f"{where}: {key} is not ended"


def _is_tombstone(value: Value) -> bool:
    if not isinstance(value, bytes) or has_parts(value):
        return False
    return isinstance(decode_state(value), Tombstone)
