"""`python -m tests.simulation --seeds 200`, or `--seed 17` to see one run again."""

import argparse
import logging
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable

from tests.simulation.run import simulate


def main() -> int:
    arguments = _arguments()
    logging.disable(logging.CRITICAL)
    if arguments.seed is not None:
        if arguments.log:
            logging.disable(logging.NOTSET)
            logging.basicConfig(level=logging.INFO)
        report = simulate(arguments.seed)
        _say("\n".join([*report.trace, str(report)]) if not report.problems else str(report))
        return bool(report.problems)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    return _simulate_all(seeds, arguments.processes)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many runs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one run, with its trace")
    parser.add_argument("--log", action="store_true", help="with --seed: what the engine logs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _simulate_all(seeds: Iterable[int], processes: int) -> int:
    """Run all seeds; print each that is broken; exit status 1 if any is."""
    began, done, broken = time.monotonic(), 0, list[int]()
    steps = commits = 0
    with multiprocessing.Pool(processes) as pool:
        for report in pool.imap_unordered(simulate, seeds):
            done += 1
            steps, commits = steps + report.steps, commits + report.commits
            if report.problems:
                broken.append(report.seed)
                _say(str(report))
    took = time.monotonic() - began
    verdict = "all hold" if not broken else f"BROKEN: {sorted(broken)}"
    _say(f"{done} seeds, {steps} steps, {commits} commits in {took:.0f} s: {verdict}")
    return bool(broken)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
