"""What aiokafka's clients do by themselves, and this library does not let out."""

import asyncio

import pytest

from torpor_client import Client, ClientOptions
from torpor_client.connection import Connection


class FetcherOfABrokerThatIsAway:
    """As aiokafka's: it cancels its pending request, and awaits it."""

    async def close(self) -> None:
        pending = asyncio.create_task(asyncio.sleep(60))
        pending.cancel()
        await pending


async def test_a_consumer_stops_without_cancelling_who_stops_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    consumer = Connection(bootstrap_servers="127.0.0.1:1").consumer()
    monkeypatch.setattr(consumer, "_fetcher", FetcherOfABrokerThatIsAway())
    closed = asyncio.Event()

    async def close() -> None:
        closed.set()

    monkeypatch.setattr(consumer.client, "close", close)
    await consumer.stop()
    assert closed.is_set()


async def test_whoever_is_cancelled_while_a_consumer_stops_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    consumer = Connection(bootstrap_servers="127.0.0.1:1").consumer()
    begun, ended = asyncio.Event(), asyncio.Event()

    class Slow:
        async def close(self) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    monkeypatch.setattr(consumer, "_fetcher", Slow())
    stopping = asyncio.create_task(consumer.stop())
    async with asyncio.timeout(5):
        await begun.wait()
        stopping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopping
        await ended.wait()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"sasl_plain_username": "me"}, "sasl_plain_username .* logs in nobody"),
        (
            {"sasl_plain_password": "p", "security_protocol": "SSL"},
            "sasl_plain_password .* logs in nobody",
        ),
        ({"ssl_context": object()}, "ssl_context .* encrypts nothing"),
    ],
)
def test_credentials_that_would_be_passed_over_are_refused(
    options: dict[str, object], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        Client("kafka:9092", "shop", ClientOptions(kafka=options))


async def test_a_consumer_asks_twice_a_second_for_a_broker_that_is_away() -> None:
    """Unless somebody wants it otherwise."""
    for options, backoff_s in (({}, 0.5), ({"retry_backoff_ms": 50}, 0.05)):
        consumer = Connection(bootstrap_servers="127.0.0.1:1", options=options).consumer()
        assert consumer.client._retry_backoff == backoff_s
        await consumer.stop()


def test_credentials_with_their_protocol_are_taken() -> None:
    options = {"security_protocol": "SASL_SSL", "sasl_plain_username": "me"}
    assert Connection(bootstrap_servers="kafka:9093", options=options).options == options
