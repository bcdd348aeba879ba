"""Sequence flows and gateways: where they part, where they meet, and loops."""

import pytest

from engine.commands import StartInstance
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compensation,
    compiled,
    end,
    event_sub_process,
    exclusive,
    flow,
    for_compensation,
    parallel,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    timer,
    user_task,
)


def test_a_process_without_waits_completes_in_its_start(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), task("t"), end("e"), chain("s", "t", "e")))
    run.start("p", variables='{"n": 1.0}')
    assert run.state() is InstanceState.COMPLETED
    assert run.path() == ["s", "t", "e", "p"]
    assert run.result() == '{"n":1}'
    run.assert_nothing_left()


def test_several_unconditional_flows_fork_and_the_process_waits_for_all(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task("one"),
            service_task("two"),
            end("e"),
            chain("s", "one", "e"),
            chain("s", "two", "e"),
        )
    )
    run.start("p")
    run.complete("two")
    assert run.active() == ["one"]
    run.complete("one")
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("e") == 2
    run.assert_nothing_left()


def test_an_activity_runs_once_for_each_arrival(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            service_task("work"),
            end("e"),
            chain("s", "fork"),
            flow("fork", "work", flow_id="first"),
            flow("fork", "work", flow_id="second"),
            chain("work", "e"),
        )
    )
    run.start("p")
    assert len(run.jobs("work")) == 2
    run.complete("work")
    assert run.active() == ["work"]
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED


def test_an_exclusive_gateway_takes_the_first_true_flow_in_document_order(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            exclusive("choice", default="otherwise"),
            task("small"),
            task("large"),
            task("other"),
            end("e"),
            flow("s", "choice"),
            flow("choice", "other", flow_id="otherwise"),
            flow("choice", "small", condition="=amount < 10"),
            flow("choice", "large", condition="=amount < 1000"),
            chain("small", "e"),
            chain("large", "e"),
            chain("other", "e"),
        )
    )
    for instance_id, amount, taken in (("a", 5, "small"), ("b", 50, "large"), ("c", 5000, "other")):
        run.start("p", instance_id, f'{{"amount": {amount}}}')
        assert run.path(instance_id)[2] == taken


def test_an_exclusive_gateway_merges_by_passing_each_arrival_through(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            exclusive("merge"),
            task("t"),
            end("e"),
            flow("s", "fork"),
            flow("fork", "merge", flow_id="first"),
            flow("fork", "merge", flow_id="second"),
            chain("merge", "t", "e"),
        )
    )
    run.start("p")
    assert run.path().count("t") == 2
    assert run.state() is InstanceState.COMPLETED


def test_every_true_conditional_flow_of_an_activity_is_taken(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            task("t", default="none"),
            task("even"),
            task("large"),
            task("neither"),
            end("e"),
            flow("s", "t"),
            flow("t", "even", condition="=modulo(n, 2) = 0"),
            flow("t", "large", condition="=n > 100"),
            flow("t", "neither", flow_id="none"),
            chain("even", "e"),
            chain("large", "e"),
            chain("neither", "e"),
        )
    )
    run.start("p", "both", '{"n": 102}')
    run.start("p", "one", '{"n": 2}')
    run.start("p", "none", '{"n": 3}')
    assert {"even", "large"} <= set(run.path("both"))
    assert "neither" not in run.path("both")
    assert [item for item in run.path("one") if item in {"even", "large", "neither"}] == ["even"]
    assert "neither" in run.path("none")


def test_unconditional_flows_are_taken_beside_true_ones(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            task("t"),
            task("always"),
            task("sometimes"),
            flow("s", "t"),
            flow("t", "always"),
            flow("t", "sometimes", condition="=n > 1"),
        )
    )
    run.start("p", "a", '{"n": 1}')
    run.start("p", "b", '{"n": 2}')
    assert "sometimes" not in run.path("a")
    assert sorted(run.path("b")) == ["always", "p", "s", "sometimes", "t"]


def test_a_parallel_join_waits_for_each_incoming_flow(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            service_task("one"),
            service_task("two"),
            parallel("join"),
            service_task("after"),
            end("e"),
            chain("s", "fork", "one", "join", "after", "e"),
            chain("fork", "two", "join"),
        )
    )
    run.start("p")
    run.complete("one")
    assert run.jobs("after") == []
    assert run.living().arrivals == {run.living().root: {"one-join": 1}}
    run.complete("two")
    assert len(run.jobs("after")) == 1
    run.complete("after")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_second_arrival_on_one_flow_waits_for_the_next_round_of_a_join(
    scenario: Scenario,
) -> None:
    """The worked example at the parallel join: f arrives twice before g does."""
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            service_task("f"),
            service_task("g"),
            parallel("join"),
            service_task("after"),
            flow("s", "fork"),
            flow("fork", "f", flow_id="f1"),
            flow("fork", "f", flow_id="f2"),
            flow("fork", "g", flow_id="g1"),
            flow("fork", "g", flow_id="g2"),
            flow("f", "join"),
            flow("g", "join"),
            flow("join", "after"),
        )
    )
    run.start("p")
    run.complete("f")
    run.complete("f")
    assert run.jobs("after") == []
    run.complete("g")
    assert len(run.jobs("after")) == 1
    assert run.living().arrivals == {run.living().root: {"f-join": 1}}
    run.complete("g")
    assert len(run.jobs("after")) == 2
    run.complete("after")
    run.complete("after")
    assert run.state() is InstanceState.COMPLETED


def test_a_loop_runs_until_its_condition_ends_it(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            exclusive("again"),
            script_task("count", "=n + 1", result="n"),
            exclusive("enough", default="more"),
            end("e"),
            chain("s", "again", "count", "enough"),
            flow("enough", "e", condition="=n >= 25"),
            flow("enough", "again", flow_id="more"),
        )
    )
    run.start("p", variables='{"n": 0}')
    assert run.result() == '{"n":25}'
    assert run.path().count("count") == 25


def test_a_process_without_start_events_begins_where_nothing_leads_to(
    scenario: Scenario,
) -> None:
    run = scenario(compiled(task("one"), task("two"), task("three"), chain("one", "three")))
    run.start("p")
    assert sorted(run.path()) == ["one", "p", "three", "two"]


def test_a_start_names_the_start_event_to_begin_at(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            start("other", timer(date="2030-01-01T00:00:00Z")),
            task("one"),
            task("two"),
            chain("s", "one"),
            chain("other", "two"),
        )
    )
    run.accept(StartInstance(process_id="p", instance_id="a", start_element="other"))
    assert run.path() == ["other", "two", "p"]


def test_a_deep_nest_of_scopes_does_not_grow_the_stack(scenario: Scenario) -> None:
    inner = task("t")
    for level in range(60):
        inner = sub_process(f"level{level}", inner)
    run = scenario(compiled(start("s"), inner, chain("s", "level59")))
    run.start("p")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_condition_behind_an_event_is_asked_as_behind_an_activity(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        *(end(name) for name in ("large", "always")),
        flow("s", "large", condition="=n > 10"),
        flow("s", "always"),
    )
    for number, path in ((5, ["s", "always", "p"]), (50, ["s", "large", "always", "p"])):
        run = scenario(model)
        run.start("p", variables=f'{{"n": {number}}}')
        assert run.path() == path


def test_an_activity_without_a_true_flow_or_a_default_is_stuck_until_that_is_resolved(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(start("s"), task("t"), end("e"), flow("s", "t"), flow("t", "e", condition="=ok"))
    )
    run.start("p", variables='{"ok": false}')
    assert run.incident().kind == "NO_FLOW_CHOSEN"
    run.resolve(variables='{"ok": true}')
    assert run.path() == ["s", "t", "e", "p"]


def test_an_element_without_an_outgoing_flow_ends_its_branch(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), parallel("fork"), task("one"), service_task("two"),
                            chain("s", "fork", "one"), chain("fork", "two")))  # fmt: skip
    run.start("p")
    assert run.path() == ["s", "fork", "one"]
    run.complete("two")
    assert run.path() == ["s", "fork", "one", "two", "p"]
    run.assert_nothing_left()


@pytest.mark.parametrize("inner", [False, True])
def test_where_nothing_starts_a_scope_what_only_events_begin_does_not_begin(
    scenario: Scenario, *, inner: bool
) -> None:
    """BPMN 13.4.2: each element without incoming flows, but not handlers and boundary events."""
    parts = (
        user_task("work"),
        boundary("late", "work", timer(duration="PT1H")),
        task("after-late"),
        flow("late", "after-late"),
        for_compensation(task("undo")),
        compensation("work", "undo"),
        event_sub_process("on", start("told", timer(duration="PT9H")), task("note"),
                          chain("told", "note")),
    )  # fmt: skip
    run = scenario(compiled(*((sub_process("sub", *parts),) if inner else parts)))
    run.start("p")
    assert run.active() == (["sub", "work"] if inner else ["work"])
    run.complete_task("work")
    assert run.path() == (["work", "sub", "p"] if inner else ["work", "p"])
    run.assert_nothing_left()
