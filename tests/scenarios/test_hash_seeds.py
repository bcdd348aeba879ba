"""Nothing depends on the order of a set: two interpreters with other hash seeds agree."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
from random import Random
import msgspec
from engine.settings import Settings
from tests.support.random_processes import CALLED, random_process, stimulate
from tests.support.runner import Runner
for seed in range(20):
    chance = Random(seed)
    run = Runner(CALLED, random_process(chance), settings=Settings(steps_max=2_000))
    run.start("p", variables='{"n": 3, "rounds": 0}')
    for _ in range(15):
        stimulate(run, chance.randrange(10_000))
    for publication in run.publications:
        print(msgspec.json.encode(publication).decode())
"""


def published(hash_seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_all_that_is_published_is_the_same_under_two_hash_seeds() -> None:
    first = published("1")
    assert first.count("\n") > 100
    assert first == published("2")
