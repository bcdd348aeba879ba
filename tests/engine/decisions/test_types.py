"""Declared types: what a value becomes, and what conforms to none."""

from decimal import Decimal

import pytest

from engine.decisions import DecisionError
from engine.values import Value
from tests.support.decisions import (
    allowed,
    compiled,
    component,
    decide,
    decision,
    dmn,
    found,
    input_data,
    item,
    knowledge,
    knows,
    literal,
    needs,
    tag,
)

PERSON = item("tPerson", component("full name", type_="string"), component("age", type_="tAge"))
AGE = item("tAge", allowed(">= 0"), type_="number")


def converted(items: str, type_: str, value: Value) -> Value:
    """An input of that type."""
    content = dmn(items, input_data("v", type_), decision("d", literal("v"), needs("(v)")))
    return decide(content, "d", {"v": value})


@pytest.mark.parametrize(
    ("type_", "value", "result"),
    [
        ("number", 5, 5),
        ("number", [5], 5),
        ("feel:string", "x", "x"),
        ("string", None, None),
        ("Any", [1], [1]),
        ("tAge", 5, 5),
        ("tAge", Decimal("0.5"), Decimal("0.5")),
        ("tList", [1, 2], [1, 2]),
        ("tList", 1, [1]),
        ("tList", [], []),
        ("tAlias", [1], [1]),
        ("tNested", [[1]], [[1]]),
        ("tPerson", {"full name": "Ada", "age": 36}, {"full name": "Ada", "age": 36}),
        ("tPerson", {"full name": ["Ada"], "age": None}, {"full name": "Ada", "age": None}),
        ("tPerson", {"full name": "A", "age": 1, "x": 2}, {"full name": "A", "age": 1, "x": 2}),
        ("tPerson", [{"full name": "A", "age": 1}], {"full name": "A", "age": 1}),
        ("tShort", [1, 2], [1, 2]),
        ("nothing", "anything", "anything"),
    ],
)
def test_what_conforms(type_: str, value: Value, result: Value) -> None:
    assert converted(ALL, type_, value) == result


ALL = (
    AGE
    + PERSON
    + item("tList", type_="number", collection=True)
    + item("tAlias", type_="tList")
    + item("tNested", type_="tList", collection=True)
    + item("tShort", allowed("count(?) < 3", "typeConstraint"), type_="number", collection=True)
)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("number", "5"),
        ("number", [1, 2]),
        ("string", 5),
        ("boolean", "true"),
        ("tAge", -1),
        ("tList", [1, "x"]),
        ("tList", "x"),
        ("tPerson", {"full name": "Ada"}),
        ("tPerson", {"full name": "Ada", "age": -1}),
        ("tPerson", "Ada"),
        ("tShort", [1, 2, 3]),
        ("context", 5),
    ],
)
def test_what_does_not_conform(type_: str, value: Value) -> None:
    with pytest.raises(DecisionError, match="not of the type"):
        converted(ALL, type_, value)


def test_a_type_may_contain_itself() -> None:
    tree = item("tTree", component("children", type_="tTree", collection=True))
    value: Value = {"children": [{"children": []}]}
    assert converted(tree, "tTree", value) == value
    with pytest.raises(DecisionError):
        converted(tree, "tTree", {"children": [{"children": [5]}]})


def test_types_that_double_are_found_in_linear_time() -> None:
    types = [item("t0", type_="number")] + [
        item(f"t{n}", component("a", type_=f"t{n - 1}"), component("b", type_=f"t{n - 1}"))
        for n in range(1, 60)
    ]
    content = dmn(*types, decision("d", literal("{} instance of t59")))
    assert decide(content, "d") is False


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5 instance of tAge", True),
        ("-5 instance of tAge", True),
        ('{full name: "A", age: 1} instance of tPerson', True),
        ('{full name: "A"} instance of tPerson', False),
        ("[1] instance of tList", True),
        ("[[1]] instance of tNested", True),
        ("[5] instance of list<tAge>", True),
    ],
)
def test_instances_of_declared_types(text: str, value: Value) -> None:
    assert decide(dmn(ALL, decision("d", literal(text))), "d") is value


def test_entries_with_blanks_are_known_behind_a_dot_and_inside_of_a_filter() -> None:
    people: Value = [{"full name": "Ada", "age": 36}, {"full name": "Bob", "age": 17}]
    types = AGE + PERSON + item("tPeople", type_="tPerson", collection=True)
    text = 'all people[full name != "Bob"].full name'
    content = dmn(
        types,
        input_data("all people", "tPeople"),
        decision("d", literal(text), needs("(all people)")),
    )
    assert decide(content, "d", {"all people": people}) == ["Ada"]


def test_the_type_of_a_function_may_be_that_of_its_result() -> None:
    function = item("tFunction", tag("functionItem", outputTypeRef="string"))
    content = dmn(
        function,
        knowledge("plain", [], literal("5"), "number"),
        knowledge("wrong", [], literal("5"), "string"),
        knowledge("declared", [], literal("5"), "tFunction"),
        decision(
            "d", literal("[plain(), wrong(), declared()]"), knows("plain", "wrong", "declared")
        ),
    )
    assert decide(content, "d") == [5, None, None]


def test_a_function_conforms_to_a_type_of_functions() -> None:
    types = item("tFunction", tag("functionItem", outputTypeRef="string"))
    taken = literal("function(x) x + 1", typeRef="tFunction")
    content = dmn(types, decision("d", literal("f(1)"), needs("f")), decision("f", taken))
    assert decide(content, "d") == 2
    refused = dmn(types, decision("d", literal("5", typeRef="tFunction")))
    assert decide(refused, "d") is None


def test_a_type_that_is_not_declared_is_a_warning() -> None:
    content = dmn(item("tA", type_="tB"), decision("d", literal("1")))
    assert found(content) == [("warning", "unknown-type", "tA")]
    assert compiled(content).deployable


def test_allowed_values_that_are_no_expression_are_an_error() -> None:
    content = dmn(item("tA", allowed("("), type_="number"), decision("d", literal("1")))
    assert found(content) == [("error", "expression-syntax", "tA")]
