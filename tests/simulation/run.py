"""One run: a seed, a world, what goes wrong in it, and whether the promises held."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from random import Random

import msgspec

from consumers import models
from engine.deployments import deploying
from engine.deployments.files import compile_files
from engine.model.compile import compile_resource
from tests.simulation import chance, invariants
from tests.simulation.brokers import SimulatedBroker
from tests.simulation.chance import Chances
from tests.simulation.clients import Clients
from tests.simulation.faults import Faults
from tests.simulation.forger import Forger
from tests.simulation.loop import SeededLoop, StuckError
from tests.simulation.network import Network, now
from tests.simulation.owners import Surroundings
from tests.simulation.reference import fold
from tests.simulation.servers import Cluster, Observed, observe
from tests.simulation.setup import COMMANDS, NAMESPACE, PARTITIONS, TOPICS, first_fence

STEPS_MAX = 600_000
FAULTS_S = 75.0
DRAIN_S = 900
PROBLEMS_SHOWN = 8


class Report(msgspec.Struct, kw_only=True):
    """What came of a run. `problems` empty: every promise held."""

    seed: int
    problems: list[str]
    trace: list[str]
    steps: int
    commits: int

    def __str__(self) -> str:
        verdict = "holds" if not self.problems else "BROKEN"
        lines = [f"seed {self.seed}: {verdict} ({self.steps} steps, {self.commits} commits)"]
        if self.problems:
            lines += self.trace
            lines += [f"  - {problem[:2_000]}" for problem in self.problems[:PROBLEMS_SHOWN]]
            lines.append(f"again: python -m tests.simulation --seed {self.seed}")
        return "\n".join(lines)


def simulate(
    seed: int,
    chances: Chances | None = None,
    mutation: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Report:
    """Run a seed. `chances` None: drawn from the seed. `mutation`: see `mutations.py`."""
    _share_compiled_models()
    run = _Run(seed, chances)
    try:
        with mutation():
            stuck = run.play()
        return run.report(stuck)
    finally:
        run.loop.dispose()


class _Run:
    def __init__(self, seed: int, chances: Chances | None) -> None:
        self._seed = seed
        random = Random(seed)
        self._drawn = chance.draw(random) if chances is None else chances
        self._chances = self._drawn
        self.loop = SeededLoop(random, STEPS_MAX)
        self._seen: list[Observed] = []
        self._random = random
        network = Network(self.loop, random)
        self._cluster = Cluster(NAMESPACE, self._seen.append)
        self._broker = SimulatedBroker(network, self._get_chances, COMMANDS)
        for topic, partitions in TOPICS.items():
            self._broker.create(topic, partitions)
        for partition in range(PARTITIONS):
            now(self._cluster.primary.store.initialise(partition, first_fence()))
        self._cluster.primary.restart(self._cluster.primary.keyspace.snapshot())
        around = Surroundings(network, self._cluster, self._broker, self._get_chances)
        self._clients = Clients(self.loop, self._broker, random)
        self._faults = Faults(self.loop, random, around, self._drawn)
        self.loop.before_step = self._faults.before_step

    def _get_chances(self) -> Chances:
        return self._chances

    def play(self) -> str | None:
        """Play the run; what it got stuck on, if it did."""
        try:
            self.loop.run_until_complete(self._play())
        except (StuckError, TimeoutError) as error:
            return f"stuck: {error}"
        return None

    def report(self, stuck: str | None) -> Report:
        found = self._problems() if stuck is None else self._problems_when_stuck()
        return Report(
            seed=self._seed,
            problems=[*([stuck] if stuck else []), *found],
            trace=[str(self._drawn), *self._faults.trace],
            steps=self.loop.steps,
            commits=len(self._seen),
        )

    async def _play(self) -> None:
        clients = asyncio.create_task(self._clients.run())
        forger = asyncio.create_task(Forger(self._clients, self._broker, self._random).run())
        await asyncio.sleep(self._random.uniform(5, FAULTS_S))
        self._chances = chance.NONE
        self._faults.stop()
        await forger
        await self._drain()
        await clients
        if self._random.random() < self._drawn.loss_when_idle:
            self._faults.lose_tail_when_idle()
            await self._drain()

    async def _drain(self) -> None:
        """Until everything is done. Raises TimeoutError with what is not."""
        for _ in range(DRAIN_S):
            await asyncio.sleep(1)
            if self._clients.is_done and not self._clients.missing and not any(self._left()):
                return
        left = [f"not ended: {self._clients.missing}", *self._left()]
        raise TimeoutError("; ".join(left)[:2_000])

    def _final(self) -> list[Observed]:
        keyspace = self._cluster.primary.keyspace
        return [observe(keyspace, NAMESPACE, partition) for partition in range(PARTITIONS)]

    def _left(self) -> Iterator[str]:
        return invariants.nothing_is_left(self._final(), self._broker)

    def _unsound(self) -> Iterator[str]:
        self._folds = now(fold([each.records() for each in self._broker.topics[COMMANDS]]))
        yield from invariants.states_are_folds(self._seen, self._folds)

    def _problems_when_stuck(self) -> Iterator[str]:
        yield from self._unsound()
        yield from self._trouble()

    def _problems(self) -> Iterator[str]:
        yield from self._unsound()
        yield from invariants.states_are_folds(self._final(), self._folds)
        yield from invariants.topics_are_complete(self._broker, self._folds)
        yield from invariants.subscribers_see_each_effect_once(self._broker, self._folds)
        yield from self._left()
        yield from self._trouble()

    def _trouble(self) -> Iterator[str]:
        """What owners say themselves, exceptions that nobody took, instances that went wrong."""
        for owner in self._faults.lives:
            yield from owner.trouble
        for error in self.loop.errors:
            yield f"unhandled: {error}"
        for instance_id, how in self._clients.ended.items():
            if how == "InstanceFailed":
                yield f"{instance_id} failed"
        if len(self._clients.gathered) != self._clients.gatherings:
            found, wanted = len(self._clients.gathered), self._clients.gatherings
            yield f"{found} instances were started by the messages of {wanted}"


_compile = lru_cache(maxsize=64)(compile_resource)
_compile_files = lru_cache(maxsize=64)(compile_files)


def _share_compiled_models() -> None:
    """Compiling is pure and slow: all runs of a process share what it gives."""
    vars(models)["compile_resource"] = _compile
    vars(deploying)["compile_files"] = _compile_files
