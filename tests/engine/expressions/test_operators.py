"""Equality, order and membership between values of any types."""

import itertools
from collections.abc import Callable

import pytest

from engine.expressions import BudgetExceededError, Environment, compile_feel
from engine.expressions.operators import at_most, between, both, contains, equals, less, passes
from engine.expressions.range_value import Range
from engine.values import Value
from tests.engine.expressions.evaluating import feel

ENV = Environment()
SAMPLES: list[Value] = [
    compile_feel(text).evaluate(ENV)
    for text in (
        "null", "true", "1", '"a"', "[1]", "{a: 1}", '@"2026-01-01"', '@"10:00:00"',
        '@"2026-01-01T10:00:00"', '@"P1D"', '@"P1Y"', "[1..2]", "function() 1",
    )
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), list(itertools.combinations(SAMPLES, 2)))
def test_values_of_different_types_neither_compare_nor_equal(left: Value, right: Value) -> None:
    assert less(left, right) is None
    assert at_most(left, right) is None
    assert equals(left, right, ENV) is (False if left is None or right is None else None)


@pytest.mark.parametrize("value", SAMPLES[:-1])
def test_values_equal_themselves(value: Value) -> None:
    assert equals(value, value, ENV) is True


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('@"2026-01-01T10:00:00Z" = @"2026-01-01T11:00:00+01:00"', True),
        ('@"2026-01-01T10:00:00Z" = @"2026-01-01T10:00:00"', False),
        ('@"2026-01-01T10:00:00Z" < @"2026-01-01T10:00:00"', None),
        ('@"10:00:00Z" < @"10:30:00+01:00"', False),
        ('@"10:00:00Z" = @"11:00:00+01:00"', True),
        ('@"P1Y" = @"P12M"', True),
        ('@"P1D" > @"PT23H"', True),
        ("[1, null] = [1, null]", True),
        ('[1] = ["1"]', False),
        ("{a: null} = {a: null}", True),
        ("{a: 1} = {b: 1}", False),
        ("[1..2] = [1..2)", False),
        ("(< 10) = (< 10)", True),
        ("(< 10) = (null..10)", False),
    ],
)
def test_equality_and_order(text: str, value: Value) -> None:
    assert feel(text) is value


def test_null_ends_are_unknown_but_a_comparison_has_none() -> None:
    upto = Range(None, 10, low_included=False, high_included=True)
    assert contains(upto, 5, ENV) is None
    assert contains(upto, 11, ENV) is False
    assert feel("5 in (<= 10)") is True


def test_false_wins_over_null() -> None:
    assert both(None, right=False) is False
    assert both(None, right=True) is None
    assert between(5, 6, None) is False


def test_a_test_may_be_a_list_a_range_or_a_value() -> None:
    limits = Range(1, 3, low_included=True, high_included=True)
    assert passes(2, [limits, 9], ENV) is True
    assert passes(9, [limits, 9], ENV) is True
    assert passes(5, [limits, 9], ENV) is False
    assert passes([1], [1], ENV) is True
    assert passes(limits, limits, ENV) is True


def test_comparing_long_values_is_paid_for() -> None:
    long, same = [1] * 100_000, [1] * 100_000
    with pytest.raises(BudgetExceededError):
        equals([*long], [*same], Environment())


@pytest.mark.parametrize("pair", [lambda one: [one, one], lambda one: {"a": one, "b": one}])
def test_values_that_hold_each_other_many_times_are_paid_for(
    pair: Callable[[Value], Value],
) -> None:
    one: Value = 1
    other: Value = 1
    for _ in range(40):
        one, other = pair(one), pair(other)
    with pytest.raises(BudgetExceededError):
        equals(one, other, Environment())
    with pytest.raises(BudgetExceededError):
        feel("flatten(one)", {"one": [one, one] if isinstance(one, list) else [[[one] * 99_999]]})
