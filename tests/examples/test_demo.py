"""`make demo` as a newcomer runs it, and what it says when it cannot show what it is there for."""

import asyncio
import subprocess
import sys
import time

import pytest

from consumers.dev.errors import NoServerError
from examples import demo
from examples.checks import CheckFailed
from torpor_client import ReplyTimeoutError

MINUTE_S = 60.0


class Broken:
    """An environment that cannot be had, for one reason or another."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __call__(self, *_: object) -> "Broken":
        return self

    async def __aenter__(self) -> None:
        raise self._error

    async def __aexit__(self, *_: object) -> None:
        """Nothing was entered."""


@pytest.mark.kafka
@pytest.mark.redis
@pytest.mark.embedded
def test_the_demo_ends_well_within_a_minute() -> None:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        capture_output=True,
        text=True,
        timeout=2 * MINUTE_S,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1]) == (0, "demo: ok"), done
    assert time.monotonic() - began < MINUTE_S
    assert done.stderr == ""
    told = [line[7:].split()[0] for line in lines[:-1]]
    assert told.count("started") == 3
    assert told.count("ended") == 3
    assert told.index("asleep") < told.index("kill") < told.index("fresh") < told.index("approve")
    assert told[-2:] == ["checked", "checked"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NoServerError("install a Redis"), "install a Redis"),
        (CheckFailed("rows are left"), "rows are left"),
        (ReplyTimeoutError("c-1", 10), "no reply to the command c-1 within 10 s"),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
    ],
)
async def test_any_failure_ends_with_1_and_its_reason(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    reason: str,
) -> None:
    monkeypatch.setattr(demo, "DevEnvironment", Broken(error))
    monkeypatch.setattr("logging.disable", lambda _: None)
    assert await demo.main() == 1
    assert capsys.readouterr().out == f"demo: failed: {reason}\n"


async def test_what_takes_too_long_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Slow(Broken):
        async def __aenter__(self) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(demo, "DevEnvironment", Slow(ValueError()))
    monkeypatch.setattr(demo, "DEADLINE_S", 0.01)
    monkeypatch.setattr("logging.disable", lambda _: None)
    assert await demo.main() == 1
    assert capsys.readouterr().out == "demo: failed: not done within 0.01 s\n"
