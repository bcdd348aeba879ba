"""Requirements, knowledge, services: how the nodes of a model are evaluated."""

import pytest

from engine.decisions import DecisionError
from engine.expressions import MISSING, BudgetExceededError, Environment
from engine.values import Value
from tests.engine.expressions.evaluating import NOW_MS, environment
from tests.support.decisions import (
    camunda7,
    compiled,
    decide,
    decision,
    dmn,
    input_data,
    knowledge,
    knows,
    literal,
    needs,
    tag,
    variable,
)
from tests.support.decisions import table as make_table


def test_what_is_required_is_known_by_the_name_of_its_variable() -> None:
    content = dmn(
        input_data("Applicant age", "number"),
        decision("Is adult", literal("Applicant age >= 18"), needs("(Applicant age)")),
        decision(
            "Answer",
            literal('if grown up then "yes" else "no"'),
            needs("Is adult"),
        ),
    ).replace(
        b'<decision id="Isadult" name="Is adult">',
        (b'<decision id="Isadult" name="Is adult"><variable name="grown up"/>'),
    )
    assert decide(content, "Answer", {"Applicant age": 20}) == "yes"


def test_a_variable_needs_no_input_to_be_seen() -> None:
    env = Environment(lambda name: {"limit": 7}.get(name, MISSING), NOW_MS)
    content = dmn(decision("d", literal("limit + amount")))
    assert compiled(content).model.evaluate("d", {"amount": 5}, env) == 12


def test_an_input_comes_from_the_environment_too_and_may_be_missing() -> None:
    content = dmn(input_data("a"), decision("d", literal("a"), needs("(a)")))
    model = compiled(content).model
    assert model.evaluate("d", {}, Environment(lambda _name: 5)) == 5
    env = environment()
    assert model.evaluate("d", {}, env) is None
    assert list(env.missing) == ["a"]


def test_each_required_decision_is_evaluated_once() -> None:
    content = dmn(
        decision("chance", literal("random number()")),
        decision("left", literal("chance"), needs("chance")),
        decision("right", literal("chance"), needs("chance")),
        decision("d", literal("left = right"), needs("left", "right")),
    )
    assert decide(content, "d") is True


def test_two_evaluations_of_one_environment_have_the_whole_budget_each() -> None:
    content = dmn(decision("d", literal("sum(for i in 1..50 return i)")))
    env = Environment(steps_max=120)
    model = compiled(content).model
    assert [model.evaluate("d", {}, env), model.evaluate("d", {}, env)] == [1275, 1275]


def test_the_budget_covers_all_required_decisions() -> None:
    work = literal("sum(for i in 1..50 return i)")
    content = dmn(
        decision("a", work),
        decision("b", work, needs("a")),
        decision("c", work, needs("b")),
    )
    model = compiled(content).model
    with pytest.raises(BudgetExceededError):
        model.evaluate("c", {}, Environment(steps_max=120))


def test_a_decision_that_is_not_there() -> None:
    content = dmn(input_data("a"), decision("d", literal("1")))
    for name in ("nope", "a"):
        with pytest.raises(DecisionError, match=f"no decision '{name}'"):
            decide(content, name)


def test_a_result_that_is_not_of_its_type_is_an_error() -> None:
    content = dmn(decision("d", literal('"x"'), type_="number"))
    with pytest.raises(DecisionError, match="'d' is a string, which is not of the type number"):
        decide(content, "d")


# --- knowledge ---


def test_knowledge_is_a_function_by_position_and_by_name() -> None:
    content = dmn(
        knowledge("the difference", ["a: number", "b: number"], literal("a - b")),
        decision(
            "d",
            literal("[the difference(5, 3), the difference(b: 5, a: 3)]"),
            knows("the difference"),
        ),
    )
    assert decide(content, "d") == [2, -2]


def test_knowledge_may_be_a_table() -> None:
    rules = [["> 5", '"big"'], ["<= 5", '"small"']]
    content = dmn(
        knowledge("size", ["n"], make_table(["n"], ["x"], rules)),
        decision("d", literal("for n in [1, 9] return size(n)"), knows("size")),
    )
    assert decide(content, "d") == ["small", "big"]


def test_knowledge_may_require_knowledge_and_itself() -> None:
    twice = knowledge("twice", ["n"], literal("2 * n"))
    power = tag(
        "businessKnowledgeModel",
        tag(
            "encapsulatedLogic",
            tag("formalParameter", name="n"),
            literal("if n = 0 then 1 else twice(power(n - 1))"),
        ),
        knows("twice"),
        id="power",
        name="power",
    )
    content = dmn(twice, power, decision("d", literal("power(8)"), knows("power")))
    assert decide(content, "d") == 256


def test_endless_recursion_of_knowledge_is_bounded() -> None:
    content = dmn(
        knowledge("forever", ["n"], literal("1 + forever(n)")),
        decision("d", literal("forever(1)"), knows("forever")),
    )
    with pytest.raises(BudgetExceededError):
        decide(content, "d")


def test_knowledge_without_logic_is_no_function() -> None:
    nothing = tag("businessKnowledgeModel", id="f", name="f")
    content = dmn(nothing, decision("d", literal("f(1)"), knows("f")))
    assert decide(content, "d") is None


# --- services ---


def service(name: str, outputs: list[str], inputs: list[str], decisions: list[str]) -> str:
    return tag(
        "decisionService",
        variable(name),
        *(tag("outputDecision", href=f"#{each}") for each in outputs),
        *(tag("inputDecision", href=f"#{each}") for each in decisions),
        *(tag("inputData", href=f"#{each}") for each in inputs),
        id=name,
        name=name,
    )


SERVED = dmn(
    input_data("a", "number"),
    decision("base", literal("100")),
    decision("total", literal("base + a"), needs("(a)", "base")),
    decision("half", literal("total / 2"), needs("total")),
    service("serve", ["total"], ["a"], ["base"]),
    service("both", ["total", "half"], ["a"], []),
    decision("d", literal("serve(1, 10)"), knows("serve")),
    decision("bad", literal('serve("x", 10)'), knows("serve")),
)


def test_a_service_is_a_function_of_its_inputs_and_of_the_decisions_it_is_given() -> None:
    assert decide(SERVED, "d") == 11


def test_a_service_may_be_evaluated_by_itself() -> None:
    assert decide(SERVED, "serve", {"a": 1, "base": 10}) == 11
    assert decide(SERVED, "both", {"a": 2}) == {"total": 102, "half": 51}


def test_no_service_takes_an_argument_of_another_type() -> None:
    assert decide(SERVED, "bad") is None


# --- rows ---


@pytest.mark.parametrize(
    ("policy", "outputs", "rows"),
    [
        ("UNIQUE", ["x"], [{"x": 1}]),
        ("COLLECT", ["x"], [{"x": 1}]),
        ("COLLECT", ["x", "y"], [{"x": 1, "y": 2}]),
        ("FIRST", ["x", "y"], [{"x": 1, "y": 2}]),
        ("FIRST", ["<output/>"], [{"d": 1}]),
    ],
)
def test_results_as_rows_of_outputs(policy: str, outputs: list[str], rows: Value) -> None:
    table = make_table(["a"], outputs, [["1", "1", "2"][: 1 + len(outputs)]], policy)
    model = compiled(camunda7(decision("d", table))).model
    assert model.evaluate_rows("d", {"a": 1}, environment()) == rows
    assert model.evaluate_rows("d", {"a": 2}, environment()) == []


def test_what_is_no_table_gives_one_row() -> None:
    content = camunda7(decision("d", literal("a"), result="answer"))
    model = compiled(content).model
    assert model.evaluate_rows("d", {"a": [1, 2]}, environment()) == [{"answer": [1, 2]}]
