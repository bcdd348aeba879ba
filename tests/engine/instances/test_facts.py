"""What `execution` tells in JUEL."""

from msgspec.structs import replace

from engine.expressions import Environment
from engine.expressions.juel import compile_juel
from engine.expressions.juel.execution import FACTS
from engine.instances.evaluator import Evaluator
from engine.instances.facts import Facts
from engine.values import Value
from tests.engine.test_variables import instance
from tests.support.contexts import context
from tests.support.models import chain, compiled, start, sub_process, tag

MODEL = compiled(
    start("s"),
    sub_process("sub", start("i"), tag("task", id="t", name="Pay"), chain("i", "t")),
    chain("s", "sub"),
)


def told(text: str, scope: int) -> Value:
    state = instance()
    state = replace(state, start=replace(state.start, business_key="order-7"))
    evaluator = Evaluator(replace(context(), model=MODEL), state)
    return evaluator.evaluate(compile_juel(text), scope)


def test_every_fact_that_juel_may_ask_for_is_there() -> None:
    facts = Facts(context(), instance())
    assert sorted(facts) == sorted(set(FACTS.values()))
    assert len(facts) == len(list(facts))
    assert all(fact in facts for fact in FACTS.values())


def test_the_instance_is_known_by_its_ids() -> None:
    assert told("${execution.processInstanceId}", 3) == "a"
    assert told("${execution.rootProcessInstanceId}", 3) == "a"
    assert told("${execution.processBusinessKey}", 3) == "order-7"
    assert told("${execution.processDefinitionId}", 3) == "p:1"
    assert told("${execution.getTenantId()}", 3) == "test"


def test_the_activity_is_the_one_that_looks() -> None:
    assert told("${execution.currentActivityId}/${execution.currentActivityName}", 3) == "t/Pay"
    assert told("${execution.currentActivityId}", 2) == "sub"
    assert told("${execution.id}", 3) == "a:3"


def test_the_process_itself_is_no_activity() -> None:
    assert told("${execution.currentActivityId}", 1) is None
    assert told("${execution.currentActivityName}", 1) is None


def test_without_an_instance_nothing_is_told() -> None:
    assert compile_juel("${execution.processInstanceId}").evaluate(Environment()) is None
