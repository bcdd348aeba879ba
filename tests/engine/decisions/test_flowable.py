"""Cells of decision tables as Flowable writes them."""

import pytest

from engine.decisions.flowable import is_juel, whole_test
from engine.values import Value
from tests.support.decisions import decide, decision, dmn, tag, text
from tests.support.decisions import table as make_table


def of_type(name: str, kind: str) -> str:
    return tag("input", tag("inputExpression", text(name), typeRef=kind))


def hit(cell: str, kind: str, value: Value, **others: Value) -> Value:
    """The number of the rule that matches: 1 for the cell, 2 for all else."""
    table = make_table([of_type("a", kind)], ["x"], [[cell, "1"], ["-", "2"]], "FIRST")
    return decide(dmn(decision("d", table)), "d", {"a": value, **others})


@pytest.mark.parametrize(
    ("cell", "value", "number"),
    [
        ('> date:toDate("2026-01-01")', "2026-01-02", 1),
        ('> date:toDate("2026-01-01")', "2026-01-01", 2),
        ('date:toDate("2026-01-01")', "2026-01-01", 1),
        ('== date:addDate("2026-01-01", 1, 2, 3)', "2027-03-04", 1),
        ('<= date:subtractDate("2026-01-31", 0, 1, 0)', "2025-12-31", 1),
        ("!= date:now()", "2026-01-01", 1),
        ('> date:toDate("2026-01-01")', "2026-01-01T08:00:00Z", 1),
        ('> date:toDate("2026-01-01")', None, 2),
    ],
)
def test_dates_are_compared_whatever_they_are_written_as(
    cell: str, value: str | None, number: int
) -> None:
    assert hit(cell, "date", value) == number


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ('${collection:anyOf(list, \'"a", "x"\')}', 1),
        ('${collection:anyOf(list, \'"x", "y"\')}', 2),
        ('${collection:allOf(list, \'"a", "b"\')}', 1),
        ('${collection:allOf(list, \'"a", "x"\')}', 2),
        ("collection:noneOf(list, '\"x\"')", 1),
        ("collection:notAllOf(list, '\"a\"')", 2),
        ("collection:contains(list, a)", 1),
        ("collection:contains('1, 2.50', 2.5)", 1),
        ("collection:notContains(list, others)", 1),
        ("collection:containsAny(list, others)", 1),
        ("collection:notContainsAny(list, others)", 2),
    ],
)
def test_collections_are_looked_through(cell: str, number: int) -> None:
    assert hit(cell, "string", "a", list=["a", "b"], others=["b", "c"]) == number


@pytest.mark.parametrize(("cell", "number"), [('.startsWith("ab")', 1), (".length() > 3", 2)])
def test_a_method_of_the_input_is_called(cell: str, number: int) -> None:
    assert hit(cell, "string", "abc") == number


def test_outputs_may_call_them_too() -> None:
    table = make_table(["a"], ["x"], [["1", 'date:toDate("2026-01-01").getYear()']])
    assert decide(dmn(decision("d", table)), "d", {"a": 1}) == 2026


@pytest.mark.parametrize(
    ("cell", "kind", "whole"),
    [
        ('date:toDate("x")', "date", 'date:toDate(flowable_cell_input) == date:toDate("x")'),
        ("> date:now()", None, "flowable_cell_input > date:now()"),
        (".isEmpty()", "string", "flowable_cell_input.isEmpty()"),
        ("collection:anyOf(a, b)", "string", "collection:anyOf(a, b)"),
    ],
)
def test_what_is_left_out_is_added(cell: str, kind: str | None, whole: str) -> None:
    assert is_juel(cell)
    assert whole_test(cell, kind) == whole


@pytest.mark.parametrize("cell", ["5", '"a"', "date(x)", '== "b"', "[1..2]", ".5", "f(x)"])
def test_what_feel_can_say_is_feel(cell: str) -> None:
    assert not is_juel(cell)
