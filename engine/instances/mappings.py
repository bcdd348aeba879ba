"""Input and output mappings: expressions in order, each seeing what the earlier ones made."""

from engine import variables as v
from engine.instances.advance import Advance
from engine.instances.stuck import IncidentKind, StuckError
from engine.model.elements import (
    AnyElement,
    CallActivity,
    JobDefinition,
    Mapping,
    MessageTrigger,
    trigger_of,
)
from engine.values import Value, ValueEncodeError, encode


def map_inputs(advance: Advance, mappings: tuple[Mapping, ...], key: int) -> dict[str, Value]:
    """The locals that the mappings make for an element instance. Raises StuckError."""
    return _evaluate(advance, mappings, key, merge_into=None)


def targets_of(advance: Advance, key: int, variables: v.Texts) -> dict[int, dict[str, str]]:
    """Where what an element instance is given goes: a worker's result, a message's content.

    It is its own where output mappings choose from it. Without them it goes outward, but for what
    the element's data outputs are called. Where everything is written outward, only what a called
    process returns is chosen from.
    """
    if not variables:
        return {}
    element = advance.element(key)
    outputs: tuple[Mapping, ...] = getattr(element, "outputs", ())
    if _keeps_results(element) or _chooses(advance, element, outputs):
        return {key: dict(variables)}
    own = {name for mapping in outputs for name in mapping.takes}
    local = {name: text for name, text in variables.items() if name in own}
    rest = {name: text for name, text in variables.items() if name not in own}
    targets = v.propagate(advance.state, key, rest)
    if local:
        targets[key] = {**targets.get(key, {}), **local}
    return targets


def write_id(advance: Advance, key: int, variable: str | None, made_id: str) -> None:
    """The id of what an element instance has made, if the model asks for it. Raises StuckError."""
    if variable is not None:
        advance.propagate(key, to_texts({variable: made_id}))


def _keeps_results(element: AnyElement) -> bool:
    """Whether what is given is for its output mappings alone, wherever all else is written to."""
    job: JobDefinition | None = getattr(element, "job", None)
    trigger = trigger_of(element)
    return (job is not None and job.keeps_results) or (
        isinstance(trigger, MessageTrigger) and trigger.keeps_content
    )


def _chooses(advance: Advance, element: AnyElement, outputs: tuple[Mapping, ...]) -> bool:
    if isinstance(element, CallActivity):
        goes_outward = advance.model.writes_outward or all(item.outward for item in outputs)
        return bool(outputs) and not (element.propagate_all_child_variables and goes_outward)
    return not advance.model.writes_outward and any(not item.outward for item in outputs)


def map_outputs(advance: Advance, mappings: tuple[Mapping, ...], key: int) -> None:
    """Write to the scope around the element instance. Raises StuckError, with nothing written.

    Camunda would look further outward for a scope that has the name. Here a mapping never reaches
    past the scope around it, so that what a sub-process computes stays inside unless a mapping of
    its own hands it on (test_outputs_write_to_the_scope_around_the_activity).
    """
    scope = advance.instance(key).scope
    if not mappings or scope is None:
        return
    if advance.instance(key).ordinal:
        _map_iteration(advance, mappings, key, scope)
        return
    texts = to_texts(_evaluate(advance, mappings, key, merge_into=scope))
    _write(advance, mappings, texts, scope, scope)


def _map_iteration(advance: Advance, mappings: tuple[Mapping, ...], key: int, loop: int) -> None:
    """Outputs of an iteration: its own variables keep them, the rest goes around the loop."""
    texts = to_texts(_evaluate(advance, mappings, key, merge_into=key))
    _write(advance, mappings, texts, key, advance.instance(loop).scope or advance.state.root)


def _write(
    advance: Advance, mappings: tuple[Mapping, ...], texts: dict[str, str], scope: int, around: int
) -> None:
    """Into `scope` what it has of these names, if it is an iteration; else around, or outward."""
    outward = {mapping.target[0] for mapping in mappings if mapping.outward}
    targets: dict[int, dict[str, str]] = {}
    for name, text in texts.items():
        if advance.model.writes_outward or name in outward:
            (target,) = v.propagate(advance.state, scope, {name: text})
        else:
            is_own = scope != around and v.has_own(advance.state, scope, name)
            target = scope if is_own else around
        targets.setdefault(target, {})[name] = text
    advance.set_each(targets)


def _evaluate(
    advance: Advance, mappings: tuple[Mapping, ...], key: int, *, merge_into: int | None
) -> dict[str, Value]:
    made: dict[str, Value] = {}
    for mapping in mappings:
        value = advance.evaluator.evaluate(mapping.source, key, made)
        if value is None and mapping.outward:
            continue  # 10.4.2: only a source that is available is copied
        name, *path = mapping.target
        if path:
            before = made.get(name)
            if name not in made and merge_into is not None:
                text = v.find(advance.state, merge_into, name)
                before = None if text is None else advance.evaluator.decoded(text)
            value = _with_leaf(before, path, value)
        made[name] = value
    return made


def _with_leaf(before: Value, path: list[str], leaf: Value) -> Value:
    """A copy of an object in which the value at the path is another; the rest stays as it was.

    `{a: 1, b: {c: 2}}` with the path b.d and 3 is `{a: 1, b: {c: 2, d: 3}}`.
    """
    levels: list[dict[str, Value]] = []
    here = before
    for name in path:
        level = dict(here) if isinstance(here, dict) else {}
        levels.append(level)
        here = level.get(name)
    value = leaf
    for level, name in zip(reversed(levels), reversed(path), strict=True):
        level[name] = value
        value = level
    return value


def to_texts(values: dict[str, Value]) -> dict[str, str]:
    """The JSON texts of values. Raises StuckError when one has no JSON form."""
    texts = {}
    for name, value in values.items():
        try:
            texts[name] = encode(value)
        except ValueEncodeError as error:
            raise StuckError(
                IncidentKind.EXPRESSION_FAILED, f"The variable {name!r} cannot be kept: {error}"
            ) from None
    return texts
