"""This process's share of the command topic: one `Partition` for each that the group gives it.

It also looks at all their fences every few seconds, in one round trip: an idle partition would not
notice by itself that the store has lost its tail, for nothing is committed.
"""

import asyncio
import logging
from collections.abc import Sequence

from consumers.log import Assignments
from consumers.partition import Partition
from consumers.services import Services
from storage.errors import StorageError
from storage.ports import Fence

log = logging.getLogger(__name__)


class Member(Assignments):
    """Owns the partitions that it is assigned. Everything runs between `run` and its end."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._partitions: dict[int, Partition] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._unreachable = ""

    @property
    def unreachable(self) -> str:
        """Why the store could not be looked at; empty when it could.

        Partitions with nothing to do would not notice by themselves.
        """
        return self._unreachable

    @property
    def partitions(self) -> dict[int, Partition]:
        """The partitions assigned, by number."""
        return dict(sorted(self._partitions.items()))

    async def assigned(self, partitions: Sequence[int]) -> None:
        for number in partitions:
            task = self._tasks.get(number)
            if task is None or task.done():
                partition = Partition(self._services, number)
                self._partitions[number] = partition
                name = f"partition-{number}"
                self._tasks[number] = asyncio.create_task(partition.run(), name=name)
        log.info("assigned: %s", sorted(partitions))

    async def revoked(self, partitions: Sequence[int]) -> None:
        tasks = [self._tasks.pop(number) for number in partitions if number in self._tasks]
        for number in partitions:
            self._partitions.pop(number, None)
            self._services.metrics.forget(number)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        log.info("revoked: %s", sorted(partitions))

    async def run(self) -> None:
        """Look at the fences, and report positions, until cancelled."""
        while True:
            await self._services.clock.sleep(self._services.limits.idle_ms)
            await self._look()
            await self._report()

    async def close(self) -> None:
        """Give up every partition at once; what they were doing is safe to be cut off."""
        await self.revoked(list(self._partitions))

    async def _look(self) -> None:
        expected = [
            (partition, number, fence)
            for number, partition in self._partitions.items()
            if (fence := partition.fence) is not None
        ]
        if not expected:
            self._unreachable = ""  # those that back off say so themselves
            return
        found = await self._fences([number for _, number, _ in expected])
        for (partition, _, fence), seen in zip(expected, found, strict=False):
            partition.look(fence, seen)

    async def _fences(self, partitions: Sequence[int]) -> list[Fence | None]:
        """What the store shows; nothing when it cannot be reached.

        Where the connection has broken, a new one is asked at once: a server that was restarted, or
        another in its place, may have lost its tail.
        """
        for _ in range(2):
            try:
                found = await self._services.store.fences(partitions)
            except StorageError as error:
                log.warning("no look at the fences: %s", error)
                self._unreachable = str(error)
            else:
                self._unreachable = ""
                return found
        return []

    async def _report(self) -> None:
        positions = {
            number: fence.next_offset
            for number, partition in self._partitions.items()
            if (fence := partition.fence) is not None
        }
        await self._services.log.report(positions)
