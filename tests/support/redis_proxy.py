"""A door in front of a Redis server that can lose the reply of an EXEC."""

import asyncio
import contextlib
import urllib.parse

LOOPBACK = "127.0.0.1"


class RedisProxy:
    """Passes bytes on. Once armed, it lets the next EXEC through and cuts before the reply."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        self._target = (parts.hostname, parts.port)
        self._server: asyncio.Server | None = None
        self._applied = asyncio.Event()
        self._armed = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "RedisProxy":
        self._server = await asyncio.start_server(self._serve, LOOPBACK, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"redis://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}"

    def lose_next_reply(self) -> None:
        self._armed = True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(*self._target)
        down = asyncio.create_task(self._pass_on(up_reader, writer))
        self._tasks.add(down)
        with contextlib.closing(up_writer), contextlib.closing(writer):
            while data := await reader.read(1 << 16):
                if self._armed and b"EXEC" in data:
                    self._armed = False
                    down.cancel()
                    up_writer.write(data)
                    await up_reader.read(1)  # the server has carried it out
                    return
                up_writer.write(data)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                writer.write(data)
        writer.close()
