"""Limits of single fields, so that whatever is accepted fits the records that tell of it."""

RETRIES_MAX = 1_000_000
PRIORITY_MAX = 2**31 - 1
ITERATIONS_MAX = 100_000
"""Of one loop over a collection or up to a cardinality."""

CHOICES_MAX = 1_000
"""Activities of an ad-hoc sub-process that are chosen at once."""

NAME_LENGTH_MAX = 1_000
"""Of what something is found by: names and keys of messages, business keys, error codes, people."""

CANDIDATES_MAX = 1_000
"""Users, or groups, that a command makes candidates of a user task."""

JOB_TYPE_LENGTH_MAX = 200
"""Of a job type that an expression yields; those in a model are checked when it is deployed."""

REMARK_LENGTH_MAX = 10_000
"""Of what people read: reasons, error messages, incidents. More is cut off, not refused: a worker's
long stack trace must not keep its failure from counting."""


def clip(remark: str) -> str:
    """A remark of at most the allowed length; three dots show that some of it is missing."""
    if len(remark) <= REMARK_LENGTH_MAX:
        return remark
    return remark[: REMARK_LENGTH_MAX - 3] + "..."


def clip_optional(remark: str | None) -> str | None:
    return None if remark is None else clip(remark)
