"""Scopes of variables: who sees what, where a write goes, how much they weigh.

A scope is an element instance (the process, a sub-process, an activity); its variables are JSON
texts by name. Reads walk up from scope to scope. Nothing here changes the state.
"""

from collections.abc import Mapping

from engine.state import ProcessInstance

Texts = Mapping[str, str]
"""Names to the JSON texts of their values."""


def utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def size(variables: Texts) -> int:
    """The bytes that variables count for: their names and their texts, in UTF-8."""
    return sum(utf8_length(name) + utf8_length(text) for name, text in variables.items())


def visible(state: ProcessInstance, scope: int) -> dict[str, str]:
    """All variables that the scope sees: its own cover those of the scopes around it."""
    chain = []
    key: int | None = scope
    while key is not None:
        if own := state.variables.get(key):
            chain.append(own)
        key = state.elements[key].scope
    seen: dict[str, str] = {}
    for own in reversed(chain):
        seen.update(own)
    return seen


def find(state: ProcessInstance, scope: int | None, name: str) -> str | None:
    """The text of the nearest variable with this name, from the scope outward."""
    while scope is not None:
        own = state.variables.get(scope)
        if own is not None and (text := own.get(name)) is not None:
            return text
        scope = state.elements[scope].scope
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
        if name in state.variables.get(key, ()):
            return key
        key = state.elements[key].scope
    return state.root


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
