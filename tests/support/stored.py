"""What a Redis holds of a namespace, looked at from outside the engine."""

from typing import Any, TypeAlias

import msgspec
import redis as redis_py

from consumers.namespace import NamespaceRecord, read_namespace
from engine.state import ProcessInstance, Tombstone
from schemas.publication_writer import OutboxRecord
from schemas.snapshot import decode, decode_state
from storage.keys import PartitionKeys, split_timer_member
from storage.ports import Fence
from storage.redis_store import connect_store

Value: TypeAlias = bytes | dict[bytes, bytes] | dict[bytes, float] | list[bytes]


class Timer(msgspec.Struct, frozen=True, order=True):
    due_ms: int
    address: str
    timer: int


async def namespace_record(url: str, namespace: str) -> NamespaceRecord:
    """What Redis says of a namespace, which is there."""
    store = await connect_store(url, namespace)
    try:
        record = await read_namespace(store, namespace)
    finally:
        await store.close()
    assert record is not None
    return record


class Stored:
    """Reads the keys of one namespace, with a client that is not the engine's."""

    def __init__(self, url: str, namespace: str, partitions: int) -> None:
        self.namespace = namespace
        self.partitions = [PartitionKeys(namespace, number) for number in range(partitions)]
        # Any: redis-py types each reply as bytes or text, whatever the client was told.
        self.client: Any = redis_py.Redis.from_url(url, protocol=2)

    def close(self) -> None:
        self.client.close()

    def fences(self) -> list[Fence]:
        """The fence of each partition."""
        values = self.client.mget([keys.fence for keys in self.partitions])
        return [Fence.decode(value) for value in values]

    def offsets(self) -> list[int]:
        """The next offset of each partition."""
        return [fence.next_offset for fence in self.fences()]

    def outbox(self) -> list[OutboxRecord]:
        """What waits to be published, or to be trimmed, in all partitions."""
        entries = [
            entry for keys in self.partitions for entry in self.client.lrange(keys.outbox, 0, -1)
        ]
        return [decode(entry, OutboxRecord) for entry in entries]

    def timers(self) -> list[Timer]:
        """The timer indexes of all partitions, the first that is due first."""
        found = []
        for keys in self.partitions:
            for member, due in self.client.zrange(keys.timers, 0, -1, withscores=True):
                address, timer = split_timer_member(member.decode())
                found.append(Timer(int(due), address, timer))
        return sorted(found)

    def running(self) -> list[str]:
        """Ids of the instances that have not ended, by the index."""
        return sorted(
            member.decode()
            for keys in self.partitions
            for member in self.client.zrange(keys.instances, 0, -1)
        )

    def instance(self, instance_id: str) -> ProcessInstance | Tombstone | None:
        """The document of an instance that is not split."""
        for keys in self.partitions:
            found = self.client.get(keys.state(instance_id))
            if found is not None:
                state = decode_state(found)
                assert isinstance(state, ProcessInstance | Tombstone)
                return state
        return None

    def documents(self) -> dict[str, Value]:
        """Every key of the partitions with its value, whatever it is, but for the fences.

        Fences name the commit that wrote them and end where the log ended, and attempts are counted
        outside of any commit: both are no part of what the log folds to. A key's time to live is
        garbage collection, and is left out, too.
        """
        found = {}
        pattern = f"{{{self.namespace}:*}}:*"
        for key in sorted(self.client.scan_iter(pattern, count=1_000)):
            name = key.decode()
            if not name.endswith("}:fence") and "}:attempts:" not in name:
                found[name] = self._value(key)
        return found

    def _value(self, key: bytes) -> Value:
        kind = self.client.type(key).decode()
        if kind == "string":
            text: bytes = self.client.get(key)
            return text
        if kind == "hash":
            fields: dict[bytes, bytes] = self.client.hgetall(key)
            return fields
        if kind == "zset":
            return dict(self.client.zrange(key, 0, -1, withscores=True))
        assert kind == "list", f"{key!r} is a {kind}"
        entries: list[bytes] = self.client.lrange(key, 0, -1)
        return entries


def differences(one: dict[str, Value], other: dict[str, Value]) -> dict[str, tuple[object, object]]:
    """The keys whose values are not byte-equal, with both values; None: it has no such key."""
    names = sorted({*one, *other})
    return {
        name: (one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)
    }
