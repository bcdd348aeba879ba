"""Hostile input is answered within a second and 200 MB each; `make hostile` runs the 1,000."""

import subprocess
import sys
import time

import pytest

from tests.hostile.cases import Case, cases
from tests.hostile.measuring import measure

CASE = Case("feel", b"1")


def run(number: int, seed: int | None = None) -> str:
    """The counts of a run in a process of its own, which must have found all within the limits."""
    chosen = [] if seed is None else ["--seed", str(seed)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile", "--cases", str(number), *chosen],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_hostile_input_is_answered_within_a_second_and_200_megabytes() -> None:
    assert "hostile: 100 of 100 within 1 s and 200 MB" in run(100, seed=20)


@pytest.mark.slow
def test_a_thousand_cases_of_any_seed_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(1_000)
    with capsys.disabled():
        print(f"\n{shown}")  # noqa: T201  # the seed, and what was slowest
    assert "hostile: 1000 of 1000 within 1 s and 200 MB" in shown


def test_the_same_seed_gives_the_same_cases() -> None:
    assert list(cases(7, 60)) == list(cases(7, 60))
    assert list(cases(7, 60)) != list(cases(8, 60))


def _slow(_case: Case) -> str:
    begin = time.process_time()
    while time.process_time() - begin < 1.1:
        pass
    return "runs"


def _large(_case: Case) -> str:
    return str(len(bytes(range(256)) * 1_000_000))


def _wrong(_case: Case) -> str:
    raise KeyError("nobody expects this")


def test_what_is_too_slow_is_found() -> None:
    found = measure(CASE, _slow)
    assert not found.within
    assert not found.fault


def test_what_is_too_large_is_found() -> None:
    found = measure(CASE, _large)
    assert not found.within
    assert found.megabytes >= 200


def test_what_nobody_expects_is_found() -> None:
    found = measure(CASE, _wrong)
    assert not found.within
    assert "nobody expects this" in found.fault
