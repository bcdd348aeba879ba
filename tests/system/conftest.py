"""What system tests ask for: a Redis of their own, and the making of whole systems on it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol

import pytest_asyncio

from consumers.dev.kafka_server import Kafka
from tests.support.system import PARTITIONS, System


class StartSystem(Protocol):
    """Makes a namespace on a Redis; everything in it ends with the test."""

    async def __call__(self, redis_url: str, partitions: int = PARTITIONS) -> System: ...


@pytest_asyncio.fixture
async def start_system(kafka: Kafka, namespace: str, tmp_path: Path) -> AsyncIterator[StartSystem]:
    async with AsyncExitStack() as stack:

        async def start(redis_url: str, partitions: int = PARTITIONS) -> System:
            system = System(kafka.bootstrap, redis_url, namespace, tmp_path, partitions)
            return await stack.enter_async_context(system)

        yield start
