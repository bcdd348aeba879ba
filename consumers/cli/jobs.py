"""`torpor job`: answers to jobs by hand, where no worker runs, or runs yet.

Each publishes what a worker would. A worker knows its attempt; here the instance tells it, unless
it is given.
"""

from typing import Any

import click

from consumers.cli import options
from consumers.cli.asking import ask as query
from consumers.cli.asking import quoted
from consumers.cli.client import Publishing, report
from consumers.cli.group import Entry, LazyGroup
from consumers.cli.looking import Shown
from consumers.cli.publishing import ask, key_of
from torpor_client import routing

UNKNOWN_ATTEMPT = 1
"""Named for a job that is not there: the engine says best what is there instead."""

SECTIONS = {
    "Answers": {
        "complete": Entry("consumers.cli.jobs:complete", "Complete a job."),
        "fail": Entry("consumers.cli.jobs:fail_attempt", "Fail an attempt at a job."),
        "throw": Entry("consumers.cli.jobs:throw", "Throw a BPMN error from a job."),
        "escalate": Entry("consumers.cli.jobs:escalate", "Throw an escalation from a job."),
    },
}

_answering = options.stacked(
    click.option(
        "--attempt",
        type=click.IntRange(min=1),
        metavar="N",
        help="Which attempt; by default the engine at --http is asked for it.",
    ),
    options.variables,
    options.engine,
    options.publishing,
)
_message = click.option("--message", metavar="TEXT", help="Why; goes into history and incidents.")


@click.group(cls=LazyGroup, sections=SECTIONS, prefix="TORPOR_JOB")
def job() -> None:
    """Answer a job as a worker would: by hand.

    `torpor show ID` shows the jobs that an instance waits for, with their ids and types.
    """


@click.command()
@click.argument("job_id", metavar="JOB")
@options.result
@_answering
def complete(*, job_id: str, result: str | None, **given: Any) -> None:
    """Complete a job; its variables go where the model says.

    The job of an ad-hoc sub-process takes a result, which says what begins there, or that it is
    done: '{"activateElements": [{"elementId": "search"}]}'. That of a task listener
    may correct the task or deny the change: '{"denied": true, "deniedReason": "too late"}'.
    """
    _answer("CompleteJob", job_id, {"result": result}, f"completed {job_id}", given)


@click.command("fail")
@click.argument("job_id", metavar="JOB")
@_message
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    metavar="N",
    help="How often it may be tried again; one less than before by default, 0: an incident.",
)
@click.option(
    "--backoff",
    "backoff_ms",
    type=click.IntRange(min=0),
    metavar="MS",
    help="How long the next attempt waits, ms; by default what the model says.",
)
@_answering
def fail_attempt(
    *, job_id: str, message: str | None, retries: int | None, backoff_ms: int | None, **given: Any
) -> None:
    """Fail an attempt at a job: it is tried again or, with no retries left, is an incident."""
    fields = {"message": message or "", "retries": retries, "backoff_ms": backoff_ms}
    _answer("FailJob", job_id, fields, f"failed {job_id}", given)


@click.command()
@click.argument("job_id", metavar="JOB")
@click.argument("code", metavar="CODE")
@_message
@_answering
def throw(*, job_id: str, code: str, message: str | None, **given: Any) -> None:
    """Throw a BPMN error from a job, for the error event that catches its code."""
    fields = {"code": code, "task_id": None, "message": message}
    _answer("ThrowError", job_id, fields, f"threw the error {code} from {job_id}", given)


@click.command()
@click.argument("job_id", metavar="JOB")
@click.argument("code", metavar="CODE")
@_message
@_answering
def escalate(*, job_id: str, code: str, message: str | None, **given: Any) -> None:
    """Throw an escalation from a job, which stays open unless what catches it interrupts."""
    fields = {"code": code, "task_id": None, "message": message}
    _answer("ThrowEscalation", job_id, fields, f"threw the escalation {code} from {job_id}", given)


def _answer(kind: str, job_id: str, own: dict[str, Any], done: str, given: dict[str, Any]) -> None:
    """Publish the command: its `own` fields, and those that all of them have."""
    key = key_of(job_id, "torpor show")
    attempt, engine = given.pop("attempt"), given.pop("engine")
    fields = {
        **own,
        "job_id": job_id,
        "attempt": attempt or _attempt(engine, job_id),
        "variables": given.pop("variables"),
        "token": None,
    }
    to = Publishing(**given)
    report(to, ask(to, kind, key, fields), done)


def _attempt(engine: str, job_id: str) -> int:
    """The attempt that is open. Ends the program when there is no such instance, or no engine."""
    instance_id = routing.instance_of(job_id)
    found, _ = query(engine, f"/v1/instances/{quoted(instance_id)}", Shown)
    attempts = {each.id: each.attempt for each in found.waiting}
    return attempts.get(job_id) or UNKNOWN_ATTEMPT
