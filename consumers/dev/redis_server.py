"""A Redis or Valkey to work with: where it is, what it is, and power over it and its data."""

import asyncio
import contextlib
import shutil
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Literal

from consumers.dev.errors import NotSupportedError, UnavailableError
from consumers.dev.process import Server
from storage.redis_topology import without_password

READY_DEADLINE_S = 30.0
STOP_GRACE_S = 10.0
PROBE_TIMEOUT_S = 5.0
PORT = 6379


class RedisKind(StrEnum):
    GIVEN = "given"
    DOCKER = "docker"
    MACHINE = "machine"
    WHEEL = "wheel"
    WHEEL_8 = "wheel-8"


@dataclass(frozen=True, kw_only=True)
class RedisSettings:
    """How a server that we start persists; `more` are further settings, for example maxmemory."""

    persistence: Literal["log", "snapshots"] = "log"
    fsync: Literal["everysec", "always", "no"] = "everysec"
    unix_socket: bool = False
    more: Mapping[str, str] = field(default_factory=dict)

    def arguments(self) -> list[str]:
        """Command line of redis-server and valkey-server alike.

        A log that ends in the middle of a command is loaded without that command (the servers'
        default): it is how a power cut looks.
        """
        settings = {
            "appendonly": "yes" if self.persistence == "log" else "no",
            "appendfsync": self.fsync,
            # A save point is also what makes a server save when it is stopped.
            "save": "" if self.persistence == "log" else "3600 1",
            "maxmemory-policy": "noeviction",
            **self.more,
        }
        # Values of several words are several arguments: 6.2 ignores "--save '3600 1'" silently.
        words = {name: value.split() or [""] for name, value in settings.items()}
        return [part for name, values in words.items() for part in (f"--{name}", *values)]


@dataclass(frozen=True, kw_only=True)
class RedisWanted:
    """What the caller asks for; `folder` holds data and the server's log."""

    folder: Path
    settings: RedisSettings = RedisSettings()
    address: str | None = None


class Redis:
    """A running Redis or Valkey.

    After `kill` or `stop`, `start` brings it back at the same address on the data that is in
    `data_folder` by then: the same, or an older copy that `replace_data` put there.
    """

    def __init__(
        self,
        kind: RedisKind,
        description: str,
        url: str,
        server: Server | None,
        data_folder: Path | None = None,
    ) -> None:
        self.kind = kind
        self.description = description
        self.url = url
        self._server = server
        self._data_folder = data_folder

    @property
    def pid(self) -> int:
        return self._ours().pid

    @property
    def data_folder(self) -> Path:
        if self._data_folder is None:
            raise NotSupportedError(f"the data of {self.description} is not within reach")
        return self._data_folder

    async def start(self) -> None:
        server = self._ours()
        server.start()
        await server.wait_ready(partial(answers, self.url), READY_DEADLINE_S)

    def kill(self) -> None:
        """SIGKILL. What it had written to files stays; what it had only in memory is gone."""
        self._ours().kill()

    async def stop(self) -> None:
        """SIGTERM: it saves what its persistence says."""
        await self._ours().stop(STOP_GRACE_S)

    def pause(self) -> None:
        self._ours().pause()

    def resume(self) -> None:
        self._ours().resume()

    def copy_data(self, to: Path) -> None:
        """Copy the data as it is now, for `replace_data` later on."""
        shutil.copytree(self.data_folder, to)

    def replace_data(self, copy: Path) -> None:
        """Put a copy in the place of the data. The server must not be running."""
        shutil.rmtree(self.data_folder)
        shutil.copytree(copy, self.data_folder)

    def end(self) -> None:
        if self._server is not None:
            self._server.end()

    async def end_in_order(self) -> None:
        if self._server is not None:
            await self._server.stop(STOP_GRACE_S)
            self._server.end()

    def _ours(self) -> Server:
        if self._server is None:
            raise NotSupportedError(f"{self.description} was not started by us: it is left alone")
        return self._server


async def answers(url: str) -> bool:
    """Whether a Redis answers there that has loaded its data.

    Spoken by hand: Redis clients live in storage only, and one command is all that is needed.
    """
    parts = urllib.parse.urlsplit(url)
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            if parts.scheme in {"unix", "redis+unix"}:
                reader, writer = await asyncio.open_unix_connection(parts.path)
            else:
                host, port = parts.hostname or "localhost", parts.port or PORT
                secure = parts.scheme == "rediss" or None
                reader, writer = await asyncio.open_connection(host, port, ssl=secure)
            with contextlib.closing(writer):
                writer.write(b"PING\r\n")
                reply = await reader.readline()
    except (OSError, TimeoutError, ValueError):
        return False
    # One that wants a password is there, too; whether ours is right shows when it is used.
    return reply.startswith((b"+PONG", b"-NOAUTH"))


async def given_redis(wanted: RedisWanted) -> Redis:
    """Raises UnavailableError when nothing answers at the address."""
    assert wanted.address is not None
    if not await answers(wanted.address):
        raise UnavailableError(f"no Redis answers at {without_password(wanted.address)}")
    return Redis(RedisKind.GIVEN, "the address given", wanted.address, None)
