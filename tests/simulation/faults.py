"""What happens to whole processes and servers in a run, and how it is put right again."""

import asyncio
from collections.abc import Callable
from random import Random

from consumers.log import OutgoingRecord
from schemas.headers import SEND_NUMBER
from tests.simulation.chance import Chances
from tests.simulation.loop import WORLD, SeededLoop
from tests.simulation.owners import Owner, Surroundings
from tests.simulation.setup import COMMANDS, PARTITIONS

OWNERS = 3


class Faults:
    """Owners, who owns what, and the accidents."""

    def __init__(
        self, loop: SeededLoop, random: Random, around: Surroundings, chances: Chances
    ) -> None:
        self._loop = loop
        self._random = random
        self._around = around
        self._lives = 0
        self._weights = {
            self._crash: chances.crash,
            self._pause: chances.pause,
            self._reassign: chances.reassign,
            self._let_both_own: chances.both_own,
            self._lose_tail: chances.lost_tail,
            self._lose_tail_of_one: chances.lost_tail_of_one,
            self._split: chances.split,
            self._repeat_old_send: chances.old_send,
            self._change_leader: chances.new_leader,
        }
        self._rate = chances.faults_per_1000 / 1000 if any(self._weights.values()) else 0.0
        self.is_on = True
        self.lives: list[Owner] = []
        self.holders: dict[int, list[Owner]] = {each: [] for each in range(PARTITIONS)}
        self.trace: list[str] = []
        for _ in range(OWNERS):
            self._start_owner()
        for partition in range(PARTITIONS):
            self._give(partition, self._random.choice(self.living))

    @property
    def living(self) -> list[Owner]:
        return [owner for owner in self.lives if owner.is_alive]

    def before_step(self, step: int) -> None:
        if self.is_on and self._rate and self._random.random() < self._rate:
            kinds = list(self._weights)
            weights = list(self._weights.values())
            accident: Callable[[], None] = self._random.choices(kinds, weights)[0]
            accident()

    def note(self, text: str) -> None:
        self.trace.append(f"{self._loop.time():9.3f} s  step {self._loop.steps:6d}  {text}")

    def stop(self) -> None:
        """No more accidents; everybody runs, and each partition has one owner who is alive."""
        self.is_on = False
        self.note("faults stop")
        self._around.cluster.heal()
        for owner in self.living:
            self._loop.resume(owner.name)
        for partition, holders in self.holders.items():
            for owner in holders[1:]:
                self._take(partition, owner)
            if not self.holders[partition]:
                self._give(partition, self._random.choice(self.living))

    def lose_tail_when_idle(self) -> None:
        lost = self._around.cluster.lose_tail(self._random)
        self.note(f"the idle store loses its last {lost} commits")

    # --- owners ---

    def _start_owner(self) -> Owner:
        self._lives += 1
        owner = Owner(f"owner-{self._lives}", self._around)
        self.lives.append(owner)
        return owner

    def _give(self, partition: int, owner: Owner) -> None:
        if owner not in self.holders[partition]:
            self.note(f"{owner.name} is given partition {partition}")
            self.holders[partition].append(owner)
            owner.give(partition)

    def _take(self, partition: int, owner: Owner) -> None:
        if owner in self.holders[partition]:
            self.note(f"partition {partition} is taken from {owner.name}")
            self.holders[partition].remove(owner)
            owner.take(partition)

    def _others(self, owner: Owner) -> list[Owner]:
        return [each for each in self.living if each is not owner] or [owner]

    def _crash(self) -> None:
        owner = self._random.choice(self.living)
        self.note(f"{owner.name} dies")
        owner.kill()
        self._start_owner()
        left = [each for each, holders in self.holders.items() if owner in holders]
        for partition in left:
            self.holders[partition].remove(owner)
        self._loop.spawn(WORLD, self._take_over(left))

    async def _take_over(self, partitions: list[int]) -> None:
        await asyncio.sleep(self._random.random() * 8)
        for partition in partitions:
            if not self.holders[partition]:
                self._give(partition, self._random.choice(self.living))

    def _pause(self) -> None:
        owner = self._random.choice(self.living)
        self.note(f"{owner.name} is stopped")
        self._loop.pause(owner.name)
        self._loop.spawn(WORLD, self._replace_while_paused(owner))

    async def _replace_while_paused(self, owner: Owner) -> None:
        """Past its session the group gives its partitions to others; it learns that late."""
        await asyncio.sleep(self._random.random() * 5)
        held = [each for each, holders in self.holders.items() if owner in holders]
        is_replaced = self._random.random() < 0.7
        if is_replaced:
            for partition in held:
                self._give(partition, self._random.choice(self._others(owner)))
        await asyncio.sleep(self._random.random() * 5)
        self.note(f"{owner.name} goes on")
        self._loop.resume(owner.name)
        await asyncio.sleep(self._random.random() * 3)
        for partition in held:
            if len(self.holders[partition]) > 1:
                self._take(partition, owner)

    def _reassign(self) -> None:
        partition = self._random.randrange(PARTITIONS)
        for owner in list(self.holders[partition]):
            self._take(partition, owner)
        self._give(partition, self._random.choice(self.living))

    def _let_both_own(self) -> None:
        partition = self._random.randrange(PARTITIONS)
        self._give(partition, self._random.choice(self.living))
        self._loop.spawn(WORLD, self._settle_owner(partition))

    async def _settle_owner(self, partition: int) -> None:
        await asyncio.sleep(self._random.random() * 10)
        while len(self.holders[partition]) > 1:
            self._take(partition, self._random.choice(self.holders[partition]))

    # --- servers ---

    def _lose_tail(self) -> None:
        lost = self._around.cluster.lose_tail(self._random)
        self.note(f"the store loses its last {lost} commits")

    def _lose_tail_of_one(self) -> None:
        partition = self._random.randrange(PARTITIONS)
        self.note(f"the store loses the tail of partition {partition}")
        self._around.cluster.lose_tail_of(partition, self._random)

    def _split(self) -> None:
        self.note("a replica is promoted, the old primary still serves")
        self._around.cluster.split(self._random)
        self._loop.spawn(WORLD, self._heal())

    async def _heal(self) -> None:
        await asyncio.sleep(self._random.random() * 8)
        self.note("the old primary is gone")
        self._around.cluster.heal()

    # --- the log ---

    def _change_leader(self) -> None:
        """Another broker leads, whose clock differs; readers notice a break."""
        partition = self._random.randrange(PARTITIONS)
        self.note(f"partition {partition} has a new leader")
        self._around.broker.change_leader(partition)
        for owner in self.living:
            owner.log.interrupt(partition)

    def _repeat_old_send(self) -> None:
        """A copy of a send comes late: some producer had it in a buffer all the time."""
        partition = self._random.randrange(PARTITIONS)
        sends = [
            record
            for record in self._around.broker.topics[COMMANDS][partition].records()
            if any(name == SEND_NUMBER for name, _ in record.headers)
        ]
        if sends:
            record = self._random.choice(sends)
            self.note(f"send at offset {record.offset} of partition {partition} comes again")
            self._around.broker.append(
                OutgoingRecord(
                    topic=COMMANDS,
                    key=record.key,
                    value=record.value,
                    partition=partition,
                    headers=record.headers,
                )
            )
