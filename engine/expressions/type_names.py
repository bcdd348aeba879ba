"""FEEL's types: the name of a value's, whether it is of one, and conversion to a declared one."""

from decimal import Decimal
from typing import Final

from engine.expressions.calendar.temporal import Date, DateTime, DaysDuration, MonthsDuration, Time
from engine.expressions.functions import Function
from engine.expressions.parsing.syntax import TypeName
from engine.expressions.range_value import Range
from engine.values import Value

_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    Decimal: "number",
    str: "string",
    list: "list",
    dict: "context",
    Date: "date",
    Time: "time",
    DateTime: "date and time",
    DaysDuration: "days and time duration",
    MonthsDuration: "years and months duration",
    Range: "range",
    Function: "function",
}


def type_name(value: Value) -> str:
    """The FEEL type of a value."""
    return _NAMES[type(value)]


def is_instance(value: Value, wanted: TypeName) -> bool:
    """value instance of type; null is only of type Null."""
    if value is None:
        return wanted.name == "Null"
    if wanted.name == "Any":
        return True
    if wanted.name != type_name(value):
        return False
    if wanted.entries:
        return isinstance(value, dict) and all(
            name in value and (value[name] is None or is_instance(value[name], entry))
            for name, entry in wanted.entries
        )
    return not wanted.inner or _inner_is_instance(value, wanted.inner[0])


def _inner_is_instance(value: Value, wanted: TypeName) -> bool:
    if isinstance(value, list):
        return all(is_instance(item, wanted) for item in value)
    if isinstance(value, Range):
        return all(end is None or is_instance(end, wanted) for end in (value.low, value.high))
    return isinstance(value, Function)


def conform(value: Value, wanted: TypeName) -> Value:
    """The value as one of that type, by DMN's implicit conversions; null if there is none."""
    if value is None or is_instance(value, wanted):
        return value
    if wanted.name == "list":
        return conform_items([value], wanted)
    if isinstance(value, list) and len(value) == 1 and is_instance(value[0], wanted):
        return value[0]
    if wanted.name == "date and time" and isinstance(value, Date):
        return DateTime(value, Time(0, 0))
    return None


def conform_items(items: list[Value], wanted: TypeName) -> Value:
    """The list if each item is of the list's item type, else null."""
    return items if is_instance(items, wanted) else None
