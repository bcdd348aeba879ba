"""Whether what output mappings write is where the vendor's own engine would put it."""

from collections.abc import Iterator
from typing import Final

from engine.expressions import Expression
from engine.model.elements import AdHocSubProcess, AnyElement, MultiInstance, SubProcess
from engine.model.report import Report, quote
from engine.model.source import ProcessSource

_NAMED_MAX: Final = 5


def check_outputs(process: ProcessSource, elements: dict[int, AnyElement], report: Report) -> None:
    """Report what is mapped inside a sub-process and would reach further out at the vendor's.

    Here it ends with the sub-process, unless that takes it as an input, or hands it on.
    """
    written = _written(elements)
    for element in elements.values():
        if isinstance(element, SubProcess) and element.index in written:
            own = _kept(element).union(_handed_on(element))
            staying = sorted(written[element.index] - own)
            if staying:
                _report(process, element, staying, report)


def _written(elements: dict[int, AnyElement]) -> dict[int, set[str]]:
    """By the index of a scope, what elements right inside of it map into it."""
    written: dict[int, set[str]] = {}
    for element in elements.values():
        for mapping in getattr(element, "outputs", ()):
            if not mapping.outward:
                written.setdefault(element.scope, set()).add(mapping.target[0])
    return written


def _kept(scope: SubProcess) -> set[str]:
    """The variables that a sub-process has as its own, for the vendor's engine, too."""
    own = {mapping.target[0] for mapping in scope.inputs} | {each.name for each in scope.data}
    if isinstance(scope.loop, MultiInstance):
        own |= {name for name in (scope.loop.item, scope.loop.output_variable) if name}
    if isinstance(scope, AdHocSubProcess) and scope.output_variable:
        own.add(scope.output_variable)
    return own


def _handed_on(scope: SubProcess) -> Iterator[str]:
    """What a sub-process, or its loop, reads when it completes."""
    expressions: list[Expression | None] = [mapping.source for mapping in scope.outputs]
    if isinstance(scope.loop, MultiInstance):
        expressions.append(scope.loop.output)
    if isinstance(scope, AdHocSubProcess):
        expressions.append(scope.output)
    for expression in expressions:
        if expression is not None:
            yield from expression.names


def _report(process: ProcessSource, scope: SubProcess, names: list[str], report: Report) -> None:
    shown = ", ".join(map(quote, names[:_NAMED_MAX]))
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    report.warning(
        "outputs-stay-inside",
        f"What is mapped to {shown}{more} inside of the sub-process ends with it. Give the"
        " sub-process an output mapping for each that is used behind it.",
        process.nodes[scope.index],
    )
