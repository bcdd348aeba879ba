"""A Kafka to work with, of whatever kind: where it is, what it is, and power over its brokers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaError

from consumers.dev.errors import NotSupportedError, UnavailableError
from consumers.dev.process import Server

READY_DEADLINE_S = 60.0
STOP_GRACE_S = 15.0
PROBE_TIMEOUT_S = 5.0


class KafkaKind(StrEnum):
    GIVEN = "given"
    DOCKER = "docker"
    APACHE_KAFKA = "apache-kafka"
    EMBEDDED = "embedded"


@dataclass(frozen=True, kw_only=True)
class KafkaWanted:
    """What the caller asks for; `folder` holds data and logs."""

    folder: Path
    brokers: int = 1
    address: str | None = None


class Kafka:
    """A running Kafka.

    `kill`, `restart`, `pause` and `resume` take the broker's index, from 0. A broker that was
    killed comes back on the same port and, except for the embedded one, with the same data.
    """

    def __init__(
        self, kind: KafkaKind, description: str, addresses: Sequence[str], servers: Sequence[Server]
    ) -> None:
        self.kind = kind
        self.description = description
        self.addresses = tuple(addresses)
        self._servers = tuple(servers)

    @property
    def bootstrap(self) -> str:
        return ",".join(self.addresses)

    @property
    def brokers(self) -> int:
        return len(self.addresses)

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(server.pid for server in self._servers)

    def kill(self, broker: int = 0) -> None:
        """SIGKILL: what a power cut does to a broker."""
        self._server(broker).kill()

    def pause(self, broker: int = 0) -> None:
        self._server(broker).pause()

    def resume(self, broker: int = 0) -> None:
        self._server(broker).resume()

    async def stop(self, broker: int = 0) -> None:
        """SIGTERM: leadership moves away first, where there is another broker."""
        await self._server(broker).stop(STOP_GRACE_S)

    async def restart(self, broker: int = 0) -> None:
        """Start a broker again and wait until it answers."""
        server = self._server(broker)
        server.kill()
        server.start()
        await server.wait_ready(partial(answers, self.addresses[broker], 1), READY_DEADLINE_S)

    async def start(self) -> None:
        for server in self._servers:
            server.start()
        await asyncio.gather(
            *(
                server.wait_ready(partial(answers, address, self.brokers), READY_DEADLINE_S)
                for address, server in zip(self.addresses, self._servers, strict=True)
            )
        )

    def end(self) -> None:
        """Kill all brokers that were started; nothing is saved."""
        for server in self._servers:
            server.end()

    async def end_in_order(self) -> None:
        """Stop all brokers that were started, together: each could wait for the others' votes."""
        await asyncio.gather(*(server.stop(STOP_GRACE_S) for server in self._servers))
        self.end()

    def _server(self, broker: int) -> Server:
        if not self._servers:
            raise NotSupportedError(f"{self.description} was not started by us: it is left alone")
        return self._servers[broker]


async def answers(bootstrap: str, brokers: int) -> bool:
    """Whether a Kafka with at least so many brokers answers there."""
    addresses = bootstrap.split(",")
    if not all(await asyncio.gather(*(accepts(address) for address in addresses))):
        return False  # aiokafka would log an error for each refused connection
    client = AIOKafkaClient(bootstrap_servers=addresses)
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            await client.bootstrap()
        return len(client.cluster.brokers()) >= brokers
    except (KafkaError, OSError, TimeoutError):
        return False
    finally:
        await client.close()


async def accepts(address: str) -> bool:
    """Whether somebody accepts a TCP connection at host:port."""
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, TimeoutError, ValueError):
        return False
    writer.close()
    return True


async def given_kafka(wanted: KafkaWanted) -> Kafka:
    """Raises UnavailableError when nothing answers at the address."""
    assert wanted.address is not None
    if not await answers(wanted.address, wanted.brokers):
        raise UnavailableError(
            f"no Kafka of {wanted.brokers} broker(s) answers at {wanted.address}"
        )
    return Kafka(KafkaKind.GIVEN, "the address given", wanted.address.split(","), ())
