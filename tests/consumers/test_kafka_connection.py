"""What aiokafka's clients do by themselves, and the engine does not let out."""

import asyncio

import pytest

from consumers.kafka_connection import KafkaConnection, WatchedConsumer
from consumers.kafka_log import KafkaMember


class FetcherOfABrokerThatIsAway:
    """As aiokafka's: it cancels its pending request, and awaits it."""

    async def close(self) -> None:
        pending = asyncio.create_task(asyncio.sleep(60))
        pending.cancel()
        await pending


async def test_leaving_the_group_does_not_end_in_a_cancellation_when_a_broker_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    member = KafkaMember(KafkaConnection(bootstrap="127.0.0.1:1"), "shop.commands", "shop.engines")
    consumer = WatchedConsumer(on_broken=lambda _: None, bootstrap_servers="127.0.0.1:1")
    monkeypatch.setattr(consumer, "_fetcher", FetcherOfABrokerThatIsAway())
    monkeypatch.setattr(member, "_consumer", consumer)
    closed = asyncio.Event()

    async def close() -> None:
        closed.set()

    monkeypatch.setattr(consumer._client, "close", close)
    await member.leave()
    assert closed.is_set()
