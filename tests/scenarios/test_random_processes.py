"""Random processes under random stimuli: every run ends, nothing is left, history gives all back.

After each record the runner compares documents with the fold of their history and checks that
counts, waits, timers and sizes agree. A failure names its seed, and the seed gives it again.
`python -m tests.scenarios --seeds 1000` runs more of them.
"""

from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.support.random_runs import CHECKS, check

AS_DRAWN = (Phase.explicit, Phase.reuse, Phase.generate)
"""A smaller seed is no simpler process."""


@pytest.mark.parametrize("which", CHECKS, ids=lambda which: which.__name__)
@settings(max_examples=100, deadline=None, phases=AS_DRAWN)
@given(seed=st.integers(0, 2**32))
def test_what_holds_of_all_random_processes(which: Callable[[int], None], seed: int) -> None:
    check(which, seed)
