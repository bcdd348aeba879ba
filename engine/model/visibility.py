"""Which variables the expressions inside a sub-process may ask for."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from engine.expressions import Expression
from engine.model.elements import PROCESS, AdHocSubProcess, AnyElement, SequenceFlow


def show_outputs(
    elements: dict[int, AnyElement], flows: Iterable[SequenceFlow]
) -> dict[int, AnyElement]:
    """The elements, with ad-hoc sub-processes knowing who asks for their outputs while they run."""
    flows = tuple(flows)
    return {
        index: replace(element, shows_outputs=_are_asked_for(element, elements, flows))
        if isinstance(element, AdHocSubProcess) and element.output_collection is not None
        else element
        for index, element in elements.items()
    }


def _are_asked_for(
    container: AdHocSubProcess, elements: dict[int, AnyElement], flows: tuple[SequenceFlow, ...]
) -> bool:
    """By an expression. The output mappings of the sub-process come when all is collected."""
    inside = [each for each in elements.values() if _lies_in(each, container, elements)]
    among = {each.index for each in inside}
    asking = [replace(container, outputs=()), *inside]
    asking_flows = [flow for flow in flows if flow.source in among]
    return container.output_collection in {*_names(asking), *_names(asking_flows)}


def _lies_in(element: AnyElement, container: AnyElement, elements: dict[int, AnyElement]) -> bool:
    scope = element.scope
    while scope != PROCESS and scope in elements:
        if scope == container.index:
            return True
        scope = elements[scope].scope
    return False


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
