"""The one normaliser between JSON text and values.

A value is None, bool, int, Decimal, str, list or dict; never float: numbers stay exact. An
integral number below 10**34 is always an int, any other a Decimal without trailing zeros: a number
has one form, whether it was written 1, 1.0 or 10e-1. Object keys keep their order; of duplicates
the last wins. What only expressions make (dates, ranges) derives from ExpressionValue.
"""

import decimal
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final, TypeAlias

import msgspec

NESTING_MAX: Final = 100
EXPONENT_MAX: Final = 6144  # of decimal128, which Camunda's FEEL engine computes with
INTEGER_LIMIT: Final = 10**34
WEIGHT_MAX: Final = 8 * 1024 * 1024  # far more than the variables of an instance may weigh
DIGITS_MAX: Final = 4_300  # Python's own limit; arithmetic on a longer number would not be cheap


class ValueDecodeError(ValueError):
    """The text is not a JSON value that this engine accepts. The caller rejects the command."""


class ValueEncodeError(ValueError):
    """The value has no JSON form (a range, a function). The caller turns it into an incident."""


class ExpressionValue(msgspec.Struct, frozen=True):
    """A value that only expressions make; JSON holds its text, or cannot hold it at all."""

    def json_text(self) -> str:
        """The text that JSON holds instead. Raises ValueEncodeError where there is none."""
        raise ValueEncodeError(f"A {type(self).__name__.lower()} has no JSON form.")


Value: TypeAlias = (
    "bool | int | Decimal | str | list[Value] | dict[str, Value] | ExpressionValue | None"
)

# Wide enough never to round: normalising must not lose a digit that the caller sent.
_UNROUNDED = decimal.Context(
    prec=decimal.MAX_PREC,
    Emax=decimal.MAX_EMAX,
    Emin=decimal.MIN_EMIN,
    traps=[decimal.InvalidOperation],
)
_PLAIN_DIGITS_MAX = 100
_LONG_INTEGER = re.compile(r"\d{35}")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_CONTAINERS = frozenset({list, dict})


def normalise(number: Decimal) -> int | Decimal:
    """The one form of a finite number: an int if integral and below 10**34, else a Decimal."""
    if not number:
        return 0
    if number.adjusted() > _PLAIN_DIGITS_MAX:
        return number.normalize(_UNROUNDED)
    if number == number.to_integral_value():
        whole = int(number)
        return whole if -INTEGER_LIMIT < whole < INTEGER_LIMIT else Decimal(whole)
    return number.normalize(_UNROUNDED)


def _exact(text: str) -> int | Decimal:
    if len(text) > DIGITS_MAX:
        raise ValueDecodeError(f"A number is longer than {DIGITS_MAX} digits.")
    try:
        number = Decimal(text)
    except decimal.InvalidOperation:
        raise ValueDecodeError(f"The number {text[:40]} is out of range.") from None
    if number and abs(number.adjusted()) > EXPONENT_MAX and ("e" in text or "E" in text):
        raise ValueDecodeError(f"The number {text[:40]} is out of range.")
    return normalise(number)


_DECODER = msgspec.json.Decoder(float_hook=_exact)
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def decode(text: str) -> Value:
    """The value of a JSON text. Raises ValueDecodeError with a plain sentence."""
    try:
        if _LONG_INTEGER.search(text) is None:
            value: Value = _DECODER.decode(text)
        else:
            value = _decode_long_integers(text)
    except RecursionError:
        raise ValueDecodeError(_TOO_DEEP) from None
    except UnicodeEncodeError:
        raise ValueDecodeError("The JSON text holds half of a surrogate pair.") from None
    except ValueDecodeError:
        raise
    except ValueError as error:  # msgspec and json both derive their errors from it
        raise ValueDecodeError(f"The text is not valid JSON: {error}.") from None
    if text.count("[") + text.count("{") > NESTING_MAX and _depth(value) > NESTING_MAX:
        raise ValueDecodeError(_TOO_DEEP)
    return value


_TOO_DEEP = f"The JSON text is nested deeper than {NESTING_MAX} levels."


def _decode_long_integers(text: str) -> Value:
    """As decode, for texts with integers that msgspec refuses or that must become a Decimal."""
    value: Value = json.loads(
        text, parse_int=_exact, parse_float=_exact, parse_constant=_refuse_constant
    )
    if _SURROGATE_ESCAPE.search(text) is not None or not text.isascii():
        encode(value).encode()  # raises UnicodeEncodeError for a lone surrogate, which json accepts
    return value


def _refuse_constant(name: str) -> Value:
    raise ValueDecodeError(f"{name} is not a JSON number.")


def _depth(value: Value) -> int:
    """How many containers are nested in each other, counted level by level and not recursively."""
    depth = 0
    level: list[Value] = [value]
    while containers := [item for item in level if type(item) in _CONTAINERS]:
        depth += 1
        if depth > NESTING_MAX:
            break
        level = [child for item in containers for child in _children(item)]
    return depth


def _children(value: Value) -> list[Value]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def encode(value: Value) -> str:
    """The compact JSON text of a value. Raises ValueEncodeError with a plain sentence."""
    if type(value) in _CONTAINERS and _weight(value, {}, 0) > WEIGHT_MAX:
        raise ValueEncodeError(f"The value is larger than {WEIGHT_MAX} characters of JSON.")
    return _encode(value)


def _encode(value: Value) -> str:
    try:
        return _ENCODER.encode(_jsonable(value, 0)).decode()
    except UnicodeEncodeError:
        raise ValueEncodeError("A text holds half of a surrogate pair.") from None


def _weight(value: Value, known: dict[int, int], depth: int) -> int:
    """At least how many characters a container's JSON is.

    What expressions make may hold one and the same part many times: `{a: [1], b: [a, a], c: [b, b],
    ...}` doubles with each entry, and costs next to nothing until it is written out. So each part
    is looked at once, and counts as often as it is held.
    """
    if depth > NESTING_MAX:
        raise ValueEncodeError(f"The value is nested deeper than {NESTING_MAX} levels.")
    items = _children(value)
    weight = len(items)
    if isinstance(value, dict):
        weight += sum(len(key) for key in value if type(key) is str)
    for item in items:
        kind = type(item)
        if kind is str:
            weight += len(item)  # type: ignore[arg-type]  # a text: an exact type costs less to ask
        elif kind in _CONTAINERS:
            if id(item) not in known:
                known[id(item)] = _weight(item, known, depth + 1)
            weight += known[id(item)]
    return weight


# What JSON holds as it is. int is absent: beyond 10**34 it has another form.
_PLAIN = frozenset({type(None), bool, str})
_TEXT = frozenset({str})


def _jsonable(value: Value, depth: int) -> Value:
    """The value with every part in the form that JSON holds; plain parts are not copied."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (int, Decimal)):
        return _number(value)
    if isinstance(value, ExpressionValue):
        return value.json_text()
    if depth >= NESTING_MAX:
        raise ValueEncodeError(f"The value is nested deeper than {NESTING_MAX} levels.")
    if isinstance(value, list):
        return _jsonable_list(value, depth + 1)
    if isinstance(value, dict):
        return _jsonable_dict(value, depth + 1)
    raise ValueEncodeError(f"A {type(value).__name__} has no JSON form.")


def _number(value: int | Decimal) -> Value:
    if isinstance(value, int):
        whole = -INTEGER_LIMIT < value < INTEGER_LIMIT
        return value if whole else normalise(Decimal(value))
    if not value.is_finite():
        raise ValueEncodeError(f"{value} is not a JSON number.")
    return normalise(value)


def _jsonable_list(items: list[Value], depth: int) -> Value:
    if _PLAIN.issuperset(map(type, items)):
        return items
    return [item if type(item) in _PLAIN else _jsonable(item, depth) for item in items]


def _jsonable_dict(entries: dict[str, Value], depth: int) -> Value:
    if not _TEXT.issuperset(map(type, entries)):
        raise ValueEncodeError("An object key is not a text.")
    if _PLAIN.issuperset(map(type, entries.values())):
        return entries
    return {
        key: item if type(item) in _PLAIN else _jsonable(item, depth)
        for key, item in entries.items()
    }


def decode_object(text: str) -> dict[str, str]:
    """The entries of a JSON object, each value as its own compact JSON text.

    Raises ValueDecodeError if the text is not JSON or not an object.
    """
    value = decode(text)
    if not isinstance(value, dict):
        raise ValueDecodeError("The JSON text is not an object.")
    return {name: _encode(item) for name, item in value.items()}


def encode_object(texts: Mapping[str, str]) -> str:
    """The JSON object that joins these JSON texts under their names: what decode_object splits."""
    return "{" + ",".join(f"{encode(name)}:{text}" for name, text in texts.items()) + "}"
