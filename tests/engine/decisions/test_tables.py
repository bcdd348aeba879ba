"""Decision tables: cells, inputs, defaults, and what a table must have."""

from collections.abc import Sequence

import pytest

from engine.decisions import DecisionError
from engine.expressions import BudgetExceededError, Environment
from engine.values import Value
from tests.support.decisions import (
    compiled,
    compiled_anyway,
    decide,
    decision,
    dmn,
    found,
    item,
    tag,
    text,
)
from tests.support.decisions import table as make_table


def decided(table: str, **variables: Value) -> Value:
    return decide(dmn(decision("d", table)), "d", variables)


def test_a_rule_matches_if_every_cell_does() -> None:
    table = make_table(
        ["age", "risk"],
        ["result"],
        [
            [">= 18", '"low", "medium"', '"approved"'],
            ["< 18", "-", '"too young"'],
            ["-", 'not("low", "medium")', '"declined"'],
        ],
    )
    assert decided(table, age=20, risk="low") == "approved"
    assert decided(table, age=17, risk="low") == "too young"
    assert decided(table, age=20, risk="high") == "declined"
    assert decided(table, age=None, risk="low") is None


def test_a_cell_may_be_empty() -> None:
    table = make_table(["a"], ["result", "other"], [["", "1", ""]])
    assert decided(table) == {"result": 1, "other": None}


def test_a_cell_may_ask_about_its_input_and_about_variables() -> None:
    table = make_table(["a"], ["result"], [["? > limit and ? < 10", "a * 2"]])
    assert decided(table, a=5, limit=4) == 10
    assert decided(table, a=5, limit=5) is None


def test_an_input_is_an_expression() -> None:
    table = make_table(["a + b", "items.price"], ["result"], [["3", "[1]", "true"]])
    assert decided(table, a=1, b=2, items=[{"price": 1}]) is True


def test_several_outputs_are_a_context() -> None:
    table = make_table(["a"], ["x", "y z"], [["1", "a", '"text"']])
    assert decided(table, a=1) == {"x": 1, "y z": "text"}


def test_a_table_without_inputs_or_rules() -> None:
    assert decided(make_table([], ["x"], [["5"]])) == 5
    assert decided(make_table(["a"], ["x"], []), a=1) is None


def output(name: str, default: str | None = None, values: str | None = None) -> str:
    return tag(
        "output",
        "" if values is None else tag("outputValues", text(values)),
        "" if default is None else tag("defaultOutputEntry", text(default)),
        name=name,
    )


def test_the_default_output_is_given_if_no_rule_matches() -> None:
    table = make_table(["a"], [output("x", "a * 10")], [["> 5", "a"]])
    assert decided(table, a=2) == 20
    assert decided(table, a=7) == 7


def test_some_of_several_outputs_may_have_a_default() -> None:
    table = make_table(["a"], [output("x", "1"), output("y")], [["> 5", "a", "a"]])
    assert decided(table, a=2) == {"x": 1, "y": None}


@pytest.mark.parametrize(
    ("policy", "aggregation", "value"),
    [
        ("FIRST", None, None),
        ("COLLECT", None, []),
        ("RULE ORDER", None, []),
        ("OUTPUT ORDER", None, []),
        ("COLLECT", "SUM", None),
        ("COLLECT", "COUNT", 0),
    ],
)
def test_what_is_given_without_a_match_or_a_default(
    policy: str, aggregation: str | None, value: Value
) -> None:
    table = make_table(["a"], ["x"], [["1", "1"]], policy, aggregation)
    assert decided(table, a=2) == value


def test_an_input_must_be_among_its_input_values() -> None:
    column = tag("input", tag("inputExpression", text("a")), tag("inputValues", text('"x", "y"')))
    table = make_table([column], ["r"], [["-", "a"]])
    assert decided(table, a="y") == "y"
    assert decided(table, a=None) is None
    with pytest.raises(DecisionError, match="input 1 is none of its input values"):
        decided(table, a="z")


def test_every_rule_that_is_looked_at_costs_a_step() -> None:
    rules: Sequence[Sequence[str]] = [[f"{number}", "1"] for number in range(100)]
    content = dmn(decision("d", make_table(["a"], ["r"], rules)))
    with pytest.raises(BudgetExceededError):
        compiled(content).model.evaluate("d", {"a": 99}, Environment(steps_max=50))
    assert compiled(content).model.evaluate("d", {"a": 99}, Environment(steps_max=200)) == 1


def test_identical_cells_of_a_column_are_compiled_once() -> None:
    rules: Sequence[Sequence[str]] = [["> 5", f"{number}"] for number in range(5_000)]
    table = make_table(["a"], ["r"], rules[:2_000], "FIRST")
    assert decided(table, a=6) == 0


def test_an_empty_list_of_output_values_orders_nothing() -> None:
    table = make_table(["a"], [output("x", None, "")], [["-", "1"], ["-", "2"]], "PRIORITY")
    assert decided(table, a=1) == 1


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (make_table(["a"], [], []), "missing-part"),
        (make_table([tag("input")], ["x"], []), "missing-part"),
        (make_table(["a"], ["x"], [], "BEST"), "hit-policy"),
        (make_table(["a"], ["x", "<output/>"], []), "unnamed-output"),
        (make_table(["a"], ["x", "y"], [], "COLLECT", "SUM"), "aggregation"),
        (make_table(["a"], ["x"], [], "COLLECT", "MEAN"), "aggregation"),
        (make_table(["a", "b"], ["x"], []).replace("<output", "<rule/><output"), "cells"),
        (make_table(["a"], ["x"], [["(", "1"]]), "expression-syntax"),
        (make_table(["a"], ["x"], [["1", "("]]), "expression-syntax"),
        (make_table(["("], ["x"], []), "expression-syntax"),
        (make_table(["a"], [output("x", "(")], []), "expression-syntax"),
        (make_table(["a"], [output("x", None, "(")], []), "expression-syntax"),
        (
            make_table(["<input><inputExpression/><inputValues/></input>"], ["x"], []).replace(
                "<inputValues/>", tag("inputValues", text("("))
            ),
            "expression-syntax",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_found(table: str, code: str) -> None:
    assert ("error", code, "d") in found(dmn(decision("d", table)))


def test_the_hit_policies_that_there_are_are_listed() -> None:
    made = compiled_anyway(dmn(decision("d", make_table(["a"], ["x"], [], "ONE"))))
    (finding,) = made.findings
    assert "There is no hit policy 'ONE'. Use one of: UNIQUE, " in finding.message
    assert "OUTPUT ORDER" in finding.message


def typed(kind: str) -> str:
    """With an input and an output of a type."""
    column = tag("input", tag("inputExpression", text("a"), typeRef=kind))
    return make_table([column], [tag("output", name="x", typeRef=kind)], [])


@pytest.mark.parametrize(
    ("kind", "meant"),
    [
        ("numbr", "Did you mean `number`?"),
        ("feel:strng", "Did you mean `string`?"),
        ("tAmout", "Did you mean `tAmount`?"),
        ("xyz", "Declare it or remove it."),
    ],
)
def test_the_type_of_a_column_that_is_not_there_is_a_warning(kind: str, meant: str) -> None:
    made = compiled(dmn(item("tAmount", type_="number"), decision("d", typed(kind))))
    assert made.deployable
    said = f"There is no type '{kind}'; any value is taken. {meant}"
    assert [(each.severity, each.element, each.message) for each in made.findings] == [
        ("warning", "d", said)
    ]


@pytest.mark.parametrize(
    "kind",
    ["number", "feel:number", "date and time", "dateTime", "Any", "tAmount", "ns:tAmount",
     "integer", "collection"],
)  # fmt: skip
def test_types_that_are_built_in_or_declared_are_known(kind: str) -> None:
    made = compiled(dmn(item("tAmount", type_="number"), decision("d", typed(kind))))
    assert made.findings == ()


def test_every_wrong_cell_is_found() -> None:
    table = make_table(["a", "b"], ["x"], [["(", "[", "{"], ["1", "2", "-"]])
    findings = found(dmn(decision("d", table)))
    assert findings == [("error", "expression-syntax", "d")] * 4
