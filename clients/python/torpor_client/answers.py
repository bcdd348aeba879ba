"""From what a handler did to the command that answers its job."""

import logging
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from torpor_client import variables
from torpor_client.errors import BpmnError, JobFailure
from torpor_client.records import Job

log = logging.getLogger("torpor_client")

MESSAGE_MAX = 2_000
"""Characters of an error's text that go to the engine; the log has all of it."""


class JobResult(msgspec.Struct, frozen=True):
    """What a handler returns for a job that asks for a decision, beside or without variables.

    For an ad-hoc sub-process that a worker directs: `activateElements`, a list of objects with
    `elementId` and `variables`, or `isCompletionConditionFulfilled`. For a task listener:
    `corrections` of the user task, or `denied` with a `deniedReason`.
    """

    result: Mapping[str, Any]
    variables: Mapping[str, Any] | None = None


Result: TypeAlias = Mapping[str, Any] | JobResult | None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A command for the engine, without what identifies it."""

    kind: str
    fields: dict[str, Any]


def completed(job: Job, result: Result) -> Answer:
    """Raises ValueError, TypeError when the result is no JSON object."""
    given = result if isinstance(result, JobResult) else JobResult({}, result)
    fields = {
        **_identity(job),
        "variables": variables.encode(given.variables),
        "result": variables.encode(given.result) if given is result else None,
    }
    return Answer(kind="CompleteJob", fields=fields)


def failed(job: Job, error: BaseException) -> Answer:
    """The answer for what a handler raised."""
    try:
        if isinstance(error, BpmnError):
            return _thrown(job, error)
        if isinstance(error, JobFailure):
            return _failure(job, error)
    except (ValueError, TypeError) as mistake:  # variables that are no JSON object
        error = mistake
    return _failure(job, JobFailure(f"{type(error).__name__}: {error}"))


def rejected(job: Job, code: str, detail: str) -> Answer:
    """The engine did not take the answer, and the job waits: tell what is wrong with it."""
    return _failure(job, JobFailure(f"The answer was rejected: {code}: {detail}"))


def _thrown(job: Job, error: BpmnError) -> Answer:
    fields = {
        **_identity(job),
        "code": error.code,
        "message": _short(error.message),
        "variables": _optional(error.variables),
    }
    return Answer(kind="ThrowError", fields=fields)


def _failure(job: Job, failure: JobFailure) -> Answer:
    fields = {
        **_identity(job),
        "message": _short(failure.message) or "",
        "retries": failure.retries,
        "backoff_ms": failure.backoff_ms,
        "variables": _optional(failure.variables),
    }
    return Answer(kind="FailJob", fields=fields)


def _identity(job: Job) -> dict[str, Any]:
    return {"job_id": job.job_id, "attempt": job.attempt, "token": job.token}


def _optional(values: Mapping[str, Any] | None) -> str | None:
    return None if values is None else variables.encode(values)


def _short(text: str | None) -> str | None:
    return None if text is None else text[:MESSAGE_MAX]
