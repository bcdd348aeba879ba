"""The methods of java.lang.String that JUEL expressions may call on a text."""

from typing import Final

from engine.expressions.builtins import regular
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import compare, shown, to_number, to_text
from engine.expressions.juel.methods.method import Method, index, method, within
from engine.values import Value


def _piece(value: Value) -> str:
    """An argument that Java would want to be a String."""
    if isinstance(value, str):
        return value
    raise EvaluationError(f"{shown(value)} is not a string.")


def _substring(_env: Environment, text: str, start: Value, end: Value = None) -> Value:
    first = index(start)
    last = len(text) if end is None else index(end)
    if not 0 <= first <= last <= len(text):
        raise EvaluationError(f"A text of {len(text)} characters has none from {first} to {last}.")
    return text[first:last]


def _replace(env: Environment, text: str, old: Value, new: Value) -> Value:
    sought, substitute = _piece(old), _piece(new)
    env.spend(text.count(sought) * len(substitute) >> 6)
    return text.replace(sought, substitute)


def _matches(env: Environment, text: str, pattern: Value) -> Value:
    """Java's matches() asks about the whole text."""
    return _checked(regular.matches(env, text, f"^(?:{_piece(pattern)})$"), pattern)


def _replace_all(env: Environment, text: str, pattern: Value, new: Value) -> Value:
    return _checked(regular.replace(env, text, _piece(pattern), _piece(new)), pattern)


def _split(env: Environment, text: str, pattern: Value) -> Value:
    """Without the empty texts at the end, as Java does."""
    parts = _checked(regular.split(env, text, _piece(pattern)), pattern)
    while isinstance(parts, list) and len(parts) > 1 and parts[-1] == "":
        parts = parts[:-1]
    return parts


def _checked(result: Value, pattern: Value) -> Value:
    if result is None:
        raise EvaluationError(f"The regular expression {shown(pattern)} is not supported.")
    return result


def _char_at(_env: Environment, text: str, position: Value) -> Value:
    return text[within(index(position), len(text), "character")]


def _concat(env: Environment, text: str, other: Value) -> Value:
    return text + to_text(other, env)


def _equals_ignoring_case(_env: Environment, text: str, other: Value) -> Value:
    return isinstance(other, str) and text.lower() == other.lower()


METHODS: Final[dict[str, Method]] = {
    "charAt": method(_char_at, 1),
    "compareToIgnoreCase": method(
        lambda env, text, other: compare(text.lower(), _piece(other).lower(), env), 1
    ),
    "concat": method(_concat, 1),
    "contains": method(lambda _env, text, other: _piece(other) in text, 1),
    "endsWith": method(lambda _env, text, other: text.endswith(_piece(other)), 1),
    "equalsIgnoreCase": method(_equals_ignoring_case, 1),
    "indexOf": method(lambda _env, text, other: text.find(_piece(other)), 1),
    "intValue": method(lambda _env, text: index(text)),
    "isBlank": method(lambda _env, text: not text.strip()),
    "isEmpty": method(lambda _env, text: not text),
    "lastIndexOf": method(lambda _env, text, other: text.rfind(_piece(other)), 1),
    "length": method(lambda _env, text: len(text)),
    "longValue": method(lambda _env, text: index(text)),
    "doubleValue": method(lambda _env, text: to_number(text)),
    "matches": method(_matches, 1),
    "replace": method(_replace, 2),
    "replaceAll": method(_replace_all, 2),
    "split": method(_split, 1),
    "startsWith": method(lambda _env, text, other: text.startswith(_piece(other)), 1),
    "strip": method(lambda _env, text: text.strip()),
    "substring": method(_substring, 1, 2),
    "toLowerCase": method(lambda _env, text: text.lower()),
    "toUpperCase": method(lambda _env, text: text.upper()),
    "trim": method(lambda _env, text: text.strip()),
}
