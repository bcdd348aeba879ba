"""The owner of one partition: load, publish, take batches, until the partition is taken away.

    load    fence and outbox in one atomic read; the record before the fence verified against the
            log; seek to the fence, what was fetched is dropped
    serve   publish the outbox from its head, fire timers, take batches
    else    any failure ends all three, and the table in `failure.py` says what follows

Nothing is trusted over a failure but what the fence vouches for: if a load finds the very fence
that this owner wrote or read last, documents in memory and acknowledgements still hold.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum

from consumers.batches import Batches
from consumers.errors import NotInitialisedError
from consumers.failure import ACTIONS, Action, action_for, gravest
from consumers.outbox import Outbox, OutboxPublisher
from consumers.position import verify
from consumers.services import Services
from consumers.timers import Timers
from consumers.together import Together
from storage.errors import FenceLostError
from storage.keys import PartitionKeys
from storage.partition import PartitionState, Rules
from storage.ports import Fence

log = logging.getLogger(__name__)

STEADY_MS = 10_000
"""After so long without a failure the next one backs off from the beginning."""

LEAVE_MS = 1_000
"""How long the end of an ownership may take; the group is waiting."""

EAGER_LOADS = 3
"""So many loads in a row are made at once; then something is wrong, and each waits longer."""


class Condition(StrEnum):
    """What a partition is doing; only SERVING counts as ready."""

    LOADING = "loading"
    SERVING = "serving"
    BACKING_OFF = "backing off"
    HALTED = "halted"
    LEFT = "left"
    ENDED = "ended"


class Partition:
    """One partition in this process, from its assignment to its revocation."""

    def __init__(self, services: Services, number: int) -> None:
        self._services = services
        self._number = number
        keys = PartitionKeys(services.namespace, number)
        rules = Rules(
            settings=services.settings,
            cache_room=services.cache_room,
            name_commit=services.name_commit,
        )
        self._state = PartitionState(services.store, keys, services.models, rules)
        self._outbox = Outbox(services.limits)
        self._timers = Timers(services, self._state, number)
        self._batches = Batches(services, self._state, self._outbox, self._timers, number)
        self._fence_lost = asyncio.Event()
        self._failures = 0
        self._condition = Condition.LOADING
        self._reason = ""

    @property
    def condition(self) -> Condition:
        return self._condition

    @property
    def reason(self) -> str:
        """Why the partition is not serving; empty while it is."""
        return self._reason

    @property
    def fence(self) -> Fence | None:
        """The fence that the store must show now; None while that cannot be said."""
        if self._condition is not Condition.SERVING or self._state.is_committing:
            return None
        return self._state.fence

    def look(self, expected: Fence, found: Fence | None) -> None:
        """Somebody looked at the store, which was to show `expected` (see `fence`)."""
        if self.fence is expected and found != expected:
            self._fence_lost.set()

    async def run(self) -> None:
        """Own the partition until cancelled, or until it cannot be owned any longer."""
        try:
            await self._own()
        finally:
            self._state.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVE_MS / 1000):
                    await self._batches.leave()

    async def _own(self) -> None:
        while True:
            started = self._services.clock.monotonic_ms()
            try:
                await self._serve()
            except Exception as error:  # the one place that decides about every failure
                cause = gravest(list(_leaves(error)))
            if self._services.clock.monotonic_ms() - started > STEADY_MS:
                self._failures = 0
            if not await self._go_on(action_for(cause), cause):
                return

    async def _serve(self) -> None:
        self._enter(Condition.LOADING)
        await self._load()
        self._enter(Condition.SERVING)
        publisher = OutboxPublisher(self._outbox, self._services, self._number)
        together = Together()
        for part in (
            self._watch(),
            publisher.run(),
            self._timers.run(),
            self._batches.run(publisher),
        ):
            together.start(part)
        await together.run()

    async def _load(self) -> None:
        known = self._state.known_fence
        loaded = await self._state.load()
        if loaded.fence is None:
            raise NotInitialisedError(
                f"partition {self._number} has no fence: the namespace was never initialised, or"
                " the store was wiped"
            )
        services = self._services
        await verify(services.log, self._number, services.partitions, loaded.fence)
        settled = self._outbox.settled_head if loaded.fence == known else 0
        self._outbox.replace(loaded.outbox, settled)
        self._timers.clock.read(loaded.fence.now_ms)
        await self._batches.seek(loaded.fence.next_offset)

    async def _watch(self) -> None:
        """Ends the service when somebody else's fence was seen."""
        self._fence_lost.clear()
        await self._fence_lost.wait()
        raise FenceLostError(f"partition {self._number}: the store shows another fence")

    async def _go_on(self, action: Action, cause: BaseException) -> bool:
        """Do what the table says; whether to load again."""
        context = {"partition": self._number, "action": action}
        self._services.metrics.count("torpor_loads_total", cause=type(cause).__name__)
        match action:
            case Action.END:
                log.info("partition ended: %s", cause, extra=context)
                self._enter(Condition.ENDED, str(cause))
                return False
            case Action.HALT | Action.LEAVE:
                log.critical("partition given up: %s", cause, extra=context)
                halted = Condition.HALTED if action is Action.HALT else Condition.LEFT
                self._enter(halted, str(cause))
                return False
            case Action.LOAD if self._failures < EAGER_LOADS:
                log.info("loading again: %s", cause, extra=context)
                self._failures += 1
                return True
            case _:
                trace = None if type(cause) in ACTIONS else cause
                log.warning("backing off: %s", cause, exc_info=trace, extra=context)
                self._enter(Condition.BACKING_OFF, str(cause))
                await self._back_off()
                return True

    async def _back_off(self) -> None:
        limits = self._services.limits
        duration = min(limits.backoff_ms_min << min(self._failures, 16), limits.backoff_ms_max)
        self._failures += 1
        await self._services.clock.sleep(duration)

    def _enter(self, condition: Condition, reason: str = "") -> None:
        metrics, number = self._services.metrics, self._number
        metrics.set("torpor_partition_state", 0, partition=number, state=self._condition)
        metrics.set("torpor_partition_state", 1, partition=number, state=condition)
        self._condition, self._reason = condition, reason


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions inside nested groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
