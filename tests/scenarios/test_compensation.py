"""BPMN 13.5.5: what completed is undone in reverse order, each once, with the data of its time."""

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.state import SweepWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compensate_event,
    compensation,
    compiled,
    end,
    error,
    error_event,
    event_sub_process,
    exclusive,
    flow,
    for_compensation,
    looped,
    multi_instance,
    parallel,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    throw,
    timer,
    undone_by_iteration,
    user_task,
)

HOUR = 3_600_000


def undoable(name: str) -> str:
    """A task with a handler that is a job of the type `un-<name>`."""
    return "\n".join(
        (
            service_task(name),
            for_compensation(service_task(f"un-{name}")),
            compensation(name, f"un-{name}"),
        )
    )


BOOKINGS = compiled(
    start("s"),
    *(undoable(name) for name in ("a", "b", "c")),
    throw("undo", compensate_event()),
    task("after"),
    end("e"),
    chain("s", "a", "b", "c", "undo", "after", "e"),
)


def test_handlers_run_in_reverse_order_and_the_throw_event_waits_for_them(
    scenario: Scenario,
) -> None:
    run = scenario(BOOKINGS)
    run.start("p")
    for name in ("a", "b", "c"):
        run.complete(name)
    for job in ("un-c", "un-b", "un-a"):
        assert run.active() == ["undo", job]
        run.complete(job)
    assert run.path()[-7:] == ["un-c", "un-b", "un-a", "undo", "after", "e", "p"]
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_handler_that_failed_runs_again_and_the_order_stays(scenario: Scenario) -> None:
    """A worker that dies in the second of three handlers: 3, 2, 2 again, 1."""
    run = scenario(BOOKINGS)
    run.start("p")
    for name in ("a", "b", "c"):
        run.complete(name)
    run.complete("un-c")
    job = run.job("un-b")
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt))
    assert run.job("un-b").variables == job.variables
    run.complete("un-b")
    run.complete("un-a")
    assert run.path().count("un-b") == 1
    assert run.state() is InstanceState.COMPLETED


def test_an_incident_in_a_handler_holds_the_sweep_until_it_is_resolved(
    scenario: Scenario,
) -> None:
    run = scenario(BOOKINGS)
    run.start("p")
    for name in ("a", "b", "c"):
        run.complete(name)
    job = run.job("un-c")
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, retries=0))
    assert run.jobs() == []
    run.resolve(retries=1)
    for name in ("un-c", "un-b", "un-a"):
        run.complete(name)
    assert run.state() is InstanceState.COMPLETED


def test_only_what_completed_is_undone(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        error("bad", "BAD"),
        *(undoable(name) for name in ("a", "b", "c")),
        boundary("failed", "c", error_event("bad")),
        throw("undo", compensate_event()),
        end("e"),
        end("given-up"),
        chain("s", "a", "b", "c", "e"),
        chain("failed", "undo", "given-up"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("b")
    job = run.job("c")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code="BAD"))
    run.complete("un-b")
    run.complete("un-a")
    assert "un-c" not in run.path()
    assert run.state() is InstanceState.COMPLETED


def test_without_anything_to_undo_the_throw_event_goes_on(scenario: Scenario) -> None:
    model = compiled(
        start("s"), throw("undo", compensate_event()), end("e"), chain("s", "undo", "e")
    )
    run = scenario(model)
    run.start("p")
    assert run.state() is InstanceState.COMPLETED


def test_a_compensation_end_event_waits_for_the_handlers(scenario: Scenario) -> None:
    model = compiled(start("s"), undoable("a"), end("undo", compensate_event()), chain("s", "a"),
                     chain("a", "undo"))  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("un-a")
    assert run.path() == ["s", "a", "un-a", "undo", "p"]


def test_each_completed_execution_is_undone_once(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        undoable("a"),
        throw("first", compensate_event()),
        throw("second", compensate_event()),
        end("e"),
        chain("s", "a", "first", "second", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("un-a")
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("un-a") == 1


def test_a_handler_sees_the_variables_of_its_activity_s_completion(scenario: Scenario) -> None:
    """Of one activity in a loop each execution has an entry, with the data that it had."""
    model = compiled(
        start("s"),
        exclusive("again"),
        undoable("book"),
        script_task("count", "=n + 1", result="n"),
        exclusive("check", default="back"),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "again", "book", "count", "check"),
        flow("check", "again", flow_id="back"),
        flow("check", "undo", condition="=n > 2"),
        chain("undo", "e"),
    )
    run = scenario(model)
    run.start("p", variables='{"n": 0}')
    for number in range(3):
        run.complete("book", f'{{"seat": {number + 10}}}')
    seen = []
    for _ in range(3):
        seen.append(run.job("un-book").variables)
        run.complete("un-book")
    assert seen == ['{"n":2,"seat":12}', '{"n":1,"seat":11}', '{"n":0,"seat":10}']
    assert run.state() is InstanceState.COMPLETED


def test_what_a_handler_gives_back_is_written_to_the_present(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        undoable("a"),
        script_task("change", '="changed"', result="seat"),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "a", "change", "undo", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a", '{"seat": "booked"}')
    assert run.job("un-a").variables == '{"seat":"booked"}'
    run.complete("un-a", '{"seat": "free"}')
    assert run.result() == '{"seat":"free"}'


def test_a_targeted_event_undoes_one_activity_alone(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        *(undoable(name) for name in ("a", "b")),
        throw("undo-one", compensate_event("a")),
        throw("undo-rest", compensate_event()),
        end("e"),
        chain("s", "a", "b", "undo-one", "undo-rest", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("b")
    assert run.active() == ["undo-one", "un-a"]
    run.complete("un-a")
    assert run.active() == ["undo-rest", "un-b"]
    run.complete("un-b")
    assert run.state() is InstanceState.COMPLETED


def test_an_event_that_does_not_wait_goes_on_and_the_scope_waits(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        *(undoable(name) for name in ("a", "b")),
        throw("undo", compensate_event(wait=False)),
        end("e"),
        chain("s", "a", "b", "undo", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("b")
    assert run.path()[-2:] == ["undo", "e"]
    assert run.active() == ["un-b"]
    run.complete("un-b")
    run.complete("un-a")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


NESTED = compiled(
    start("s"),
    undoable("before"),
    sub_process(
        "sub",
        start("is"),
        undoable("a"),
        undoable("b"),
        end("ie"),
        chain("is", "a", "b", "ie"),
        outputs={"done": "=true"},
    ),
    undoable("after"),
    throw("undo", compensate_event()),
    end("e"),
    chain("s", "before", "sub", "after", "undo", "e"),
)


def test_a_sub_process_without_a_handler_is_undone_by_its_inside_in_its_place(
    scenario: Scenario,
) -> None:
    run = scenario(NESTED)
    run.start("p")
    for job in ("before", "a", "b", "after"):
        run.complete(job)
    for job in ("un-after", "un-b", "un-a", "un-before"):
        assert run.active() == ["undo", job]
        run.complete(job)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_the_inside_of_a_sub_process_is_undone_by_naming_it(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        sub_process("sub", start("is"), undoable("a"), end("ie"), chain("is", "a", "ie")),
        undoable("other"),
        throw("undo", compensate_event("sub")),
        end("e"),
        chain("s", "sub", "other", "undo", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a", '{"seat": 1}')
    run.complete("other")
    assert run.job("un-a").variables == '{"seat":1}'
    run.complete("un-a")
    assert run.state() is InstanceState.COMPLETED
    assert "un-other" not in run.path()


def test_a_sub_process_with_a_handler_is_undone_by_it_and_not_by_its_inside(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        sub_process("sub", start("is"), undoable("a"), end("ie"), chain("is", "a", "ie")),
        for_compensation(
            sub_process("whole", start("ws"), service_task("w"), end("we"), chain("ws", "w", "we"))
        ),
        compensation("sub", "whole"),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "sub", "undo", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("w")
    assert "un-a" not in run.path()
    assert run.state() is InstanceState.COMPLETED


def test_a_sub_process_may_have_its_handler_inside_and_that_undo_the_rest(
    scenario: Scenario,
) -> None:
    """Its event sub-process sees the data of the sub-process as it completed."""
    model = compiled(
        start("s"),
        sub_process(
            "sub",
            start("is"),
            undoable("a"),
            undoable("b"),
            end("ie"),
            chain("is", "a", "b", "ie"),
            event_sub_process(
                "inner",
                start("es", compensate_event()),
                service_task("first"),
                throw("rest", compensate_event("a")),
                end("ee"),
                chain("es", "first", "rest", "ee"),
            ),
            inputs={"mine": "=seat"},
        ),
        undoable("other"),
        script_task("change", "=2", result="seat"),
        throw("undo", compensate_event("sub")),
        throw("undo-all", compensate_event()),
        end("e"),
        chain("s", "sub", "other", "change", "undo", "undo-all", "e"),
    )
    run = scenario(model)
    run.start("p", variables='{"seat": 1}')
    for job in ("a", "b", "other"):
        run.complete(job)
    assert run.active() == ["undo", "inner", "first"]
    assert run.job("first").variables == '{"seat":1,"mine":1}'
    run.complete("first")
    run.complete("un-a")
    assert run.active() == ["undo-all", "un-other"]  # b was left to the handler, which left it
    run.complete("un-other")
    assert run.state() is InstanceState.COMPLETED
    assert "un-b" not in run.path()
    run.assert_nothing_left()


def test_an_event_sub_process_undoes_what_completed_in_the_scope_around_it(
    scenario: Scenario,
) -> None:
    model = compiled(
        error("bad", "BAD"),
        start("s"),
        undoable("a"),
        service_task("b"),
        end("e"),
        chain("s", "a", "b", "e"),
        event_sub_process(
            "failing",
            start("es", error_event("bad")),
            throw("undo", compensate_event()),
            end("ee"),
            chain("es", "undo", "ee"),
        ),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    job = run.job("b")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code="BAD"))
    run.complete("un-a")
    assert run.path()[-4:] == ["undo", "ee", "failing", "p"]


def test_each_iteration_of_a_loop_is_undone_with_its_own_data(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        looped(service_task("a"), multi_instance(over="=[1, 2, 3]", item="seat")),
        for_compensation(service_task("un-a")),
        compensation("a", "un-a"),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "a", "undo", "e"),
    )
    run = scenario(undone_by_iteration(model))
    run.start("p")
    for _ in range(3):
        run.complete("a")
    seen = []
    for _ in range(3):
        seen.append(run.job("un-a").variables)
        run.complete("un-a")
    assert seen == [f'{{"seat":{n},"loopCounter":{n}}}' for n in (3, 2, 1)]
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_in_camunda_8_a_handler_undoes_all_iterations_at_once(scenario: Scenario) -> None:
    undo = looped(service_task("un-a"), multi_instance(over="=seats", item="seat"))
    run = scenario(
        compiled(
            start("s"),
            looped(
                service_task("a"),
                multi_instance(over="=seats", item="seat", output="=ticket", into="tickets"),
            ),
            for_compensation(undo),
            compensation("a", "un-a"),
            throw("undo", compensate_event()),
            end("e"),
            chain("s", "a", "undo", "e"),
        )
    )
    run.start("p", variables='{"seats": [4, 5]}')
    for _ in range(2):
        run.complete("a", '{"ticket": "T"}')
    assert [job.type for job in run.jobs()] == ["un-a", "un-a"]
    assert '"tickets":["T","T"]' in run.job("un-a").variables
    for _ in range(2):
        run.complete("un-a")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_in_camunda_8_what_is_inside_of_an_iteration_is_undone_in_it(scenario: Scenario) -> None:
    body = sub_process("sub", start("i"), undoable("a"), chain("i", "a"))
    run = scenario(
        compiled(
            start("s"),
            looped(body, multi_instance(over="=[1, 2]", item="seat")),
            throw("undo", compensate_event()),
            end("e"),
            chain("s", "sub", "undo", "e"),
        )
    )
    run.start("p")
    for _ in range(2):
        run.complete("a")
    for seat in (2, 1):
        assert f'"seat":{seat}' in run.job("un-a").variables
        run.complete("un-a")
    assert run.state() is InstanceState.COMPLETED


def test_a_sub_process_that_was_interrupted_leaves_nothing_to_undo(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        sub_process(
            "sub", start("is"), undoable("a"), user_task("wait"), end("ie"),
            chain("is", "a", "wait", "ie"),
        ),
        boundary("late", "sub", timer(duration="PT1H")),
        throw("undo", compensate_event()),
        end("e"),
        end("e2"),
        chain("s", "sub", "e"),
        chain("late", "undo", "e2"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete("a")
    assert len(run.living().ledger) == 1
    run.elapse(HOUR)
    assert run.state() is InstanceState.COMPLETED
    assert "un-a" not in run.path()


def test_an_interruption_gives_up_the_sweep_with_all_of_its_scope(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        sub_process(
            "sub", start("is"), undoable("a"), throw("undo", compensate_event()), end("ie"),
            chain("is", "a", "undo", "ie"),
        ),
        boundary("late", "sub", timer(duration="PT1H")),
        user_task("look"),
        end("e"),
        chain("s", "sub", "e"),
        chain("late", "look", "e"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete("a")
    assert len(run.waits(SweepWait)) == 1
    run.elapse(HOUR)
    assert run.waits(SweepWait) == []
    assert run.living().ledger == {}
    assert run.living().ledger_bytes == 0
    run.complete_task("look")
    assert run.state() is InstanceState.COMPLETED


def test_a_handler_that_its_own_boundary_event_ends_does_not_hold_up_the_rest(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        undoable("a"),
        undoable("b"),
        boundary("late", "un-b", timer(duration="PT1H")),
        task("noted"),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "a", "b", "undo", "e"),
        chain("late", "noted"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("b")
    run.elapse(HOUR)
    assert "noted" in run.path()
    run.complete("un-a")
    assert run.state() is InstanceState.COMPLETED


def test_a_called_process_is_undone_by_the_handler_of_its_call(scenario: Scenario) -> None:
    called = compiled(
        start("s"), service_task("work"), end("e"), chain("s", "work", "e"), process_id="called"
    )
    undoing = compiled(
        start("s"), service_task("unwork"), end("e"), chain("s", "unwork", "e"),
        process_id="undoing",
    )  # fmt: skip
    model = compiled(
        start("s"),
        call_activity("call", "called"),
        for_compensation(call_activity("uncall", "undoing")),
        compensation("call", "uncall"),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "call", "undo", "e"),
    )
    run = scenario(called, undoing, model)
    run.start("p", variables='{"seat": 7}')
    run.complete("work")
    assert run.job("unwork").variables == '{"seat":7}'
    run.complete("unwork")
    assert run.state() is InstanceState.COMPLETED


def test_branches_are_undone_in_the_reverse_order_of_their_completion(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        undoable("a"),
        undoable("b"),
        parallel("join"),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "fork", "a", "join", "undo", "e"),
        chain("fork", "b", "join"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("b")
    run.complete("a")
    run.complete("un-a")
    run.complete("un-b")
    assert run.state() is InstanceState.COMPLETED


def test_two_sweeps_at_a_time_undo_nothing_twice(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        undoable("a"),
        undoable("b"),
        parallel("fork"),
        throw("one", compensate_event()),
        throw("two", compensate_event()),
        end("e"),
        chain("s", "a", "b", "fork", "one", "e"),
        chain("fork", "two", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    run.complete("b")
    run.complete("un-b")
    run.complete("un-a")
    assert run.path().count("e") == 2
    assert run.state() is InstanceState.COMPLETED


def test_what_a_handler_does_is_not_undone(scenario: Scenario) -> None:
    run = scenario(BOOKINGS)
    run.start("p")
    for job in ("a", "b", "c", "un-c", "un-b", "un-a"):
        run.complete(job)
    recorded = [event for event in run.events() if isinstance(event, e.CompensationRecorded)]
    assert [event.element_id for event in recorded] == ["a", "b", "c"]


def test_an_activity_that_failed_and_then_succeeded_is_recorded_once(scenario: Scenario) -> None:
    run = scenario(BOOKINGS)
    run.start("p")
    job = run.job("a")
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, retries=0))
    run.resolve(retries=1)
    run.complete("a")
    assert len(run.living().ledger[run.living().root]) == 1


def test_variables_kept_for_compensation_have_a_limit(scenario: Scenario) -> None:
    run = scenario(BOOKINGS, settings=Settings(variables_bytes_max=1_000))
    run.start("p", variables=f'{{"text": "{"x" * 600}"}}')
    run.complete("a")
    run.complete("b")
    assert run.incident().kind == "TOO_LARGE"
    run.resolve(variables='{"text": "short"}')
    run.complete("c")
    for job in ("un-c", "un-b", "un-a"):
        run.complete(job)
    assert run.state() is InstanceState.COMPLETED


def test_handlers_of_iterations_that_are_given_up_do_not_keep_a_cut_transition_from_ending_them(
    scenario: Scenario,
) -> None:
    body = sub_process(
        "sub",
        start("i"),
        user_task("work"),
        for_compensation(service_task("undo")),
        compensation("work", "undo"),
        throw("back", compensate_event(wait=False)),
        chain("i", "work", "back"),
    )
    enough = multi_instance(times="4", until="=numberOfCompletedInstances = 1")
    run = scenario(compiled(start("s"), looped(body, enough), end("e"), chain("s", "sub", "e")))
    run.start("p")
    for _ in range(4):
        run.complete_task("work")
    assert len(run.jobs("undo")) == 4
    run.complete("undo")
    assert run.state() is InstanceState.COMPLETED
    assert run.jobs() == []
    run.assert_nothing_left()


def test_an_instance_with_more_than_it_may_have_still_comes_to_its_end(
    scenario: Scenario,
) -> None:
    """What a handler sees again counts, and may be too much with what was written since."""
    inner = sub_process(
        "sub", start("a"), undoable("book"), chain("a", "book"), inputs={"big": "=v"}
    )
    run = scenario(
        compiled(
            start("s"), inner, user_task("u"), end("e", compensate_event()),
            chain("s", "sub", "u", "e"),
        ),
        settings=Settings(variables_bytes_max=300),
    )  # fmt: skip
    run.start("p", variables=f'{{"v": "{"x" * 100}"}}')
    run.complete("book")
    run.complete_task("u", f'{{"w": "{"y" * 150}"}}')
    assert run.living().variables_bytes > 300
    job = run.job("un-book")
    more = c.CompleteJob(job_id=job.job_id, attempt=job.attempt, variables='{"more": 1}')
    assert run.reject(more)[0] == "TOO_LARGE"
    run.accept(c.SetVariables(instance_id="a", variables='{"v": "less"}'))
    run.complete("un-book")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()
