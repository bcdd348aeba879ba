"""The conformance score is a floor: it may rise, never fall."""

import pytest

from tests.tck.run import corpus, failures, literal_cases

LITERAL_FLOOR = 3102


@pytest.mark.skipif(not corpus().exists(), reason=f"the TCK is not here: {corpus()}")
def test_the_literal_score_does_not_fall() -> None:
    cases = literal_cases()
    failed = list(failures(cases))
    assert len(cases) - len(failed) >= LITERAL_FLOOR, failed
