"""The store's servers, and one owner's connection to them.

A server keeps what it held after each commit, so that it can lose its tail: it restarts with any
earlier state. In a split brain a replica with an earlier state is promoted, while the old primary
goes on serving those who are still connected to it.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

import msgspec

from storage.errors import StoreUnavailableError
from storage.memory_store import ListValue, MemoryKeyspace, MemoryStore, Value
from storage.ports import Answer, Commit, Fence, Loaded, Store, StoreRead
from tests.simulation.chance import Chances
from tests.simulation.network import Fate, Network, now

T = TypeVar("T")
Snapshot = dict[str, Value]


class Observed(msgspec.Struct, frozen=True, eq=False):
    """A partition as a commit left it, on whichever server."""

    partition: int
    fence: Fence
    values: Snapshot
    outbox: tuple[bytes, ...]


class Server:
    """One primary. `history` are its states after each commit, the present one last."""

    def __init__(
        self, namespace: str, values: Snapshot, observe: Callable[[Observed], None]
    ) -> None:
        self.keyspace = MemoryKeyspace()
        self.keyspace.restore(values)
        self.store = MemoryStore(self.keyspace, namespace)
        self.history = [values]
        self.is_alive = True
        self.restarts = 0
        self._observe = observe

    def commit(self, commit: Commit) -> None:
        now(self.store.commit(commit))
        self.wrote(commit.partition)

    def wrote(self, partition: int) -> None:
        self.history.append(self.keyspace.snapshot())
        self._observe(observe(self.keyspace, self.store.namespace, partition))

    def restart(self, values: Snapshot) -> None:
        """Lose the tail: come back with this state. What was on its way is lost."""
        self.restarts += 1
        self.keyspace.restore(values)
        self.history = [values]


def observe(keyspace: MemoryKeyspace, namespace: str, partition: int) -> Observed:
    """A partition's keys as they are; its fence and outbox apart, and no plain counters."""
    tag = f"{{{namespace}:{partition}}}:"
    values = {key: value for key, value in keyspace.snapshot().items() if key.startswith(tag)}
    fence = values.pop(f"{tag}fence")
    outbox = values.pop(f"{tag}outbox", ListValue())
    assert isinstance(fence, bytes)
    assert isinstance(outbox, ListValue)
    kept = {key: value for key, value in values.items() if not key.startswith(f"{tag}attempts:")}
    return Observed(partition, Fence.decode(fence), kept, tuple(outbox))


class Cluster:
    """Which server is the primary, and which old one still serves."""

    def __init__(self, namespace: str, observe_commit: Callable[[Observed], None]) -> None:
        self.namespace = namespace
        self._observe = observe_commit
        self.primary = Server(namespace, {}, observe_commit)
        self.old: Server | None = None

    def lose_tail(self, random: Random) -> int:
        """The primary restarts with an earlier state; how many commits are gone."""
        history = self.primary.history
        index = random.randrange(len(history))
        self.primary.restart(history[index])
        return len(history) - 1 - index

    def lose_tail_of(self, partition: int, random: Random) -> None:
        """One partition's server (of a cluster) restarts with an earlier state."""
        earlier = random.choice(self.primary.history)
        tag = f"{{{self.namespace}:{partition}}}:"
        present = self.primary.keyspace.snapshot()
        mixed = {key: value for key, value in present.items() if not key.startswith(tag)}
        mixed |= {key: value for key, value in earlier.items() if key.startswith(tag)}
        self.primary.restart(mixed)

    def split(self, random: Random) -> None:
        """A replica that lags is promoted; the old primary does not know."""
        if self.old is None:
            self.old = self.primary
            earlier = random.choice(self.old.history)
            self.primary = Server(self.namespace, earlier, self._observe)

    def heal(self) -> None:
        if self.old is not None:
            self.old.is_alive = False
            self.old = None


class SimulatedStore(Store):
    """One owner's client. A failed call makes it connect anew, to the present primary."""

    def __init__(self, cluster: Cluster, network: Network, chances: Callable[[], Chances]) -> None:
        self._cluster = cluster
        self._network = network
        self._chances = chances
        self._server = cluster.primary

    async def load(self, partition: int) -> Loaded:
        return await self._read(lambda server: now(server.store.load(partition)))

    async def read(
        self, partition: int, expected: Fence, reads: Sequence[StoreRead]
    ) -> list[Answer]:
        return await self._read(lambda server: now(server.store.read(partition, expected, reads)))

    async def commit(self, commit: Commit) -> None:
        await self._call(lambda server: server.commit(commit), self._commit_fate())

    async def fences(self, partitions: Sequence[int]) -> list[Fence | None]:
        return await self._read(lambda server: now(server.store.fences(partitions)))

    async def query(self, reads: Sequence[StoreRead]) -> list[Answer]:
        return await self._read(lambda server: now(server.store.query(reads)))

    async def initialise(self, partition: int, fence: Fence) -> bool:
        return await self._read(lambda server: now(server.store.initialise(partition, fence)))

    async def register(self, record: dict[str, bytes]) -> bool:
        return await self._read(lambda server: now(server.store.register(record)))

    async def amend(self, field: str, found: bytes, record: dict[str, bytes]) -> bool:
        return await self._read(lambda server: now(server.store.amend(field, found, record)))

    async def begin_attempt(self, partition: int, fence: Fence) -> int:
        return await self._read(lambda server: now(server.store.begin_attempt(partition, fence)))

    async def withdraw_attempt(self, partition: int, fence: Fence) -> None:
        await self._read(lambda server: now(server.store.withdraw_attempt(partition, fence)))

    async def end_attempt(self, partition: int, fence: Fence) -> None:
        await self._read(lambda server: now(server.store.end_attempt(partition, fence)))

    async def close(self) -> None:
        """Nothing is held."""

    def _commit_fate(self) -> Fate:
        chances, random = self._chances(), self._network.random
        return Fate(
            is_lost=random.random() < chances.commit_refused,
            is_late=random.random() < chances.commit_late,
            is_repeated=random.random() < chances.commit_repeated,
            is_unanswered=random.random() < chances.commit_reply_lost,
        )

    async def _read(self, perform: Callable[[Server], T]) -> T:
        is_lost = self._network.random.random() < self._chances().read_failed
        return await self._call(perform, Fate(is_lost=is_lost))

    async def _call(self, perform: Callable[[Server], T], fate: Fate) -> T:
        server = self._server
        restarts = server.restarts

        def arrive() -> T:
            if not server.is_alive or server.restarts != restarts:
                raise StoreUnavailableError("the server is gone")
            return perform(server)

        try:
            return await self._network.call(arrive, fate, StoreUnavailableError)
        except StoreUnavailableError:
            self._server = self._cluster.primary
            raise
