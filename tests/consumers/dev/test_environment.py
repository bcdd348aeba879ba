"""A whole Torpor on loopback: what it looks at before it starts, and what it says of its end."""

import asyncio
import os
import signal
import socket
from contextlib import closing

import pytest

from consumers.dev.environment import DevEnvironment, DevOptions, answers_ok, why_taken
from consumers.dev.errors import AddressTakenError, NoServerError, ServerFailedError
from consumers.dev.kafka_server import Kafka
from consumers.dev.process import LOOPBACK, free_port
from consumers.dev.redis_server import Redis
from consumers.namespace import NamespaceError
from tests.support.waiting import until


def taken_address() -> tuple[socket.socket, str]:
    server = socket.create_server((LOOPBACK, 0))
    return server, f"{LOOPBACK}:{server.getsockname()[1]}"


def test_an_address_is_free_or_it_is_said_why_not() -> None:
    assert why_taken(f"{LOOPBACK}:{free_port()}") is None
    assert why_taken("[::1]:0") in {None, "Cannot assign requested address"}
    server, address = taken_address()
    with closing(server):
        assert why_taken(address) == "Address already in use"
    assert why_taken("203.0.113.1:80") is not None  # of no interface of this machine


def test_an_engine_answers_without_a_proxy_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://{LOOPBACK}:1")
    assert not answers_ok(f"http://{LOOPBACK}:{free_port()}/readyz")


async def test_a_place_where_another_listens_is_refused_before_anything_starts() -> None:
    server, address = taken_address()
    said: list[str] = []
    refused = pytest.raises(AddressTakenError, match=f"at {address}: Address already in use")
    with closing(server), refused:
        await DevEnvironment(DevOptions(http=address), said.append).__aenter__()
    assert said == []


async def test_where_any_port_will_do_another_one_is_taken_and_said() -> None:
    server, address = taken_address()
    said: list[str] = []
    options = DevOptions(http=address, any_port=True, kafka=f"{LOOPBACK}:1")
    with closing(server), pytest.raises(NoServerError):
        await DevEnvironment(options, said.append).__aenter__()
    (line,) = said
    assert line.endswith(f"({address} is not to be had: Address already in use)")


async def test_servers_that_are_given_are_used_and_left_alone(
    any_kafka: Kafka, redis_server: Redis, namespace: str
) -> None:
    options = DevOptions(
        kafka=any_kafka.bootstrap, redis=redis_server.url, namespace=namespace, partitions=2
    )
    said: list[str] = []
    async with DevEnvironment(options, said.append) as environment:
        ready = environment.ready()
        assert (ready["kafka"], ready["redis"]) == (any_kafka.bootstrap, redis_server.url)
        assert ready["engines"] == [environment.engines[0].pid]
        assert answers_ok(f"http://{ready['http']}/readyz")
        assert list(environment.folder.glob("engine-1.log"))
        stopped = asyncio.Event()
        waiting = asyncio.create_task(environment.wait(stopped))
        os.kill(ready["engines"][0], signal.SIGKILL)
        await until("its end is said", lambda: len(said) == 4)
        assert said[2:] == [
            "engine-1 was ended by SIGKILL",
            "no engine is left: commands wait in Kafka",
        ]
        stopped.set()
        await waiting
    assert not environment.folder.exists()
    # What was given still serves: a second one finds the namespace as it is, or refuses it.
    with pytest.raises(NamespaceError, match="has 2 partitions"):
        await DevEnvironment(
            DevOptions(
                kafka=any_kafka.bootstrap, redis=redis_server.url, namespace=namespace, partitions=3
            ),
            said.append,
        ).__aenter__()


async def test_an_engine_that_does_not_start_is_an_error_with_what_it_printed(
    kafka: Kafka, redis_server: Redis, namespace: str
) -> None:
    options = DevOptions(
        kafka=kafka.bootstrap,
        redis=redis_server.url,
        namespace=namespace,
        partitions=1,
        variables={"TORPOR_LOG_LEVEL": "LOUD"},
    )
    environment = DevEnvironment(options, lambda _: None)
    with pytest.raises(ServerFailedError, match="TORPOR_LOG_LEVEL is 'LOUD'"):
        await environment.__aenter__()
    assert not environment.folder.exists()
