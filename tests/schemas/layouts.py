"""The fields of every Struct that a stored document holds, in their order."""

from msgspec import inspect as shape

from schemas.snapshot import KINDS


def layout() -> dict[str, list[str]]:
    """Field names by Struct, of the kinds of documents and all that they hold."""
    found: dict[str, list[str]] = {}
    for kind in KINDS.values():
        _visit(shape.type_info(kind), found)
    return dict(sorted(found.items()))


def _visit(described: shape.Type, found: dict[str, list[str]]) -> None:
    match described:
        case shape.StructType():
            if described.cls.__name__ not in found:
                found[described.cls.__name__] = [field.name for field in described.fields]
                for field in described.fields:
                    _visit(field.type, found)
        case shape.UnionType():
            for member in described.types:
                _visit(member, found)
        case shape.VarTupleType():
            _visit(described.item_type, found)
        case shape.DictType():
            _visit(described.value_type, found)
        case _:
            pass
