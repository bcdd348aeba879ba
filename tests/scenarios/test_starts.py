"""Starts that are more than a start event: instantiating tasks and gateways, several triggers."""

import pytest

from engine import commands as c
from engine.aggregates import ConversationState
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    catch,
    chain,
    compiled,
    conditional_event,
    end,
    event_gateway,
    event_sub_process,
    message,
    message_event,
    receive_task,
    signal,
    signal_event,
    start,
    tag,
    throw,
    timer,
    together,
    user_task,
)
from tests.support.runner import Runner, subscriptions
from tests.support.vendor_models import vendor_model

HOUR = 3_600_000
ORDER = message("order", "order-placed")
PAYMENT = message("payment", "paid")
STOCK = message("stock", "reserved")
GO = signal("go", "go!")


def publish(
    run: Runner, name: str, variables: str = "{}", *, key: str = "7", ttl_ms: int = 0
) -> None:
    run.accept(c.PublishMessage(name=name, correlation_key=key, variables=variables, ttl_ms=ttl_ms))


def started(run: Runner) -> list[str]:
    return [effect.instance_id for effect in run.effects("InstanceStarted")]


def conversations(run: Runner) -> list[ConversationState]:
    return [
        state
        for partition in run.partitions
        for state in partition.states.values()
        if isinstance(state, ConversationState)
    ]


# --- receive tasks ---


def test_an_instantiating_receive_task_is_done_as_its_message_starts_the_process(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            ORDER,
            receive_task("placed", "order", outputs={"order": "=id"}, instantiate=True),
            user_task("work"),
            end("e"),
            chain("placed", "work", "e"),
        )
    )
    publish(run, "order-placed", '{"id": 4, "more": 1}')
    (instance_id,) = started(run)
    assert run.variables(instance_id) == {"order": "4"}
    assert run.active(instance_id) == ["work"]
    publish(run, "order-placed")
    assert len(started(run)) == 1
    run.complete_task("work")
    assert run.path(instance_id) == ["placed", "work", "e", "p"]
    run.assert_nothing_left()


def test_several_beginnings_are_alternatives_of_one_process(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            ORDER,
            PAYMENT,
            STOCK,
            start("plain"),
            start("s", message_event("stock")),
            receive_task("placed", "order", instantiate=True),
            receive_task("paid-first", "payment", instantiate=True),
            user_task("work"),
            chain("plain", "work"),
            chain("s", "work"),
            chain("placed", "work"),
            chain("paid-first", "work"),
        )
    )
    for name in ("order-placed", "paid", "reserved"):
        publish(run, name)
    run.start("p", "a")
    run.accept(c.StartInstance(process_id="p", instance_id="b", start_element="paid-first"))
    for instance_id in started(run):
        assert run.active(instance_id) == ["work"]
        run.complete_task("work")
    assert sorted(run.path(instance_id)[0] for instance_id in started(run)) == [
        "paid-first", "paid-first", "placed", "plain", "s",
    ]  # fmt: skip


def test_what_begins_by_a_message_is_not_begun_without_one(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            ORDER, receive_task("placed", "order", instantiate=True), user_task("work"),
            user_task("aside"), chain("placed", "work"),
        )
    )  # fmt: skip
    run.start("p")
    assert run.active() == ["aside"]
    publish(run, "order-placed")
    assert run.active(started(run)[1]) == ["work"]


def test_a_process_that_only_a_receive_task_begins_has_no_plain_start(scenario: Scenario) -> None:
    run = scenario(compiled(ORDER, receive_task("placed", "order", instantiate=True)))
    code, detail = run.reject(c.StartInstance(process_id="p", instance_id="a"))
    assert (code, "name a start_element" in detail) == ("INVALID_ARGUMENT", True)


def test_event_sub_processes_wait_beside_what_a_receive_task_began(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            ORDER,
            message("stop", "stop", key="=order"),
            receive_task("placed", "order", instantiate=True),
            user_task("work"),
            chain("placed", "work"),
            event_sub_process("on", start("stopped", message_event("stop"))),
        )
    )
    publish(run, "order-placed", '{"order": 7}')
    publish(run, "stop")
    assert run.path(started(run)[0]) == ["placed", "stopped", "on", "p"]
    run.assert_nothing_left()


# --- none start events before gateways ---


def after_none_start(scenario: Scenario, *, parallel: bool = False) -> Runner:
    return scenario(
        compiled(
            ORDER,
            PAYMENT,
            start("s"),
            event_gateway("first", instantiate=True, parallel=parallel),
            catch("placed", message_event("order")),
            receive_task("paid", "payment", outputs={"amount": "=sum"}),
            user_task("work"),
            chain("s", "first", "placed", "work"),
            chain("first", "paid", "work"),
        )
    )


def test_what_occurs_behind_a_gateway_passes_over_the_none_start_event_before_it(
    scenario: Scenario,
) -> None:
    run = after_none_start(scenario)
    publish(run, "paid", '{"sum": 5}')
    publish(run, "order-placed")
    (instance_id,) = started(run)
    assert (run.path(instance_id), run.active(instance_id)) == (["first", "paid"], ["work"])
    assert run.variables(instance_id) == {"amount": "5"}
    run.complete_task("work")
    run.assert_nothing_left()


def test_a_plain_start_waits_at_the_gateway_for_messages_without_a_key(scenario: Scenario) -> None:
    run = after_none_start(scenario)
    run.start("p")
    assert sorted(run.waiting()) == [("paid", "message"), ("placed", "message")]
    publish(run, "paid", '{"sum": 5}', key="")
    assert started(run) == ["a"]
    assert (run.path(), run.active()) == (["s", "first", "paid"], ["work"])
    assert run.variables() == {"amount": "5"}
    publish(run, "paid")
    assert len(started(run)) == 2
    for _ in run.tasks():
        run.complete_task("work")
    run.assert_nothing_left()


def test_a_plain_start_waits_for_all_events_behind_a_parallel_gateway(scenario: Scenario) -> None:
    run = after_none_start(scenario, parallel=True)
    run.start("p")
    assert sorted(run.waiting()) == [("paid", "message"), ("placed", "message")]
    publish(run, "order-placed", key="")
    assert sorted(run.active()) == ["paid", "work"]
    publish(run, "paid", '{"sum": 5}', key="")
    assert started(run) == ["a"]
    for _ in range(2):
        run.complete_task("work")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_messages_of_a_key_start_another_behind_a_parallel_gateway(scenario: Scenario) -> None:
    run = after_none_start(scenario, parallel=True)
    run.start("p")
    publish(run, "order-placed")
    publish(run, "paid", '{"sum": 5}')
    _, other = started(run)
    assert sorted(run.waiting()) == [("paid", "message"), ("placed", "message")]
    assert run.active(other) == ["work", "work"]


# --- exclusive gateways ---


def alternatives(scenario: Scenario) -> Runner:
    return scenario(
        compiled(
            ORDER,
            PAYMENT,
            GO,
            event_gateway("first", instantiate=True),
            catch("placed", message_event("order"), outputs={"order": "=id"}),
            receive_task("paid", "payment"),
            catch("called", signal_event("go")),
            user_task("work"),
            chain("first", "placed", "work"),
            chain("first", "paid", "work"),
            chain("first", "called", "work"),
        )
    )


def test_the_first_event_behind_a_gateway_starts_the_process(scenario: Scenario) -> None:
    run = alternatives(scenario)
    publish(run, "order-placed", '{"id": 4, "more": 1}')
    publish(run, "paid", '{"amount": 5}', key="8")
    run.accept(c.BroadcastSignal(name="go!"))
    placed, paid, called = started(run)
    assert run.variables(placed) == {"order": "4"}
    assert run.variables(paid) == {"amount": "5"}
    for instance_id, path in ((placed, "placed"), (paid, "paid"), (called, "called")):
        assert run.active(instance_id) == ["work"]
        assert run.path(instance_id) == ["first", path]
        run.complete_task("work")
        assert run.state(instance_id) is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_key_has_one_instance_whichever_event_started_it(scenario: Scenario) -> None:
    run = alternatives(scenario)
    publish(run, "order-placed")
    publish(run, "paid", '{"late": 1}', ttl_ms=HOUR)
    publish(run, "order-placed")
    (first,) = started(run)
    run.complete_task("work")
    assert run.state(first) is InstanceState.COMPLETED
    second = started(run)[1]
    assert run.path(second) == ["first", "paid"]
    assert run.variables(second) == {"late": "1"}
    run.complete_task("work")
    run.elapse(HOUR)
    assert len(started(run)) == 2
    run.assert_nothing_left()


def test_without_a_key_each_event_behind_a_gateway_starts_its_instance(scenario: Scenario) -> None:
    run = alternatives(scenario)
    for name in ("order-placed", "paid", "order-placed"):
        publish(run, name, key="")
    assert len(started(run)) == 3
    assert conversations(run) == []


def test_a_timer_behind_a_gateway_starts_the_process(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            ORDER,
            event_gateway("first", instantiate=True),
            catch("placed", message_event("order")),
            catch("daily", timer(cycle="R/PT24H")),
            user_task("work"),
            chain("first", "placed", "work"),
            chain("first", "daily", "work"),
        )
    )
    run.internal(c.StartByTimer(instance_id="t", process_id="p", version=1, start_element="daily"))
    assert run.path("t") == ["first", "daily"]
    assert run.active("t") == ["work"]


# --- parallel gateways ---

NAMES = ("order-placed", "paid", "reserved")


def all_of_three(scenario: Scenario) -> Runner:
    return scenario(
        compiled(
            ORDER,
            PAYMENT,
            STOCK,
            event_gateway("all", instantiate=True, parallel=True),
            catch("placed", message_event("order"), outputs={"order": "=id"}),
            receive_task("paid", "payment", outputs={"amount": "=id"}),
            catch("reserved", message_event("stock"), outputs={"place": "=id"}),
            user_task("work"),
            chain("all", "placed", "work"),
            chain("all", "paid"),
            chain("all", "reserved"),
        )
    )


@pytest.mark.parametrize("order", [NAMES, NAMES[::-1], (NAMES[1], NAMES[0], NAMES[2])])
def test_all_events_behind_a_parallel_gateway_occur_in_one_instance(
    scenario: Scenario, order: tuple[str, ...]
) -> None:
    run = all_of_three(scenario)
    for number, name in enumerate(order):
        publish(run, name, f'{{"id": {number}}}')
        publish(run, name, '{"id": "again"}')
    (instance_id,) = started(run)
    assert subscriptions(run) == []
    values = {name: str(number) for number, name in enumerate(order)}
    assert run.variables(instance_id) == {
        "order": values["order-placed"],
        "amount": values["paid"],
        "place": values["reserved"],
    }
    assert run.active(instance_id) == ["work"]
    run.complete_task("work")
    assert run.state(instance_id) is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_instance_behind_a_parallel_gateway_ends_only_with_the_last_event(
    scenario: Scenario,
) -> None:
    run = all_of_three(scenario)
    publish(run, "order-placed")
    (instance_id,) = started(run)
    run.complete_task("work")
    assert sorted(run.waiting(instance_id)) == [("paid", "message"), ("reserved", "message")]
    assert sorted(subscriptions(run)) == [("paid", "7"), ("reserved", "7")]
    publish(run, "reserved")
    assert run.state(instance_id) is InstanceState.RUNNING
    publish(run, "paid")
    assert run.state(instance_id) is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_messages_that_come_at_once_start_one_instance_for_each_key(scenario: Scenario) -> None:
    run = all_of_three(scenario)
    for key in ("1", "2", "3", "4"):
        for name in NAMES:
            run.post(c.PublishMessage(name=name, correlation_key=key, variables=f'{{"id": {key}}}'))
    run.settle()
    assert len(started(run)) == 4
    for instance_id in started(run):
        assert run.active(instance_id) == ["work"]
        values = set(run.variables(instance_id).values())
        assert len(values) == 1
        assert len(run.variables(instance_id)) == 3
    for _ in range(4):
        run.complete_task("work")
    assert {run.state(instance_id) for instance_id in started(run)} == {InstanceState.COMPLETED}
    run.assert_nothing_left()


def test_messages_without_a_key_belong_together_until_all_have_come(scenario: Scenario) -> None:
    run = all_of_three(scenario)
    for name in NAMES:
        run.post(c.PublishMessage(name=name, correlation_key="", variables='{"id": 1}'))
    run.settle()
    (first,) = started(run)
    assert run.active(first) == ["work"]
    assert conversations(run) == []
    for name in NAMES:
        publish(run, name, '{"id": 2}', key="")
    second = started(run)[1]
    assert run.active(first) == run.active(second) == ["work"]
    assert run.variables(second) == {"order": "2", "amount": "2", "place": "2"}


def test_messages_that_wait_for_their_key_make_the_next_instance(scenario: Scenario) -> None:
    run = all_of_three(scenario)
    for round_ in (1, 2):
        for name in NAMES:
            publish(run, name, f'{{"id": {round_}}}', ttl_ms=HOUR)
    (first,) = started(run)
    run.complete_task("work")
    assert run.state(first) is InstanceState.COMPLETED
    second = started(run)[1]
    assert run.variables(second) == {"order": "2", "amount": "2", "place": "2"}
    run.complete_task("work")
    run.elapse(HOUR)
    assert len(started(run)) == 2
    run.assert_nothing_left()


@pytest.mark.parametrize("key", ["7", ""])
def test_an_instance_that_is_ended_early_leaves_its_key_to_the_next(
    scenario: Scenario, key: str
) -> None:
    run = all_of_three(scenario)
    publish(run, "paid", key=key)
    publish(run, "paid", key=key, ttl_ms=HOUR)
    (first,) = started(run)
    run.accept(c.TerminateInstance(instance_id=first))
    second = started(run)[1]
    assert sorted(run.active(second)) == ["placed", "reserved"]
    for name in ("order-placed", "reserved"):
        publish(run, name, key=key)
    assert run.active(second) == ["work"]


def test_a_gateway_that_an_event_sub_process_interrupts_lets_its_messages_go(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            ORDER,
            PAYMENT,
            message("stop", "stop", key='="x"'),
            event_gateway("all", instantiate=True, parallel=True),
            catch("placed", message_event("order")),
            catch("paid", message_event("payment")),
            chain("all", "placed"),
            chain("all", "paid"),
            event_sub_process(
                "on", start("stopped", message_event("stop")), user_task("why"),
                chain("stopped", "why"),
            ),
        )
    )  # fmt: skip
    publish(run, "order-placed", key="")
    publish(run, "stop", key="x")
    (first,) = started(run)
    assert run.active(first) == ["on", "why"]
    publish(run, "order-placed", key="")
    assert len(started(run)) == 2
    publish(run, "paid", key="")
    assert run.state(started(run)[1]) is InstanceState.COMPLETED


def test_a_client_cannot_begin_behind_a_parallel_gateway(scenario: Scenario) -> None:
    run = all_of_three(scenario)
    code, detail = run.reject(
        c.StartInstance(process_id="p", instance_id="a", start_element="paid")
    )
    assert (code, "publish its message" in detail) == ("INVALID_ARGUMENT", True)


# --- start events that need several triggers ---


def needing(scenario: Scenario, trigger: str, **outputs: str) -> Runner:
    event = together(start("s", trigger, outputs=outputs))
    return scenario(
        compiled(ORDER, PAYMENT, STOCK, GO, event, user_task("work"), chain("s", "work"))
    )


THREE = message_event("order") + message_event("payment") + message_event("stock")


@pytest.mark.parametrize("key", ["7", ""])
@pytest.mark.parametrize("order", [NAMES, NAMES[::-1]])
def test_a_start_event_waits_for_all_that_it_needs(
    scenario: Scenario, order: tuple[str, ...], key: str
) -> None:
    run = needing(scenario, THREE, sum="=paid + reserved")
    for number, name in enumerate(order, start=1):
        publish(run, name, f'{{"{name.partition("-")[0]}": {number}}}', key=key)
        publish(run, name, key=key) if number < 3 else None
        (instance_id,) = started(run)
        assert run.active(instance_id) == (["s"] if number < 3 else ["work"])
    expected = order.index("paid") + order.index("reserved") + 2
    assert run.variables(instance_id) == {"sum": str(expected)}
    assert subscriptions(run) == []
    publish(run, order[0], key=key)
    assert len(started(run)) == (1 if key else 2)


def test_triggers_that_come_at_once_start_one_instance(scenario: Scenario) -> None:
    run = needing(scenario, THREE + signal_event("go"))
    for _ in range(2):
        for name in NAMES:
            run.post(c.PublishMessage(name=name, correlation_key=""))
        run.post(c.BroadcastSignal(name="go!"))
    run.settle()
    assert run.active(started(run)[0]) == ["work"]
    assert len(started(run)) <= 2


@pytest.mark.parametrize("first", ["message", "signal", "timer"])
def test_whatever_comes_first_starts_the_instance_that_waits_for_the_rest(
    scenario: Scenario, first: str
) -> None:
    run = needing(scenario, message_event("order") + signal_event("go") + timer(duration="PT1H"))
    occurrences = {
        "message": lambda: publish(run, "order-placed", '{"id": 4}', key=""),
        "signal": lambda: run.accept(c.BroadcastSignal(name="go!", variables='{"by": 5}')),
        "timer": lambda: (
            run.elapse(HOUR)
            if started(run)
            else run.internal(
                c.StartByTimer(
                    instance_id="t", process_id="p", version=1, start_element="s", part=2,
                    conversation="",
                )
            )
        ),
    }  # fmt: skip
    order = [first, *(kind for kind in occurrences if kind != first)]
    for kind in order:
        occurrences[kind]()
        (instance_id,) = started(run)
        assert run.active(instance_id) == (["work"] if kind == order[-1] else ["s"])
    assert run.variables(instance_id) == {"id": "4", "by": "5"}
    assert [state.holder for state in conversations(run)] == [""]
    run.complete_task("work")
    assert run.state(instance_id) is InstanceState.COMPLETED
    assert subscriptions(run) == []


def test_a_timer_that_was_due_for_the_last_instance_starts_no_other(scenario: Scenario) -> None:
    run = needing(scenario, message_event("order") + timer(cycle="R/PT1H"))

    def tick(instance_id: str, due_ms: int) -> None:
        run.internal(
            c.StartByTimer(
                instance_id=instance_id, process_id="p", version=1, start_element="s", part=1,
                due_ms=due_ms, conversation="",
            )
        )  # fmt: skip

    publish(run, "order-placed", key="")
    run.elapse(HOUR)
    (first,) = started(run)
    assert run.active(first) == ["work"]
    tick("t", run.now)
    assert started(run) == [first]
    run.now += HOUR
    tick("u", run.now)
    assert started(run) == [first, "u"]
    assert run.waiting("u") == [("s", "message")]


def test_a_signal_that_comes_again_starts_no_second_instance_while_one_waits(
    scenario: Scenario,
) -> None:
    run = needing(scenario, message_event("order") + signal_event("go"))
    run.accept(c.BroadcastSignal(name="go!"))
    run.accept(c.BroadcastSignal(name="go!"))
    (first,) = started(run)
    publish(run, "order-placed", key="")
    assert run.active(first) == ["work"]
    run.accept(c.BroadcastSignal(name="go!"))
    assert len(started(run)) == 2


def test_a_signal_reaches_the_instances_of_all_keys(scenario: Scenario) -> None:
    run = needing(scenario, message_event("order") + signal_event("go"))
    publish(run, "order-placed", key="7")
    publish(run, "order-placed", key="8")
    run.accept(c.BroadcastSignal(name="go!"))
    first, second, without = started(run)
    assert run.active(first) == run.active(second) == ["work"]
    assert run.waiting(without) == [("s", "message")]


def test_a_start_event_that_is_named_needs_nothing_else(scenario: Scenario) -> None:
    run = needing(scenario, THREE)
    run.accept(c.StartInstance(process_id="p", instance_id="a", start_element="s"))
    assert run.active() == ["work"]


def test_a_timer_that_has_no_instant_left_is_an_incident_and_the_rest_suffices(
    scenario: Scenario,
) -> None:
    never = timer(cycle="R0/PT1H")
    run = needing(scenario, message_event("order") + never)
    publish(run, "order-placed")
    (instance_id,) = started(run)
    incident = run.incident(instance_id)
    assert (incident.kind, incident.element_id) == ("EXPRESSION_FAILED", "s")
    run.resolve(instance_id)
    assert run.active(instance_id) == ["work"]


def test_conditions_are_among_what_a_start_event_needs(scenario: Scenario) -> None:
    run = needing(scenario, message_event("order") + conditional_event("=n > 1"))
    run.accept(c.EvaluateConditions(variables='{"n": 1}'))
    assert started(run) == []
    run.accept(c.EvaluateConditions(variables='{"n": 2, "first": true}'))
    run.accept(c.EvaluateConditions(variables='{"n": 3}'))
    (first,) = started(run)
    assert run.waiting(first) == [("s", "message")]
    publish(run, "order-placed", '{"id": 4}', key="")
    assert run.active(first) == ["work"]
    assert run.variables(first) == {"n": "2", "first": "true", "id": "4"}


@pytest.mark.parametrize("how", ["conditions are asked", "variables are set", "with the message"])
def test_a_condition_of_an_instance_that_waits_is_its_own(scenario: Scenario, how: str) -> None:
    run = needing(scenario, message_event("order") + conditional_event("=n > 1"))
    publish(run, "order-placed", '{"n": 2}' if how == "with the message" else "{}", key="")
    (first,) = started(run)
    if how == "conditions are asked":
        assert run.waiting(first) == [("s", "condition")]
        run.accept(c.EvaluateConditions(variables='{"n": 2}'))
    elif how == "variables are set":
        run.accept(c.SetVariables(instance_id=first, variables='{"n": 2}'))
    assert started(run) == [first]
    assert run.active(first) == ["work"]
    assert run.variables(first) == {"n": "2"}


def test_a_condition_behind_a_gateway_starts_the_process(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            ORDER,
            event_gateway("first", instantiate=True),
            catch("placed", message_event("order")),
            catch("hot", conditional_event("=n > 1")),
            user_task("work"),
            chain("first", "placed", "work"),
            chain("first", "hot", "work"),
        )
    )
    run.accept(c.EvaluateConditions(variables='{"n": 2}'))
    (first,) = started(run)
    assert run.path(first) == ["first", "hot"]
    assert run.variables(first) == {"n": "2"}


@pytest.mark.parametrize("own", ["", 'camunda:asyncBefore="true"', 'flowable:async="true"'])
def test_models_without_keys_wait_by_the_key_that_started_them(
    scenario: Scenario, own: str
) -> None:
    gateway = event_gateway("all", instantiate=True, parallel=True)
    run = scenario(
        vendor_model(
            tag("message", id="order", name="order-placed"),
            tag("message", id="payment", name="paid"),
            gateway.replace(" id=", f" {own} id=", 1),
            catch("placed", message_event("order")),
            receive_task("paid", "payment"),
            chain("all", "placed"),
            chain("all", "paid"),
        )
    )
    publish(run, "paid", key="8")
    publish(run, "order-placed", key="7")
    first, second = started(run)
    publish(run, "order-placed", key="8")
    assert run.state(first) is InstanceState.COMPLETED
    assert run.waiting(second) == [("paid", "message")]
    assert subscriptions(run) == [("paid", "7")]


def test_a_signal_that_an_instance_throws_while_it_waits_for_it_counts_once(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            ORDER,
            GO,
            message("ask", "ask", key='="x"'),
            together(start("s", message_event("order") + signal_event("go"))),
            user_task("work"),
            chain("s", "work"),
            event_sub_process(
                "on",
                start("asked", message_event("ask"), interrupting=False),
                throw("call", signal_event("go")),
                chain("asked", "call"),
            ),
        )
    )
    publish(run, "order-placed", key="")
    publish(run, "ask", key="x")
    (first,) = started(run)
    assert run.active(first) == ["work"]


def test_a_version_that_starts_otherwise_leaves_those_that_wait_their_signals(
    scenario: Scenario,
) -> None:
    run = needing(scenario, message_event("order") + signal_event("go"))
    publish(run, "order-placed", key="")
    run.deploy(compiled(start("s"), process_id="p"))
    (first,) = started(run)
    run.accept(c.BroadcastSignal(name="go!"))
    assert run.active(first) == ["work"]
