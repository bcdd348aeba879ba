"""Waiting for a reply, without Kafka: once more after a time-out, and when the client is closed."""

import asyncio
import contextlib
import gc

import pytest

from torpor_client import KafkaUnavailableError, ReplyTimeoutError
from torpor_client.channel import Submitted
from torpor_client.connection import Connection
from torpor_client.records import Reply
from torpor_client.replies import ReplyReader
from torpor_client.schema_topic import SchemaTopic

DEADLINE_S = 5.0
ACCEPTED = Reply(command_id="c-1", status="ACCEPTED")


def reader() -> ReplyReader:
    connection = Connection(bootstrap_servers="nowhere:1")
    return ReplyReader(connection, "shop.replies", SchemaTopic(connection, "shop.schemas"))


async def test_a_reply_may_be_waited_for_again_after_a_time_out() -> None:
    _, expected = reader().expect()
    submitted = Submitted("c-1", expected, 0.01)
    for _ in range(2):
        with pytest.raises(ReplyTimeoutError, match="c-1"):
            await submitted.reply()
    expected.set_result(ACCEPTED)
    assert await submitted.reply() == ACCEPTED
    assert await submitted.reply() == ACCEPTED


async def test_who_lets_go_of_a_command_waits_for_no_reply() -> None:
    replies = reader()

    async def give_up() -> bytes:
        correlation, expected = replies.expect()
        submitted = Submitted("c-1", expected, 0.01)
        with contextlib.suppress(ReplyTimeoutError):
            await submitted.reply()
        assert correlation in replies._waiting
        return correlation

    correlation = await give_up()
    await asyncio.sleep(0)
    gc.collect()
    assert correlation not in replies._waiting


async def test_a_client_that_is_closed_says_so_to_who_waits() -> None:
    replies = reader()
    submitted = Submitted("c-1", replies.expect()[1], DEADLINE_S)
    waiting = asyncio.create_task(submitted.reply())
    await asyncio.sleep(0)
    await replies.stop()
    for reply in (waiting, submitted.reply()):
        with pytest.raises(KafkaUnavailableError, match="closed"):
            await reply


async def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    waiting = asyncio.create_task(Submitted("c-1", reader().expect()[1], DEADLINE_S).reply())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
