"""The public surface: `start_kafka` and `start_redis` take the first kind that can be had.

    async with start_kafka() as kafka, start_redis() as redis:
        print(kafka.bootstrap, redis.url)

They always say which kind was taken, and why not an earlier one. What they start ends with the
block and with the process, however it ends.
"""

import contextlib
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from consumers.dev.apache_kafka import apache_kafka
from consumers.dev.docker_servers import docker_kafka, docker_redis
from consumers.dev.embedded_kafka import embedded_kafka
from consumers.dev.errors import NoServerError, UnavailableError
from consumers.dev.kafka_server import Kafka, KafkaKind, KafkaWanted, given_kafka
from consumers.dev.redis_binaries import machine_redis, wheel_8_redis, wheel_redis
from consumers.dev.redis_server import (
    Redis,
    RedisKind,
    RedisSettings,
    RedisWanted,
    given_redis,
)
from storage.redis_topology import without_password

Kind = TypeVar("Kind")
Wanted = TypeVar("Wanted")
Found = TypeVar("Found", Kafka, Redis)

# What tests take: the real thing. The embedded broker they ask for by name.
REAL_KAFKA = (KafkaKind.DOCKER, KafkaKind.APACHE_KAFKA)
ANY_KAFKA = (*REAL_KAFKA, KafkaKind.EMBEDDED)
# What the demo and `torpor dev` take: it starts in a second.
QUICK_KAFKA = (KafkaKind.EMBEDDED, *REAL_KAFKA)
# Servers whose process and files are ours: they can be put back on older data.
LOCAL_REDIS = (RedisKind.MACHINE, RedisKind.WHEEL, RedisKind.WHEEL_8)
ANY_REDIS = (RedisKind.DOCKER, *LOCAL_REDIS)
QUICK_REDIS = (*LOCAL_REDIS, RedisKind.DOCKER)

DURABLE = RedisSettings()

KAFKA_SOURCES: Mapping[KafkaKind, Callable[[KafkaWanted], Awaitable[Kafka]]] = {
    KafkaKind.GIVEN: given_kafka,
    KafkaKind.DOCKER: docker_kafka,
    KafkaKind.APACHE_KAFKA: apache_kafka,
    KafkaKind.EMBEDDED: embedded_kafka,
}
REDIS_SOURCES: Mapping[RedisKind, Callable[[RedisWanted], Awaitable[Redis]]] = {
    RedisKind.GIVEN: given_redis,
    RedisKind.DOCKER: docker_redis,
    RedisKind.MACHINE: machine_redis,
    RedisKind.WHEEL: wheel_redis,
    RedisKind.WHEEL_8: wheel_8_redis,
}

GET_KAFKA = (
    "Give the address of one (TORPOR_KAFKA=host:port), or start Docker, "
    "or install Java 17 and Maven, or: pip install 'torpor[dev]'."
)
CHECK_KAFKA = (
    "Is the address right (--kafka or TORPOR_KAFKA), and does it run? "
    "Without an address, one is started."
)
CHECK_REDIS = (
    "Is the address right (--redis or TORPOR_REDIS), and does it run? "
    "Without an address, one is started."
)
GET_REDIS = (
    "Give the address of one (TORPOR_REDIS=redis://host:port), or install one "
    "(Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis), "
    "or, on Linux with Python 3.11 or 3.12: pip install 'torpor[dev]'."
)


def say_on_stderr(line: str) -> None:
    sys.stderr.write(line + "\n")


@contextlib.asynccontextmanager
async def start_kafka(
    preference: Sequence[KafkaKind] = ANY_KAFKA,
    *,
    given: str | None = None,
    brokers: int = 1,
    folder: Path | None = None,
    say: Callable[[str], None] = say_on_stderr,
) -> AsyncGenerator[Kafka]:
    """A Kafka: at the address given, else the first kind of the preference that can be had.

    A folder that is given must be empty, and stays; without one, data are in a temporary folder.
    Raises NoServerError, and ServerFailedError when a server that is there does not start.
    """
    with folder_for(folder) as place:
        wanted = KafkaWanted(folder=place, brokers=brokers, address=given)
        kinds = preference if given is None else [KafkaKind.GIVEN]
        advice = GET_KAFKA if given is None else CHECK_KAFKA
        kafka, why = await take_first(KAFKA_SOURCES, kinds, wanted, advice)
        say(f"kafka: {kafka.description} at {kafka.bootstrap}{why}")
        try:
            yield kafka
        finally:
            if folder is not None:
                await kafka.end_in_order()
            kafka.end()


@contextlib.asynccontextmanager
async def start_redis(
    preference: Sequence[RedisKind] = ANY_REDIS,
    *,
    given: str | None = None,
    settings: RedisSettings = DURABLE,
    folder: Path | None = None,
    say: Callable[[str], None] = say_on_stderr,
) -> AsyncGenerator[Redis]:
    """A Redis or Valkey: at the address given, else the first of the preference that can be had.

    A folder that is given may hold data, and stays; without one, data are in a temporary folder.
    Raises NoServerError, and ServerFailedError when a server that is there does not start.
    """
    with folder_for(folder) as place:
        wanted = RedisWanted(folder=place, settings=settings, address=given)
        kinds = preference if given is None else [RedisKind.GIVEN]
        advice = GET_REDIS if given is None else CHECK_REDIS
        redis, why = await take_first(REDIS_SOURCES, kinds, wanted, advice)
        say(f"redis: {redis.description} at {without_password(redis.url)}{why}")
        try:
            yield redis
        finally:
            if folder is not None:
                await redis.end_in_order()
            redis.end()


async def take_first(
    sources: Mapping[Kind, Callable[[Wanted], Awaitable[Found]]],
    kinds: Sequence[Kind],
    wanted: Wanted,
    advice: str,
) -> tuple[Found, str]:
    """The first server that can be had, and why the kinds before it could not."""
    reasons: list[str] = []
    for kind in kinds:
        try:
            found = await sources[kind](wanted)
        except UnavailableError as unavailable:
            reasons.append(f"{kind}: {unavailable}")
        else:
            return found, f" (could not take {'; nor '.join(reasons)})" if reasons else ""
    raise NoServerError("\n".join([*reasons, advice]))


@contextlib.contextmanager
def folder_for(given: Path | None) -> Iterator[Path]:
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="torpor-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
