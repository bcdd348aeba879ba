"""What a dialect says about an element, in words that every dialect can say it in.

A dialect module translates its extension elements and attributes into these; the readers turn them
into the compiled model without knowing which dialect it was. Texts are not compiled yet.
"""

from typing import Literal, TypeAlias

import msgspec

from engine.model.elements import ChangeFilter, DecisionResult

Language = Literal["static", "feel", "juel"]


class Formula(msgspec.Struct, frozen=True):
    """A text of the file: a static value, or an expression in a language. `line`: where it is."""

    text: str
    language: Language
    line: int = 0


class ListSource(msgspec.Struct, frozen=True):
    """A list whose items are texts of the file."""

    items: tuple["Source", ...]


class MapSource(msgspec.Struct, frozen=True):
    """An object whose entries are texts of the file."""

    entries: tuple[tuple[str, "Source"], ...]


Source: TypeAlias = Formula | ListSource | MapSource


class JobSource(msgspec.Struct, frozen=True, kw_only=True):
    """Work for a worker. `type` None: the dialect asks for work but names no type.

    `headers` are its own, beside those of its element.
    `backoff_ms` are the waits after the first, second, ... failure, the last one from then on.
    `keeps_results`: what the worker gives is seen by the output mappings alone.
    """

    type: Formula | None
    retries: Formula | None = None
    headers: dict[str, str] = {}
    backoff_ms: tuple[int, ...] = ()
    keeps_results: bool = False


class MappingSource(msgspec.Struct, frozen=True, kw_only=True):
    source: Source
    target: str
    line: int = 0


class ScriptSource(msgspec.Struct, frozen=True, kw_only=True):
    """What is evaluated inline. `may_discard`: its value need not go anywhere.

    `otherwise` is the work that it is instead if it calls what exists only in Java; without a type
    there, the work is named by that call.
    """

    expression: Formula
    result_variable: str | None = None
    may_discard: bool = False
    otherwise: JobSource | None = None


class DecisionSource(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that is evaluated inline, as in `elements.DecisionCall`."""

    decision_id: Formula | None
    version: int | None = None
    version_tag: str | None = None
    same_deployment: bool = False
    result: DecisionResult = "value"
    result_variable: str | None = None
    needs_hit: bool | Formula = False


class TaskSource(msgspec.Struct, frozen=True, kw_only=True):
    """Who may work on a user task, until when, and with which form.

    `id_variable`: the variable that its id is written to.
    """

    assignee: Formula | None = None
    candidate_users: Formula | None = None
    candidate_groups: Formula | None = None
    due_date: Formula | None = None
    follow_up_date: Formula | None = None
    priority: Formula | None = None
    form_key: Formula | None = None
    id_variable: str | None = None


class CallSource(msgspec.Struct, frozen=True, kw_only=True):
    """Which process is called, and what travels.

    `passes`: with a tuple, the called process gets these variables and no locals of the activity.
    `returns` are written after the call, before the output mappings. `business_key` and
    `inherits_business_key` say which key the called instance gets, `id_variable` the variable that
    its id is written to. `returns_on_errors`: what is returned is so, too, when an error leaves the
    called process.
    """

    process_id: Formula | None
    version: int | None = None
    version_tag: str | None = None
    same_deployment: bool = False
    propagate_all_parent_variables: bool = True
    propagate_all_child_variables: bool = True
    passes: tuple[MappingSource, ...] | None = None
    returns: tuple[MappingSource, ...] = ()
    business_key: Formula | None = None
    inherits_business_key: bool = True
    id_variable: str | None = None
    returns_on_errors: bool = False


class LoopSource(msgspec.Struct, frozen=True, kw_only=True):
    """What a dialect says about a multi-instance. `counter_first`: its first loop counter.

    `skips_missing`: iterations that gave no output have no place in the collection. `gathered` as
    in `elements.MultiInstance`.
    """

    collection: Formula | None = None
    item: str | None = None
    output: Source | None = None
    output_collection: str | None = None
    counter_first: int = 1
    skips_missing: bool = False
    gathered: tuple[str, ...] = ()


class AdHocSource(msgspec.Struct, frozen=True, kw_only=True):
    """What a dialect says about an ad-hoc sub-process. `active`: the ids of what begins with it.

    `completion` is its condition where the model gives none. `output` is what each of those that
    were chosen adds to the variable `output_collection`.
    """

    active: Formula | None = None
    completion: Formula | None = None
    output: Formula | None = None
    output_collection: str | None = None


class PublishSource(msgspec.Struct, frozen=True, kw_only=True):
    """How a message that is thrown is published. `ttl` is a duration."""

    correlation_key: Formula | None = None
    ttl: Formula | None = None
    message_id: Formula | None = None


class KeySource(msgspec.Struct, frozen=True):
    """A correlation key of several values, in this order."""

    parts: tuple[Formula, ...]


class Extensions(msgspec.Struct, frozen=True, kw_only=True):
    """All that a dialect adds to one element; what does not apply to its kind is left empty.

    `value` is what a data object is at first, as JSON. `listeners` are jobs at events of its life,
    in the order in which they are done. `skip`: if it holds, a task is passed over, or a flow taken
    whatever its condition. `keeps_content`: as in `elements.MessageTrigger`. `error_message` is
    that of an error which is thrown.
    """

    job: JobSource | None = None
    headers: dict[str, str] = {}
    computed_headers: dict[str, Formula] = {}
    inputs: tuple[MappingSource, ...] = ()
    outputs: tuple[MappingSource, ...] = ()
    script: ScriptSource | None = None
    decision: DecisionSource | None = None
    task: TaskSource = TaskSource()
    publish: PublishSource | None = None
    call: CallSource | None = None
    correlation_key: Formula | KeySource | None = None
    code_variable: str | None = None
    message_variable: str | None = None
    error_message: Formula | None = None
    version_tag: str | None = None
    fails_uncaught: bool = False
    loop: LoopSource = LoopSource()
    value: str | None = None
    listeners: tuple[tuple[str, JobSource], ...] = ()
    condition_filter: ChangeFilter | None = None
    ad_hoc: AdHocSource = AdHocSource()
    skip: Formula | None = None
    keeps_content: bool = False


NOTHING = Extensions()
