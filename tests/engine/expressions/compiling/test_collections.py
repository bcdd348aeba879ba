"""Lists, contexts, paths, filters and loops."""

import pytest

from engine.values import Value
from tests.engine.expressions.evaluating import feel, shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2, 3][2]", 2),
        ("[1, 2, 3][-1]", 3),
        ("[1, 2, 3][0]", None),
        ("[1, 2, 3][4]", None),
        ("[1, 2, 3][-4]", None),
        ("[1, 2, 3][1.0]", 1),
        ("[1, 2, 3][i]", 3),
        ("[1, 2, 3][item >= 2]", [2, 3]),
        ("[1, 2, 3][false]", []),
        ("[1, 2, 3][null]", []),
        ('[1, 2, 3]["a"]', None),
        ("null[1]", None),
        ("null[item > 1]", []),
        ("5[1]", 5),
        ("5[item = 5]", [5]),
        ("[{a: 1, b: 2}, {a: 3}][a = 3].b", [None]),
        ("[{a: 1}, {a: 3}].a", [1, 3]),
        ("[[{a: 1}], [{a: 2}]].a", [[1], [2]]),
        ("[{item: 1}, {item: 2}][item = 2]", [{"item": 2}]),
        ("[{a: 1}, {a: 3}][item.a = 3]", [{"a": 3}]),
        ("[{a: 1}, {a: 3}][a = i]", [{"a": 3}]),
        ("{a: 1, a: 2}", None),
        ("{}", {}),
        ("{a: {b: {c: 1}}}.a.b.c", 1),
        ("{a: 1}.b.c", None),
        ("1.a", None),
    ],
)
def test_lists_and_contexts(text: str, value: Value) -> None:
    assert feel(text, {"i": 3}) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("for i in [1, 2], j in [10, 20] return i + j", [11, 21, 12, 22]),
        ("for i in 1..3, j in 1..i return j", [1, 1, 2, 1, 2, 3]),
        ("for i in 3..1 return i", [3, 2, 1]),
        ("for i in [1..3] return i", [1, 2, 3]),
        ("for i in (1..3) return i", [2]),
        ("for i in [3..1] return i", None),
        ("for i in 5 return i", [5]),
        ("for i in null return i", None),
        ("for i in [] return i", []),
        ("for i in [1], j in null return i", None),
        ("for i in 1..null return i", None),
        ("for i in [1, 2, 3] return count(partial)", [0, 1, 2]),
        ("for i in 1..2 return {a: i}.a", [1, 2]),
        ("for i in 1..2 return partial", [[], [[]]]),
        ("some i in [1, 2] satisfies i > 1", True),
        ("some i in [1, 2] satisfies i > 2", False),
        ("some i in [1, null] satisfies i > 2", None),
        ("some i in [1, 2], j in [2, 3] satisfies i = j", True),
        ("every i in [1, 2] satisfies i > 0", True),
        ("every i in [1, 2] satisfies i > 1", False),
        ("every i in [1, null] satisfies i > 0", None),
        ("every i in [] satisfies false", True),
        ("some i in [] satisfies true", False),
        ("some i in null satisfies true", None),
    ],
)
def test_loops(text: str, value: Value) -> None:
    assert feel(text) == value


def test_days_can_be_looped_over() -> None:
    text = 'for d in @"2026-02-27"..@"2026-03-01" return d'
    assert shown(text) == "[2026-02-27, 2026-02-28, 2026-03-01]"


def test_a_result_never_contains_the_list_it_is_in() -> None:
    assert feel("count(for i in 1..3 return partial)") == 3


def test_entries_see_the_entries_before_them_and_not_those_after() -> None:
    assert feel("{a: 1, b: a + 1, c: b + 1}.c") == 3
    assert feel("{a: b, b: 1}.a") is None


def test_input_values_are_never_changed() -> None:
    items: Value = [1, 2]
    order: Value = {"a": 1}
    text = '[append(items, 3), context put(order, "b", 2), remove(items, 1), sort(items)]'
    feel(text, {"items": items, "order": order})
    assert items == [1, 2]
    assert order == {"a": 1}
