"""Functions that reduce a list to one value."""

from decimal import Decimal

import pytest

from engine.values import Value
from tests.engine.expressions.evaluating import feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("min([3, 1, 2])", 1),
        ("min(3, 1, 2)", 1),
        ('min(["b", "a"])', "a"),
        ("min([])", None),
        ("min([1, null])", None),
        ('min([1, "a"])', None),
        ("min([null])", None),
        ("max([3, 1.5, 2])", 3),
        ('string(max([@"2026-01-01", @"2026-01-02"]))', "2026-01-02"),
        ("sum([1, 2, 3.5])", Decimal("6.5")),
        ("sum(1, 2)", 3),
        ("sum([])", None),
        ("sum(null)", None),
        ('sum(["a"])', None),
        ('sum([1, "a"])', None),
        ('string(sum([@"PT1H", @"PT30M"]))', "PT1H30M"),
        ("product([2, 3, 4])", 24),
        ("product([])", None),
        ("mean([1, 2, 3])", 2),
        ("mean([1, 2])", Decimal("1.5")),
        ("mean([])", None),
        ("median(8, 2, 5, 3, 4)", 4),
        ("median([6, 1, 2, 3])", Decimal("2.5")),
        ("median([])", None),
        ('median(["a"])', None),
        ("stddev(2, 4, 7, 5)", Decimal("2.081665999466132735282297706979931")),
        ("stddev([1])", None),
        ("mode(6, 3, 9, 6, 6)", [6]),
        ("mode([6, 1, 9, 6, 1])", [1, 6]),
        ("mode([])", []),
        ("mode([1, null])", None),
    ],
)
def test_functions(text: str, value: Value) -> None:
    assert feel(text) == value
