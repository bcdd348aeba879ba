"""What can be iterated over, and where an index points."""

from decimal import Decimal

import pytest

from engine.expressions.calendar.temporal import Date
from engine.expressions.iteration import index_into, iterable, span
from engine.expressions.range_value import Range
from engine.values import Value


@pytest.mark.parametrize(
    ("value", "index", "item"),
    [
        ([1, 2, 3], 1, 1),
        ([1, 2, 3], -3, 1),
        ([1, 2, 3], 0, None),
        ([1, 2, 3], -4, None),
        ([1, 2, 3], Decimal("2.9"), 2),
        ([1, 2, 3], Decimal("1E+100"), None),
        ([1, 2, 3], "1", None),
        ([1, 2, 3], True, None),
        ("a", 1, "a"),
        (None, 1, None),
    ],
)
def test_positions(value: Value, index: Value, item: Value) -> None:
    assert index_into(value, index) == item


def items(value: Value) -> list[Value] | None:
    found = iterable(value)
    return None if found is None else list(found)


def test_lists_ranges_and_single_values_can_be_iterated() -> None:
    assert items([1, 2]) == [1, 2]
    assert items(5) == [5]
    assert items(None) is None
    assert items(Range(1, 3, low_included=True, high_included=True)) == [1, 2, 3]
    assert items(Range(1, 3, low_included=False, high_included=False)) == [2]
    assert items(Range(3, 1, low_included=True, high_included=True)) is None
    assert items(Range(None, 3, low_included=False, high_included=True)) is None
    assert items(Range("a", "b", low_included=True, high_included=True)) is None


def test_spans_run_both_ways() -> None:
    assert list(span(3, 1) or ()) == [3, 2, 1]
    days = span(Date(2026, 2, 28), Date(2026, 3, 1))
    assert list(days or ()) == [Date(2026, 2, 28), Date(2026, 3, 1)]
    assert span(1, "b") is None


def test_a_huge_range_is_walked_lazily() -> None:
    assert next(iter(span(1, 10**30) or ())) == 1
    limits = Range(1, 10**30, low_included=False, high_included=False)
    assert next(iter(iterable(limits) or ())) == 2
