"""From the tree of a YAML file to the Structs of the format, by their types.

Everything wrong is found in one go, each with its line. Unknown keys are refused: what is silently
left out of a test makes it pass.
"""

import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from msgspec import Meta
from msgspec.structs import FieldInfo, fields

from engine.expressions import EvaluationError, ExpressionSyntaxError, compile_feel, schedule
from engine.values import Value
from scenarios.errors import Place, Problem, ScenarioFileError, did_you_mean
from scenarios.format.file import Scenario, ScenarioFile
from scenarios.format.parts import Part, Pattern
from scenarios.format.steps import AnyStep
from scenarios.tree import (
    Entry,
    Listing,
    Scalar,
    Table,
    Tree,
    UnclearScalarError,
    is_null,
    value_of,
)

PartType = TypeVar("PartType", bound=Part)

VERBS: Mapping[str, type[Part]] = {kind.verb: kind for kind in typing.get_args(AnyStep)}
"""The kinds of steps by the key that names them."""


class WrongError(Exception):
    """What stands at a line is not what the format has there. Empty: it was reported already."""

    def __init__(self, message: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def read(file: str, tree: Tree) -> ScenarioFile:
    """The scenarios of a file. Raises ScenarioFileError with all that is wrong."""
    reader = _Reader(file)
    found = reader.attempt(lambda: reader.part(ScenarioFile, tree))
    if reader.problems or found is None:
        raise ScenarioFileError(reader.problems)
    return found


@cache
def keys_of(kind: type[Part]) -> Mapping[str, FieldInfo]:
    """The fields of a Struct by their keys in YAML."""
    found = {known.encode_name: known for known in fields(kind)}
    del found["lines"]
    return found


def given_type(kind: Any) -> tuple[Any, str]:
    """A type without what is said about it, and the title that may be said of it."""
    if typing.get_origin(kind) is not typing.Annotated:
        return kind, ""
    kind, *about = typing.get_args(kind)
    titles = [each.title for each in about if isinstance(each, Meta) and each.title]
    inner, title = given_type(kind)
    return inner, (titles[0] if titles else title)


def without_none(kind: Any) -> tuple[Any, bool]:
    """A type, and whether it may be null, too."""
    if typing.get_origin(kind) not in {typing.Union, types.UnionType}:
        return kind, False
    members = [member for member in typing.get_args(kind) if member is not type(None)]
    return (members[0], True) if len(members) == 1 else (kind, False)


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self.problems: list[Problem] = []

    def attempt(self, reading: Callable[[], PartType]) -> PartType | None:
        """What is read; None: what is wrong with it was added to the problems."""
        try:
            return reading()
        except WrongError as error:
            self._report(error)
            return None

    def _report(self, error: WrongError) -> None:
        if error.message:
            self.problems.append(Problem(Place(self._file, error.line), error.message))

    # --- mappings ---

    def part(self, kind: type[PartType], tree: Tree) -> PartType:
        if isinstance(tree, Scalar) and issubclass(kind, Pattern) and not is_null(tree):
            lines = {"": tree.line, kind.short: tree.line}
            return self._made(kind, {kind.short: tree.text}, lines)
        if not isinstance(tree, Table):
            expected = f"Expected a mapping with keys such as {_some_keys(kind)}"
            meant = " Is what follows indented further?" if is_null(tree) else ""
            raise WrongError(f"{expected}, found {_found(tree)}.{meant}", tree.line)
        values: dict[str, Any] = {}
        lines = {"": tree.line} | {entry.key: entry.line for entry in tree.entries}
        wrong = False
        for entry in tree.entries:
            try:
                values[entry.key] = self._field(kind, entry)
            except WrongError as error:
                wrong = True
                self._report(error)
        for key, known in keys_of(kind).items():
            if known.required and key not in lines:
                wrong = True
                self._report(WrongError(f"The key {key!r} is missing here.", tree.line))
        if wrong:
            raise WrongError
        return self._made(kind, values, lines)

    def _made(
        self, kind: type[PartType], values: Mapping[str, Any], lines: dict[str, int]
    ) -> PartType:
        names = {key: known.name for key, known in keys_of(kind).items()}
        try:
            return kind(lines=lines, **{names[key]: value for key, value in values.items()})
        except ValueError as error:
            raise WrongError(str(error), lines[""]) from None

    def _field(self, kind: type[Part], entry: Entry) -> Any:
        known = keys_of(kind).get(entry.key)
        if known is None:
            raise WrongError(_unknown(kind, entry.key), entry.line)
        inner, _ = given_type(known.type)
        inner, optional = without_none(inner)
        if optional and is_null(entry.value):
            if known.required:
                return None
            if entry.key not in kind.nullable:
                instead = _instead(inner)
                raise WrongError(f"Nothing stands behind {entry.key!r}.{instead}", entry.line)
            if not isinstance(entry.value, Scalar) or not entry.value.text:
                instead = "Write null if there must be none."
                raise WrongError(f"Nothing stands behind {entry.key!r}. {instead}", entry.line)
            return None
        return self._value(known.type, entry.value)

    # --- values ---

    def _value(self, kind: Any, tree: Tree) -> Any:
        kind, title = given_type(kind)
        kind, optional = without_none(kind)
        if optional and is_null(tree):
            return None
        kind, inner_title = given_type(kind)
        title = title or inner_title
        scalar = _SCALARS.get(title or kind)
        return scalar(tree) if scalar is not None else self._composite(kind, tree)

    def _composite(self, kind: Any, tree: Tree) -> Any:
        if kind is AnyStep:
            return self._step(tree)
        if typing.get_origin(kind) is tuple:
            return self._list(typing.get_args(kind)[0], tree)
        if typing.get_origin(kind) is dict:
            return self._names(typing.get_args(kind)[1], tree)
        assert issubclass(kind, Part), "the format is made of these"
        return self.part(kind, tree)

    def _list(self, kind: Any, tree: Tree) -> tuple[Any, ...]:
        if is_null(tree):
            raise WrongError("Expected a list, found nothing.", tree.line)
        items = tree.items if isinstance(tree, Listing) else (tree,)
        found: list[Any] = []
        for item in items:
            try:
                found.append(self._value(kind, item))
            except WrongError as error:
                self._report(error)
        if len(found) < len(items):
            raise WrongError
        return tuple(found)

    def _names(self, kind: Any, tree: Tree) -> dict[str, Any]:
        if not isinstance(tree, Table):
            raise WrongError(f"Expected names and values, found {_found(tree)}.", tree.line)
        return {entry.key: self._value(kind, entry.value) for entry in tree.entries}

    def _step(self, tree: Tree) -> Part:
        if not isinstance(tree, Table):
            raise WrongError(
                f"Expected a step, as in `start: order`, found {_found(tree)}.", tree.line
            )
        keys = [entry.key for entry in tree.entries]
        verbs = [key for key in keys if key in VERBS and key != "expect"]
        if len(verbs) > 1:
            both = " and ".join(repr(verb) for verb in verbs)
            raise WrongError(f"A step does one thing, this has {both}: make it two.", tree.line)
        if not verbs and "expect" not in keys:
            meant = did_you_mean(keys[0], VERBS) if keys else ""
            meant = meant or f" Steps are: {', '.join(VERBS)}."
            raise WrongError(f"No step begins like this.{meant}", tree.line)
        return self.part(VERBS[verbs[0] if verbs else "expect"], tree)


def _unknown(kind: type[Part], key: str) -> str:
    known = keys_of(kind)
    if kind is Scenario and key in ("expect", "expects", "expected"):
        return f"The key {key!r} means nothing here: `expect` belongs to a step."
    meant = did_you_mean(key, known) or f" Known here are: {', '.join(known)}."
    return f"The key {key!r} means nothing here.{meant}"


def _some_keys(kind: type[Part]) -> str:
    keys = sorted(keys_of(kind), key=lambda key: not keys_of(kind)[key].required)
    return ", ".join(repr(key) for key in keys[:3])


def _instead(kind: Any) -> str:
    return " Write [] if there must be none." if typing.get_origin(kind) is tuple else ""


def _found(tree: Tree) -> str:
    match tree:
        case Scalar() if is_null(tree):
            return "nothing"
        case Scalar():
            text = tree.text if len(tree.text) <= 40 else f"{tree.text[:37]}..."
            return f"{text!r}"
        case Listing():
            return "a list"
        case Table():
            return "a mapping"


# --- scalars ---


def _text(tree: Tree) -> str:
    if not isinstance(tree, Scalar) or is_null(tree):
        raise WrongError(f"Expected a text, found {_found(tree)}.", tree.line)
    return tree.text


def _json(tree: Tree) -> Value:
    try:
        return value_of(tree)
    except UnclearScalarError as error:
        raise WrongError(str(error), error.line) from None


def _integer(tree: Tree) -> int:
    value = _json(tree)
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongError(f"Expected a whole number, found {_found(tree)}.", tree.line)
    return value


def _boolean(tree: Tree) -> bool:
    value = _json(tree)
    if not isinstance(value, bool):
        raise WrongError(f"Expected true or false, found {_found(tree)}.", tree.line)
    return value


def _duration(tree: Tree) -> str:
    text = _text(tree)
    try:
        schedule.parse_duration(text)
    except EvaluationError:
        raise WrongError(
            f"Expected a duration such as PT15M or P3D, found {text!r}.", tree.line
        ) from None
    return text


def _instant(tree: Tree) -> str:
    text = _text(tree)
    try:
        schedule.parse_date_time(text, "UTC")
    except EvaluationError:
        raise WrongError(
            f"Expected an instant such as 2026-01-05T09:00:00Z, found {text!r}.", tree.line
        ) from None
    return text


def _condition(tree: Tree) -> str:
    text = _text(tree)
    try:
        compile_feel(text.removeprefix("="))
    except ExpressionSyntaxError as error:
        raise WrongError(f"The condition {text!r} cannot be read: {error}", tree.line) from None
    return text


_SCALARS: Mapping[Any, Callable[[Tree], Any]] = {
    "condition": _condition,
    "json": _json,
    "duration": _duration,
    "instant": _instant,
    str: _text,
    int: _integer,
    bool: _boolean,
}
