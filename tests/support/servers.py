"""How tests get servers: at an address given, else the first that can be had.

A missing server skips on a developer's machine and fails where CI is set: a skipped suite must
never look green.
"""

import contextlib
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import NoReturn, Protocol, TypeVar

import pytest

from consumers.dev.errors import NoServerError
from consumers.dev.redis_server import Redis, RedisKind, RedisSettings
from consumers.dev.servers import DURABLE, LOCAL_REDIS, start_redis

Found = TypeVar("Found")

GIVEN_KAFKA = os.environ.get("TORPOR_KAFKA")
GIVEN_REDIS = os.environ.get("TORPOR_REDIS")
IN_CI = bool(os.environ.get("CI"))

# Which servers were taken, for the summary at the end of the run.
taken: list[str] = []

# A test that asks for one of these carries the markers, so that `make check` leaves it out.
MARKERS_OF_FIXTURE = {
    "kafka": ("kafka",),
    "kafka_cluster": ("kafka",),
    "embedded_kafka": ("kafka", "embedded"),
    "any_kafka": ("kafka", "embedded"),
    "redis_server": ("redis",),
    "private_redis": ("redis",),
    "any_redis": ("redis",),
}


class StartRedis(Protocol):
    """What the fixture private_redis gives: starts a server that ends with the test."""

    async def __call__(
        self, settings: RedisSettings = DURABLE, preference: Sequence[RedisKind] = LOCAL_REDIS
    ) -> Redis: ...


@contextlib.asynccontextmanager
async def required(server: AbstractAsyncContextManager[Found]) -> AsyncGenerator[Found]:
    """Enter `server`; when there is none, skip, or fail where CI is set."""
    async with AsyncExitStack() as stack:
        try:
            found = await stack.enter_async_context(server)
        except NoServerError as missing:
            without(str(missing))
        yield found


@contextlib.asynccontextmanager
async def redis_starter() -> AsyncGenerator[StartRedis]:
    async with AsyncExitStack() as stack:

        async def start(
            settings: RedisSettings = DURABLE, preference: Sequence[RedisKind] = LOCAL_REDIS
        ) -> Redis:
            server = start_redis(preference, settings=settings, say=lambda _: None)
            return await stack.enter_async_context(required(server))

        yield start


def without(reason: str) -> NoReturn:
    if IN_CI:
        pytest.fail(f"A server is missing, and CI is set.\n{reason}", pytrace=False)
    pytest.skip(reason)
