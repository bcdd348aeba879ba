"""Scenarios that run once for each of their examples: `${name}` is replaced by its value."""

import re
from collections.abc import Callable, Mapping

from scenarios.errors import Place, Problem, ScenarioFileError, did_you_mean
from scenarios.tree import Entry, Listing, Scalar, Table, Tree, is_null

_PLACEHOLDER = re.compile(r"\$\{([^{}]*)\}")
EXAMPLES_MAX = 10_000


def expand(file: str, tree: Tree) -> Tree:
    """The tree of a file with a scenario for each example. Raises ScenarioFileError."""
    if not isinstance(tree, Table):
        return tree
    return Table(
        tuple(
            Entry(entry.key, _expand_all(file, entry.value), entry.line)
            if entry.key == "scenarios"
            else entry
            for entry in tree.entries
        ),
        tree.line,
    )


def _expand_all(file: str, scenarios: Tree) -> Tree:
    if is_null(scenarios):
        return scenarios
    items = scenarios.items if isinstance(scenarios, Listing) else (scenarios,)
    expanded = [each for item in items for each in _expand(file, item)]
    return Listing(tuple(expanded), scenarios.line)


def _expand(file: str, scenario: Tree) -> list[Tree]:
    entries = scenario.entries if isinstance(scenario, Table) else ()
    examples = next((entry for entry in entries if entry.key == "examples"), None)
    if examples is None or not isinstance(examples.value, Listing):
        return [scenario]  # what is no list is refused where the format is read
    if not examples.value.items or len(examples.value.items) > EXAMPLES_MAX:
        message = f"Expected 1 to {EXAMPLES_MAX} examples."
        raise ScenarioFileError((Problem(Place(file, examples.line), message),))
    return [_with(file, scenario.line, entries, item) for item in examples.value.items]


def _with(file: str, line: int, entries: tuple[Entry, ...], example: Tree) -> Tree:
    """The scenario of one example; a name without placeholders gets the values behind it."""
    if not isinstance(example, Table):
        message = "Expected names and values, as in `- {amount: 80}`."
        raise ScenarioFileError((Problem(Place(file, example.line), message),))
    values = {entry.key: entry.value for entry in example.entries}
    replaced = []
    for entry in entries:
        value = entry.value
        if entry.key == "examples":
            value = Listing((example,), entry.line)
        elif entry.key == "name" and isinstance(value, Scalar) and "${" not in value.text:
            value = Scalar(f"{value.text} ({_summary(values)})", plain=False, line=value.line)
        else:
            value = _replace(value, values, file)
        replaced.append(Entry(entry.key, value, entry.line))
    return Table(tuple(replaced), line)


def _summary(values: Mapping[str, Tree]) -> str:
    return ", ".join(
        f"{name}={value.text}" if isinstance(value, Scalar) else name
        for name, value in values.items()
    )


def _replace(tree: Tree, values: Mapping[str, Tree], file: str) -> Tree:
    match tree:
        case Scalar():
            return _replace_in(tree, values, file)
        case Listing():
            return Listing(tuple(_replace(item, values, file) for item in tree.items), tree.line)
        case Table():
            entries = (
                Entry(
                    _PLACEHOLDER.sub(_text(tree.line, values, file), entry.key),
                    _replace(entry.value, values, file),
                    entry.line,
                )
                for entry in tree.entries
            )
            return Table(tuple(entries), tree.line)


def _replace_in(scalar: Scalar, values: Mapping[str, Tree], file: str) -> Tree:
    """A scalar that is one placeholder becomes the value; inside of a text it becomes its text."""
    whole = _PLACEHOLDER.fullmatch(scalar.text)
    if whole and whole[1] in values:
        return values[whole[1]]
    text = _PLACEHOLDER.sub(_text(scalar.line, values, file), scalar.text)
    return Scalar(text, scalar.plain, scalar.line)


def _text(line: int, values: Mapping[str, Tree], file: str) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        value = values.get(match[1])
        text = None if value is None else _as_text(value)
        if text is not None:
            return text
        wrong = f"The example says nothing of {match[1]!r}.{did_you_mean(match[1], values)}"
        if value is not None:
            wrong = f"Only a text, or a list of them, can stand inside of a text: {match[1]!r}."
        raise ScenarioFileError((Problem(Place(file, line), wrong),))

    return replaced


def _as_text(value: Tree) -> str | None:
    """A value inside of a text: of a list its items, with commas."""
    match value:
        case Scalar():
            return value.text
        case Listing():
            items = [_as_text(item) for item in value.items]
            texts = [item for item in items if item is not None]
            return ", ".join(texts) if len(texts) == len(items) else None
        case Table():
            return None
