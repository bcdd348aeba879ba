"""Variables, properties, `execution`, and calls that only Java could answer."""

import pytest

from engine.expressions import (
    BudgetExceededError,
    Environment,
    EvaluationError,
    UnsupportedCallError,
    evaluate_condition,
)
from engine.expressions.juel import compile_juel
from engine.values import Value
from tests.engine.expressions.evaluating import NOW_MS, environment
from tests.engine.expressions.juel.evaluating import fails, juel, with_facts

VARIABLES: dict[str, Value] = {
    "order": {"customer": {"name": "Ada"}, "open": True, "URL": "u", "5": "five"},
    "items": [{"id": 1}, {"id": 2}],
    "key": "customer",
    "nothing": None,
    "amount": 5,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("order.customer.name", "Ada"),
        ("order['customer']['name']", "Ada"),
        ("order[key].name", "Ada"),
        ("order[amount]", "five"),
        ("order.missing", None),
        ("order.missing.more", None),
        ("order[nothing]", None),
        ("nothing.more", None),
        ("items[1].id", 2),
        ("items['1'].id", 2),
        ("items[2]", None),
        ("items[-1]", None),
        ("order.getCustomer().getName()", "Ada"),
        ("order.isOpen()", True),
        ("order.getURL()", "u"),
        ("order.getMissing()", None),
        ("order.__class__", None),
        ("order.getClass()", None),
        ("now().time", NOW_MS),
    ],
)
def test_properties(text: str, value: Value) -> None:
    assert juel(text, VARIABLES) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nope", "There is no variable 'nope'."),
        ("nope == null", "There is no variable 'nope'."),
        ("amount.value", "A number has no property 'value'."),
        ("key.length", "'customer' has no property 'length'."),
        ("items.id", "'id' is not a number."),
        ("nothing.getName()", "getName() is called on null."),
        ("key.getName()", "'customer' has no method getName() of 0 arguments."),
        ("amount.startsWith('5')", "A number has no method startsWith() of 1 arguments."),
        ("key.__class__", "'customer' has no property '__class__'."),
    ],
)
def test_what_is_not_there(text: str, message: str) -> None:
    assert fails(text, VARIABLES) == message


def test_a_missing_variable_is_named_for_the_incident() -> None:
    with pytest.raises(EvaluationError) as caught:
        juel("amount > limit", VARIABLES)
    assert caught.value.missing == ("limit",)


def test_operators_that_do_not_need_their_right_side_leave_it() -> None:
    assert juel("true || nope") is True
    assert juel("false && nope") is False
    assert juel("true ? 1 : nope") == 1


def test_the_names_of_an_expression_are_its_variables_in_order() -> None:
    text = "${b > a.c ? x.size() : vars:get(y)} ${execution.getVariable('z')} ${execution.id} ${b}"
    assert compile_juel(text).names == ("b", "a", "x", "y", "z")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${execution.processInstanceId}", "i1"),
        ("${execution.getProcessInstanceId()}", "i1"),
        ("${execution.processBusinessKey}", "b1"),
        ("${execution.getBusinessKey()}", "b1"),
        ("${execution['currentActivityId']}", "a1"),
        ("${execution.tenantId}", None),
    ],
)
def test_execution_tells_facts(text: str, value: Value) -> None:
    env = with_facts(processInstanceId="i1", businessKey="b1", activityId="a1")
    assert compile_juel(text).evaluate(env) == value


def test_execution_reads_variables() -> None:
    assert juel("execution.getVariable('amount')", VARIABLES) == 5
    assert juel("execution.getVariable(key)", {"key": "x", "x": 1}) == 1
    assert juel("execution.getVariable('nope') == null", VARIABLES) is True
    assert juel("execution.hasVariable('nothing')", VARIABLES) is True
    assert juel("execution.hasVariable('nope')", VARIABLES) is False
    assert fails("execution.getVariable(amount)", VARIABLES) == "A number is no name of a variable."


@pytest.mark.parametrize(
    ("text", "name", "call"),
    [
        ("${orderService.check(execution)}", "orderService", "orderService.check"),
        ("${a.b.c(1).d('x')}", "a", "a.b.c.d"),
        ("${list.add(1)}", "list", "list.add"),
        ("${currentUser()}", "currentUser", "currentUser"),
        ("${fn:length(a)}", "fn:length", "fn:length"),
        ("${vars:get(a, b)}", "vars:get", "vars:get"),
        ("${execution}", "execution", "execution"),
        ("${items.contains(execution)}", "execution", "execution"),
        ("${execution.setVariable('a', 1)}", "execution", "execution.setVariable"),
        ("${execution.getVariables()}", "execution", "execution.variables"),
        ("${execution.getEngineServices().x()}", "execution", "execution.getEngineServices.x"),
        ("${execution.engineServices}", "execution", "execution.engineServices"),
        ("${execution[key]}", "execution", "execution...."),
        ("${''.getClass().forName('java.lang.Runtime')}", "", "getClass.forName"),
        ("${now().toString().format(1)}", "now", "now.toString.format"),
        ("${text.substring()}", "text", "text.substring"),
    ],
)
def test_a_call_into_java_is_recognised_when_it_is_compiled(
    text: str, name: str, call: str
) -> None:
    with pytest.raises(UnsupportedCallError, match="exists only in Java") as caught:
        compile_juel(text)
    assert (caught.value.name, caught.value.call) == (name, call)


def test_a_mistake_in_the_text_is_no_call_into_java() -> None:
    with pytest.raises(Exception, match="not closed") as caught:
        compile_juel("${bean.call() ${")
    assert not isinstance(caught.value, UnsupportedCallError)


def test_a_condition_is_true_or_false() -> None:
    assert evaluate_condition(compile_juel("${amount > 1}"), environment(VARIABLES)) is True
    with pytest.raises(EvaluationError, match="not true or false"):
        evaluate_condition(compile_juel("${'true'}"), environment())


def test_the_budget_bounds_an_evaluation() -> None:
    text = compile_juel("${" + "a.contains('x') || " * 200 + "false}")
    env = Environment(lambda _name: "y" * 10_000, steps_max=5_000)
    with pytest.raises(BudgetExceededError):
        text.evaluate(env)


def test_texts_cannot_be_doubled_for_ever() -> None:
    text = compile_juel("${" + "a.concat(a)" + ".replace('y', 'yyyyyyyyyy')" * 9 + "}")
    with pytest.raises(BudgetExceededError):
        text.evaluate(environment({"a": "y" * 100}))
