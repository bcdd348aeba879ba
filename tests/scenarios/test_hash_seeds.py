"""Nothing depends on the order of a set: two interpreters with other hash seeds agree."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
RANDOM_PROCESSES = """
from random import Random
import msgspec
from tests.support.random_processes import random_process
from tests.support.random_runs import PLAIN, begin
from tests.support.random_stimuli import stimulate
for seed in range(20):
    chance = Random(seed)
    run = begin(random_process(chance), PLAIN, steps_max=2_000)
    for _ in range(15):
        stimulate(run, chance.randrange(10_000))
    for publication in run.publications:
        print(msgspec.json.encode(publication).decode())
"""


def run(hash_seed: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def digests(hash_seed: str, report: Path) -> dict[str, str | None]:
    """Of each scenario, run plainly, a digest of all that it published."""
    options = ("-k", "plain", "-p", "no:cacheprovider", "-o", "junit_family=xunit1")
    run(hash_seed, "-m", "pytest", "tests/scenarios", *options, f"--junitxml={report}")
    return {
        f"{case.get('classname')}::{case.get('name')}": found.get("value")
        for case in ElementTree.parse(report).iter("testcase")
        for found in case.iter("property")
        if found.get("name") == "published"
    }


def test_every_scenario_publishes_the_same_under_two_hash_seeds(tmp_path: Path) -> None:
    first = digests("1", tmp_path / "first.xml")
    second = digests("2", tmp_path / "second.xml")
    assert len(first) > 400
    assert {name for name in first if first[name] != second.get(name)} == set()


def test_random_processes_publish_the_same_under_two_hash_seeds() -> None:
    first = run("1", "-c", RANDOM_PROCESSES)
    assert first.count("\n") > 100
    assert first == run("2", "-c", RANDOM_PROCESSES)
