"""Avro schemas from the engine's Structs: the committed `.avsc` files are what this makes.

Names are `torpor.<Class>`. Every integer is a long (the bytes are those of an int, and no limit is
ever met); instants, told by their names, carry `timestamp-millis`. What may be None is a union with
null first, default null. A command also gets `command_id` and `actor`, which the engine keeps
beside it and not in it.
"""

import inspect
from typing import Any, TypeAlias, get_args

import msgspec
from msgspec import inspect as shape

from engine import commands, records

Schema: TypeAlias = dict[str, Any] | list[Any] | str

NAMESPACE = "torpor"

COMMANDS: tuple[type[commands.Command], ...] = get_args(commands.AnyCommand)
"""Every command, from clients and internal, in the order of the engine's union."""

COMMAND_NAMES = frozenset(command.__name__ for command in COMMANDS)

PUBLISHED: tuple[type[msgspec.Struct], ...] = (
    records.Effect,
    records.Job,
    records.Task,
    records.Reply,
    records.Transition,
)
"""The records that the engine publishes beside commands. A dead letter is bytes as found."""

COMMAND_FIELDS = ("command_id", "actor")

_INSTANTS = frozenset({"time", "deadline", "due_ms"})
_PRIMITIVES: dict[type[shape.Type], str] = {
    shape.BoolType: "boolean",
    shape.IntType: "long",
    shape.StrType: "string",
    shape.BytesType: "bytes",
    shape.EnumType: "string",  # a new kind is a new string, never a new schema
    shape.NoneType: "null",
}


def full_name(record: type[msgspec.Struct]) -> str:
    return f"{NAMESPACE}.{record.__name__}"


def derive(record: type[msgspec.Struct]) -> dict[str, Any]:
    """The Avro schema of a command or of a published record, whole in itself."""
    schema = _Derivation().record(record)
    if issubclass(record, commands.Command):
        schema["fields"] = [*_command_fields(), *schema["fields"]]
    return schema


def _command_fields() -> list[dict[str, Any]]:
    return [{"name": name, "type": ["null", "string"], "default": None} for name in COMMAND_FIELDS]


class _Derivation:
    """One schema under way. A nested record is written out at its first use, later named."""

    def __init__(self) -> None:
        self.known: set[type[msgspec.Struct]] = set()

    def record(self, record: type[msgspec.Struct]) -> dict[str, Any]:
        self.known.add(record)
        described = shape.type_info(record)
        assert isinstance(described, shape.StructType)
        schema: dict[str, Any] = {"type": "record", "name": full_name(record)}
        if "__doc__" in vars(record) and record.__doc__:
            schema["doc"] = inspect.cleandoc(record.__doc__)
        schema["fields"] = [self.field(field) for field in described.fields]
        return schema

    def field(self, field: shape.Field) -> dict[str, Any]:
        schema: dict[str, Any] = {"name": field.name, "type": self.type(field.type, field.name)}
        if not field.required:
            schema["default"] = _default(field)
        return schema

    def type(self, described: shape.Type, name: str) -> Schema:
        match described:
            case shape.UnionType():
                return self.union(described, name)
            case shape.StructType():
                record = described.cls
                return full_name(record) if record in self.known else self.record(record)
            case shape.IntType() if name.endswith("_at") or name in _INSTANTS:
                return {"type": "long", "logicalType": "timestamp-millis"}
            case _:
                return self.collection(described, name) or _PRIMITIVES[type(described)]

    def collection(self, described: shape.Type, name: str) -> dict[str, Any] | None:
        match described:
            case shape.VarTupleType():
                return {"type": "array", "items": self.type(described.item_type, name)}
            case shape.TupleType():
                return {"type": "array", "items": self.item(described, name)}
            case shape.DictType():
                return {"type": "map", "values": self.type(described.value_type, name)}
            case _:
                return None

    def union(self, described: shape.UnionType, name: str) -> Schema:
        members = [self.type(member, name) for member in described.types]
        return sorted(members, key=lambda member: member != "null")

    def item(self, described: shape.TupleType, name: str) -> Schema:
        """The one type of all items of a tuple of fixed length (a pair of strings)."""
        first, *others = (self.type(item, name) for item in described.item_types)
        assert all(other == first for other in others), name
        return first


def _default(field: shape.Field) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default_factory())
    return msgspec.to_builtins(field.default)
