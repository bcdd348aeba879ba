"""The types that a DMN file declares, and the conversion of values to them.

DMN 1.5 section 10.3.2.9.4: a list of one item is the item and an item is a list of one, where the
other is wanted; a date is midnight; what does not conform is null.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.expressions import Environment
from engine.expressions.environment import Code, Frame
from engine.expressions.functions import Function
from engine.expressions.parsing.syntax import ANY, TypeName
from engine.expressions.type_names import conform
from engine.values import Value

DEPTH_MAX: Final = 16
"""How deep types are looked into: a type may contain itself."""

_SCALARS: Final = {
    "string": "string",
    "number": "number",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "dateTime": "date and time",
    "date and time": "date and time",
    "dayTimeDuration": "days and time duration",
    "days and time duration": "days and time duration",
    "yearMonthDuration": "years and months duration",
    "years and months duration": "years and months duration",
    # Camunda 7's own, which are all numbers here.
    "integer": "number",
    "long": "number",
    "double": "number",
}
_BUILT_IN: Final = {
    **{name: TypeName(feel) for name, feel in _SCALARS.items()},
    "Any": ANY,
    # Flowable's own, which it does not check.
    "collection": ANY,
    "json": ANY,
    "context": TypeName("context"),
    "list": TypeName("list"),
    "function": TypeName("function"),
    "range": TypeName("range"),
}
_LISTS: Final = frozenset(("list", "Any"))


class NonconformingError(Exception):
    """A value cannot become one of the type. `conform` turns it into null."""


class ItemType(msgspec.Struct, kw_only=True):
    """A type. `base` names what it restricts; `entries` are the types of a context's entries.

    A `callable` one is that of a function, whose result has the type `output`. `tests` are the
    allowed values, as unary tests of `?`; `whole_tests` those of a whole list.
    """

    base: str | None = None
    collection: bool = False
    entries: tuple[tuple[str, "ItemType"], ...] = ()
    callable: bool = False
    output: str | None = None
    tests: Code | None = None
    whole_tests: Code | None = None


class Types:
    """All types of a file, by name. `imported` are those of the files it imports, by prefix."""

    def __init__(self, imported: Mapping[str, "Types"] | None = None) -> None:
        self.items: dict[str, ItemType] = {}
        self._feel: dict[str, TypeName] = {}
        self._depth = 0
        self._imported = imported or {}

    def find(self, name: str) -> "tuple[Types, ItemType] | TypeName | None":
        """The declared or built-in type of this name; None if there is neither."""
        if name in self.items:
            return self, self.items[name]
        prefix, point, rest = name.partition(".")
        if point and prefix in self._imported:
            return self._imported[prefix].find(rest)
        local = name.rpartition(":")[2]  # `feel:string`
        return _BUILT_IN.get(local) or ((self, self.items[local]) if local in self.items else None)

    def names(self) -> tuple[str, ...]:
        """Of all types that are declared or built in, imported ones left out."""
        return (*self.items, *_BUILT_IN)

    def feel_type(self, name: str) -> TypeName:
        """The type as FEEL sees it, allowed values left out.

        A type inside of itself, or deeper than FEEL could write it, is Any.
        """
        if name in self._feel:
            return self._feel[name]
        found = self.find(name)
        if found is None:
            return TypeName(name)
        if isinstance(found, TypeName):
            return found
        if self._depth > DEPTH_MAX:
            return ANY
        self._feel[name] = ANY  # for what it finds of itself inside
        types, item = found
        self._depth += 1
        self._feel[name] = types.feel_type_of(item)
        self._depth -= 1
        return self._feel[name]

    def feel_type_of(self, item: ItemType) -> TypeName:
        """As feel_type, of one that may have no name."""
        if item.callable:
            single = TypeName("function")
        elif item.entries:
            entries = tuple((name, self.feel_type_of(entry)) for name, entry in item.entries)
            single = TypeName("context", entries=entries)
        else:
            single = ANY if item.base is None else self.feel_type(item.base)
        return TypeName("list", (single,)) if item.collection else single

    def feel_types(self) -> dict[str, TypeName]:
        """Every declared type as FEEL sees it, those of imported files with their prefix."""
        declared = {name: self.feel_type(name) for name in self.items}
        for prefix, types in self._imported.items():
            for name, feel in types.feel_types().items():
                declared[f"{prefix}.{name}"] = feel
        return declared

    def result_type(self, name: str | None) -> str | None:
        """What a function's declared type says of its result: it may as well be that of itself."""
        found = None if name is None else self.find(name)
        if isinstance(found, tuple) and found[1].callable:
            return found[1].output
        return name if name is None or self.feel_type(name).name != "function" else None

    def conform(self, value: Value, name: str | None, env: Environment) -> Value:
        """The value as one of the type; null if it cannot be one. Unknown types take anything."""
        if name is None or value is None:
            return value
        try:
            return self._named(value, name, env, 0)
        except NonconformingError:
            return None

    def _named(self, value: Value, name: str, env: Environment, depth: int) -> Value:
        found = self.find(name)
        if found is None or value is None or depth > DEPTH_MAX:
            return value
        if isinstance(found, TypeName):
            converted = conform(value, found)
            if converted is None:
                raise NonconformingError
            return converted
        types, item = found
        return types.conform_item(value, item, env, depth + 1)

    def conform_item(self, value: Value, item: ItemType, env: Environment, depth: int) -> Value:
        """The value as one of a type that may have no name. Raises NonconformingError."""
        if value is None or depth > DEPTH_MAX:
            return value
        if item.collection:
            values = value if isinstance(value, list) else [value]
            env.spend(len(values))
            result: Value = [self._single(each, item, env, depth) for each in values]
        else:
            if isinstance(value, list) and len(value) == 1 and not self.takes_lists(item):
                value = value[0]
            result = self._single(value, item, env, depth)
        _check(result, item.whole_tests, env)
        return result

    def takes_lists(self, item: ItemType, depth: int = 0) -> bool:
        """Whether a value of the type may be a list although it is no collection itself."""
        found = None if item.base is None else self.find(item.base)
        if found is None or isinstance(found, TypeName):
            return not item.entries and (found is None or found.name in _LISTS)
        types, base = found
        return base.collection or (depth < DEPTH_MAX and types.takes_lists(base, depth + 1))

    def _single(self, value: Value, item: ItemType, env: Environment, depth: int) -> Value:
        if value is None:
            return None
        if item.callable:
            if not isinstance(value, Function):
                raise NonconformingError
            return value
        if item.entries:
            value = self._context(value, item, env, depth)
        elif item.base is not None:
            value = self._named(value, item.base, env, depth)
        _check(value, item.tests, env)
        return value

    def _context(self, value: Value, item: ItemType, env: Environment, depth: int) -> Value:
        if not isinstance(value, dict):
            raise NonconformingError
        env.spend(len(item.entries))
        result = dict(value)
        for name, entry in item.entries:
            if name not in value:
                raise NonconformingError
            result[name] = self.conform_item(value[name], entry, env, depth + 1)
        return result


def _check(value: Value, tests: Code | None, env: Environment) -> None:
    if tests is not None and tests(env, Frame({"?": value}, None)) is not True:
        raise NonconformingError
