"""Conversion functions between strings, numbers and JSON text."""

import re
from typing import Final

from engine.expressions.environment import Environment
from engine.expressions.functions import Signature, signature
from engine.expressions.numeric import Number, parse_number
from engine.expressions.text import to_text
from engine.values import Value, ValueDecodeError, ValueEncodeError, decode, encode

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_NUMBER_LENGTH_MAX = 100


def to_number(_env: Environment, value: Number | str) -> Value:
    """number"""
    if not isinstance(value, str):
        return value
    if len(value) > _NUMBER_LENGTH_MAX or _NUMBER.fullmatch(value) is None:
        return None
    return parse_number(value)


def to_number_grouped(
    env: Environment, value: str, grouping: Value, decimal_separator: Value = None
) -> Value:
    """number, with separators: a blank, comma or point, and a comma or point"""
    if grouping not in (None, " ", ",", ".") or decimal_separator not in (None, ".", ","):
        return None
    if grouping is not None and grouping == decimal_separator:
        return None
    text = value.replace(grouping, "") if isinstance(grouping, str) else value
    if isinstance(decimal_separator, str):
        text = text.replace(decimal_separator, ".")
    return to_number(env, text)


def to_string(env: Environment, value: Value) -> Value:
    """string"""
    return None if value is None else to_text(value, env)


def to_json(_env: Environment, value: Value) -> Value:
    """to json"""
    try:
        return encode(value)
    except ValueEncodeError:
        return None


def from_json(_env: Environment, value: str) -> Value:
    """from json"""
    try:
        return decode(value)
    except ValueDecodeError:
        return None


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "number": (
        signature("from: number", to_number),
        signature("from: string", to_number),
        signature(
            "from: string, grouping separator: any, decimal separator?: any", to_number_grouped
        ),
    ),
    "string": (signature("from: any", to_string),),
    "to json": (signature("value: any", to_json),),
    "from json": (signature("value: string", from_json),),
}
