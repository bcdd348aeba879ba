"""What Camunda 7 and 8 do otherwise than the standard, and which language is whose."""

import pytest

from engine.decisions.platform import language_of
from engine.expressions import EvaluationError
from engine.values import Value
from tests.support.decisions import (
    camunda7,
    camunda8,
    compiled,
    decide,
    decision,
    dmn,
    found,
    input_data,
    literal,
    needs,
    tag,
    text,
)
from tests.support.decisions import table as make_table


def column(expression: str, kind: str | None = None, **attributes: str) -> str:
    return tag("input", tag("inputExpression", text(expression), typeRef=kind), **attributes)


def typed_output(name: str, kind: str) -> str:
    return tag("output", name=name, typeRef=kind)


# --- languages ---


@pytest.mark.parametrize(
    ("declared", "written", "default", "language"),
    [
        (None, "a > 1", "feel", "feel"),
        (None, "a > 1", "juel", "juel"),
        (None, "${a > 1}", "feel", "juel"),
        ("feel", "${a}", "juel", "feel"),
        ("FEEL", "a", "juel", "feel"),
        ("http://www.omg.org/spec/FEEL/20140401", "a", "juel", "feel"),
        ("https://www.omg.org/spec/DMN/20230324/MODEL/", "a", "juel", "feel"),
        ("feel-scala-unary-tests", "a", "juel", "feel"),
        ("juel", "a", "feel", "juel"),
        ("groovy", "a", "feel", None),
    ],
)
def test_the_language_of_an_expression(
    declared: str | None, written: str, default: str, language: str | None
) -> None:
    assert language_of(declared, written, "juel" if default == "juel" else "feel") == language


def test_juel_in_a_table() -> None:
    table = make_table(
        ["${order.total}"],
        ["x"],
        [["${cellInput > limit}", "${'over '}${limit}"], ["<= 10", '"below"']],
    )
    content = camunda7(decision("d", table))
    assert decide(content, "d", {"order": {"total": 11}, "limit": 10}) == "over 10"
    assert decide(content, "d", {"order": {"total": 9}, "limit": 10}) == "below"


def test_until_7_12_only_input_entries_were_feel_by_default() -> None:
    table = make_table(["order.total gt 5"], ["x"], [["true", "order.total div 2"]])
    content = camunda7(decision("d", table), version="7.12.0")
    assert decide(content, "d", {"order": {"total": 8}}) == 4
    assert found(camunda7(decision("d", table), version="7.13.0")) != []


def test_a_file_may_name_its_language_once() -> None:
    content = dmn(decision("d", literal("a eq 5")), expressionLanguage="juel")
    assert decide(content, "d", {"a": 5}) is True


def test_what_juel_finds_wrong_is_an_error() -> None:
    assert found(dmn(decision("d", literal("${bean.call()}")))) == [
        ("error", "expression-syntax", "d")
    ]
    with pytest.raises(EvaluationError, match="no variable 'nope'"):
        decide(dmn(decision("d", literal("${nope}"))), "d")


def test_a_language_that_is_not_evaluated_is_found_in_a_cell_too() -> None:
    cell = tag("inputEntry", text("1"), expressionLanguage="groovy")
    table = make_table(["a"], ["x"], []).replace(
        "</decisionTable>", tag("rule", cell, tag("outputEntry", text("1"))) + "</decisionTable>"
    )
    assert found(dmn(decision("d", table))) == [("error", "expression-language", "d")]


def test_flowable_writes_two_signs_for_equality() -> None:
    content = dmn(
        decision("d", make_table(["a"], ["x"], [['== "b"', "1"], ['!= "d"', "2"]], "FIRST"))
    )
    assert [decide(content, "d", {"a": value}) for value in ("b", "c", "d")] == [1, 2, None]


# --- Camunda 7 ---


def test_camunda_7_names_the_input_of_its_cells() -> None:
    named = tag("input", tag("inputExpression", text("a")), **{"camunda:inputVariable": "amount"})
    content = camunda7(decision("d", make_table([named], ["x"], [["amount > 5", "1"]])))
    assert decide(content, "d", {"a": 6}) == 1


@pytest.mark.parametrize(
    ("kind", "given", "cell"),
    [
        ("integer", "7", "7"),
        ("long", "7", "7"),
        ("double", "7.5", "7.5"),
        ("string", 7, '"7"'),
        ("boolean", "TRUE", "true"),
        ("date", "2026-01-01T10:00:00", 'date and time("2026-01-01T10:00:00")'),
        ("boolean", True, "true"),
        ("integer", None, "null"),
        ("custom", "7", '"7"'),
    ],
)
def test_camunda_7_converts_inputs_to_their_type(kind: str, given: Value, cell: str) -> None:
    table = make_table([column("a", kind)], ["x"], [[cell, '"hit"']])
    assert decide(camunda7(decision("d", table)), "d", {"a": given}) == "hit"


def test_camunda_7_converts_dates_of_inputs() -> None:
    table = make_table([column("date(a)", "date")], ["x"], [['> date("2026-01-01")', "1"]])
    assert decide(camunda7(decision("d", table)), "d", {"a": "2026-01-02"}) == 1


def test_camunda_7_converts_outputs_to_their_type() -> None:
    outputs = [typed_output("s", "string"), typed_output("n", "integer")]
    table = make_table(["a"], outputs, [["-", "5", '"6"']])
    assert decide(camunda7(decision("d", table)), "d", {"a": 1}) == {"s": "5", "n": 6}


@pytest.mark.parametrize(("kind", "given"), [("integer", "x"), ("boolean", 1), ("date", "soon")])
def test_what_camunda_7_cannot_convert_is_an_error(kind: str, given: Value) -> None:
    table = make_table([column("a", kind)], ["x"], [["-", "1"]])
    with pytest.raises(EvaluationError, match="not"):
        decide(camunda7(decision("d", table)), "d", {"a": given})


def test_camunda_7_knows_what_is_required_by_the_names_of_its_outputs() -> None:
    content = camunda7(
        decision("Season", make_table(["month"], ["season"], [["> 6", '"autumn"']])),
        decision("Guests", make_table(["n"], ["count", "kind"], [["-", "n", '"adults"']])),
        decision(
            "Dish", literal('season + " " + kind + " " + string(count)'), needs("Season", "Guests")
        ),
    )
    assert decide(content, "Dish", {"month": 9, "n": 3}) == "autumn adults 3"


def test_camunda_7_collects_the_entries_of_a_required_list() -> None:
    rules = [["-", "1", '"a"'], ["-", "2", '"b"']]
    content = camunda7(
        decision("All", make_table(["n"], ["x", "y"], rules, "COLLECT")),
        decision("Sum", literal("sum(x)"), needs("All")),
    )
    assert decide(content, "Sum", {"n": 1}) == 3


# --- Camunda 8 ---


def test_camunda_8_gives_null_if_no_rule_matches() -> None:
    table = make_table(["a"], ["x"], [["1", "1"]], "COLLECT")
    assert decide(camunda8(decision("d", table)), "d", {"a": 2}) is None


def test_camunda_8_takes_types_and_values_of_inputs_for_hints() -> None:
    values = tag("inputValues", text('"x", "y"'))
    hinted = tag("input", tag("inputExpression", text("a"), typeRef="string"), values)
    table = make_table([hinted], [typed_output("x", "string")], [["5", "a"]])
    content = camunda8(input_data("a", "string"), decision("d", table, needs("(a)")))
    assert decide(content, "d", {"a": 5}) == 5


def test_camunda_8_knows_what_is_required_by_its_id() -> None:
    content = camunda8(
        decision("The season", literal('"autumn"')),
        decision("d", literal('Theseason + "!"'), needs("The season")),
    )
    assert compiled(content).model.nodes["Theseason"].name == "The season"
    assert decide(content, "d") == "autumn!"
