"""A namespace on a real Kafka with an engine that answers by script."""

from collections.abc import AsyncGenerator

import pytest_asyncio

from consumers.dev.kafka_server import Kafka
from tests.clients.scripted_engine import ScriptedEngine, scripted_engine


@pytest_asyncio.fixture
async def engine(kafka: Kafka, namespace: str) -> AsyncGenerator[ScriptedEngine]:
    async with scripted_engine(kafka.bootstrap, namespace) as found:
        yield found


@pytest_asyncio.fixture
async def any_engine(any_kafka: Kafka, namespace: str) -> AsyncGenerator[ScriptedEngine]:
    """Also on the embedded broker, for the smoke set."""
    async with scripted_engine(any_kafka.bootstrap, namespace) as found:
        yield found
