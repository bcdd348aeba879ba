"""Lint and run the models of the corpus: `python -m tests.corpus`."""

import sys

from tests.corpus.counts import count
from tests.corpus.files import corpus, model_files


def main() -> int:
    """Print the counts."""
    if not model_files():
        sys.stdout.write(f"The corpus is not here: {corpus()} (set TORPOR_MIWG)\n")
        return 1
    sys.stdout.write(f"{count()}\n")
    return 0


sys.exit(main())
