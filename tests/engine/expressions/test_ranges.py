"""Which ends make a range, and what a comparison without left side is."""

from engine.expressions.range_value import Range, comparison_range
from engine.expressions.ranges import make_range
from engine.values import Value


def closed(low: Value, high: Value) -> Range:
    return Range(low, high, low_included=True, high_included=True)


def test_ends_of_one_ordered_type_make_a_range() -> None:
    assert make_range(closed(1, 2)) == closed(1, 2)
    assert make_range(closed("a", "b")) == closed("a", "b")
    assert make_range(closed(None, 2)) == closed(None, 2)


def test_other_ends_make_none() -> None:
    assert make_range(closed(1, "a")) is None
    assert make_range(closed(None, None)) is None
    assert make_range(closed(low=True, high=False)) is None
    assert make_range(closed([], [])) is None
    assert make_range(closed({}, {})) is None


def test_a_comparison_is_a_half_open_range() -> None:
    assert comparison_range("<", 5) == Range(
        None, 5, low_included=False, high_included=False, operator="<"
    )
    assert comparison_range(">=", 5) == Range(
        5, None, low_included=True, high_included=False, operator=">="
    )
    assert comparison_range("<", None) is None
    assert comparison_range("=", None) is not None
