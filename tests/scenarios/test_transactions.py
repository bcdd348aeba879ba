"""BPMN 10.3.5: a transaction that is canceled ends, undoes what completed in it, and is left."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.scenarios.test_compensation import undoable
from tests.support.models import (
    boundary,
    cancel_event,
    chain,
    compensate_event,
    compiled,
    end,
    exclusive,
    flow,
    looped,
    multi_instance,
    parallel,
    service_task,
    start,
    task,
    throw,
    transaction,
    user_task,
)

INSIDE = (
    start("is"),
    parallel("fork"),
    undoable("a"),
    undoable("b"),
    user_task("slow"),
    exclusive("ok", default="ok-done"),
    end("done"),
    end("cancel", cancel_event()),
    chain("is", "fork", "a", "b", "ok", "done"),
    chain("fork", "slow", "done"),
    flow("ok", "cancel", condition="=not(fine)"),
)
MODEL = compiled(
    start("s"),
    transaction("trip", *INSIDE),
    boundary("canceled", "trip", cancel_event()),
    task("sorry"),
    end("e"),
    end("e2"),
    chain("s", "trip", "e"),
    chain("canceled", "sorry", "e2"),
)


def test_a_canceled_transaction_ends_what_runs_and_undoes_what_completed(
    scenario: Scenario,
) -> None:
    run = scenario(MODEL)
    run.start("p", variables='{"fine": false}')
    run.complete("a")
    run.complete("b")
    assert run.active() == ["trip", "un-b"]
    assert run.tasks() == []
    run.complete("un-b")
    run.complete("un-a")
    assert run.path()[-4:] == ["canceled", "sorry", "e2", "p"]
    assert "trip" not in run.path()
    run.assert_nothing_left()


def test_a_transaction_that_is_not_canceled_is_a_sub_process(scenario: Scenario) -> None:
    run = scenario(MODEL)
    run.start("p", variables='{"fine": true}')
    run.complete("a")
    run.complete("b")
    run.complete_task("slow")
    assert run.path()[-3:] == ["trip", "e", "p"]


def test_a_transaction_with_nothing_to_undo_is_left_at_once(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        transaction("trip", start("is"), end("cancel", cancel_event()), chain("is", "cancel")),
        boundary("canceled", "trip", cancel_event()),
        end("e"),
        chain("s", "trip", "e"),
        chain("canceled", "e"),
    )
    run = scenario(model)
    run.start("p")
    assert run.path() == ["s", "is", "cancel", "canceled", "e", "p"]


def test_an_inner_transaction_is_canceled_alone_and_the_outer_one_with_all(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        transaction(
            "outer",
            start("os"),
            undoable("first"),
            transaction("inner", *INSIDE),
            boundary("inner-canceled", "inner", cancel_event()),
            service_task("decide"),
            end("oc", cancel_event()),
            chain("os", "first", "inner", "oc"),
            chain("inner-canceled", "decide", "oc"),
        ),
        boundary("canceled", "outer", cancel_event()),
        end("e"),
        end("e2"),
        chain("s", "outer", "e"),
        chain("canceled", "e2"),
    )
    run = scenario(model)
    run.start("p", variables='{"fine": false}')
    for job in ("first", "a", "b", "un-b", "un-a", "decide", "un-first"):
        run.complete(job)
    assert run.path()[-3:] == ["canceled", "e2", "p"]
    run.assert_nothing_left()


REPEATED = (
    start("s"),
    looped(
        transaction(
            "trip",
            start("is"),
            undoable("a"),
            undoable("b"),
            exclusive("ok", default="ok-done"),
            end("done"),
            end("cancel", cancel_event()),
            chain("is", "a", "b", "ok", "done"),
            flow("ok", "cancel", condition="=n = 2"),
        ),
        multi_instance(over="=[1, 2, 3]", item="n"),
    ),
    boundary("canceled", "trip", cancel_event()),
    end("e"),
    end("e2"),
    chain("s", "trip", "e"),
    chain("canceled", "e2"),
)


@pytest.mark.parametrize("most", [1, 1_000])
def test_a_loop_of_transactions_is_given_up_as_a_whole(scenario: Scenario, most: int) -> None:
    run = scenario(compiled(*REPEATED), settings=Settings(terminations_per_command_max=most))
    run.start("p")
    for job in ("a", "a", "a", "b", "b"):
        run.complete(job)
    undone = []
    while jobs := run.jobs():
        assert len(jobs) == 1
        undone.append((jobs[0].type, decode_object(jobs[0].variables)["n"]))
        run.complete(jobs[0].type)
    assert undone == [("un-b", "2"), ("un-a", "2"), ("un-a", "3"), ("un-b", "1"), ("un-a", "1")]
    assert run.path()[-3:] == ["canceled", "e2", "p"]
    run.assert_nothing_left()


def test_a_completed_transaction_is_undone_by_the_scope_around_it(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        transaction("trip", *INSIDE),
        boundary("canceled", "trip", cancel_event()),
        throw("undo", compensate_event()),
        end("e"),
        chain("s", "trip", "undo", "e"),
        chain("canceled", "e"),
    )
    run = scenario(model)
    run.start("p", variables='{"fine": true}')
    run.complete("a")
    run.complete("b")
    run.complete_task("slow")
    run.complete("un-b")
    run.complete("un-a")
    assert run.state() is InstanceState.COMPLETED


def test_a_transaction_may_be_terminated_while_it_is_canceled(scenario: Scenario) -> None:
    run = scenario(MODEL)
    run.start("p", variables='{"fine": false}')
    run.complete("a")
    run.complete("b")
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()


def test_a_transaction_has_inputs_and_outputs_as_any_sub_process(scenario: Scenario) -> None:
    inside = (start("i"), service_task("work"), chain("i", "work"))
    body = transaction("t", *inside, inputs={"mine": "=n + 1"}, outputs={"m": "=mine * 2"})
    run = scenario(compiled(start("s"), body, chain("s", "t")))
    run.start("p", variables='{"n": 1}')
    assert run.job("work").variables == '{"n":1,"mine":2}'
    run.complete("work")
    assert run.result() == '{"n":1,"m":4}'
