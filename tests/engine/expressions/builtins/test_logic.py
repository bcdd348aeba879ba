"""Boolean functions, and those that deal with null."""

import pytest

from engine.expressions import EvaluationError
from engine.values import Value
from tests.engine.expressions.evaluating import feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("not(true)", False),
        ("not(null)", None),
        ("not(1)", None),
        ("is defined(1)", True),
        ("is defined(null)", False),
        ("is defined(missing)", False),
        ("is defined(missing.property)", False),
        ('get or else(null, "default")', "default"),
        ("get or else(false, true)", False),
        ("get or else(null, null)", None),
        ("assert(4, 4 > 3)", 4),
        ("all([true, false])", False),
        ("all(false, null, true)", False),
        ("all(true, null)", None),
        ("all([])", True),
        ("all(null)", None),
        ("any([false, true])", True),
        ("any(false, null, true)", True),
        ("any(false, null)", None),
        ("any([])", False),
        ("any(1)", None),
        ("is(1, 1.0)", True),
        ('is(1, "1")', False),
        ("is([1], [1])", True),
        ('is(time("10:00:00Z"), time("11:00:00+01:00"))', False),
        ('is(time("10:00:00Z"), time("10:00:00+00:00"))', True),
        ('fromAi(1, "a number", "number", {minimum: 0}, null)', 1),
        ("fromAi(value: 1, options: {})", 1),
    ],
)
def test_functions(text: str, value: Value) -> None:
    assert feel(text) is value or (feel(text) == value and type(feel(text)) is type(value))


@pytest.mark.parametrize("text", ["assert(4, 4 > 5)", "assert(4, null)", "assert(x, x != null)"])
def test_an_assertion_that_is_not_met_fails(text: str) -> None:
    with pytest.raises(EvaluationError, match="assertion"):
        feel(text)


def test_an_assertion_fails_with_its_cause() -> None:
    with pytest.raises(EvaluationError, match="should be positive"):
        feel('assert(-1, -1 > 0, "x should be positive")')
