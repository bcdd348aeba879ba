"""Signals: to all who wait, in chunks, kept for nobody, not for those who begin to wait later."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    end,
    event_gateway,
    event_sub_process,
    flow,
    parallel,
    service_task,
    signal,
    signal_event,
    start,
    sub_process,
    task,
    throw,
    timer,
    user_task,
)
from tests.support.runner import Runner

GO = signal("go", "go!")
WAITING = compiled(
    GO,
    start("s"),
    catch("wait", signal_event("go")),
    end("e"),
    chain("s", "wait", "e"),
    process_id="waiting",
)


def broadcast(run: Runner, variables: str = "{}", *, name: str = "go!") -> None:
    run.accept(c.BroadcastSignal(name=name, variables=variables))


def running(run: Runner, *instances: str) -> list[str]:
    return [name for name in instances if run.state(name) is InstanceState.RUNNING]


def test_a_signal_reaches_everybody_who_waits_for_its_name(scenario: Scenario) -> None:
    other = compiled(
        signal("no", "other"), start("s"), catch("wait", signal_event("no")), chain("s", "wait"),
        process_id="other",
    )  # fmt: skip
    run = scenario(WAITING, other)
    names = [f"w{number}" for number in range(10)]
    for name in names:
        run.start("waiting", name)
    run.start("other", "o")
    assert run.waiting("w3") == [("wait", "signal")]
    broadcast(run, '{"n": 1}')
    assert running(run, *names, "o") == ["o"]
    assert run.result("w7") == '{"n":1}'


def test_a_signal_is_kept_for_nobody(scenario: Scenario) -> None:
    run = scenario(WAITING)
    broadcast(run)
    run.start("waiting", "w")
    assert running(run, "w") == ["w"]
    broadcast(run)
    assert running(run, "w") == []
    run.assert_nothing_left()


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_a_broadcast_goes_in_chunks_over_who_waited_before_it(
    scenario: Scenario, chunk: int
) -> None:
    again = compiled(
        GO,
        start("s"),
        catch("wait", signal_event("go")),
        task("round"),
        chain("s", "wait", "round", "wait"),
        process_id="again",
    )
    run = scenario(again, settings=Settings(fan_out_chunk=chunk))
    names = [f"w{number}" for number in range(9)]
    for name in names:
        run.start("again", name)
    broadcast(run)
    assert [run.path(name).count("round") for name in names] == [1] * 9
    broadcast(run)
    assert [run.path(name).count("round") for name in names] == [2] * 9


def test_many_waits_of_one_instance_that_began_together_are_walked_once_each(
    scenario: Scenario,
) -> None:
    edges = [
        piece
        for number in range(7)
        for piece in (
            boundary(f"b{number}", "work", signal_event("go"), interrupting=False),
            task(f"t{number}"),
            flow(f"b{number}", f"t{number}"),
        )
    ]
    run = scenario(
        compiled(GO, start("s"), user_task("work"), chain("s", "work"), *edges),
        settings=Settings(fan_out_chunk=2),
    )
    run.start("p")
    broadcast(run)
    broadcast(run)
    assert sorted(run.path()[1:]) == sorted([f"{kind}{n}" for kind in "bt" for n in range(7)] * 2)
    run.complete_task("work")
    run.assert_nothing_left()


def test_who_begins_to_wait_between_two_chunks_is_left_out(scenario: Scenario) -> None:
    run = scenario(WAITING, settings=Settings(fan_out_chunk=1))
    for number in range(4):
        run.start("waiting", f"w{number}")
    run.posting = True
    run.accept(c.BroadcastSignal(name="go!"))
    run.step()
    run.step()
    run.accept(c.StartInstance(process_id="waiting", instance_id="late"))
    run.posting = False
    for _ in range(50):
        run.step()
    run.settle()
    assert running(run, "w0", "w1", "w2", "w3", "late") in ([], ["late"])
    assert running(run, "w0", "w1", "w2", "w3") == []


def test_a_thrown_signal_reaches_others_and_those_of_its_own_that_waited_before(
    scenario: Scenario,
) -> None:
    throwing = compiled(
        GO,
        start("s"),
        parallel("fork"),
        catch("before", signal_event("go")),
        throw("call", signal_event("go"), inputs={"n": "=1"}),
        catch("after", signal_event("go")),
        chain("s", "fork", "before"),
        chain("fork", "call", "after"),
    )
    run = scenario(WAITING, throwing)
    run.start("waiting", "w")
    run.start("p")
    assert running(run, "w") == []
    assert run.result("w") == '{"n":1}'
    assert run.active() == ["after"]
    assert "before" in run.path()
    (thrown,) = run.effects("SignalThrown")
    assert (thrown.signal, thrown.element_id, thrown.variables) == ("go!", "call", '{"n":1}')
    broadcast(run)
    run.assert_nothing_left()


def test_an_end_event_throws_a_signal(scenario: Scenario) -> None:
    throwing = compiled(GO, start("s"), end("x", signal_event("go")), chain("s", "x"))
    run = scenario(WAITING, throwing)
    run.start("waiting", "w")
    run.start("p")
    assert running(run, "w", "a") == []
    run.assert_nothing_left()


def test_a_signal_thrown_inside_may_interrupt_its_own_scope(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            GO,
            start("s"),
            sub_process(
                "sub",
                start("i"),
                throw("call", signal_event("go")),
                service_task("work"),
                chain("i", "call", "work"),
            ),
            boundary("edge", "sub", signal_event("go")),
            end("stopped"),
            chain("s", "sub"),
            chain("edge", "stopped"),
        )
    )
    run.start("p")
    assert run.path() == ["s", "i", "edge", "stopped", "p"]
    run.assert_nothing_left()


@pytest.mark.parametrize("interrupting", [True, False])
def test_boundary_events_take_signals(scenario: Scenario, *, interrupting: bool) -> None:
    run = scenario(
        compiled(
            GO,
            start("s"),
            user_task("work"),
            boundary("edge", "work", signal_event("go"), interrupting=interrupting),
            service_task("note"),
            chain("s", "work"),
            chain("edge", "note"),
        )
    )
    run.start("p")
    broadcast(run)
    broadcast(run)
    assert len(run.jobs("note")) == (1 if interrupting else 2)
    if not interrupting:
        run.complete_task("work")
        run.complete("note")
    run.complete("note")
    run.assert_nothing_left()


@pytest.mark.parametrize("interrupting", [True, False])
def test_event_sub_processes_take_signals(scenario: Scenario, *, interrupting: bool) -> None:
    run = scenario(
        compiled(
            GO,
            start("s"),
            service_task("work"),
            chain("s", "work"),
            event_sub_process(
                "on",
                start("began", signal_event("go"), interrupting=interrupting),
                service_task("handle"),
                chain("began", "handle"),
            ),
        )
    )
    run.start("p")
    broadcast(run, '{"n": 1}')
    assert len(run.jobs("work")) == (0 if interrupting else 1)
    broadcast(run)
    assert len(run.jobs("handle")) == (1 if interrupting else 2)
    for job in run.jobs():
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt))
    assert run.result() == '{"n":1}'
    run.assert_nothing_left()


def test_a_signal_may_be_an_arm_of_an_event_gateway(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            GO,
            start("s"),
            event_gateway("first"),
            catch("go-on", signal_event("go")),
            catch("late", timer(duration="PT1H")),
            flow("s", "first"),
            chain("first", "go-on"),
            chain("first", "late"),
        )
    )
    run.start("p")
    broadcast(run)
    assert run.path() == ["s", "first", "go-on", "p"]
    run.assert_nothing_left()


def started(run: Runner) -> list[tuple[str, int]]:
    return [(each.process_id, each.version) for each in run.effects("InstanceStarted")]


def test_a_signal_starts_one_instance_of_each_process_that_it_starts(scenario: Scenario) -> None:
    models = [
        compiled(
            GO,
            start("s", signal_event("go"), outputs={"m": "=n + 1"}),
            user_task("work"),
            chain("s", "work"),
            process_id=name,
        )
        for name in ("one", "two")
    ]
    run = scenario(*models)
    broadcast(run, '{"n": 1}')
    assert sorted(started(run)) == [("one", 1), ("two", 1)]
    first = run.effects("InstanceStarted")[0].instance_id
    assert run.variables(first) == {"m": "2"}


def test_a_signal_starts_the_latest_version_only(scenario: Scenario) -> None:
    model = compiled(GO, start("s", signal_event("go")), process_id="one")
    run = scenario(model, model)
    broadcast(run)
    assert started(run) == [("one", 2)]
    run.deploy(compiled(GO, start("s"), process_id="one"))
    broadcast(run)
    assert started(run) == [("one", 2)]


def test_a_thrown_signal_starts_processes(scenario: Scenario) -> None:
    run = scenario(
        compiled(GO, start("s", signal_event("go")), process_id="one"),
        compiled(GO, start("s"), end("x", signal_event("go")), chain("s", "x")),
    )
    run.start("p")
    assert [name for name, _ in started(run)] == ["p", "one"]
    run.assert_nothing_left()


def test_a_signal_name_may_be_computed_where_there_are_variables(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            signal("mine", '="go-" + region'),
            start("s"),
            catch("wait", signal_event("mine")),
            chain("s", "wait"),
        )
    )
    run.start("p", variables='{"region": "north"}')
    broadcast(run, name="go-south")
    assert run.state() is InstanceState.RUNNING
    broadcast(run, name="go-north")
    assert run.state() is InstanceState.COMPLETED


def test_a_signal_without_a_name_or_too_large_is_rejected(scenario: Scenario) -> None:
    run = scenario(WAITING, settings=Settings(variables_bytes_max=10))
    assert run.reject(c.BroadcastSignal(name=""))[0] == "INVALID_ARGUMENT"
    assert run.reject(c.BroadcastSignal(name="x" * 1_001))[0] == "INVALID_ARGUMENT"
    large = c.BroadcastSignal(name="go!", variables='{"text": "twelve letters"}')
    assert run.reject(large)[0] == "TOO_LARGE"


def test_an_instance_that_has_ended_takes_no_signal(scenario: Scenario) -> None:
    run = scenario(WAITING)
    run.start("waiting", "w")
    run.accept(c.TerminateInstance(instance_id="w"))
    broadcast(run)
    assert run.state("w") is InstanceState.TERMINATED
