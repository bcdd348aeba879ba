"""Scopes of variables: who sees what, where a write goes, how much they weigh.

A scope is an element instance (the process, a sub-process, an activity); its variables are JSON
texts by name. Reads walk up from scope to scope. Nothing here changes the state.
"""

from collections.abc import Mapping

from engine.state import ElementInstance, ProcessInstance

LOOP_COUNTER = "loopCounter"
LOOP_COUNTS = ("nrOfInstances", "nrOfActiveInstances", "nrOfCompletedInstances")
"""Computed of a loop, so that they change without being set."""

Texts = Mapping[str, str]
"""Names to the JSON texts of their values."""


def utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def size(variables: Texts) -> int:
    """The bytes that variables count for: their names and their texts, in UTF-8."""
    return sum(utf8_length(name) + utf8_length(text) for name, text in variables.items())


def visible(state: ProcessInstance, scope: int) -> dict[str, str]:
    """All variables that the scope sees: its own cover those of the scopes around it."""
    chain: list[Texts] = []
    key: int | None = scope
    while key is not None:
        if own := state.variables.get(key):
            chain.append(own)
        element = state.elements[key]
        if element.ordinal:
            chain.append(loop_variables(state, element))
        key = element.scope
    seen: dict[str, str] = {}
    for texts in reversed(chain):
        seen.update(texts)
    return seen


def find(state: ProcessInstance, scope: int | None, name: str) -> str | None:
    """The text of the nearest variable with this name, from the scope outward."""
    while scope is not None:
        own = state.variables.get(scope)
        if own is not None and (text := own.get(name)) is not None:
            return text
        element = state.elements[scope]
        if element.ordinal and (text := _of_iteration(state, element, name)) is not None:
            return text
        scope = element.scope
    return None


def loop_variables(state: ProcessInstance, element: ElementInstance) -> dict[str, str]:
    """The variables that every iteration of a loop has, unless it sets others of these names.

    They are computed: ten thousand iterations would otherwise weigh twice as much. The counts of
    the loop are not among them: what is published would be out of date with the next iteration.
    """
    loop = state.loops[element.scope or 0]
    names = (loop.output, loop.item, LOOP_COUNTER)  # of the same name the later covers the earlier
    texts = {}
    for name in names:
        if name is not None and (text := _of_iteration(state, element, name)) is not None:
            texts[name] = text
    return texts


def _of_iteration(state: ProcessInstance, element: ElementInstance, name: str) -> str | None:
    loop = state.loops[element.scope or 0]
    if name == LOOP_COUNTER:
        return str(element.ordinal - 1 + loop.counter_first)
    if name == loop.item and loop.items:
        return loop.items[element.ordinal - 1]
    if name == loop.output:
        return "null"
    return _count_of(state, element, name) if loop.counter_first == 0 else None


def _count_of(state: ProcessInstance, element: ElementInstance, name: str) -> str | None:
    """Camunda 7 and Flowable, whose loops count from 0, let every iteration see these."""
    key = element.scope or 0
    loop = state.loops[key]
    match name:
        case "nrOfInstances":
            return str(loop.count or 0)
        case "nrOfActiveInstances":
            return str(state.elements[key].open)
        case "nrOfCompletedInstances":
            return str(loop.completed)
        case _:
            return None


def propagate(state: ProcessInstance, scope: int, variables: Texts) -> dict[int, dict[str, str]]:
    """Where a write without a mapping goes: the nearest scope that has the name, else the root."""
    targets: dict[int, dict[str, str]] = {}
    for name, text in variables.items():
        targets.setdefault(_holder(state, scope, name), {})[name] = text
    return targets


def _holder(state: ProcessInstance, scope: int, name: str) -> int:
    key: int | None = scope
    while key is not None:
        # What a compensation handler has of its own is a picture of the past: nothing changes it.
        if not state.elements[key].compensates and has_own(state, key, name):
            return key
        key = state.elements[key].scope
    return state.root


def has_own(state: ProcessInstance, scope: int, name: str) -> bool:
    """Whether the variable is the scope's own, computed ones included."""
    if name in state.variables.get(scope, ()):
        return True
    element = state.elements[scope]
    return element.ordinal > 0 and _of_iteration(state, element, name) is not None


def growth(state: ProcessInstance, scope: int, variables: Texts) -> int:
    """The bytes that the instance's variables would grow by, were these set in the scope."""
    own = state.variables.get(scope, {})
    grown = 0
    for name, text in variables.items():
        before = own.get(name)
        if before is None:
            grown += utf8_length(name) + utf8_length(text)
        else:
            grown += utf8_length(text) - utf8_length(before)
    return grown
