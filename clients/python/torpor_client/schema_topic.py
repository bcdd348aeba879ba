"""The topic of schemas: what a newer engine writes, this library reads by."""

import asyncio
from typing import Any

from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from torpor_client.connection import Connection, partition_counts
from torpor_client.errors import KafkaUnavailableError
from torpor_client.frames import RecordSchema, Schemas, own_fingerprints, read_schema

LOOK_AGAIN_S = 30.0
_MARKER = b"\xc3\x01"


class SchemaTopic:
    """Schemas by fingerprint: those of the package, and when one is missing those of the topic."""

    def __init__(self, connection: Connection, topic: str) -> None:
        self._connection = connection
        self._topic = topic
        self._known: dict[bytes, RecordSchema] = dict(own_fingerprints())
        self._missing: dict[bytes, float] = {}
        self._reading = asyncio.Lock()

    async def for_record(self, value: bytes) -> Schemas:
        """Schemas that hold that of this record, unless nobody has it.

        Raises KafkaUnavailableError when the topic must be read and cannot be.
        """
        found = value[2:10]
        if value.startswith(_MARKER) and found not in self._known:
            async with self._reading:
                await self._look_for(found)
        return self._known

    async def _look_for(self, found: bytes) -> None:
        now = asyncio.get_running_loop().time()
        if found in self._known or now < self._missing.get(found, now):
            return
        await self._read()
        if found not in self._known:
            self._missing[found] = now + LOOK_AGAIN_S

    async def _read(self) -> None:
        """Take all schemas of the topic. It is small, compacted, and rarely written."""
        consumer = self._connection.consumer(auto_offset_reset="earliest")
        try:
            await consumer.start()
            counts = await partition_counts(consumer.client, [self._topic])
            assigned = [TopicPartition(self._topic, n) for n in range(counts.get(self._topic, 0))]
            if not assigned:
                return
            consumer.assign(assigned)
            await consumer.seek_to_beginning(*assigned)
            ends = await consumer.end_offsets(assigned)
            while any([await consumer.position(each) < ends[each] for each in assigned]):
                await self._take(await consumer.getmany(timeout_ms=500))
        except KafkaError as error:
            raise KafkaUnavailableError(f"the schemas cannot be read: {error!r}") from error
        finally:
            await consumer.stop()

    async def _take(self, batches: Any) -> None:
        for records in batches.values():
            for record in records:
                if record.value is not None:
                    schema = read_schema(record.value.decode())
                    self._known[schema.fingerprint] = schema
