"""The conformance score is a floor: it may rise, never fall."""

import decimal

import pytest

from tests.tck.models import model_failures
from tests.tck.run import corpus, failures, literal_cases

LITERAL_FLOOR = 3102
MODELS_FLOOR = 3365
needs_corpus = pytest.mark.skipif(not corpus().exists(), reason=f"the TCK is not here: {corpus()}")


@needs_corpus
def test_the_literal_score_does_not_fall() -> None:
    cases = literal_cases()
    failed = list(failures(cases))
    assert len(cases) - len(failed) >= LITERAL_FLOOR, failed


@needs_corpus
def test_the_score_of_whole_models_does_not_fall() -> None:
    passed, failed = model_failures()
    assert sum(passed.values()) >= MODELS_FLOOR, failed


@needs_corpus
def test_the_score_does_not_depend_on_the_thread_decimal_context() -> None:
    cases = literal_cases()
    usual = [(failure.suite, failure.case) for failure in failures(cases)]
    with decimal.localcontext(decimal.Context(prec=17, Emax=99, Emin=-99, traps=[])):
        narrow = [(failure.suite, failure.case) for failure in failures(cases)]
    assert narrow == usual
