"""The store on Redis or Valkey: single, behind Sentinel, or a Cluster.

Two lanes a master: one for what belongs to the partition's transaction, one for queries, so that a
long list never stands before a commit. A key's master is looked up before every request; whatever
says that it may have moved makes the topology look again.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from redis.exceptions import ResponseError

from storage import redis_scripts as scripts
from storage.errors import FenceLostError, StoreUnavailableError
from storage.keys import ATTEMPTS_TTL_MS, PartitionKeys, namespace_key
from storage.ports import Answer, Commit, Fence, Loaded, StoreRead
from storage.redis_errors import ELSEWHERE, code_of, storage_error, text_of
from storage.redis_facts import RedisFacts, facts_of
from storage.redis_lane import Lane
from storage.redis_session import Command, Reply, Session, open_session
from storage.redis_topology import Node, Topology, topology_of

LOAD_BYTES = 4 * 1024 * 1024
"""An outbox is read in pieces of about this size; each piece blocks the server while it is made."""

LOADS_MAX = 100
"""A partition whose fence moves under this many attempts to read it has another owner at work."""


class Timeouts(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds. A request that takes longer has an unclear outcome; its connection is given up."""

    connect_s: float = 3.0
    request_s: float = 10.0


class RedisStore:
    """Implements `storage.ports.Store`."""

    def __init__(
        self, topology: Topology, namespace: str, timeouts: Timeouts | None = None
    ) -> None:
        self._topology = topology
        self._namespace = namespace
        self._timeouts = timeouts or Timeouts()
        self._lanes: dict[tuple[str, bool], Lane] = {}

    @property
    def is_cluster(self) -> bool:
        return self._topology.is_cluster

    async def load(self, partition: int) -> Loaded:
        keys = self._keys(partition)
        for _ in range(LOADS_MAX):
            found = await self._load_once(keys)
            if found is not None:
                return found
        raise StoreUnavailableError(f"the fence of partition {partition} does not stand still")

    async def _load_once(self, keys: PartitionKeys) -> Loaded | None:
        """None: the fence moved between two pieces. A fence that stands names one state."""
        entries: list[bytes] = []
        first: bytes | None = None
        while True:
            call = scripts.script("load").call(
                (keys.fence, keys.outbox), (len(entries), LOAD_BYTES)
            )
            fence, length, piece = await self._ask(keys.fence, call, watches=True)
            if entries and fence != first:
                return None
            first = fence
            entries += piece
            if len(entries) >= length or not piece:
                return Loaded(fence=_fence(fence), outbox=tuple(entries))

    async def read(
        self, partition: int, expected: Fence, reads: Sequence[StoreRead]
    ) -> list[Answer]:
        keys = self._keys(partition)
        call = scripts.read_call(keys.fence, expected, reads)
        found, *replies = await self._ask(keys.fence, call, watches=True)
        if found != expected.encode():
            raise FenceLostError(f"the fence of partition {partition} is {found!r}")
        return [scripts.answer(read, reply) for read, reply in zip(reads, replies, strict=True)]

    async def commit(self, commit: Commit) -> None:
        fence_key = self._keys(commit.partition).fence
        lane = await self._lane(fence_key)
        try:
            await lane.commit(commit, fence_key)
        except StoreUnavailableError:
            self._topology.forget()
            raise

    async def fences(self, partitions: Sequence[int]) -> list[Fence | None]:
        keys = [self._keys(partition).fence for partition in partitions]
        replies = await self._ask_all([("GET", key) for key in keys], keys, is_query=False)
        return [_fence(reply) for reply in replies]

    async def query(self, reads: Sequence[StoreRead]) -> list[Answer]:
        commands = [scripts.plain_read(read) for read in reads]
        asked = [number for number, command in enumerate(commands) if command is not None]
        replies = await self._ask_all(
            [command for command in commands if command is not None],
            [reads[number].key for number in asked],
            is_query=True,
        )
        found = dict(zip(asked, replies, strict=True))
        return [scripts.answer(read, found.get(number, [])) for number, read in enumerate(reads)]

    async def initialise(self, partition: int, fence: Fence) -> bool:
        key = self._keys(partition).fence
        return await self._ask(key, ("SET", key, fence.encode(), "NX")) is not None

    async def register(self, record: dict[str, bytes]) -> bool:
        key = namespace_key(self._namespace)
        flat = [part for pair in record.items() for part in pair]
        return bool(await self._ask(key, scripts.script("register").call((key,), flat)))

    async def amend(self, field: str, found: bytes, record: dict[str, bytes]) -> bool:
        key = namespace_key(self._namespace)
        flat = [part for pair in record.items() for part in pair]
        call = scripts.script("amend").call((key,), [field, found, *flat])
        return bool(await self._ask(key, call))

    async def begin_attempt(self, partition: int, fence: Fence) -> int:
        key = self._keys(partition).attempts(fence.commit)
        commands: list[Command] = [("INCR", key), ("PEXPIRE", key, ATTEMPTS_TTL_MS)]
        count, _ = await self._ask_all(commands, [key, key], is_query=False)
        return int(count)

    async def withdraw_attempt(self, partition: int, fence: Fence) -> None:
        key = self._keys(partition).attempts(fence.commit)
        commands: list[Command] = [("DECR", key), ("PEXPIRE", key, ATTEMPTS_TTL_MS)]
        await self._ask_all(commands, [key, key], is_query=False)

    async def end_attempt(self, partition: int, fence: Fence) -> None:
        key = self._keys(partition).attempts(fence.commit)
        await self._ask(key, ("DEL", key))

    async def facts(self) -> list[RedisFacts]:
        """What each master says of itself. Raises StoreUnavailableError."""
        found = []
        for node in await self._topology.masters():
            session = await self._connect(node)
            try:
                found.append(await facts_of(session, node.name))
            finally:
                await session.close()
        return found

    async def close(self) -> None:
        lanes = list(self._lanes.values())
        self._lanes.clear()
        await asyncio.gather(*(lane.close() for lane in lanes))
        await self._topology.close()

    # --- ways to the servers ---

    def _keys(self, partition: int) -> PartitionKeys:
        return PartitionKeys(self._namespace, partition)

    async def _lane(self, key: str, *, is_query: bool = False) -> Lane:
        node = await self._topology.master_of(key)
        lane = self._lanes.get((node.name, is_query))
        if lane is None:
            lane = Lane(lambda: self._connect(node), together=not self._topology.is_cluster)
            self._lanes[node.name, is_query] = lane
        return lane

    async def _connect(self, node: Node) -> Session:
        return await open_session(
            node.options,
            timeout_s=self._timeouts.request_s,
            connect_timeout_s=self._timeouts.connect_s,
        )

    async def _ask(self, key: str, command: Command, *, watches: bool = False) -> Any:
        """One command's reply. Raises StoreUnavailableError, PartitionHaltedError."""
        lane = await self._lane(key)
        replies = await self._call(lane, [command], key if watches else None)
        return self._checked(replies[0])

    async def _ask_all(
        self, commands: Sequence[Command], keys: Sequence[str], *, is_query: bool
    ) -> list[Any]:
        """Replies to commands on one key each, in one round trip a master."""
        lanes: dict[Lane, list[int]] = {}
        for number, key in enumerate(keys):
            lanes.setdefault(await self._lane(key, is_query=is_query), []).append(number)
        ask = self._query if is_query else self._call
        calls = [
            ask(lane, [commands[number] for number in numbers]) for lane, numbers in lanes.items()
        ]
        answers: dict[int, Reply] = {}
        for numbers, replies in zip(lanes.values(), await asyncio.gather(*calls), strict=True):
            answers.update(zip(numbers, replies, strict=True))
        return [self._checked(answers[number]) for number in range(len(commands))]

    async def _query(self, lane: Lane, commands: Sequence[Command]) -> list[Reply]:
        """Reads may be repeated: an idle connection that broke is not worth an error."""
        try:
            return await lane.call(commands)
        except StoreUnavailableError:
            return await self._call(lane, commands)

    async def _call(
        self, lane: Lane, commands: Sequence[Command], fence_key: str | None = None
    ) -> list[Reply]:
        try:
            return await lane.call(commands, fence_key)
        except StoreUnavailableError:
            self._topology.forget()
            raise

    def _checked(self, reply: Reply) -> Any:
        if isinstance(reply, ResponseError):
            if code_of(text_of(reply)) in ELSEWHERE:
                self._topology.forget()
            raise storage_error(reply)
        return reply


def _fence(value: bytes | None) -> Fence | None:
    return None if value is None else Fence.decode(value)


async def connect_store(url: str, namespace: str, timeouts: Timeouts | None = None) -> RedisStore:
    """The store at a URL (`redis_topology.topology_of` says which there are).

    A plain address of a cluster's server is taken for the cluster. Raises StoreUnavailableError,
    ValueError when the URL is none.
    """
    store = RedisStore(topology_of(url), namespace, timeouts)
    if store.is_cluster:
        return store
    try:
        facts = await store.facts()
    except BaseException:
        await store.close()
        raise
    if not facts[0].is_cluster:
        return store
    await store.close()
    return RedisStore(topology_of(url, is_cluster=True), namespace, timeouts)
