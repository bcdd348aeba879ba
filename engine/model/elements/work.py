"""How the work of a task is done: by a worker, or inline by an expression or a decision."""

from typing import Literal, TypeAlias

import msgspec

from engine.expressions import Expression
from engine.model.elements.data import Text


class JobDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """Work for a worker: the job's type, how often it may be tried, headers for the worker.

    `computed_headers` are evaluated when the job is made. `backoff_ms` are the waits after the
    first, second, ... failure, the last one from then on, unless the worker asks for another.
    `keeps_results`: what the worker gives is the element's own, for its output mappings to choose.
    """

    type: Text
    retries: int | Expression = 3
    headers: dict[str, str] = {}
    computed_headers: dict[str, Expression] = {}
    backoff_ms: tuple[int, ...] = ()
    keeps_results: bool = False


class ScriptDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """An expression evaluated inline, its value written to a variable."""

    expression: Expression
    result_variable: str | None = None


DecisionResult: TypeAlias = Literal[
    "value", "single_entry", "single_result", "collect_entries", "result_list", "outputs"
]


class DecisionCall(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that is evaluated inline. Which version: as in `CallActivity`.

    `result` says what is made of it: the decision's own value; the one output of the one rule that
    matched; that rule's outputs by name; the one output of each rule; all rules' outputs; each
    output of the one rule as a variable of its own name. `result_variable` holds it; without one
    output mappings alone see it. `needs_hit`: that no rule matches is a failure, or may be one.
    """

    decision_id: Text
    version: int | None = None
    version_tag: str | None = None
    same_deployment: bool = False
    result: DecisionResult = "value"
    result_variable: str | None = None
    needs_hit: bool | Expression = False
