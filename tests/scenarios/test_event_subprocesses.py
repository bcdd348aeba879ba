"""Event sub-processes: what begins them, what they end, and how long their scope waits for them."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compiled,
    end,
    error,
    error_event,
    event_sub_process,
    flow,
    message,
    message_event,
    parallel,
    service_task,
    start,
    sub_process,
    task,
    timer,
)
from tests.support.runner import Runner, subscriptions

HOUR = 3_600_000
NEWS = message("m", "news", key="=order")


def publish(run: Runner, variables: str = "{}", *, name: str = "news") -> None:
    run.accept(c.PublishMessage(name=name, correlation_key="7", variables=variables))


def handled(trigger: str, *, interrupting: bool = True, **fields: dict[str, str]) -> str:
    return event_sub_process(
        "on",
        start("began", trigger, interrupting=interrupting, **fields),
        service_task("handle"),
        end("done"),
        chain("began", "handle", "done"),
    )


def working(scenario: Scenario, handler: str) -> Runner:
    run = scenario(
        compiled(NEWS, start("s"), service_task("work"), end("e"), chain("s", "work", "e"), handler)
    )
    run.start("p", variables='{"order": 7}')
    return run


def test_an_interrupting_message_takes_the_place_of_its_scope(scenario: Scenario) -> None:
    run = working(scenario, handled(message_event("m")))
    publish(run, '{"why": "late"}')
    assert run.active() == ["on", "handle"]
    assert run.jobs("work") == []
    assert subscriptions(run) == []
    run.complete("handle")
    assert run.path() == ["s", "began", "handle", "done", "on", "p"]
    assert run.result() == '{"order":7,"why":"late"}'
    run.assert_nothing_left()


def test_non_interrupting_messages_run_beside_the_scope_any_number_at_a_time(
    scenario: Scenario,
) -> None:
    run = working(scenario, handled(message_event("m"), interrupting=False))
    for _ in range(3):
        publish(run)
    assert len(run.jobs("handle")) == 3
    run.complete("work")
    assert run.state() is InstanceState.RUNNING
    for _ in range(3):
        run.complete("handle")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_scope_that_has_ended_its_own_still_begins_handlers_while_one_runs(
    scenario: Scenario,
) -> None:
    run = working(scenario, handled(message_event("m"), interrupting=False))
    publish(run)
    run.complete("work")
    publish(run)
    assert len(run.jobs("handle")) == 2
    run.complete("handle")
    run.complete("handle")
    publish(run)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


@pytest.mark.parametrize("interrupting", [True, False])
def test_a_timer_begins_an_event_sub_process(scenario: Scenario, *, interrupting: bool) -> None:
    run = working(scenario, handled(timer(duration="PT1H"), interrupting=interrupting))
    run.elapse(HOUR)
    assert len(run.jobs("handle")) == 1
    assert len(run.jobs("work")) == (0 if interrupting else 1)
    run.elapse(HOUR)
    run.complete("handle")
    if not interrupting:
        run.complete("work")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_cycle_begins_one_each_time(scenario: Scenario) -> None:
    run = working(scenario, handled(timer(cycle="R3/PT1H"), interrupting=False))
    run.elapse(10 * HOUR)
    assert len(run.jobs("handle")) == 3
    run.complete("work")
    for _ in range(3):
        run.complete("handle")
    run.assert_nothing_left()


def test_a_timer_is_gone_with_its_scope(scenario: Scenario) -> None:
    run = working(scenario, handled(timer(duration="PT1H")))
    run.complete("work")
    run.elapse(HOUR)
    assert run.path() == ["s", "work", "e", "p"]
    run.assert_nothing_left()


def test_a_timer_that_is_due_at_once_meets_a_scope_that_has_begun(scenario: Scenario) -> None:
    run = working(scenario, handled(timer(duration="PT0S"), interrupting=False))
    run.fire_due()
    assert len(run.jobs("work")) == 1
    assert len(run.jobs("handle")) == 1


def throwing(*around: str, inner: str = "") -> tuple[str, ...]:
    return (
        error("low", "LOW"),
        start("s"),
        sub_process(
            "sub",
            start("i"),
            service_task("work"),
            end("ie"),
            chain("i", "work", "ie"),
            inner,
        ),
        end("e"),
        chain("s", "sub", "e"),
        *around,
    )


def throw_low(run: Runner, job_type: str = "work") -> None:
    job = run.job(job_type)
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code="LOW"))


def test_an_error_meets_the_event_sub_process_before_the_boundary_of_its_scope(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            *throwing(
                boundary("edge", "sub", error_event("low")),
                end("failed"),
                flow("edge", "failed"),
                inner=handled(error_event("low")),
            )
        )
    )
    run.start("p")
    throw_low(run)
    assert run.active() == ["sub", "on", "handle"]
    run.complete("handle")
    assert run.path() == ["s", "i", "began", "handle", "done", "on", "sub", "e", "p"]
    run.assert_nothing_left()


def test_an_error_thrown_by_a_handler_goes_on_outward(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            *throwing(
                boundary("edge", "sub", error_event("low")),
                end("failed"),
                flow("edge", "failed"),
                inner=handled(error_event()),
            )
        )
    )
    run.start("p")
    throw_low(run)
    throw_low(run, "handle")
    assert run.path() == ["s", "i", "began", "edge", "failed", "p"]
    run.assert_nothing_left()


def test_an_error_of_a_handler_that_interrupts_nothing_may_begin_one_that_does(
    scenario: Scenario,
) -> None:
    fix = event_sub_process(
        "fix", start("broken", error_event("low")), task("mend"), chain("broken", "mend")
    )
    run = scenario(
        compiled(
            NEWS,
            error("low", "LOW"),
            start("s"),
            service_task("work"),
            chain("s", "work"),
            handled(message_event("m"), interrupting=False),
            fix,
        )
    )
    run.start("p", variables='{"order": 7}')
    publish(run)
    publish(run)
    throw_low(run, "handle")
    assert run.path() == ["s", "began", "began", "broken", "mend", "fix", "p"]
    run.assert_nothing_left()


def test_an_exact_code_comes_before_an_event_that_catches_all(scenario: Scenario) -> None:
    every = event_sub_process("every", start("any", error_event()), end("x"), chain("any", "x"))
    run = scenario(compiled(*throwing(inner=every + handled(error_event("low")))))
    run.start("p")
    throw_low(run)
    assert "handle" in run.active()


def test_an_error_of_a_called_process_is_caught_around_the_call(scenario: Scenario) -> None:
    called = compiled(
        error("low", "LOW"),
        start("s"),
        end("bad", error_event("low")),
        chain("s", "bad"),
        process_id="called",
    )
    caller = compiled(
        error("low", "LOW"),
        start("s"),
        call_activity("call", "called"),
        chain("s", "call"),
        handled(error_event("low")),
    )
    run = scenario(called, caller)
    run.start("p")
    assert run.active() == ["on", "handle"]
    run.complete("handle")
    assert run.state() is InstanceState.COMPLETED


def test_boundary_events_of_the_scope_stay_armed_while_a_handler_runs(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            NEWS,
            message("stop", "stop", key="=order"),
            start("s"),
            sub_process(
                "sub",
                start("i"),
                service_task("work"),
                chain("i", "work"),
                handled(message_event("m")),
            ),
            boundary("edge", "sub", message_event("stop")),
            end("stopped"),
            chain("s", "sub"),
            chain("edge", "stopped"),
        )
    )
    run.start("p", variables='{"order": 7}')
    publish(run)
    assert run.active() == ["sub", "on", "handle"]
    publish(run, name="stop")
    assert run.path() == ["s", "i", "began", "edge", "stopped", "p"]
    run.assert_nothing_left()


def test_only_one_event_sub_process_interrupts_a_scope(scenario: Scenario) -> None:
    other = event_sub_process(
        "other", start("due", timer(duration="PT1H")), task("late"), chain("due", "late")
    )
    run = working(scenario, handled(message_event("m")) + other)
    publish(run)
    run.elapse(HOUR)
    assert run.active() == ["on", "handle"]
    run.complete("handle")
    run.assert_nothing_left()


def test_an_interruption_ends_handlers_and_arrivals_too(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            NEWS,
            start("s"),
            parallel("fork"),
            task("quick"),
            service_task("work"),
            parallel("join"),
            chain("s", "fork", "quick", "join"),
            chain("fork", "work", "join"),
            handled(timer(cycle="R/PT1M"), interrupting=False),
            event_sub_process(
                "last", start("over", message_event("m")), end("x"), chain("over", "x")
            ),
        )
    )
    run.start("p", variables='{"order": 7}')
    run.elapse(180_000)
    assert len(run.jobs("handle")) == 3
    publish(run)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_what_came_with_the_event_goes_through_the_outputs_of_its_start(
    scenario: Scenario,
) -> None:
    run = working(scenario, handled(message_event("m"), outputs={"reason": "=why"}))
    publish(run, '{"why": "late", "more": 1}')
    run.complete("handle")
    assert run.result() == '{"order":7}'


def test_event_sub_processes_nest(scenario: Scenario) -> None:
    inner = event_sub_process(
        "again", start("due", timer(duration="PT1H")), task("remind"), chain("due", "remind")
    )
    outer = event_sub_process(
        "on", start("began", message_event("m")), service_task("handle"), chain("began", "handle"),
        inner,
    )  # fmt: skip
    run = working(scenario, outer)
    publish(run)
    run.elapse(HOUR)
    assert run.path() == ["s", "began", "due", "remind", "again", "on", "p"]
    run.assert_nothing_left()


def test_an_event_that_cannot_be_armed_holds_its_scope_until_that_is_resolved(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            NEWS,
            start("s"),
            service_task("work"),
            chain("s", "work"),
            handled(timer(duration="PT1H"), interrupting=False),
            event_sub_process("other", start("n", message_event("m")), task("x"), chain("n", "x")),
        )
    )
    run.start("p")
    assert run.active() == []
    assert run.waiting() == [("p", "incident")]
    run.resolve(variables='{"order": 7}')
    assert run.active() == ["work"]
    assert sorted(run.waiting()) == [("began", "timer"), ("n", "message"), ("work", "job")]


def test_a_message_that_starts_the_process_is_seen_by_what_is_armed(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            NEWS,
            message("placed", "placed"),
            start("s", message_event("placed")),
            service_task("work"),
            chain("s", "work"),
            handled(message_event("m")),
        )
    )
    run.accept(c.PublishMessage(name="placed", variables='{"order": 7}'))
    assert subscriptions(run) == [("news", "7")]
    publish(run)
    run.complete("handle")
    run.assert_nothing_left()


def test_an_endless_loop_can_be_ended_from_outside(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            NEWS,
            start("s"),
            task("a"),
            task("b"),
            chain("s", "a", "b", "a"),
            handled(message_event("m")),
        ),
        settings=Settings(steps_max=50),
    )
    run.start("p", variables='{"order": 7}')
    assert run.incident().kind == "STEP_LIMIT"
    publish(run)
    assert run.active() == ["on", "handle"]
    run.complete("handle")
    run.assert_nothing_left()


def test_termination_ends_a_scope_with_its_handlers(scenario: Scenario) -> None:
    run = working(scenario, handled(message_event("m"), interrupting=False))
    publish(run)
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()
