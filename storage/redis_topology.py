"""Where a key's master is: one server, whom the sentinels name, or the owner of the slot.

redis-py's cluster client is used as a slot map only: its transactions are repeated on a new
connection without their WATCH.
"""

import asyncio
import re
from typing import Any, Protocol

import msgspec
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from storage.errors import StoreUnavailableError

Options = dict[str, Any]
"""Arguments of a redis-py connection."""

SENTINEL_SCHEME = "redis+sentinel://"
CLUSTER_SCHEME = "redis+cluster://"
_SECRETS = re.compile(r"^(\w[\w+.-]*://)?(?:.*@)?([^?]*).*$", re.DOTALL)
"""The scheme, then credentials up to the last @, what may be shown, and options."""


class Node(msgspec.Struct, frozen=True):
    """A server, by `host:port` (or the path of its socket), and how to connect to it."""

    name: str
    options: Options


class Topology(Protocol):
    """`is_cluster`: a script may touch the keys of one slot only."""

    is_cluster: bool

    async def master_of(self, key: str) -> Node:
        """Raises StoreUnavailableError."""
        ...

    async def masters(self) -> list[Node]:
        """Raises StoreUnavailableError."""
        ...

    def forget(self) -> None:
        """What is known may be out of date: ask again before the next use."""
        ...

    async def close(self) -> None: ...


class SingleTopology:
    is_cluster = False

    def __init__(self, options: Options) -> None:
        self._node = _node(options)

    async def master_of(self, key: str) -> Node:
        return self._node

    async def masters(self) -> list[Node]:
        return [self._node]

    def forget(self) -> None:
        """There is nothing else to know."""

    async def close(self) -> None:
        """Nothing is open."""


class SentinelTopology:
    is_cluster = False

    def __init__(self, seeds: list[tuple[str, int]], service: str, options: Options) -> None:
        self._service = service
        self._seeds = ", ".join(f"{host}:{port}" for host, port in seeds)
        self._options = options
        self._sentinel: Any = Sentinel(  # type: ignore[no-untyped-call]  # redis-py's lacks types
            seeds, sentinel_kwargs={"socket_timeout": 2, "protocol": 2, "retry": _no_retry()}
        )
        self._node: Node | None = None

    async def master_of(self, key: str) -> Node:
        if self._node is None:
            try:
                host, port = await self._sentinel.discover_master(self._service)
            except (RedisError, OSError) as error:
                message = f"no sentinel of {self._seeds} names a master of {self._service}"
                raise StoreUnavailableError(message) from error
            self._node = _node({**self._options, "host": host, "port": port})
        return self._node

    async def masters(self) -> list[Node]:
        return [await self.master_of("")]

    def forget(self) -> None:
        self._node = None

    async def close(self) -> None:
        for client in self._sentinel.sentinels:
            await client.aclose()


class ClusterTopology:
    is_cluster = True

    def __init__(self, seeds: list[tuple[str, int]], options: Options) -> None:
        self._seeds = seeds
        self._options = options
        self._map: RedisCluster | None = None
        self._is_stale = True
        self._refresh = asyncio.Lock()

    async def master_of(self, key: str) -> Node:
        slots = await self._fresh_map()
        try:
            found = slots.get_node_from_key(key)
        except RedisError as error:
            self.forget()
            raise StoreUnavailableError(str(error)) from error
        if found is None:
            raise StoreUnavailableError(f"no server owns the slot of {key}")
        return self._node_of(found)

    async def masters(self) -> list[Node]:
        slots = await self._fresh_map()
        return [self._node_of(found) for found in slots.get_primaries()]

    def forget(self) -> None:
        self._is_stale = True

    async def close(self) -> None:
        if self._map is not None:
            await self._map.aclose()

    def _node_of(self, found: ClusterNode) -> Node:
        return _node({**self._options, "host": found.host, "port": found.port})

    async def _fresh_map(self) -> RedisCluster:
        async with self._refresh:
            if self._map is None or self._is_stale:
                known = [] if self._map is None else self._map.get_nodes()
                addresses = [*self._seeds, *((node.host, int(node.port)) for node in known)]
                fresh = await self._ask(list(dict.fromkeys(addresses)))
                await self.close()
                self._map, self._is_stale = fresh, False
            return self._map

    async def _ask(self, addresses: list[tuple[str, int]]) -> RedisCluster:
        names = ("username", "password", "credential_provider")
        options = {name: self._options[name] for name in names if name in self._options}
        slots = RedisCluster(
            startup_nodes=[ClusterNode(host, port) for host, port in addresses],
            require_full_coverage=False,
            retry=_no_retry(),
            protocol=2,
            socket_timeout=2,
            **_tls(self._options),
            **options,
        )
        try:
            await slots.initialize()
        except (RedisError, OSError) as error:
            await slots.aclose()
            raise StoreUnavailableError(f"no server of the cluster answers: {error}") from error
        return slots


def topology_of(url: str, *, is_cluster: bool = False) -> Topology:
    """The topology that a URL names. Raises ValueError.

    `redis://host:port/db`, `rediss://`, `unix://path`; with several `host:port`, comma-separated:
    `redis+cluster://` and `redis+sentinel://.../<service>`. All take redis-py's query options, the
    last two also `ssl=true`. `is_cluster`: the server of a plain URL is one of a cluster's.
    """
    if url.startswith(SENTINEL_SCHEME):
        seeds, path, options = _split_seeds(url.removeprefix(SENTINEL_SCHEME))
        if not path:
            raise ValueError(f"{SENTINEL_SCHEME}host:port,.../<service> lacks the service")
        return SentinelTopology(seeds, path, options)
    if url.startswith(CLUSTER_SCHEME):
        seeds, _, options = _split_seeds(url.removeprefix(CLUSTER_SCHEME))
        return ClusterTopology(seeds, options)
    options = {**parse_url(url)}
    if not is_cluster:
        return SingleTopology(options)
    seed = (options.pop("host", "localhost"), int(options.pop("port", 6379)))
    return ClusterTopology([seed], options)


def without_password(url: str) -> str:
    """The address as it may be shown: without credentials and options, whether a URL or not."""
    return _SECRETS.sub(r"\1\2", url)


def _split_seeds(rest: str) -> tuple[list[tuple[str, int]], str, Options]:
    """Seeds, path and options of `user:password@host:port,host:port/path?option=value`."""
    credentials, _, address = rest.rpartition("@")
    hosts, slash, tail = address.partition("/")
    path, _, query = tail.partition("?")
    first, *others = hosts.split(",")
    prefix = f"{credentials}@" if credentials else ""
    uses_tls = "ssl=true" in query.split("&")
    query = "&".join(part for part in query.split("&") if part and part != "ssl=true")
    scheme = "rediss" if uses_tls else "redis"
    options: Options = {**parse_url(f"{scheme}://{prefix}{first}{slash}?{query}")}
    seeds = [(options.pop("host", "localhost"), int(options.pop("port", 6379)))]
    for other in others:
        host, _, port = other.rpartition(":")
        seeds.append((host, int(port)))
    return seeds, path, options


def _node(options: Options) -> Node:
    if "path" in options:
        return Node(str(options["path"]), options)
    return Node(f"{options.get('host', 'localhost')}:{options.get('port', 6379)}", options)


def _tls(options: Options) -> Options:
    tls = {name: value for name, value in options.items() if name.startswith("ssl_")}
    kind = getattr(options.get("connection_class"), "__name__", "")
    return {"ssl": True, **tls} if kind == "SSLConnection" else {}


def _no_retry() -> Retry:
    return Retry(NoBackoff(), 0)
