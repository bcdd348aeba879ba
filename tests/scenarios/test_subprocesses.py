"""Embedded sub-processes and terminate end events: scopes of their own."""

from msgspec.structs import replace

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel, SubProcess
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled,
    end,
    message,
    message_event,
    parallel,
    service_task,
    start,
    sub_process,
    task,
    terminate_event,
    timer,
    user_task,
)


def test_a_sub_process_completes_when_nothing_in_it_is_left(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                service_task("one"),
                service_task("two"),
                chain("s2", "one"),
                chain("s2", "two"),
            ),
            task("after"),
            chain("s", "sub", "after"),
        )
    )
    run.start("p")
    run.complete("one")
    assert sorted(run.active()) == ["sub", "two"]
    run.complete("two")
    assert run.path() == ["s", "s2", "one", "two", "sub", "after", "p"]
    run.assert_nothing_left()


def test_a_sub_process_without_start_events_begins_where_nothing_leads_to(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process("sub", task("one"), task("two"), parallel("join"), chain("one", "join"),
                        chain("two", "join")),
            chain("s", "sub"),
        )
    )  # fmt: skip
    run.start("p")
    assert sorted(run.path()) == ["join", "one", "p", "s", "sub", "two"]


def test_a_sub_process_may_run_several_times_at_once(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            task("left"),
            task("right"),
            sub_process(
                "sub",
                start("s2"),
                parallel("fork2"),
                service_task("one"),
                service_task("two"),
                parallel("join2"),
                end("e2"),
                chain("s2", "fork2", "one", "join2", "e2"),
                chain("fork2", "two", "join2"),
            ),
            chain("s", "fork", "left", "sub"),
            chain("fork", "right", "sub"),
        )
    )
    run.start("p")
    assert len(run.jobs("one")) == 2
    run.complete("one")
    run.complete("one")
    assert "join2" not in run.path()  # one of each scope, and none of them has both
    run.complete("two")
    run.complete("two")
    assert run.path().count("sub") == 2
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_terminate_end_event_kills_its_own_scope_only(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                user_task("long"),
                service_task("short"),
                end("over", terminate_event()),
                chain("s2", "long"),
                chain("s2", "short", "over"),
            ),
            user_task("beside"),
            task("after"),
            chain("s", "sub", "after"),
            chain("s", "beside"),
        )
    )
    run.start("p")
    run.complete("short")
    assert run.active() == ["beside"]
    assert run.path()[-3:] == ["over", "sub", "after"]
    run.complete_task("beside")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_terminate_end_event_of_the_process_completes_it(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process("sub", start("s2"), user_task("deep"), chain("s2", "deep")),
            boundary("late", "sub", timer(duration="P1D")),
            service_task("work"),
            end("over", terminate_event()),
            chain("s", "sub"),
            chain("s", "work", "over"),
        )
    )
    run.start("p")
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_terminate_end_event_discards_what_waits_at_a_join(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                parallel("fork"),
                task("fast"),
                service_task("slow"),
                service_task("stop"),
                parallel("join"),
                end("over", terminate_event()),
                chain("fork", "fast", "join"),
                chain("fork", "slow", "join"),
                chain("fork", "stop", "over"),
                outputs={"x": "=y"},
            ),
            task("after"),
            chain("s", "sub", "after"),
        )
    )
    run.start("p")
    run.complete("stop")
    assert run.state() is InstanceState.COMPLETED
    assert "join" not in run.path()
    run.assert_nothing_left()


def test_terminating_an_instance_ends_every_scope_inner_ones_first(scenario: Scenario) -> None:
    model = compiled(
        message("m", "stop", key="=order"),
        start("s"),
        sub_process(
            "outer",
            start("s2"),
            sub_process(
                "inner",
                start("s3"),
                user_task("deep"),
                boundary("late", "deep", timer(duration="PT1H")),
                chain("s3", "deep"),
            ),
            boundary("note", "inner", message_event("m"), interrupting=False),
            chain("s2", "inner"),
        ),
        chain("s", "outer"),
    )
    run = scenario(model)
    run.start("p", variables='{"order": 1}')
    run.accept(c.TerminateInstance(instance_id="a", reason="not needed"))
    assert run.state() is InstanceState.TERMINATED
    ended = [event for event in run.events() if type(event).__name__ == "ElementTerminated"]
    assert len(ended) == 4  # deep, inner, outer, the process
    assert [effect.type for effect in run.effects()][-2:] == ["TaskCanceled", "InstanceTerminated"]
    run.assert_nothing_left()


def test_an_empty_sub_process_completes_at_once(scenario: Scenario) -> None:
    model = compiled(
        start("s"), sub_process("sub", task("t")), task("after"), chain("s", "sub", "after")
    )
    run = scenario(without_starts(model, "sub"))
    run.start("p")
    assert run.path() == ["s", "sub", "after", "p"]
    run.assert_nothing_left()


def without_starts(model: ProcessModel, element_id: str) -> ProcessModel:
    element = model.element(element_id)
    assert isinstance(element, SubProcess)
    elements = list(model.elements)
    elements[element.index] = replace(element, starts=())
    return replace(model, elements=tuple(elements))
