"""Item definitions of the file to types."""

from engine.decisions.place import Gauge, Place, Shared
from engine.decisions.source import Source
from engine.decisions.types import ItemType
from engine.expressions.environment import Code
from engine.expressions.surroundings import Surroundings
from engine.model.report import quote
from engine.model.spelling import did_you_mean


class ItemPlace:
    """What a finding about an item definition points at."""

    def __init__(self, source: Source) -> None:
        self.id = source.get("id") or source.get("name") or ""
        self.name = source.get("name")
        self.line = source.line


def declare_types(definitions: Source, shared: Shared) -> None:
    """Make every type of the file known by its name, without its allowed values."""
    for source in definitions.all("itemDefinition"):
        name = source.get("name")
        if name is not None:
            shared.types.items[name] = _item(source)


def _item(source: Source) -> ItemType:
    function = source.child("functionItem")
    return ItemType(
        base=source.type_ref(),
        collection=(source.get("isCollection") or "") in ("true", "1"),
        entries=tuple(
            (component.get("name") or "", _item(component))
            for component in source.all("itemComponent")
        ),
        callable=function is not None,
        output=None if function is None else function.get("outputTypeRef"),
    )


def restrict_types(definitions: Source, shared: Shared, around: Surroundings) -> None:
    """Compile the allowed values of every type, and report names that nothing has."""
    for source in definitions.all("itemDefinition"):
        item = shared.types.items.get(source.get("name") or "")
        if item is not None:
            place = Place(ItemPlace(source), shared, around.binding("?"), Gauge())
            _restrict(source, item, place)
            _check_base(source, place)


def _restrict(source: Source, item: ItemType, place: Place) -> None:
    item.tests = _tests(source, "allowedValues", place)
    item.whole_tests = _tests(source, "typeConstraint", place)
    check_type(item.base, source, place)
    for component, (_, entry) in zip(source.all("itemComponent"), item.entries, strict=True):
        _restrict(component, entry, place)


def _check_base(source: Source, place: Place) -> None:
    """Report a type that is one of itself: only inside an entry of it there may be another one."""
    items = place.shared.types.items
    start = source.get("name") or ""
    seen: dict[str, None] = {}
    here: str | None = start
    while here in items and here not in seen:
        if items[here].entries or items[here].callable:
            return
        seen[here] = None
        here = items[here].base
    if here == start:
        place.refuse(
            source,
            "type-cycle",
            f"The type {quote(start)} refers to itself, directly or through others. Give it another"
            " type.",
        )


def _tests(source: Source, tag: str, place: Place) -> Code | None:
    allowed = source.child(tag)
    if allowed is None or not allowed.expression_text():
        return None
    return place.tests(allowed, "list of allowed values")


def check_type(name: str | None, source: Source, place: Place) -> None:
    """Report a type that is not declared: it takes anything."""
    types = place.shared.types
    if name is not None and types.find(name) is None:
        meant = did_you_mean(name.rpartition(":")[2], types.names())
        place.shared.report.warning(
            "unknown-type",
            f"There is no type {quote(name)}; any value is taken."
            f"{meant or ' Declare it or remove it.'}",
            place.owner,
            source.line,
        )


def entry_names(source: Source) -> list[str]:
    """Every name that may follow a dot: of types' entries, contexts, relations and outputs."""
    names = []
    pending = [source]
    while pending:
        element = pending.pop()
        if element.tag in ("itemComponent", "column", "output"):
            names.append(element.get("name") or "")
        elif element.tag == "contextEntry":
            variable = element.child("variable")
            names.append("" if variable is None else variable.get("name") or "")
        pending.extend(element.children)
    return names
