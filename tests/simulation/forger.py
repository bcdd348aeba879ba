"""Somebody who may write commands, and says that they are the engine's. Nothing must come of it."""

import asyncio
import json
from random import Random

from consumers.log import Headers, LogRecord, OutgoingRecord
from engine.routing import partition_of
from schemas.headers import ENGINE, SEAL, SEND_NUMBER, SEND_SOURCE
from tests.simulation.brokers import SimulatedBroker
from tests.simulation.clients import Clients
from tests.simulation.setup import COMMANDS, PARTITIONS

FORGERIES_MAX = 12
FRESH_MS = 8_000
"""How old a record may be that is repeated. Of a client's command that was forwarded, ids are known
for some time only: older copies are no forgeries but new commands."""


class Forger:
    """Knows all that the log holds, and no secret."""

    def __init__(self, clients: Clients, broker: SimulatedBroker, random: Random) -> None:
        self._clients = clients
        self._broker = broker
        self._random = random

    async def run(self) -> None:
        for _ in range(self._random.randint(0, FORGERIES_MAX)):
            await asyncio.sleep(self._random.random() * 6)
            instance_id = self._random.choice([*self._clients.started, "nobody"])
            kind = self._random.randrange(4)
            if kind == 0:
                command = {"type": "TerminateInstance", "instance_id": "nobody"}
                self._numbered(json.dumps(command).encode(), b"nobody")
            elif kind == 1:
                self._internal(instance_id)
            else:
                self._copied(is_moved=kind == 2)

    def _numbered(self, value: bytes, key: bytes) -> None:
        """A number that makes all later sends from there copies, if it counts."""
        headers: Headers = (
            (SEND_SOURCE, b"%d" % self._random.randrange(PARTITIONS)),
            (SEND_NUMBER, b"9:%d:0" % 2**40),
            (SEAL, self._random.randbytes(16)),
        )
        self._append(key, value, self._random.randrange(PARTITIONS), headers)

    def _internal(self, instance_id: str) -> None:
        """An incident that nobody resolves, if it counts."""
        command = {"type": "RaiseIncident", "kind": "ENGINE_FAULT", "message": "forged"}
        value = json.dumps({**command, "instance_id": instance_id}).encode()
        self._append(instance_id.encode(), value, partition_of(instance_id, PARTITIONS))

    def _copied(self, *, is_moved: bool) -> None:
        """A record of the engine's, elsewhere or under a higher number, or as it is."""
        record = self._sealed()
        if record is None:
            return
        partition, headers = record.partition, record.headers
        if is_moved:
            partition = (partition + 1) % PARTITIONS
        elif self._random.random() < 0.7:
            kept = [header for header in headers if header[0] not in ENGINE or header[0] == SEAL]
            headers = (*kept, (SEND_SOURCE, b"0"), (SEND_NUMBER, b"9:%d:0" % 2**40))
        self._append(record.key or b"", record.value or b"", partition, headers)

    def _sealed(self) -> LogRecord | None:
        """A record that an engine has sealed not long ago; None: there is none."""
        log = self._broker.topics[COMMANDS][self._random.randrange(PARTITIONS)].records()
        fresh = [each for each in log if each.timestamp_ms > log[-1].timestamp_ms - FRESH_MS]
        sealed = [each for each in fresh if any(name == SEAL for name, _ in each.headers)]
        return self._random.choice(sealed) if sealed else None

    def _append(self, key: bytes, value: bytes, partition: int, headers: Headers = ()) -> None:
        record = OutgoingRecord(
            topic=COMMANDS, key=key, value=value, partition=partition, headers=headers
        )
        self._broker.append(record)
