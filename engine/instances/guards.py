"""Guards: is a command applicable? No is a rejection that says what was expected and found."""

from datetime import UTC, datetime, timedelta
from typing import TypeVar

from engine import state as s
from engine import variables as v
from engine.expressions.schedule import INSTANT_MAX_MS
from engine.instances.advance import Advance
from engine.rejections import Rejection, RejectionCode
from engine.routing import split_handle
from engine.values import ValueDecodeError, decode_object

W = TypeVar("W", bound=s.Waiting)


def not_found(expected: str, found: str = "none") -> Rejection:
    return Rejection(RejectionCode.NOT_FOUND, f"Expected {expected}, found {found}")


def parse_variables(text: str) -> dict[str, str] | Rejection:
    """Names to JSON texts, from the text of a JSON object."""
    try:
        return decode_object(text)
    except ValueDecodeError as error:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT, f"Expected variables as a JSON object: {error}"
        )


def find_scope(advance: Advance, element_instance_id: str | None) -> int | Rejection:
    """The key of a living element instance; None names the process itself."""
    if element_instance_id is None:
        return advance.state.root
    try:
        instance_id, key = split_handle(element_instance_id)
    except ValueError as error:
        return Rejection(RejectionCode.INVALID_ARGUMENT, str(error))
    if instance_id != advance.state.instance_id:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            f"Expected an element instance of {advance.state.instance_id}, found one of another: "
            f"{element_instance_id}",
        )
    if key not in advance.state.elements:
        return not_found(f"a living element instance {element_instance_id}")
    return key


def find_wait(advance: Advance, handle: str, kind: type[W], name: str) -> W | Rejection:
    """The open job, task or incident with this id."""
    expected = f"an open {name} {handle}"
    try:
        number = split_handle(handle)[1]
    except ValueError as error:
        return Rejection(RejectionCode.INVALID_ARGUMENT, str(error))
    wait = advance.state.waits.get(number)
    if isinstance(wait, kind):
        return wait if advance.is_answered(wait.owner) else not_found(expected)
    return not_found(expected, _told(wait))


def _told(wait: s.Waiting | None) -> str:
    """What an id names instead of what was expected, where it is something to be answered."""
    match wait:
        case s.JobWait():
            return f"a job of type {wait.type!r}"
        case s.TaskWait():
            return "a user task"
        case s.IncidentWait():
            return "an incident"
        case _:
            return "none"


def find_attempt(advance: Advance, job_id: str, attempt: int | None) -> s.JobWait | Rejection:
    """The job, if this attempt (None: whichever it is) is at a worker."""
    job = find_wait(advance, job_id, s.JobWait, "job")
    if isinstance(job, Rejection):
        return job
    if job.stopped or job.retry_at is not None:
        return Rejection(
            RejectionCode.STALE_ATTEMPT,
            f"Expected an open attempt of job {job_id}, found attempt {job.attempt} failed: "
            + _next_try(advance, job),
        )
    if attempt is not None and attempt != job.attempt:
        return Rejection(
            RejectionCode.STALE_ATTEMPT,
            f"Expected attempt {job.attempt} of job {job_id}, found {attempt}",
        )
    return job


def _next_try(advance: Advance, job: s.JobWait) -> str:
    if job.retry_at is not None:
        return f"the next try is at {instant_text(job.retry_at)}"
    incident = incident_of(advance, job.owner)
    return "none is left" if incident is None else f"resolve incident {incident} first"


def incident_of(advance: Advance, owner: int) -> str | None:
    """The id of the incident that an element instance waits for to be resolved."""
    for number in advance.instance(owner).waits:
        if isinstance(advance.state.waits[number], s.IncidentWait):
            return f"{advance.state.instance_id}:{number}"
    return None


def instant_text(epoch_ms: int) -> str:
    """An instant as people and workers read it: ISO 8601, UTC, to the millisecond."""
    told = min(epoch_ms, INSTANT_MAX_MS)  # a back-off of a model may reach beyond
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=told)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def check_number(name: str, value: int | None, low: int, high: int) -> Rejection | None:
    """A number within its limits, or left out."""
    if value is None or low <= value <= high:
        return None
    return Rejection(
        RejectionCode.INVALID_ARGUMENT, f"Expected {name} from {low} to {high}, found {value}"
    )


def check_size(
    advance: Advance, targets: dict[int, dict[str, str]], *, beside: int = 0
) -> Rejection | None:
    """From outside variables are refused that would make the instance's too large.

    What makes them no larger never is: compensation may have brought back more than there is room
    for, and the instance still has to come to its end.

    `beside`: the bytes of others that come with them, for scopes that are yet to begin.
    """
    state, limit = advance.state, advance.context.settings.variables_bytes_max
    grown = beside + sum(v.growth(state, scope, texts) for scope, texts in targets.items())
    if grown <= 0 or state.variables_bytes + grown <= limit:
        return None
    return too_large(limit, state.variables_bytes + grown)


def too_large(limit: int, found: int) -> Rejection:
    return Rejection(
        RejectionCode.TOO_LARGE, f"Expected variables of at most {limit} bytes, found {found}"
    )
