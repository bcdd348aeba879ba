"""List functions."""

import pytest

from engine.expressions import BudgetExceededError
from engine.values import Value
from tests.engine.expressions.evaluating import environment, feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("list contains([1, 2, 3], 2)", True),
        ("list contains([1, null], null)", True),
        ("list contains([1, [2]], [2])", True),
        ("list contains(null, 1)", None),
        ("count([1, [2, 3]])", 2),
        ("count(5)", 1),
        ("count(null)", None),
        ("is empty([])", True),
        ("sublist([1, 2, 3], 2)", [2, 3]),
        ("sublist([1, 2, 3], 1, 2)", [1, 2]),
        ("sublist([1, 2, 3], -1)", [3]),
        ("sublist([1, 2, 3], 0)", None),
        ("sublist([1, 2, 3], 3, 2)", None),
        ("append([1], 2, 3)", [1, 2, 3]),
        ("append(list: [1], items: 2)", [1, 2]),
        ("append(1, null)", [1, None]),
        ("concatenate([1, 2], [3], 4)", [1, 2, 3, 4]),
        ("concatenate([1], null)", None),
        ("insert before([1, 3], 1, 2)", [2, 1, 3]),
        ("insert before([1, 3], -1, 2)", [1, 2, 3]),
        ("insert before([1, 3], 5, 2)", None),
        ("remove([1, 2, 3], 2)", [1, 3]),
        ("remove([1, 2, 3], 0)", None),
        ("list replace([1, 2, 3], 2, 5)", [1, 5, 3]),
        ("list replace([1, 2, 3], function(item, new) item < new, 3)", [3, 3, 3]),
        ("list replace([1, 2, 3], function(item) true, 3)", None),
        ("list replace([1, 2, 3], function(item, new) null, 3)", None),
        ("reverse([1, 2, 3])", [3, 2, 1]),
        ("index of([1, 2, 3, 2], 2)", [2, 4]),
        ("index of([1, null], null)", [2]),
        ("union([1, 2], [2, 3])", [1, 2, 3]),
        ("union([1, 2], 3)", [1, 2, 3]),
        ('distinct values([1, 2, 1.0, "1", null, null])', [1, 2, "1", None]),
        ("duplicate values([1, 2, 3, 2, 1])", [1, 2]),
        ("flatten([[1, 2], [[3]], 4])", [1, 2, 3, 4]),
        ("sort(list: [3, 1, 4, 5, 2], precedes: function(x, y) x < y)", [1, 2, 3, 4, 5]),
        ("sort([3, 1, 2])", [1, 2, 3]),
        ('sort(["b", "a"])', ["a", "b"]),
        ('sort([1, "a"])', None),
        ("sort([1, 2], function(x) true)", None),
        ("sort([2, 1], function(x, y) 5)", None),
        ("sort([{a: 2, b: 1}, {a: 1, b: 2}, {a: 2, b: 3}], function(x, y) x.a < y.a).b", [2, 1, 3]),
        ("partition([1, 2, 3, 4, 5], 2)", [[1, 2], [3, 4], [5]]),
        ("partition([], 2)", []),
        ("partition([1, 2], 0)", None),
    ],
)
def test_functions(text: str, value: Value) -> None:
    assert feel(text) == value


@pytest.mark.parametrize("text", ["distinct values(items)", "duplicate values(numbers)"])
def test_comparing_each_with_each_is_paid_for(text: str) -> None:
    items: Value = [[number] for number in range(1_000)]
    numbers: Value = list(range(1_000))
    with pytest.raises(BudgetExceededError):
        feel(text, {"items": items, "numbers": numbers})


def test_plain_values_need_no_comparing_with_each_other() -> None:
    numbers: Value = [number % 100 for number in range(10_000)]
    assert feel("count(distinct values(numbers))", {"numbers": numbers}) == 100


def test_long_lists_can_be_worked_with() -> None:
    items: Value = [{"price": number} for number in range(10_000)]
    assert feel("sum(items.price)", {"items": items}) == 49_995_000
    assert feel("count(items)", {"items": items}) == 10_000
    assert environment().steps_max == 20_000
