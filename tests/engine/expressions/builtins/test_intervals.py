"""Relations between points and ranges (Allen), and range() from text."""

import pytest

from engine.values import Value
from tests.engine.expressions.evaluating import feel, shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("before(1, 10)", True),
        ("before([1..5], 10)", True),
        ("before([1..5), [5..10])", True),
        ("before([1..5], [5..10])", False),
        ("before(point: 1, range: [2..5])", True),
        ("after(12, [2..5])", True),
        ("after([5..10], [1..5))", True),
        ("meets([1..5], [5..10])", True),
        ("meets([1..5], (5..8])", False),
        ("met by([5..10], [1..5])", True),
        ("met by([5..10], [1..5))", False),
        ("overlaps((3..7], [1..4])", True),
        ("overlaps([1..3], (3..6])", False),
        ("overlaps before([1..5), (3..8])", True),
        ("overlaps before([1..5), [5..10])", False),
        ("overlaps before([1..5], (1..5])", True),
        ("overlaps before([1..5], [1..5])", False),
        ("overlaps after((1..5], [1..5])", True),
        ("overlaps after([4..10], [1..5])", True),
        ("overlaps after((5..8], [1..5))", False),
        ("finishes(5, [1..5])", True),
        ("finishes([3..5], [1..5])", True),
        ("finishes((1..5], [1..5))", False),
        ("finished by([5..10], 10)", True),
        ("finished by([1..5], [3..5])", True),
        ("includes([5..10], 6)", True),
        ("includes([1..10], [1..5))", True),
        ("includes((1..10], 1)", False),
        ("during(1, (1..10])", False),
        ("during([4..6], [1..10))", True),
        ("starts(1, [1..5])", True),
        ("starts((1..5), (1..10))", True),
        ("starts([1..10], [1..5])", False),
        ("started by([1..10], [1..10))", True),
        ("started by((1..10], 1)", False),
        ("coincides([1..5], [1..5])", True),
        ("coincides(3, 4)", False),
        ('before(1, "a")', None),
        ("before(null, 1)", None),
        ("range(5)", None),
        ('range("5")', None),
        ('range("[1..")', None),
        ('range("[5..1]")', None),
        ('range("[1..a]")', None),
        ('range("[null..5]")', None),
        ('range("[string(1)..5]")', None),
    ],
)
def test_relations(text: str, value: Value) -> None:
    assert feel(text) is value


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('range("[18..21)")', "[18..21)"),
        ('range("[-1..2]")', "[-1..2]"),
        ('range("(null..5]")', "(null..5]"),
        ('range("[\\"a\\"..\\"b\\"]")', '["a".."b"]'),
        ('range("[date(\\"2020-01-01\\")..@\\"2020-01-02\\"]")', "[2020-01-01..2020-01-02]"),
    ],
)
def test_ranges_from_text(text: str, written: str) -> None:
    assert shown(text) == written
