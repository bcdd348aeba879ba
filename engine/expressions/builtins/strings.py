"""String functions; those on regular expressions are in regular.py."""

import base64
from typing import Final

from engine.expressions.environment import Environment
from engine.expressions.functions import Signature, signature
from engine.expressions.numeric import Number, truncated
from engine.values import Value


def substring(_env: Environment, string: str, start: Number, length: Number | None = None) -> Value:
    """substring: from a position counted from 1, or from -1 backwards"""
    position = truncated(start)
    first = position - 1 if position > 0 else len(string) + position
    if position == 0 or first < 0:
        return None
    if length is None:
        return string[first:]
    return string[first : first + truncated(length)] if length >= 1 else None


def string_length(_env: Environment, string: str) -> Value:
    """string length"""
    return len(string)


def upper_case(_env: Environment, string: str) -> Value:
    """upper case"""
    return string.upper()


def lower_case(_env: Environment, string: str) -> Value:
    """lower case"""
    return string.lower()


def substring_before(_env: Environment, string: str, match: str) -> Value:
    """substring before"""
    before, found, _ = string.partition(match) if match else ("", "", "")
    return before if found else ""


def substring_after(_env: Environment, string: str, match: str) -> Value:
    """substring after"""
    return string.partition(match)[2] if match else string


def contains(_env: Environment, string: str, match: str) -> Value:
    """contains"""
    return match in string


def starts_with(_env: Environment, string: str, match: str) -> Value:
    """starts with"""
    return string.startswith(match)


def ends_with(_env: Environment, string: str, match: str) -> Value:
    """ends with"""
    return string.endswith(match)


def trim(_env: Environment, string: str) -> Value:
    """trim"""
    return string.strip()


def is_blank(_env: Environment, string: str) -> Value:
    """is blank"""
    return not string.strip()


def string_join(
    env: Environment,
    strings: list[Value],
    delimiter: str | None = None,
    prefix: str | None = None,
    suffix: str | None = None,
) -> Value:
    """string join: nulls are left out"""
    env.spend(len(strings) >> 2)
    parts = [string for string in strings if isinstance(string, str)]
    if len(parts) + strings.count(None) != len(strings):
        return None
    separator = delimiter or ""
    env.spend(sum(len(part) for part in parts) + len(separator) * len(parts) >> 6)
    return (prefix or "") + separator.join(parts) + (suffix or "")


def to_base64(_env: Environment, value: str) -> Value:
    """to base64"""
    return base64.b64encode(value.encode("utf-8", "replace")).decode()


def make_uuid(env: Environment) -> Value:
    """uuid: version 4 in form, but derived from the environment's seed"""
    digest = env.draw().hex()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "substring": (signature("string: string, start position: number, length?: number", substring),),
    "string length": (signature("string: string", string_length),),
    "upper case": (signature("string: string", upper_case),),
    "lower case": (signature("string: string", lower_case),),
    "substring before": (signature("string: string, match: string", substring_before),),
    "substring after": (signature("string: string, match: string", substring_after),),
    "contains": (signature("string: string, match: string", contains),),
    "starts with": (signature("string: string, match: string", starts_with),),
    "ends with": (signature("string: string, match: string", ends_with),),
    "trim": (signature("string: string", trim),),
    "is blank": (signature("string: string", is_blank),),
    "string join": (
        signature("list: list, delimiter?: string", string_join),
        signature("list: list, delimiter: string, prefix: string, suffix: string", string_join),
    ),
    "to base64": (signature("value: string", to_base64),),
    "uuid": (signature("", make_uuid),),
}
