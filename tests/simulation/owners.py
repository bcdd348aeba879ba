"""Engine processes of a run: the shipping `Member` and all below it, on simulated ports."""

import asyncio
from collections.abc import Callable
from random import Random

from consumers.clock import Clock
from consumers.member import Member
from consumers.memory_log import MemoryMembership
from consumers.metrics import Metrics
from consumers.models import CompiledModels
from consumers.partition import Condition
from consumers.services import Limits, Services
from storage.cache import CacheRoom
from tests.simulation.brokers import SimulatedBroker, SimulatedLog, SimulatedPublishers
from tests.simulation.chance import Chances
from tests.simulation.loop import SeededLoop
from tests.simulation.network import Network, now
from tests.simulation.servers import Cluster, SimulatedStore
from tests.simulation.setup import COMMANDS, NAMESPACE, PARTITIONS, SETTINGS, new_codec


class SimulatedClock(Clock):
    """A process's clock: it started somewhere, and runs a little fast or slow."""

    def __init__(self, loop: SeededLoop, random: Random) -> None:
        self._loop = loop
        self._rate = 1 + random.uniform(-1, 1) / 1000
        self._start_ms = random.randrange(-3_600_000, 3_600_000)

    def monotonic_ms(self) -> int:
        return self._start_ms + int(self._loop.time() * 1000 * self._rate)

    async def sleep(self, duration_ms: int) -> None:
        await asyncio.sleep(duration_ms / 1000 / self._rate)


class Surroundings:
    """What owners find: the network, the servers, and the chances of the moment."""

    def __init__(
        self,
        network: Network,
        cluster: Cluster,
        broker: SimulatedBroker,
        chances: Callable[[], Chances],
    ) -> None:
        self.network = network
        self.cluster = cluster
        self.broker = broker
        self.chances = chances


class Owner:
    """One life of an engine process."""

    def __init__(self, name: str, around: Surroundings) -> None:
        self.name = name
        self._around = around
        self._loop = around.network.loop
        self.is_alive = True
        self.metrics = Metrics()
        self.log = SimulatedLog(around.broker, COMMANDS, around.network, around.chances)
        self.member = Member(self._services())
        self._membership = MemoryMembership(self.log)
        now(self._membership.join(self.member))
        self._orders: asyncio.Queue[tuple[bool, int]] = asyncio.Queue()
        self._loop.spawn(name, self.member.run())
        self._loop.spawn(name, self._obey())

    def give(self, partition: int) -> None:
        self._orders.put_nowait((True, partition))

    def take(self, partition: int) -> None:
        self._orders.put_nowait((False, partition))

    async def _obey(self) -> None:
        """The group's coordinator says one thing after the other."""
        while True:
            is_given, partition = await self._orders.get()
            if is_given:
                await self._membership.give([partition])
            else:
                await self._membership.take([partition])

    def kill(self) -> None:
        self.is_alive = False
        self._loop.kill(self.name)

    @property
    def trouble(self) -> list[str]:
        """What the engine itself says is wrong, beside what it recovers from."""
        given_up = (Condition.HALTED, Condition.LEFT)
        found = [
            f"{self.name}: partition {number} is {each.condition}: {each.reason}"
            for number, each in self.member.partitions.items()
            if each.condition in given_up
        ]
        faults = [
            line
            for line in self.metrics.render().splitlines()
            if line.startswith("torpor_engine_faults_total")
        ]
        return found + [f"{self.name}: {line}" for line in faults]

    def _services(self) -> Services:
        around, random = self._around, self._around.network.random
        store = SimulatedStore(around.cluster, around.network, around.chances)
        return Services(
            namespace=NAMESPACE,
            partitions=PARTITIONS,
            store=store,
            log=self.log,
            publishers=SimulatedPublishers(around.broker, around.network, around.chances),
            clock=SimulatedClock(self._loop, random),
            codec=new_codec(),
            models=CompiledModels(store, NAMESPACE, PARTITIONS),
            metrics=self.metrics,
            settings=SETTINGS,
            limits=_limits(random),
            cache_room=CacheRoom(random.choice((1, 4_000, 1_000_000))),
            name_commit=lambda: f"{random.getrandbits(64):016x}",
        )


def _limits(random: Random) -> Limits:
    """Every process is configured differently: none of it may matter to the outcome."""
    return Limits(
        batch_records_max=random.choice((1, 2, 3, 8, 50)),
        commit_bytes_max=random.choice((3_000, 16_000_000)),
        outbox_entries_max=random.choice((8, 30, 10_000)),
        publish_records_max=random.choice((1, 2, 5, 100)),
        timers_chunk=random.choice((1, 2, 100)),
        idle_ms=random.choice((1_000, 5_000)),
        trim_idle_ms=random.choice((100, 500)),
        poison_attempts=1_000_000,  # here owners die of everything else
    )
