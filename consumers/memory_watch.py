"""Redis's memory: when it is nearly full, no partition takes commands, and what waits can drain."""

import asyncio
import logging

from consumers.metrics import Metrics
from consumers.start_checks import MEMORY_SHARE_MAX
from storage.errors import StoreUnavailableError
from storage.redis_store import RedisStore

log = logging.getLogger(__name__)

LOOK_S = 5.0


class MemoryWatch:
    """Looks every few seconds; the fullest master counts."""

    def __init__(self, store: RedisStore, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._has_room = True

    def has_room(self) -> bool:
        return self._has_room

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        try:
            share = max(facts.memory_share for facts in await self._store.facts())
        except StoreUnavailableError as error:
            log.debug("no look at Redis's memory: %s", error)
            return
        self._metrics.set("torpor_store_memory_share", share)
        if (share < MEMORY_SHARE_MAX) is not self._has_room:
            self._has_room = share < MEMORY_SHARE_MAX
            state = "has room again" if self._has_room else "is nearly full: no commands are taken"
            log.warning("redis %s (%.0f %%)", state, 100 * share)
