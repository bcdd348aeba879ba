"""Matching replies to those who wait, without Kafka."""

import asyncio
from types import SimpleNamespace
from typing import Any

import msgspec

from torpor_client.connection import Connection
from torpor_client.frames import Schemas
from torpor_client.replies import ReplyReader
from torpor_client.schema_topic import SchemaTopic

DEADLINE_S = 5.0


class SlowSchemas(SchemaTopic):
    """The schemas of a broker that takes its time; `asked` when somebody waits for them."""

    def __init__(self) -> None:
        super().__init__(Connection(bootstrap_servers="nowhere:1"), "shop.schemas")
        self.asked = asyncio.Event()
        self.answered = asyncio.Event()

    async def for_record(self, value: bytes) -> Schemas:
        self.asked.set()
        await self.answered.wait()
        return {}


def record(correlation: bytes) -> Any:
    value = msgspec.json.encode({"command_id": "c", "status": "ACCEPTED"})
    return SimpleNamespace(headers=[("correlation-id", correlation)], value=value)


async def test_a_reply_that_is_given_up_while_its_schema_is_looked_for_harms_no_other() -> None:
    schemas = SlowSchemas()
    reader = ReplyReader(Connection(bootstrap_servers="nowhere:1"), "shop.replies", schemas)
    correlation, given_up = reader.expect()
    async with asyncio.timeout(DEADLINE_S):
        taking = asyncio.create_task(reader._take(record(correlation)))
        await schemas.asked.wait()
        given_up.cancel()
        schemas.answered.set()
        await taking
        correlation, reply = reader.expect()
        await reader._take(record(correlation))
        assert (await reply).status == "ACCEPTED"
