"""Random processes: `python -m tests.scenarios --seeds 1000`, or `--check name --seed 17` again."""

import argparse
import sys
import time
import traceback
from collections.abc import Callable

from tests.support.random_runs import CHECKS, check

BY_NAME = {which.__name__: which for which in CHECKS}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.scenarios", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many runs of each check")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one run only")
    parser.add_argument("--check", choices=BY_NAME, help="one check only")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    arguments = parser.parse_args()
    checks = CHECKS if arguments.check is None else (BY_NAME[arguments.check],)
    if arguments.seed is not None:
        for which in checks:
            check(which, arguments.seed)
        return 0
    return _check_all(checks, range(arguments.first, arguments.first + arguments.seeds), arguments)


def _check_all(
    checks: tuple[Callable[[int], None], ...], seeds: range, arguments: argparse.Namespace
) -> int:
    began, done, broken = time.monotonic(), 0, list[str]()
    for seed in seeds:
        if time.monotonic() - began > arguments.seconds:
            break
        for which in checks:
            done += 1
            try:
                check(which, seed)
            except Exception:
                broken.append(f"{which.__name__} {seed}")
                _say(traceback.format_exc(limit=-3))
    verdict = "all hold" if not broken else f"BROKEN: {', '.join(broken)}"
    _say(f"{done} runs in {time.monotonic() - began:.0f} s: {verdict}")
    return bool(broken)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
