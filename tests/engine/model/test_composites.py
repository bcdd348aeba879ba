"""Lists and objects of expressions."""

import pytest

from engine.expressions import Environment, EvaluationError, compile_feel
from engine.model.composites import compose_list, compose_map


def test_a_list_has_the_values_of_its_expressions() -> None:
    made = compose_list([compile_feel("a"), compile_feel("a + b")])
    assert made.evaluate(Environment(lookup={"a": 1, "b": 2}.__getitem__)) == [1, 3]
    assert made.names == ("a", "b")
    assert made.text == "[a, a + b]"


def test_an_object_may_hold_lists() -> None:
    made = compose_map({"k": compose_list([]), "l": compile_feel('"x"')})
    assert made.evaluate(Environment()) == {"k": [], "l": "x"}
    assert made.text == '{k: [], l: "x"}'


def test_the_parts_share_the_budget_of_one_evaluation() -> None:
    part = compile_feel("count(for i in 1..50 return i)")
    with pytest.raises(EvaluationError, match="steps"):
        compose_list([part] * 50).evaluate(Environment(steps_max=1_000))
    assert part.evaluate(Environment(steps_max=1_000)) == 50
