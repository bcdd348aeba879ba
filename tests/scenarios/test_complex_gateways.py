"""BPMN 13.4.5: complex gateways fire when a condition holds, and reset when no more can come."""

from engine import commands as c
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.findings import codes
from tests.support.models import (
    boundary,
    chain,
    compiled,
    complex_gateway,
    end,
    escalation,
    escalation_event,
    event_sub_process,
    exclusive,
    flow,
    inclusive,
    parallel,
    resource,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    timer,
)

HOUR = 3_600_000
NAMES = ("a", "b", "c")
TWO_OF_THREE = (
    start("s"),
    parallel("fork"),
    *(service_task(name) for name in NAMES),
    complex_gateway("join", "=activationCount >= 2"),
    task("after"),
    end("e"),
    chain("s", "fork"),
    *(chain("fork", name, "join") for name in NAMES),
    chain("join", "after", "e"),
)


def test_two_of_three_fire_the_gateway_and_the_third_resets_it(scenario: Scenario) -> None:
    run = scenario(compiled(*TWO_OF_THREE))
    run.start("p")
    run.complete("b")
    assert "after" not in run.path()
    run.complete("a")
    assert run.path().count("after") == 1
    assert run.active() == ["c", "join"]
    run.complete("c")
    assert run.path().count("after") == 1
    assert run.path()[-2:] == ["join", "p"]
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


BY_DATA = (
    start("s"),
    parallel("fork"),
    *(service_task(name) for name in NAMES),
    complex_gateway("join", "=activationCount >= enough"),
    task("after"),
    end("e"),
    chain("s", "fork"),
    *(chain("fork", name, "join") for name in NAMES),
    chain("join", "after", "e"),
)


def test_it_fires_when_a_variable_makes_its_condition_true(scenario: Scenario) -> None:
    run = scenario(compiled(*BY_DATA))
    run.start("p", variables='{"enough": 9}')
    run.complete("b")
    run.complete("a")
    assert "after" not in run.path()
    run.accept(c.SetVariables(instance_id="a", variables='{"enough": 3}'))
    assert "after" not in run.path()
    run.accept(c.SetVariables(instance_id="a", variables='{"enough": 2}'))
    assert run.path().count("after") == 1
    run.accept(c.SetVariables(instance_id="a", variables='{"enough": 0}'))
    assert run.path().count("after") == 1
    run.complete("c")
    run.assert_nothing_left()


def test_what_an_activity_gives_back_may_make_its_condition_true(scenario: Scenario) -> None:
    run = scenario(compiled(*BY_DATA))
    run.start("p", variables='{"enough": 9}')
    run.complete("b")
    run.complete("a", '{"enough": 1}')
    assert run.path().count("after") == 1
    run.complete("c")
    run.assert_nothing_left()


def test_a_condition_of_variables_that_fails_is_one_incident(scenario: Scenario) -> None:
    run = scenario(compiled(*BY_DATA))
    run.start("p", variables='{"enough": 2}')
    run.complete("b", '{"enough": "many"}')
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.accept(c.SetVariables(instance_id="a", variables='{"other": 1}'))
    run.accept(c.SetVariables(instance_id="a", variables='{"enough": 1}'))
    assert "after" not in run.path()
    run.resolve()
    assert run.path().count("after") == 1
    run.complete("a")
    run.complete("c")
    run.assert_nothing_left()


def test_a_branch_that_can_no_longer_come_resets_the_gateway(scenario: Scenario) -> None:
    model = compiled(
        *TWO_OF_THREE,
        boundary("late", "c", timer(duration="PT1H")),
        end("gone"),
        chain("late", "gone"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("b")
    run.elapse(HOUR)
    assert run.path().count("after") == 1
    assert run.state() is InstanceState.COMPLETED


def test_the_condition_sees_each_flow_and_variables(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        *(service_task(name) for name in NAMES),
        complex_gateway("join", "=from_a + from_b >= wanted and activationCounts.from_c = 0"),
        task("after"),
        end("e"),
        chain("s", "fork"),
        *(chain("fork", name) for name in NAMES),
        *(flow(name, "join", flow_id=f"from_{name}") for name in NAMES),
        chain("join", "after", "e"),
    )
    run = scenario(model)
    run.start("p", variables='{"wanted": 2}')
    run.complete("a")
    assert "after" not in run.path()
    run.complete("b")
    assert "after" in run.path()
    run.complete("c")
    assert run.state() is InstanceState.COMPLETED


def test_conditions_of_outgoing_flows_may_ask_which_phase_it_is(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        *(service_task(name) for name in NAMES),
        complex_gateway("join", "=activationCount >= 2"),
        task("first"),
        task("rest"),
        end("e"),
        chain("s", "fork"),
        *(chain("fork", name, "join") for name in NAMES),
        flow("join", "first", condition="=waitingForStart"),
        flow("join", "rest", condition="=not(waitingForStart)"),
        chain("first", "e"),
        chain("rest", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("b")
    assert "first" in run.path()
    assert "rest" not in run.path()
    run.complete("c")
    assert run.path().count("rest") == 1
    assert run.path().count("first") == 1
    assert run.state() is InstanceState.COMPLETED


def test_a_gateway_without_a_true_flow_is_stuck_until_resolved(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        service_task("a"),
        service_task("b"),
        complex_gateway("join", "=activationCount >= limit"),
        end("e"),
        chain("s", "fork", "a", "join"),
        chain("fork", "b", "join"),
        flow("join", "e", condition="=good"),
    )
    run = scenario(model)
    run.start("p", variables='{"good": false}')
    run.complete("a")
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"limit": 2}')
    run.complete("b")
    assert run.incident().kind == "NO_FLOW_CHOSEN"
    run.resolve(variables='{"good": true}')
    assert run.path().count("e") == 1


def test_a_second_wave_begins_a_cycle_of_its_own(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        exclusive("again"),
        parallel("fork"),
        service_task("a"),
        service_task("b"),
        complex_gateway("join", "=activationCount >= 1"),
        script_task("count", "=rounds + 1", result="rounds"),
        exclusive("check", default="out"),
        end("e"),
        chain("s", "again", "fork", "a", "join", "count", "check"),
        chain("fork", "b", "join"),
        flow("check", "e", flow_id="out"),
        flow("check", "again", condition="=rounds < 2"),
    )
    run = scenario(model)
    run.start("p", variables='{"rounds": 0}')
    run.complete("a")
    assert run.path().count("count") == 1
    while run.state() is InstanceState.RUNNING:
        jobs = run.jobs()
        assert jobs
        run.complete(jobs[0].type)
    assert run.path().count("count") >= 2
    run.assert_nothing_left()


def test_a_gateway_with_one_incoming_flow_is_an_inclusive_split(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        complex_gateway("split", default="split-c"),
        *(task(name) for name in NAMES),
        inclusive("join"),
        end("e"),
        chain("s", "split"),
        flow("split", "a", condition="=n > 1"),
        flow("split", "b", condition="=n > 2"),
        flow("split", "c"),
        *(chain(name, "join") for name in NAMES),
        chain("join", "e"),
    )
    run = scenario(model)
    run.start("p", variables='{"n": 3}')
    assert run.path().count("e") == 1
    assert "c" not in run.path()


def test_an_inclusive_join_waits_for_a_complex_one_that_may_still_fire(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        *(service_task(name) for name in NAMES),
        complex_gateway("some", "=activationCount >= 2"),
        inclusive("join"),
        end("e"),
        chain("s", "fork"),
        chain("fork", "a", "some"),
        chain("fork", "b", "some", "join"),
        chain("fork", "c", "join", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("c")
    run.complete("a")
    assert "join" not in run.path()
    run.complete("b")
    assert run.path().count("e") == 1
    assert run.state() is InstanceState.COMPLETED


def test_a_join_that_does_not_say_when_it_fires_is_an_error() -> None:
    made = resource(
        start("s"),
        parallel("fork"),
        complex_gateway("join"),
        end("e"),
        chain("s", "fork"),
        flow("fork", "join", flow_id="one"),
        flow("fork", "join", flow_id="two"),
        chain("join", "e"),
    )
    assert codes(made) == [("activation-condition-missing", "join")]


def test_what_arrived_twice_on_one_flow_waits_for_the_next_cycle(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        exclusive("merge"),
        service_task("slow"),
        complex_gateway("join", "=activationCount >= 1"),
        task("after"),
        end("e"),
        chain("s", "fork"),
        flow("fork", "merge", flow_id="one"),
        flow("fork", "merge", flow_id="two"),
        chain("fork", "slow", "join"),
        chain("merge", "join", "after", "e"),
    )
    run = scenario(model)
    run.start("p")
    assert run.path().count("after") == 1  # the second one is kept until the slow branch has come
    run.complete("slow")
    assert run.path().count("after") == 2
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_gateway_is_reset_though_the_transition_is_cut_after_its_last_branch_ended(
    scenario: Scenario,
) -> None:
    """What ends last in the scope of the gateway begins more elsewhere, which takes more steps."""
    run = scenario(
        compiled(
            escalation("late", "LATE"),
            start("s"),
            sub_process(
                "sub",
                start("i"),
                parallel("fork"),
                service_task("a"),
                service_task("b"),
                complex_gateway("join", "=activationCount >= 2"),
                end("tell", escalation_event("late")),
                chain("i", "fork", "a", "join", "tell"),
                chain("fork", "b", "join"),
            ),
            chain("s", "sub"),
            event_sub_process(
                "on",
                start("told", escalation_event("late"), interrupting=False),
                task("note"),
                chain("told", "note"),
            ),
        )
    )
    run.start("p")
    run.complete("a")
    run.complete("b")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()
