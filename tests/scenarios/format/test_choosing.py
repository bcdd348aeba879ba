"""Steps say which job, task, message, signal and start event they mean."""

from pathlib import Path

import pytest

from tests.support.models import (
    bpmn,
    catch,
    chain,
    end,
    looped,
    message,
    message_event,
    multi_instance,
    process,
    service_task,
    signal,
    signal_event,
    start,
    user_task,
)
from tests.support.yaml_scenarios import failures, named

MANY = multi_instance(over="=items", item="item")
EACH = bpmn(
    process(
        "p", start("s"),
        looped(service_task("pay", type="payment"), MANY),
        looped(user_task("ask", assignee="=item"), MANY),
        end("e"), chain("s", "pay", "ask", "e"),
    )
)  # fmt: skip
START = "{start: p, variables: {items: [ann, bob]}}"
PAID = ["complete job: payment", "complete job: payment"]
LOAN = bpmn(
    process(
        "loan", named(start("asked", message_event("M")), "Loan requested"),
        catch("g", signal_event("G")),
        end("e"), chain("asked", "g", "e"),
    ),
    message("M", "documents-received"),
    signal("G", "go"),
)  # fmt: skip


@pytest.mark.parametrize(
    "steps",
    [
        ["{complete job: payment, where: {variables: {item: bob}}, expect: {jobs: [{variables:"
         " {item: ann}}]}}"],
        ["{fail job: payment, retries: 0, where: {variables: {item: bob}},"
         " expect: {jobs: [{variables: {item: ann}}], incidents: pay}}"],
        ["{throw error: no, where: {variables: {item: bob}}, expect: {jobs: [{variables:"
         " {item: ann}}], incidents: pay}}"],
        [*PAID, "{complete task: ask, where: {assignee: bob}, expect: {tasks: {assignee: ann}}}"],
    ],
)  # fmt: skip
def test_where_says_which_is_meant(tmp_path: Path, steps: list[str]) -> None:
    assert failures(tmp_path, EACH, START, *steps) == []


@pytest.mark.parametrize(
    ("step", "found"),
    [
        ("{complete job: payment, where: {variables: {item: cat}}}",
         'payment, element: pay, variables: {"items":["ann","bob"],"item":"ann"'),
        ("{complete job: payment, where: {assignee: ann}}", "payment, element: pay"),
    ],
)  # fmt: skip
def test_where_that_fits_nothing_is_told(tmp_path: Path, step: str, found: str) -> None:
    (failure,) = failures(tmp_path, EACH, START, step)
    assert failure.what == "None is open that is as `where` says."
    assert failure.found[0].startswith(found)
    assert len(failure.found) == 2


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("publish message: documents-recieved",
         "No model has a message 'documents-recieved'. Did you mean 'documents-received'?"),
        ("broadcast signal: nosuch", "No model has a signal 'nosuch'."),
    ],
)  # fmt: skip
def test_a_name_that_no_model_has_is_told(tmp_path: Path, step: str, said: str) -> None:
    (failure,) = failures(tmp_path, LOAN, step)
    assert failure.what == said
    assert (
        failures(tmp_path, LOAN, "publish message: documents-received", "broadcast signal: go")
        == []
    )


def test_a_name_that_a_model_computes_may_be_any(tmp_path: Path) -> None:
    model = bpmn(
        process("p", start("s"), catch("m", message_event("M")), chain("s", "m")),
        message("M", "=name", key="=name"),
    )
    assert failures(tmp_path, model, "publish message: other") == []


def test_a_process_that_does_not_begin_by_itself_says_where_it_may(tmp_path: Path) -> None:
    (failure,) = failures(tmp_path, LOAN, "start: loan")
    assert failure.what == "'loan' has no start event without a trigger: name one by `at:`."
    assert failure.found == ("start event Loan requested",)
    assert failures(tmp_path, LOAN, "{start: loan, at: Loan requested}") == []
    said = "{code: INVALID_ARGUMENT, detail: 'name a start_element, one of: asked'}"
    assert failures(tmp_path, LOAN, f"{{start: loan, rejected: {said}}}") == []


def test_the_beginning_of_a_name_is_enough_to_be_told_the_whole(tmp_path: Path) -> None:
    (failure,) = failures(tmp_path, LOAN, "{start: loan, at: Loan}")
    assert failure.what == "No element of 'loan' is 'Loan'. Did you mean 'Loan requested'?"


def test_the_kind_of_an_incident_is_no_element(tmp_path: Path) -> None:
    (failure,) = failures(tmp_path, EACH, "{start: p, expect: {incidents: EXPRESSION_FAILED}}")
    assert failure.hint.startswith("It is the kind of an incident: `{kind: EXPRESSION_FAILED}`.")
