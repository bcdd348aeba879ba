"""Decisions that a task evaluates: which version, with what it sees, and what becomes of it."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from engine import events as e
from engine.decisions import AnyNode, Decision, DecisionModel, Service
from engine.definitions import VersionRef
from engine.errors import DecisionUnreadError
from engine.expressions import Environment, EvaluationError
from engine.instances.advance import Advance
from engine.instances.bindings import binding_text, bound_version
from engine.instances.evaluator import naming_missing
from engine.instances.mappings import targets_of, to_texts
from engine.instances.stuck import IncidentKind, StuckError
from engine.model.elements import DecisionCall, DecisionResult
from engine.values import Value

DECISION_RESULT: Final = "decisionResult"
"""What Camunda 7 calls the whole result in output mappings."""

_Rows: TypeAlias = list[dict[str, Value]]
"""For each rule that matched, its outputs by name."""


class _Found(NamedTuple):
    """The decision that is called, in the version that is meant."""

    id: str
    ref: VersionRef
    model: DecisionModel


def run_decision(advance: Advance, call: DecisionCall, key: int) -> None:
    """Evaluate a decision, and set the variables that it gives. Raises StuckError.

    What is the latest version is read off the partition's own table, so a replay finds the same.
    """
    found = _find(advance, call, key)
    env = advance.evaluator.environment(key)
    try:
        values, own = _evaluate(call, found, env)
    except EvaluationError as error:
        sentence = (
            f"The decision {found.id!r} version {found.ref.version} failed at"
            f" {advance.instance(key).element_id!r}: {error.message}"
        )
        missing = error.missing or tuple(env.missing)
        raise StuckError(IncidentKind.DECISION_FAILED, naming_missing(sentence, missing)) from None
    targets = targets_of(advance, key, to_texts(values))
    if own and _is_mapped(advance, key):
        targets[key] = {**targets.get(key, {}), **to_texts(own)}
    advance.set_each(targets)
    advance.emit(e.DecisionEvaluated(owner=key, decision_id=found.id, version=found.ref.version))


def _find(advance: Advance, call: DecisionCall, key: int) -> _Found:
    """Raises StuckError where there is no such version, DecisionUnreadError where it is to read."""
    decision_id = advance.evaluator.name(call.decision_id, key)
    context = advance.context
    ref = bound_version(advance, call, context.definitions.decision(decision_id))
    if ref is None:
        raise StuckError(
            IncidentKind.DECISION_FAILED,
            f"Expected the decision {decision_id!r}{binding_text(call)} to be deployed, which"
            f" {advance.instance(key).element_id!r} evaluates; found none",
        )
    model = context.decisions.get(ref.file)
    if model is None:
        raise DecisionUnreadError(ref.file)
    return _Found(decision_id, ref, model)


def _is_mapped(advance: Advance, key: int) -> bool:
    """Whether output mappings choose from Camunda 7's result: nobody else sees it."""
    outputs = getattr(advance.element(key), "outputs", ())
    return any(DECISION_RESULT in mapping.source.names for mapping in outputs)


def _evaluate(
    call: DecisionCall, found: _Found, env: Environment
) -> tuple[dict[str, Value], dict[str, Value]]:
    """The variables that the decision gives, and those of the task's own.

    Raises EvaluationError.
    """
    if call.result == "value":
        return _named(call, found.model.evaluate(found.id, {}, env)), {}
    node = found.model.nodes[found.id]
    if call.result == "outputs":
        if isinstance(node, Service):
            return _served(call, found, node, env), {}
        return _outputs(call, found, env), {}
    rows = found.model.evaluate_rows(found.id, {}, env)
    return _named(call, _RESULTS[call.result](rows)), {DECISION_RESULT: list(rows)}


def _named(call: DecisionCall, value: Value) -> dict[str, Value]:
    return {} if call.result_variable is None else {call.result_variable: value}


def _outputs(call: DecisionCall, found: _Found, env: Environment) -> dict[str, Value]:
    """As Flowable: each output as a variable, all rules' together under the decision's own id."""
    rows = found.model.evaluate_rows(found.id, {}, env)
    _require_hit(call, rows, env)
    if len(rows) > 1 or _collects(found.model.nodes[found.id]):
        return {found.id: list(rows)}
    return rows[0] if rows else {}


def _served(
    call: DecisionCall, found: _Found, service: Service, env: Environment
) -> dict[str, Value]:
    """As Flowable: each output of each decision as a variable, where no more than one rule matched.

    Else an object under the service's own id: for each of the decisions all rules' outputs.
    """
    results = found.model.evaluate_service(service, {}, env)
    _require_hit(call, [row for rows in results.values() for row in rows], env)
    nodes = found.model.nodes
    if any(len(rows) > 1 or _collects(nodes[each]) for each, rows in results.items()):
        return {found.id: {each: list(rows) for each, rows in results.items()}}
    return {name: value for rows in results.values() for row in rows for name, value in row.items()}


def _collects(node: AnyNode) -> bool:
    return isinstance(node, Decision) and node.collects


def _require_hit(call: DecisionCall, rows: _Rows, env: Environment) -> None:
    if rows or call.needs_hit is False:
        return
    if call.needs_hit is True or call.needs_hit.evaluate(env) is True:
        raise EvaluationError("No rule matches.")


# --- what Camunda 7 makes of a result ---


def _result_list(rows: _Rows) -> Value:
    return list(rows)


def _single_result(rows: _Rows) -> Value:
    """The only rule's outputs; null if no rule matched."""
    if len(rows) > 1:
        raise EvaluationError(f"Expected one rule to match at most, found {len(rows)}.")
    return rows[0] if rows else None


def _single_entry(rows: _Rows) -> Value:
    return _only_entry(_single_result(rows))


def _collect_entries(rows: _Rows) -> Value:
    return [_only_entry(row) for row in rows]


def _only_entry(row: Value) -> Value:
    if not isinstance(row, Mapping):
        return None
    if len(row) > 1:
        raise EvaluationError(f"Expected one output, found {', '.join(row)}.")
    return next(iter(row.values()), None)


_RESULTS: Final[Mapping[DecisionResult, Callable[[_Rows], Value]]] = {
    "single_entry": _single_entry,
    "single_result": _single_result,
    "collect_entries": _collect_entries,
    "result_list": _result_list,
}
