"""One dedicated connection to one Redis server that never reconnects behind the caller's back.

redis-py's clients open a new connection where a command finds the old one closed, and would send
the rest of a transaction there, without its WATCH. A session lives exactly as long as its
connection: after the first failure it is closed for good, and its owner opens another.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, TypeAlias

import hiredis
from redis.asyncio.connection import Connection, UnixDomainSocketConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from storage.errors import StoreUnavailableError

Command: TypeAlias = tuple[str | bytes | int, ...]
Reply: TypeAlias = Any
"""What the server answered: bytes, int, None, a list, or a ResponseError as a value."""

CLIENT_NAME = "torpor"


class Session:
    """Sends commands in one write and reads all their replies."""

    def __init__(self, connection: Connection | UnixDomainSocketConnection, timeout_s: float):
        self._connection = connection
        self._timeout_s = timeout_s

    @property
    def is_open(self) -> bool:
        return bool(self._connection.is_connected)

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """Send the commands at once; answer their replies, errors of the server as values.

        One caller at a time. Raises StoreUnavailableError when any reply is missing: each command
        may or may not have been carried out, and the session is closed.
        """
        if not self._connection.is_connected:
            raise StoreUnavailableError("the connection to Redis is closed")
        try:
            async with asyncio.timeout(self._timeout_s):
                # Nothing is awaited between the test above and the write, so redis-py finds the
                # connection open and has no reason to make another.
                await self._connection.send_packed_command(
                    list(map(_pack, commands)), check_health=False
                )
                return [await self._read_reply() for _ in commands]
        except TimeoutError as error:
            await self.close()
            raise StoreUnavailableError(
                f"Redis gave no answer within {self._timeout_s} s"
            ) from error
        except (RedisError, OSError) as error:
            await self.close()
            raise StoreUnavailableError(f"the connection to Redis broke: {error}") from error
        except BaseException:
            await self.close()
            raise

    async def _read_reply(self) -> Reply:
        try:
            return await self._connection.read_response(disable_decoding=True)
        except ResponseError as error:
            return error

    async def close(self) -> None:
        try:
            await self._connection.disconnect(nowait=True)
        except (RedisError, OSError):
            return  # a connection that does not even close is as good as closed


def _pack(command: Command) -> bytes:
    """As the wire has it: hiredis is several times as fast at this as redis-py's connection."""
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]  # a wrong stub
    return packed


async def open_session(
    options: dict[str, Any], *, timeout_s: float, connect_timeout_s: float
) -> Session:
    """Connect and authenticate once. `options` are those of a redis-py connection.

    Raises StoreUnavailableError.
    """
    kind = _connection_class(options)
    connection = kind(
        **{name: value for name, value in options.items() if name != "connection_class"},
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        driver_info=None,
        client_name=CLIENT_NAME,
        health_check_interval=0,
        socket_timeout=None,
        socket_connect_timeout=connect_timeout_s,
    )
    try:
        async with asyncio.timeout(connect_timeout_s):
            await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's lacks types
    except (RedisError, OSError, TimeoutError) as error:
        await connection.disconnect(nowait=True)
        reason = str(error) or f"no connection within {connect_timeout_s:g} s"
        raise StoreUnavailableError(f"Redis cannot be reached: {reason}") from error
    except BaseException:
        await connection.disconnect(nowait=True)
        raise
    return Session(connection, timeout_s)


def _connection_class(
    options: dict[str, Any],
) -> type[Connection] | type[UnixDomainSocketConnection]:
    kind: type[Connection] = options.get("connection_class", Connection)
    return kind
