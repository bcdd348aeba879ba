"""What a dialect says about an element, in words that every dialect can say it in.

A dialect module translates its extension elements and attributes into these; the readers turn them
into the compiled model without knowing which dialect it was. Texts are not compiled yet.
"""

from typing import Literal

import msgspec

Language = Literal["static", "feel"]


class Formula(msgspec.Struct, frozen=True):
    """A text of the file: a static value, or an expression in a language. `line`: where it is."""

    text: str
    language: Language
    line: int = 0


class JobSource(msgspec.Struct, frozen=True, kw_only=True):
    """Work for a worker. `type` None: the dialect asks for work but names no type."""

    type: Formula | None
    retries: Formula | None = None


class MappingSource(msgspec.Struct, frozen=True, kw_only=True):
    source: Formula
    target: str
    line: int = 0


class ScriptSource(msgspec.Struct, frozen=True, kw_only=True):
    expression: Formula
    result_variable: str | None = None


class TaskSource(msgspec.Struct, frozen=True, kw_only=True):
    """Who may work on a user task, until when, and with which form."""

    assignee: Formula | None = None
    candidate_users: Formula | None = None
    candidate_groups: Formula | None = None
    due_date: Formula | None = None
    follow_up_date: Formula | None = None
    priority: Formula | None = None
    form_key: Formula | None = None


class CallSource(msgspec.Struct, frozen=True, kw_only=True):
    process_id: Formula | None
    propagate_all_parent_variables: bool = True
    propagate_all_child_variables: bool = True


class Extensions(msgspec.Struct, frozen=True, kw_only=True):
    """All that a dialect adds to one element; what does not apply to its kind is left empty."""

    job: JobSource | None = None
    headers: dict[str, str] = {}
    inputs: tuple[MappingSource, ...] = ()
    outputs: tuple[MappingSource, ...] = ()
    script: ScriptSource | None = None
    task: TaskSource = TaskSource()
    call: CallSource | None = None
    correlation_key: Formula | None = None


NOTHING = Extensions()
