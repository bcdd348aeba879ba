"""Input and output mappings: expressions in order, each seeing what the earlier ones made."""

from engine import variables as v
from engine.instances.advance import Advance
from engine.instances.stuck import IncidentKind, StuckError
from engine.model.elements import CallActivity, Mapping
from engine.values import Value, ValueEncodeError, encode


def map_inputs(advance: Advance, mappings: tuple[Mapping, ...], key: int) -> dict[str, Value]:
    """The locals that the mappings make for an element instance. Raises StuckError."""
    return _evaluate(advance, mappings, key, merge_into=None)


def takes_locally(advance: Advance, key: int) -> bool:
    """Whether what an element instance is given is its own, for its output mappings to choose from.

    Where everything is written outward, only what a called process returns is.
    """
    element = advance.element(key)
    outputs = bool(getattr(element, "outputs", ()))
    return outputs and (not advance.model.writes_outward or isinstance(element, CallActivity))


def give(advance: Advance, key: int, texts: v.Texts) -> None:
    """Set what an element instance's work has given. Raises StuckError, with nothing written."""
    if takes_locally(advance, key):
        advance.set_variables(key, texts)
    else:
        advance.propagate(key, texts)


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
    values = _evaluate(advance, mappings, key, merge_into=scope)
    if advance.model.writes_outward:
        advance.propagate(scope, to_texts(values))
    else:
        advance.set_variables(scope, to_texts(values))


def _map_iteration(advance: Advance, mappings: tuple[Mapping, ...], key: int, loop: int) -> None:
    """Outputs of an iteration: its own variables keep them, the rest goes around the loop."""
    texts = to_texts(_evaluate(advance, mappings, key, merge_into=key))
    if advance.model.writes_outward:
        advance.propagate(key, texts)
        return
    around = advance.instance(loop).scope or advance.state.root
    targets: dict[int, dict[str, str]] = {}
    for name, text in texts.items():
        own = v.has_own(advance.state, key, name)
        if advance.model.writes_outward and not own:
            (target,) = v.propagate(advance.state, around, {name: text})
        else:
            target = key if own else around
        targets.setdefault(target, {})[name] = text
    advance.set_each(targets)


def _evaluate(
    advance: Advance, mappings: tuple[Mapping, ...], key: int, *, merge_into: int | None
) -> dict[str, Value]:
    made: dict[str, Value] = {}
    for mapping in mappings:
        value = advance.evaluator.evaluate(mapping.source, key, made)
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
