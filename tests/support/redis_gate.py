"""A door in front of a Redis server that can be closed before an EXEC, or before its answer.

    async with RedisGate(url) as gate:
        gate.close(Side.BEFORE_EXEC)     # the next transaction is kept from the server
        await gate.reached()             # one stands before it
        gate.forward()                   # it goes through, late

What stands at a closed door and is never forwarded is lost with its connection, as with a client
that was killed. A connection that ends on one side is ended on the other.
"""

import asyncio
import contextlib
import urllib.parse
from collections.abc import Coroutine
from enum import StrEnum
from typing import Any

LOOPBACK = "127.0.0.1"
EXEC = b"\r\n$4\r\nEXEC\r\n"
DEADLINE_S = 30.0
CHUNK = 1 << 16


class Side(StrEnum):
    """What a closed door keeps: every request with an EXEC, or the answers to it."""

    BEFORE_EXEC = "before EXEC"
    AFTER_EXEC = "after EXEC"


class _Way:
    """One connection, and what was kept of it, in order."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.client = client
        self.server = server
        self.requests: list[bytes] = []
        self.answers: list[bytes] = []
        self.keeps_requests = False
        self.keeps_answers = False
        self.is_late = False
        self.tail = b""

    def is_exec(self, data: bytes) -> bool:
        """Whether an EXEC ends in this piece of the stream."""
        seen = self.tail + data
        self.tail = seen[-len(EXEC) + 1 :]
        return EXEC in seen


class RedisGate:
    """Passes bytes on while it is open."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        self._target = (parts.hostname, parts.port)
        self._server: asyncio.Server | None = None
        self._side: Side | None = None
        self._reached = asyncio.Event()
        self._answered = asyncio.Event()
        self._late = b""
        self._ways: list[_Way] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "RedisGate":
        self._server = await asyncio.start_server(self._serve, LOOPBACK, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"redis://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}"

    def close(self, side: Side) -> None:
        """From now on keep every transaction, or every answer to one."""
        self._side = side
        self._reached.clear()

    async def reached(self) -> None:
        """Return when something is kept: a request, or an answer that the server has given."""
        async with asyncio.timeout(DEADLINE_S):
            await self._reached.wait()

    def forward(self, then: Side | None = None) -> None:
        """Pass on what was kept; open the door, or close it for what comes `then`."""
        self._side = then
        self._reached.clear()
        self._answered.clear()
        for way in self._ways:
            way.is_late = way.keeps_requests
            way.keeps_requests = way.keeps_answers = False
            way.server.writelines(way.requests)
            way.client.writelines(way.answers)
            way.requests.clear()
            way.answers.clear()

    def cut(self) -> None:
        """Open the door, and break every connection: what was kept is lost."""
        self._side = None
        for way in self._ways:
            way.client.transport.abort()
            way.server.transport.abort()

    async def late_answer(self) -> bytes:
        """What the server answered to a request that `forward` let through."""
        async with asyncio.timeout(DEADLINE_S):
            await self._answered.wait()
        return self._late

    async def _serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.closing(to_client), contextlib.suppress(OSError, asyncio.CancelledError):
            server, to_server = await asyncio.open_connection(*self._target)
            way = _Way(to_client, to_server)
            self._ways.append(way)
            with contextlib.closing(to_server):
                await _first_of(self._requests(way, client), self._answers(way, server))
            self._ways.remove(way)
        self._tasks.discard(task)

    async def _requests(self, way: _Way, client: asyncio.StreamReader) -> None:
        while data := await client.read(CHUNK):
            is_exec = way.is_exec(data)
            if self._side is Side.BEFORE_EXEC and is_exec:
                way.keeps_requests = True
            if way.keeps_requests:
                way.requests.append(data)
                self._reached.set()
                continue
            if self._side is Side.AFTER_EXEC and is_exec:
                way.keeps_answers = True
            way.server.write(data)

    async def _answers(self, way: _Way, server: asyncio.StreamReader) -> None:
        while data := await server.read(CHUNK):
            if way.is_late:
                way.is_late = False
                self._late = data
                self._answered.set()
            if way.keeps_answers:
                way.answers.append(data)
                self._reached.set()
            else:
                way.client.write(data)


async def _first_of(*sides: Coroutine[Any, Any, None]) -> None:
    """Run both until one has ended; the other is cut off."""
    tasks = [asyncio.create_task(side) for side in sides]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
