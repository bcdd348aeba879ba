"""Variables: Python values to the text of a JSON object, and back, with exact numbers."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(decimal_format="number")


def encode(variables: Mapping[str, Any] | None) -> str:
    """The text of a JSON object.

    Values are what JSON has, and Decimal, dates and times (ISO 8601), UUIDs, enums, dataclasses and
    Structs. Raises ValueError for numbers that are none (NaN, infinity), TypeError for other types.
    """
    if not variables:
        return "{}"
    plain = msgspec.to_builtins(dict(variables), builtin_types=(Decimal,), str_keys=True)
    _check(plain)
    return _ENCODER.encode(plain).decode()


def _check(value: object) -> None:
    """Raise ValueError for what the encoder would quietly make null."""
    match value:
        case float() if not math.isfinite(value):
            raise ValueError(f"{value} is not a JSON number")
        case Decimal() if not value.is_finite():
            raise ValueError(f"{value} is not a JSON number")
        case dict():
            for item in value.values():
                _check(item)
        case list() | tuple():
            for item in value:
                _check(item)
        case _:
            pass


def decode(text: str) -> dict[str, Any]:
    """The values of a JSON object. Integral numbers are int, others Decimal: none is rounded.

    Raises ValueError when the text is no JSON, TypeError when it is no object.
    """
    value = json.loads(text, parse_float=Decimal)
    if not isinstance(value, dict):
        raise TypeError("the variables are not a JSON object")
    return value
