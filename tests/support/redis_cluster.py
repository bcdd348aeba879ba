"""A Redis Cluster of three masters on loopback, for a test that moves slots about."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import redis as redis_py

from consumers.dev.redis_server import Redis, RedisKind, RedisSettings
from consumers.dev.servers import start_redis
from tests.support.servers import required, taken

SLOTS = 16384
MASTERS = 3
JOIN_DEADLINE_S = 30
SETTINGS = RedisSettings(
    more={"cluster-enabled": "yes", "cluster-node-timeout": "2000", "cluster-config-file": "nodes"}
)


class RedisCluster:
    """`url` is that of one of the masters."""

    def __init__(self, servers: list[Redis]) -> None:
        self.servers = servers
        self.admins = [redis_py.Redis.from_url(one.url, protocol=2) for one in servers]

    @property
    def url(self) -> str:
        return self.servers[0].url

    def owner_of(self, slot: int) -> int:
        return slot * MASTERS // SLOTS

    async def form(self) -> None:
        for number, admin in enumerate(self.admins):
            admin.cluster("ADDSLOTS", *(n for n in range(SLOTS) if self.owner_of(n) == number))
            admin.cluster("SET-CONFIG-EPOCH", str(number + 1))
        for admin in self.admins[1:]:
            first = self.admins[0].connection_pool.connection_kwargs
            admin.cluster("MEET", first["host"], str(first["port"]))
        deadline = time.monotonic() + JOIN_DEADLINE_S
        while not all(self._is_whole(admin) for admin in self.admins):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)

    def _is_whole(self, admin: "redis_py.Redis") -> bool:
        info = admin.cluster("INFO")
        found: tuple[str, str] = (info["cluster_state"], info["cluster_known_nodes"])
        return found == ("ok", str(MASTERS))

    def move(self, slot: int, source: int, target: int) -> None:
        """Move a slot and its keys, as an operator's resharding does."""
        ids = [str(admin.cluster("MYID").decode()) for admin in self.admins]
        self.admins[target].cluster("SETSLOT", str(slot), "IMPORTING", ids[source])
        self.admins[source].cluster("SETSLOT", str(slot), "MIGRATING", ids[target])
        address = self.admins[target].connection_pool.connection_kwargs
        keys = self.admins[source].cluster("GETKEYSINSLOT", str(slot), "1000")
        if keys:
            self.admins[source].migrate(address["host"], address["port"], keys, 0, 5000)
        for admin in self.admins:
            admin.cluster("SETSLOT", str(slot), "NODE", ids[target])

    def close(self) -> None:
        for admin in self.admins:
            admin.close()


@contextlib.asynccontextmanager
async def redis_cluster(folder: Path, kind: RedisKind) -> AsyncIterator[RedisCluster]:
    async with contextlib.AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(
                required(
                    start_redis(
                        [kind], settings=SETTINGS, folder=folder / str(number), say=taken.append
                    )
                )
            )
            for number in range(MASTERS)
        ]
        cluster = RedisCluster(servers)
        stack.callback(cluster.close)
        await cluster.form()
        yield cluster
