"""What a Redis server says of itself that decides whether it may hold processes."""

import msgspec
from redis.exceptions import ResponseError

from storage.errors import StoreUnavailableError
from storage.redis_errors import text_of
from storage.redis_session import Command, Reply, Session


class RedisFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One server. None where it does not say (`CONFIG` is often forbidden by the host).

    `version` is Redis's; Valkey calls itself by the Redis version that it is compatible with, and
    `product` tells them apart. Memory in bytes; `memory_max` 0 means no limit.
    """

    address: str
    product: str
    version: tuple[int, ...]
    role: str
    is_cluster: bool
    eviction_policy: str | None
    memory_used: int
    memory_max: int
    appends: bool
    snapshots: bool | None
    replicas: int

    @property
    def memory_share(self) -> float:
        """The part of the memory that is used, from 0 to 1; 0 without a limit."""
        return self.memory_used / self.memory_max if self.memory_max else 0.0


async def facts_of(session: Session, address: str) -> RedisFacts:
    """Ask a server. Raises StoreUnavailableError."""
    commands: list[Command] = [
        ("INFO",),
        ("CONFIG", "GET", "save"),
        ("CONFIG", "GET", "maxmemory-policy"),
    ]
    info_reply, save_reply, policy_reply = await session.exchange(commands)
    if isinstance(info_reply, ResponseError):
        raise StoreUnavailableError(f"{address}: INFO: {text_of(info_reply)}")
    info = _fields(info_reply)
    save, policy = _setting(save_reply), _setting(policy_reply)
    version = info.get("redis_version", "0")
    return RedisFacts(
        address=address,
        product="valkey" if "valkey_version" in info else "redis",
        version=tuple(int(part) for part in version.split(".") if part.isdigit()),
        role=info.get("role", "unknown"),
        is_cluster=info.get("cluster_enabled") == "1",
        eviction_policy=info.get("maxmemory_policy", policy),
        memory_used=int(info.get("used_memory", 0)),
        memory_max=int(info.get("maxmemory", 0)),
        appends=info.get("aof_enabled") == "1",
        snapshots=None if save is None else bool(save),
        replicas=int(info.get("connected_slaves", 0)),
    )


def _fields(info: bytes) -> dict[str, str]:
    pairs = (line.partition(":") for line in info.decode("utf-8", "replace").splitlines())
    return {name: value for name, separator, value in pairs if separator}


def _setting(reply: Reply) -> str | None:
    """The value in an answer to CONFIG GET of one name."""
    if isinstance(reply, ResponseError) or len(reply) != 2:
        return None
    value: bytes = reply[1]
    return value.decode()
