"""Score the evaluator and the decision models on the DMN TCK: `python -m tests.tck [-v]`."""

import sys

from tests.tck.models import model_failures
from tests.tck.run import Failure, corpus, failures, literal_cases


def main(arguments: list[str]) -> int:
    """Print the scores, and with -v the failures."""
    if not corpus().exists():
        sys.stdout.write(f"The TCK is not here: {corpus()} (set TORPOR_TCK)\n")
        return 1
    verbose = "-v" in arguments
    cases = literal_cases()
    failed = list(failures(cases))
    _show(failed if verbose else [])
    sys.stdout.write(f"literal: {len(cases) - len(failed)} of {len(cases)}\n")
    passed, failed_nodes = model_failures()
    _show(failed_nodes if verbose else [])
    sys.stdout.write(f"models: {sum(passed.values())} of {len(passed)}\n")
    return 0


def _show(failed: list[Failure]) -> None:
    for failure in failed:
        sys.stdout.write(" | ".join(failure) + "\n")


sys.exit(main(sys.argv[1:]))
