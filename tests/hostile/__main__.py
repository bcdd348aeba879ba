"""Hostile input, counted: `python -m tests.hostile [--cases 1000] [--seed N]`."""

import argparse
import secrets
import sys
from collections import Counter

from tests.hostile.cases import cases
from tests.hostile.measuring import MEGABYTES_MAX, Measured, measure


def main() -> int:
    """Print the count, and each case that is outside of the limits. 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = secrets.randbelow(2**32) if given.seed is None else given.seed
    slowest = largest = (Measured(0, 0), "")
    answers: Counter[str] = Counter()
    within = 0
    for number, case in enumerate(cases(seed, given.cases)):
        found = measure(case)
        what = f"case {number}, {case.kind} {case.content[:60]!r}"
        slowest = max(slowest, (found, what), key=lambda each: each[0].seconds)
        largest = max(largest, (found, what), key=lambda each: each[0].megabytes)
        answers[found.answer] += 1
        within += found.within
        if not found.within:
            sys.stdout.write(
                f"{what}: {found.seconds:.2f} s, {found.megabytes} MB\n{found.fault}\n"
            )
    sys.stdout.write(
        f"hostile: {within} of {given.cases} within 1 s and {MEGABYTES_MAX} MB, slowest"
        f" {slowest[0].seconds:.2f} s, largest {largest[0].megabytes} MB, seed {seed}\n"
        f"slowest: {slowest[1]}\nlargest: {largest[1]}\n"
        f"{answers['refused']} refused, {answers['incident']} incidents, {answers['runs']} run\n"
    )
    return 0 if within == given.cases else 1


sys.exit(main())
