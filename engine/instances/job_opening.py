"""Opening a job: for tasks and throw events that are work for a worker, and for who directs."""

from engine import events as e
from engine.instances.advance import Advance
from engine.instances.evaluator import text_of
from engine.instances.limits import JOB_TYPE_LENGTH_MAX, RETRIES_MAX
from engine.model.elements import JobDefinition


def open_job(advance: Advance, definition: JobDefinition, key: int) -> None:
    """Publish a job for the element instance. Raises StuckError."""
    advance.emit(make_job(advance, definition, key))


def make_job(advance: Advance, definition: JobDefinition, key: int) -> e.JobOpened:
    """A job for the element instance, yet to be published. Raises StuckError."""
    job_type = advance.evaluator.name(definition.type, key, length_max=JOB_TYPE_LENGTH_MAX)
    retries = definition.retries
    if not isinstance(retries, int):
        value = advance.evaluator.evaluate(retries, key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= RETRIES_MAX:
            raise advance.evaluator.unusable(
                retries, f"a whole number from 1 to {RETRIES_MAX}", value
            )
        retries = value
    computed = {
        name: text_of(advance.evaluator.evaluate(expression, key))
        for name, expression in definition.computed_headers.items()
    }
    return e.JobOpened(
        key=advance.new_key(),
        owner=key,
        type=job_type,
        attempt=1,
        retries_left=retries,
        headers={**definition.headers, **computed} if computed else definition.headers,
    )
