"""Every kind of boxed expression."""

import pytest

from engine.decisions import DecisionError
from engine.expressions import BudgetExceededError
from engine.values import Value
from tests.engine.expressions.evaluating import environment
from tests.support.decisions import (
    compiled_anyway,
    decide,
    decision,
    dmn,
    formal,
    found,
    literal,
    tag,
    variable,
)

VARIABLES: dict[str, Value] = {"n": 5, "items": [{"price": 3}, {"price": 8}], "nothing": None}


def boxed(logic: str, variables: dict[str, Value] | None = None) -> Value:
    return decide(dmn(decision("d", logic)), "d", variables or VARIABLES)


def entry(name: str | None, logic: str, type_: str | None = None) -> str:
    return tag("contextEntry", "" if name is None else variable(name, type_), logic)


def test_a_literal_expression() -> None:
    assert boxed(literal("n * 2")) == 10
    assert boxed(literal("")) is None


def test_a_decision_without_logic_gives_null() -> None:
    assert boxed("") is None


def test_an_expression_is_converted_to_its_type() -> None:
    assert boxed(literal("[n]", typeRef="number")) == 5
    assert boxed(literal("n", typeRef="string")) is None


def test_the_entries_of_a_context_see_those_before_them() -> None:
    logic = tag("context", entry("a", literal("n")), entry("the sum", literal("a + 1")))
    assert boxed(logic) == {"a": 5, "the sum": 6}


def test_an_entry_without_a_name_is_the_result_of_a_context() -> None:
    logic = tag("context", entry("a b", literal("n")), entry(None, literal("a b + 2")))
    assert boxed(logic) == 7


def test_an_entry_is_converted_to_its_type() -> None:
    logic = tag(
        "context", entry("a", literal('"x"'), "number"), entry("b", literal("[1]"), "number")
    )
    assert boxed(logic) == {"a": None, "b": 1}


def test_a_list() -> None:
    assert boxed(tag("list", literal("n"), literal('"x"'))) == [5, "x"]
    assert boxed(tag("list")) == []


def test_a_relation() -> None:
    row = tag("row", literal("n"), literal("n + 1"))
    logic = tag("relation", tag("column", name="a"), tag("column", name="b"), row, row)
    assert boxed(logic) == [{"a": 5, "b": 6}, {"a": 5, "b": 6}]


def test_a_function_may_call_itself_by_the_name_of_its_entry() -> None:
    body = literal("if k = 0 then 1 else k * factorial(k - 1)")
    function = tag("functionDefinition", formal(["k: number"]), body)
    logic = tag("context", entry("factorial", function), entry(None, literal("factorial(5)")))
    assert boxed(logic) == 120


def test_recursion_without_end_is_bounded() -> None:
    function = tag("functionDefinition", formal(["k"]), literal("forever(k)"))
    logic = tag("context", entry("forever", function), entry(None, literal("forever(1)")))
    with pytest.raises(BudgetExceededError):
        boxed(logic)


def test_no_function_takes_an_argument_of_another_type() -> None:
    function = tag("functionDefinition", formal(["k: number"]), literal("k = null"))
    call = literal('[f("x"), f(null), f([3])]')
    logic = tag("context", entry("f", function), entry(None, call))
    assert boxed(logic) == [None, True, False]


def test_a_function_in_java_is_refused() -> None:
    content = dmn(decision("d", tag("functionDefinition", kind="Java")))
    assert found(content) == [("error", "unsupported-expression", "d")]


def test_an_invocation_binds_parameters_by_name() -> None:
    function = tag("functionDefinition", formal(["a", "b"]), literal("a - b"))
    bindings = [
        tag("binding", tag("parameter", name=name), literal(value))
        for name, value in (("b", "1"), ("a", "n"))
    ]
    invocation = tag("invocation", literal("f"), *bindings)
    logic = tag("context", entry("f", function), entry(None, invocation))
    assert boxed(logic) == 4


def test_an_invocation_of_what_is_no_function_gives_null() -> None:
    assert boxed(tag("invocation", literal("n"))) is None


@pytest.mark.parametrize(
    ("condition", "value"),
    [("n > 1", "yes"), ("n > 9", "no"), ("null", "no"), ('"x"', None), ("n", None)],
)
def test_a_conditional(condition: str, value: Value) -> None:
    logic = tag(
        "conditional",
        tag("if", literal(condition)),
        tag("then", literal('"yes"')),
        tag("else", literal('"no"')),
    )
    assert boxed(logic) == value


def loop(kind: str, items: str, part: str, body: str, name: str = "i") -> str:
    return tag(kind, tag("in", literal(items)), tag(part, literal(body)), iteratorVariable=name)


def test_a_for_loop_sees_the_results_so_far() -> None:
    assert boxed(loop("for", "[1..3]", "return", "i + count(partial)")) == [1, 3, 5]
    assert boxed(loop("for", "null", "return", "i")) is None


@pytest.mark.parametrize(
    ("kind", "items", "body", "value"),
    [
        ("some", "[1, 2]", "i = 2", True),
        ("some", "[1, 2]", "i = 3", False),
        ("some", "[]", "true", False),
        ("some", "[1, 2]", 'if i = 1 then true else "x"', None),
        ("some", "[1, 2]", "null", False),
        ("every", "[1, 2]", "i > 0", True),
        ("every", "[1, 2]", "i > 1", False),
        ("every", "[]", "false", True),
        ("every", "null", "true", None),
    ],
)
def test_quantifiers(kind: str, items: str, body: str, value: Value) -> None:
    assert boxed(loop(kind, items, "satisfies", body)) is value


@pytest.mark.parametrize(
    ("match", "value"),
    [
        ("price > 5", [{"price": 8}]),
        ("item.price < 5", [{"price": 3}]),
        ("2", {"price": 8}),
        ("-2", {"price": 3}),
        ("9", None),
        ("null", []),
    ],
)
def test_a_filter(match: str, value: Value) -> None:
    logic = tag("filter", tag("in", literal("items")), tag("match", literal(match)))
    assert boxed(logic) == value


def test_a_filter_takes_a_single_value_for_a_list() -> None:
    logic = tag("filter", tag("in", literal("n")), tag("match", literal("item = 5")))
    assert boxed(logic) == [5]
    logic = tag("filter", tag("in", literal("nothing")), tag("match", literal("true")))
    assert boxed(logic) == []


@pytest.mark.parametrize(
    ("logic", "code"),
    [
        ("<decisionTree/>", "unsupported-expression"),
        (tag("conditional", tag("if", literal("true"))), "missing-part"),
        (tag("for", tag("in", literal("[1]"))), "missing-part"),
        (tag("literalExpression", tag("importedValues")), "unsupported-expression"),
        (literal("1 +"), "expression-syntax"),
        (literal("1", expressionLanguage="groovy"), "expression-language"),
        (tag("list", literal("1"), literal("(")), "expression-syntax"),
        (tag("context", entry("a", literal("("))), "expression-syntax"),
        (tag("relation", tag("row", literal("("))), "expression-syntax"),
        (tag("invocation"), "missing-part"),
        (
            tag(
                "invocation",
                literal("("),
            ),
            "expression-syntax",
        ),
        (tag("invocation", literal("f"), tag("binding", literal("1"))), "missing-part"),
        (
            tag("invocation", literal("f"), tag("binding", "<parameter/>", literal("("))),
            "expression-syntax",
        ),
        (tag("functionDefinition", literal("(")), "expression-syntax"),
        (tag("some", tag("in", literal("[1]"))), "missing-part"),
        (tag("filter", tag("in", literal("[1]"))), "missing-part"),
        ("<list>" * 41 + "</list>" * 41, "too-deep"),
    ],
)
def test_what_cannot_be_compiled_is_found(logic: str, code: str) -> None:
    content = dmn(decision("d", logic))
    assert ("error", code, "d") in found(content)


def test_a_decision_with_an_error_fails_when_it_is_evaluated() -> None:
    content = dmn(decision("bad", literal("(")), decision("good", literal("1")))
    result = compiled_anyway(content)
    assert not result.deployable
    assert result.model.evaluate("good", {}, environment()) == 1
    with pytest.raises(DecisionError, match="'bad' has errors"):
        result.model.evaluate("bad", {}, environment())
