"""What each hit policy makes of the rules that match."""

from decimal import Decimal

import pytest

from engine.decisions import DecisionError
from engine.values import Value
from tests.support.decisions import decide, decision, dmn, tag, text
from tests.support.decisions import table as make_table

RULES = [["> 0", '"B"', "1"], ["> 1", '"A"', "2"], ["> 2", '"B"', "3"]]


def both(policy: str, n: int) -> Value:
    """The table with its two outputs; A comes before B, and 3 before 2."""
    outputs = [
        tag("output", tag("outputValues", text('"A", "B"')), name="letter"),
        tag("output", tag("outputValues", text("3, 2")), name="number"),
    ]
    return decide(dmn(decision("d", make_table(["n"], outputs, RULES, policy))), "d", {"n": n})


def numbers(policy: str, n: int, aggregation: str | None = None) -> Value:
    rules = [[rule[0], rule[2]] for rule in RULES]
    table = make_table(["n"], ["number"], rules, policy, aggregation)
    return decide(dmn(decision("d", table)), "d", {"n": n})


def row(letter: str, number: int) -> dict[str, Value]:
    return {"letter": letter, "number": number}


def test_unique_takes_the_only_match() -> None:
    assert both("UNIQUE", 1) == row("B", 1)
    with pytest.raises(DecisionError, match="UNIQUE is violated: the rules 1 and 2 both match"):
        both("UNIQUE", 2)


def test_unique_is_the_policy_of_a_table_that_names_none() -> None:
    table = make_table(["n"], ["x"], [["1", "1"], ["1", "1"]])
    with pytest.raises(DecisionError, match="UNIQUE"):
        decide(dmn(decision("d", table)), "d", {"n": 1})


def test_first_takes_the_first_match() -> None:
    assert both("FIRST", 3) == row("B", 1)


def test_any_takes_matches_that_agree() -> None:
    rules = [["> 0", "5"], ["> 1", "5.0"], ["> 2", "6"]]
    content = dmn(decision("d", make_table(["n"], ["x"], rules, "ANY")))
    assert decide(content, "d", {"n": 2}) == 5
    with pytest.raises(DecisionError, match="the rules 1 and 3 match with different outputs"):
        decide(content, "d", {"n": 3})


def test_priority_takes_the_match_whose_outputs_come_first_in_the_lists_of_values() -> None:
    assert both("PRIORITY", 1) == row("B", 1)
    assert both("PRIORITY", 2) == row("A", 2)


def test_output_order_sorts_all_matches_column_by_column() -> None:
    assert both("OUTPUT ORDER", 3) == [row("A", 2), row("B", 3), row("B", 1)]


def test_without_lists_of_values_matches_stay_in_their_order() -> None:
    assert numbers("OUTPUT ORDER", 3) == [1, 2, 3]
    assert numbers("PRIORITY", 3) == 1


def test_rule_order_and_collect_give_all_matches() -> None:
    assert both("RULE ORDER", 2) == [row("B", 1), row("A", 2)]
    assert numbers("COLLECT", 3) == [1, 2, 3]


@pytest.mark.parametrize(
    ("aggregation", "value"), [("SUM", 6), ("MIN", 1), ("MAX", 3), ("COUNT", 3)]
)
def test_collect_aggregates(aggregation: str, value: Value) -> None:
    assert numbers("COLLECT", 3, aggregation) == value


def test_only_collect_aggregates() -> None:
    assert numbers("RULE ORDER", 2, "SUM") == [1, 2]


def test_what_has_no_sum_is_an_error() -> None:
    table = make_table(["n"], ["x"], [["1", '"a"'], ["1", "true"]], "COLLECT", "SUM")
    with pytest.raises(DecisionError, match="have no SUM"):
        decide(dmn(decision("d", table)), "d", {"n": 1})


def test_sums_are_exact() -> None:
    table = make_table(["n"], ["x"], [["1", "0.1"], ["1", "0.2"]], "COLLECT", "SUM")
    assert decide(dmn(decision("d", table)), "d", {"n": 1}) == Decimal("0.3")
