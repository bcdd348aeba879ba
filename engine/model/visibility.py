"""Which variables the expressions inside a sub-process may ask for."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from engine.expressions import Expression
from engine.model.elements import PROCESS, AdHocSubProcess, AnyElement, SequenceFlow


def show_outputs(
    elements: dict[int, AnyElement], flows: Iterable[SequenceFlow]
) -> dict[int, AnyElement]:
    """The elements, with ad-hoc sub-processes knowing who asks for their outputs while they run.

    Expressions inside do, and their own but for output mappings: by then all is collected.
    """
    collecting = {
        index: element
        for index, element in elements.items()
        if isinstance(element, AdHocSubProcess) and element.output_collection is not None
    }
    if not collecting:
        return elements
    parts: list[tuple[object, int]] = [(each, each.scope) for each in elements.values()]
    parts += [(flow, elements[flow.source].scope) for flow in flows if flow.source in elements]
    parts += [(replace(each, outputs=()), index) for index, each in collecting.items()]
    shown: dict[int, AnyElement] = {}
    for part, scope in parts:
        around = [index for index in _scopes(scope, elements) if index in collecting]
        names = set(_names(part)) if around else set()
        for index in around:
            if collecting[index].output_collection in names:
                shown[index] = replace(collecting[index], shows_outputs=True)
    return {**elements, **shown}


def _scopes(scope: int, elements: dict[int, AnyElement]) -> Iterator[int]:
    """The sub-processes around what lies in a scope, itself first."""
    while scope != PROCESS and scope in elements:
        yield scope
        scope = elements[scope].scope


def _names(part: object) -> Iterator[str]:
    """The variables of all expressions in a part of a model."""
    if isinstance(part, Expression):
        yield from part.names
    elif isinstance(part, msgspec.Struct):
        for field in part.__struct_fields__:
            yield from _names(getattr(part, field))
    elif isinstance(part, dict):
        yield from _names(tuple(part.values()))
    elif isinstance(part, list | tuple):
        for each in part:
            yield from _names(each)
