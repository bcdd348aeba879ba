"""Engine processes on real servers: clean stops, children that are started again, the tether."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from consumers.config import Config, read_config
from consumers.dev.kafka_server import Kafka
from consumers.dev.process import free_port
from consumers.dev.redis_server import Redis
from consumers.init import initialise
from consumers.process import OK, REFUSED, UNREACHABLE, child_config

RUN = """
import os, sys
from consumers.config import read_config
from consumers.process import run

if __name__ == "__main__":
    kafka, redis, namespace, http, processes = sys.argv[1:]
    config = read_config(os.environ, kafka=kafka, redis=redis, namespace=namespace, http=http)
    sys.exit(run(config, int(processes)))
"""


class Running:
    """`run` in a process of its own, and what it logs."""

    def __init__(self, config: Config, processes: int, folder: Path) -> None:
        script = folder / "run_engine.py"
        script.write_text(RUN)
        self.config = config
        self.log_file = folder / "engine.log"
        given = (config.kafka.bootstrap, config.redis, config.namespace, config.http)
        with self.log_file.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, str(script), *given, str(processes)],
                stderr=output,
                env={**os.environ, "TORPOR_SESSION_MS": "6000", "PYTHONPATH": str(Path.cwd())},
            )

    def log(self) -> list[dict[str, Any]]:
        lines = self.log_file.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def children(self) -> list[int]:
        """Processes of engines started so far, in order."""
        started = "started as process "
        messages = [str(line["message"]) for line in self.log()]
        return [int(text.rpartition(started)[2]) for text in messages if started in text]

    def is_ready(self, number: int = 0) -> bool:
        address = child_config(self.config, number).http
        try:
            with urllib.request.urlopen(f"http://{address}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Config, int], Running]]:
    started: list[Running] = []

    def run(config: Config, processes: int) -> Running:
        started.append(Running(config, processes, tmp_path))
        return started[-1]

    yield run
    for running in started:
        running.end()


@pytest.fixture
async def config(kafka: Kafka, redis_server: Redis, namespace: str) -> Config:
    """A namespace that is initialised."""
    http = f"127.0.0.1:{free_port()}"
    config = read_config(
        {}, kafka=kafka.bootstrap, redis=redis_server.url, namespace=namespace, http=http
    )
    await initialise(config, 4)
    return config


async def until(is_true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not await asyncio.to_thread(is_true):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie that nobody has waited for is dead as well.
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


async def test_one_process_serves_and_stops_within_seconds(
    start: Callable[[Config, int], Running], config: Config
) -> None:
    running = start(config, 1)
    await until(running.is_ready)
    began = time.monotonic()
    running.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(running.process.wait, 10) == OK
    assert time.monotonic() - began < 5
    assert all(line["level"] != "ERROR" for line in running.log() if "consumers" in line["logger"])


async def test_a_child_that_dies_is_started_again_and_all_stop_together(
    start: Callable[[Config, int], Running], config: Config
) -> None:
    running = start(config, 2)
    await until(lambda: running.is_ready(0) and running.is_ready(1))
    first, second = running.children()
    os.kill(first, signal.SIGKILL)
    await until(lambda: len(running.children()) == 3)
    await until(lambda: running.is_ready(0) and running.is_ready(1))
    assert is_alive(second)
    running.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(running.process.wait, 20) == OK
    assert not any(is_alive(pid) for pid in running.children())


async def test_children_end_when_their_parent_is_killed(
    start: Callable[[Config, int], Running], config: Config
) -> None:
    running = start(config, 2)
    await until(lambda: running.is_ready(0) and running.is_ready(1))
    running.process.kill()
    running.process.wait()
    await until(lambda: not any(is_alive(pid) for pid in running.children()), 20)


@pytest.mark.parametrize("processes", [1, 2])
async def test_what_cannot_start_says_why_and_ends(
    start: Callable[[Config, int], Running], config: Config, processes: int
) -> None:
    missing = read_config(
        {},
        kafka=config.kafka.bootstrap,
        redis=config.redis,
        namespace=f"{config.namespace}-x",
        http=config.http,
    )
    running = start(missing, processes)
    assert await asyncio.to_thread(running.process.wait, 30) == REFUSED
    assert "torpor init" in running.log_file.read_text()
    away = read_config(
        {}, kafka="127.0.0.1:1", redis=config.redis, namespace=config.namespace, http=config.http
    )
    running = start(away, processes)
    assert await asyncio.to_thread(running.process.wait, 30) == UNREACHABLE
    assert "no Kafka answers at 127.0.0.1:1. Is --kafka (or TORPOR_KAFKA) right" in (
        running.log_file.read_text()
    )


async def test_an_address_that_another_listens_at_is_named_with_a_way_out(
    start: Callable[[Config, int], Running], config: Config
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        running = start(msgspec.structs.replace(config, http=taken), 1)
        assert await asyncio.to_thread(running.process.wait, 30) == REFUSED
    last = running.log()[-1]
    assert last["message"] == (
        f"not started: no engine can listen at {taken}: Address already in use. Give another"
        " address with --http (or TORPOR_HTTP), for example 127.0.0.1:0 for any port"
    )


def test_every_child_has_its_own_port_of_http() -> None:
    config = read_config({}, kafka="a:1", redis="redis://r", namespace="n", http="127.0.0.1:8080")
    assert child_config(config, 0).http == "127.0.0.1:8080"
    assert child_config(config, 3).http == "127.0.0.1:8083"
    free = read_config({}, kafka="a:1", redis="redis://r", namespace="n", http="127.0.0.1:0")
    assert child_config(free, 3).http == "127.0.0.1:0"
