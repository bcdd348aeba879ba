"""YAML as a tree with lines, and nothing decided yet about what a scalar means.

Versions of YAML disagree about plain scalars: `no`, `010`, `12:30` and `1e3` are something else to
each. Here a field that holds text takes a scalar as it is written, and a field that holds any value
takes JSON's numbers with all their digits, `true`, `false` and `null`; what older parsers read as
something else must be quoted.
"""

import re
from collections.abc import Hashable
from typing import Any, TypeAlias

import msgspec
import yaml

from engine import values
from engine.values import Value
from scenarios.errors import Place, Problem, ScenarioFileError

BYTES_MAX = 4 * 1024 * 1024
NODES_MAX = 1_000_000
"""Nodes of a file with all its aliases followed: a few lines may stand for billions of them."""

_PLAIN, _QUOTED = "plain", "quoted"
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_BOOLEAN_ONCE = frozenset({"yes", "no", "on", "off"})
_NUMBER_ELSEWHERE = re.compile(
    r"[-+]?(0[0-9_]+|[0-9][0-9_]*|\.[0-9_]+|[0-9][0-9_]*\.[0-9_]*)([eE][-+]?[0-9]+)?"
    r"|[-+]?0[xob][0-9a-fA-F_]+|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)


class Scalar(msgspec.Struct, frozen=True):
    """`plain`: written without quotes, so that it may mean a number, a boolean or null."""

    text: str
    plain: bool
    line: int


class Listing(msgspec.Struct, frozen=True):
    items: tuple["Tree", ...]
    line: int


class Entry(msgspec.Struct, frozen=True):
    """A key and its value; `line` is the key's."""

    key: str
    value: "Tree"
    line: int


class Table(msgspec.Struct, frozen=True):
    entries: tuple[Entry, ...]
    line: int


Tree: TypeAlias = Scalar | Listing | Table


class _Composer(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]  # either will do
    """Marks scalars as plain or quoted instead of guessing what they mean."""

    def resolve(self, kind: type, value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _QUOTED
        return str(super().resolve(kind, value, implicit))


def parse(file: str, content: bytes) -> Tree:
    """The tree of a YAML file. Raises ScenarioFileError."""
    if len(content) > BYTES_MAX:
        raise _failure(file, 0, f"The file has more than {BYTES_MAX // 2**20} MB. Split it.")
    if content.lstrip().startswith(b"<"):
        message = "This is XML. Scenarios are YAML, which names such a file under `models:`."
        raise _failure(file, 1, message)
    try:
        node = yaml.compose(content.decode("utf-8-sig"), _Composer)
        if node is None:
            raise _failure(file, 1, "The file is empty: expected `models:` and `scenarios:`.")
        return _Builder(file).build(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 0 if mark is None else mark.line + 1
        tabbed = content.splitlines()[line - 1 : line]
        if tabbed and tabbed[0].lstrip(b" ").startswith(b"\t"):
            raise _failure(
                file, line, "The line is indented by a tab: YAML wants blanks."
            ) from None
        raise _failure(file, line, _sentence(error)) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _failure(file, 0, f"The file is not YAML in UTF-8: {error}.") from None
    except RecursionError:
        raise _failure(file, 0, "The YAML is nested too deeply.") from None


def _sentence(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "it cannot be read"
    where = f" {error.context}" if error.context else ""
    return (
        f"This is not YAML: {problem}{where}. (Texts with `: `, ` #`, or a leading `{{`, `[`,"
        " `*`, `&`, `!`, `@` or `%` need quotes.)"
    )


def _failure(file: str, line: int, message: str) -> ScenarioFileError:
    return ScenarioFileError((Problem(Place(file, line), message),))


class _Builder:
    """From PyYAML's nodes to ours."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._left = NODES_MAX

    def build(self, node: yaml.Node) -> Tree:
        line = node.start_mark.line + 1
        self._left -= 1
        if self._left < 0:
            raise _failure(self._file, line, f"The file has more than {NODES_MAX} nodes.")
        if isinstance(node, yaml.ScalarNode) and node.tag in {_PLAIN, _QUOTED}:
            return Scalar(node.value, node.tag == _PLAIN, line)
        if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
            return Listing(tuple(self.build(item) for item in node.value), line)
        if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
            return Table(self._entries(node), line)
        raise _failure(self._file, line, f"Tags such as {node.tag!r} mean nothing here.")

    def _entries(self, node: yaml.MappingNode) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        known: set[Hashable] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise _failure(self._file, line, "A key must be a text.")
            if key.value in known:
                raise _failure(self._file, line, f"The key {key.value!r} stands here twice.")
            if key.value == "<<" and key.tag == _PLAIN:
                raise _failure(
                    self._file, line, "Merge keys (<<) are not YAML 1.2. Repeat the lines, or put"
                    " what all scenarios share beside `scenarios:`.",
                )  # fmt: skip
            known.add(key.value)
            entries.append(Entry(key.value, self.build(value), line))
        return tuple(entries)


def value_of(tree: Tree) -> Value:
    """Any JSON value. Raises UnclearScalarError."""
    match tree:
        case Scalar():
            return _scalar(tree)
        case Listing():
            return [value_of(item) for item in tree.items]
        case Table():
            return {entry.key: value_of(entry.value) for entry in tree.entries}


class UnclearScalarError(ValueError):
    """A plain scalar that parsers read differently, or a number that JSON cannot hold."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def _scalar(scalar: Scalar) -> Value:
    text = scalar.text
    if not scalar.plain:
        return text
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _NUMBER.fullmatch(text):
        try:
            return values.decode(text)
        except values.ValueDecodeError as error:
            raise UnclearScalarError(str(error), scalar.line) from None
    if text.casefold() in _BOOLEAN_ONCE:
        meant = "true" if text.casefold() in {"yes", "on"} else "false"
        raise UnclearScalarError(
            f'Write {meant}, or the text "{text}" in quotes: parsers differ about {text}.',
            scalar.line,
        )
    if _NUMBER_ELSEWHERE.fullmatch(text):
        raise UnclearScalarError(
            f'{text} is no number of JSON: write it as one, or the text "{text}" in quotes.',
            scalar.line,
        )
    return text


def is_null(tree: Tree) -> bool:
    return isinstance(tree, Scalar) and tree.plain and tree.text in _NULL
