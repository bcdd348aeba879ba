"""Data objects, stores, properties, inputs and outputs (BPMN 10.4): all of them are variables.

A data element is found by its id, and its variable is called by its name. Which variables a scope
declares, and what a process needs, is read here; what moves between them is associations.py's.
"""

from collections.abc import Iterable
from typing import Final

import msgspec
from lxml import etree

from engine.model.dialects.dialect import Dialect
from engine.model.elements import PROCESS, DataObject
from engine.model.parse import ID_MAX, Catalogue, resolve
from engine.model.report import Report, quote
from engine.model.source import Node, ProcessSource, SourceElement, children
from engine.model.vocabulary import LOOPS

_PLACEHOLDERS: Final = frozenset({"__targetRef_placeholder", "__sourceRef_placeholder"})
"""Names of the properties that modelling tools let an arrow end at, for want of anything else."""

_INPUTS: Final = frozenset({"dataInput", "inputDataItem"})
_OUTPUTS: Final = frozenset({"dataOutput", "outputDataItem"})
_BYTES_MAX: Final = 65_536
"""Of what a process declares: it is in every instance from its beginning."""


class Data(msgspec.Struct, frozen=True, kw_only=True):
    """The data elements of a process.

    `names`: id -> the variable, None for what is only the end of an arrow. `outputs` are the ids of
    data outputs, `stores` those of data stores.
    """

    names: dict[str, str | None] = {}
    outputs: set[str] = set()
    stores: set[str] = set()


NO_DATA: Final = Data()


def read_data(process: ProcessSource, catalogue: Catalogue) -> Data:
    """Find all data elements of a process, and what their variables are called."""
    data = Data()
    referring = _referring_names(process)
    for placed in process.data:
        drawn = placed.element
        if drawn.tag == "ioSpecification":
            _add_interface(data, children(drawn.xml))
        elif drawn.tag == "dataObject":
            _add(data, drawn, drawn.name or referring.get(drawn.id))
        elif drawn.tag == "dataStoreReference":
            store = resolve(catalogue.data_stores, (drawn.xml.get("dataStoreRef") or "").strip())
            _add(data, drawn, drawn.name or (store.name if store else None))
            data.stores.add(drawn.id)
        elif drawn.tag == "property":
            _add(data, drawn, drawn.name)
    for placed in process.data:
        if placed.element.tag == "dataObjectReference":
            reference = (placed.element.xml.get("dataObjectRef") or "").strip()
            _add(data, placed.element, data.names.get(reference) or placed.element.name)
    for node in process.nodes:
        _add_interface(data, node.children)
    return data


def _referring_names(process: ProcessSource) -> dict[str, str]:
    """Id of a data object -> the first name that a reference to it has: some tools name these."""
    names: dict[str, str] = {}
    for placed in process.data:
        if placed.element.tag == "dataObjectReference" and placed.element.name:
            reference = (placed.element.xml.get("dataObjectRef") or "").strip()
            names.setdefault(reference, placed.element.name)
    return names


def _add_interface(data: Data, parts: Iterable[SourceElement]) -> None:
    for part in parts:
        if part.tag == "ioSpecification" or part.tag in LOOPS:
            _add_interface(data, children(part.xml))
        elif part.tag in _INPUTS or part.tag in _OUTPUTS or part.tag == "property":
            _add(data, part, part.name)
            if part.tag in _OUTPUTS:
                data.outputs.add(part.id)


def _add(data: Data, drawn: SourceElement, name: str | None) -> None:
    if not drawn.id:
        return
    if name in _PLACEHOLDERS:
        data.names.setdefault(drawn.id, None)
        return
    text = " ".join((name or "").split())
    data.names.setdefault(drawn.id, text if 0 < len(text) <= ID_MAX else drawn.id)


# --- what scopes declare ---


def declared(
    process: ProcessSource, scope: int, data: Data, dialect: Dialect, report: Report
) -> tuple[DataObject, ...]:
    """The variables that a scope has from its beginning; those of stores are the process's."""
    if not dialect.data_flows:
        return ()
    objects: dict[str, DataObject] = {}
    for drawn in _declarations(process, scope):
        name = data.names.get(drawn.id)
        if name is not None and name not in objects:
            value = dialect.extensions(drawn, report).value
            objects[name] = DataObject(name=name, value=value or "null")
    if sum(len(item.name) + len(item.value) for item in objects.values()) > _BYTES_MAX:
        report.error(
            "too-much-data",
            f"The data objects and their values have more than {_BYTES_MAX} characters in all. Let"
            " workers bring what is large.",
            process if scope == PROCESS else process.nodes[scope],
        )
    return tuple(objects.values())


def _declarations(process: ProcessSource, scope: int) -> list[SourceElement]:
    found = [
        placed.element
        for placed in process.data
        if (placed.scope == scope and placed.element.tag in ("dataObject", "property"))
        or (scope == PROCESS and placed.element.tag == "dataStoreReference")
    ]
    if scope != PROCESS:
        found += [part for part in process.nodes[scope].children if part.tag == "property"]
    return found


def input_sets(process: ProcessSource, data: Data, dialect: Dialect) -> tuple[tuple[str, ...], ...]:
    """The variables of which the process needs one set before it begins; (): it needs none."""
    if not dialect.data_flows:
        return ()
    sets = [
        _required(part.xml, data)
        for placed in process.data
        if placed.element.tag == "ioSpecification"
        for part in children(placed.element.xml)
        if part.tag == "inputSet"
    ]
    return tuple(sets) if all(sets) else ()


def _required(drawn: etree._Element, data: Data) -> tuple[str, ...]:
    references: dict[str, list[str]] = {}
    for part in children(drawn):
        references.setdefault(part.tag, []).append("".join(part.xml.itertext()).strip())
    waived = {
        *references.get("optionalInputRefs", ()),
        *references.get("whileExecutingInputRefs", ()),
    }
    needed = [each for each in references.get("dataInputRefs", ()) if each not in waived]
    return tuple(name for each in needed if (name := data.names.get(each)) is not None)


# --- names for expressions ---


def names_of_several_words(data: Iterable[Data]) -> tuple[str, ...]:
    """The variables whose names hold blanks: FEEL has to know of these beforehand."""
    found = {
        name: None
        for each in data
        for name in each.names.values()
        if name and not name.isidentifier()
    }
    return tuple(found)[:_NAMES_MAX]


_NAMES_MAX: Final = 200


def check_stores(node: Node, ids: Iterable[str], data: Data, report: Report) -> None:
    """Data stores outlive processes, variables do not."""
    for each in ids:
        if each in data.stores:
            report.warning(
                "data-store-local",
                f"The data store {quote(data.names[each] or each)} is a variable of the instance"
                " and ends with it. Let workers keep what has to last.",
                node,
            )
