"""Functions on regular expressions, by RE2: linear in the text, whatever the pattern.

RE2 has no look-around and no back-references; a pattern with them gives null.
"""

import functools
import re
from typing import Any, Final

import re2

from engine.expressions.environment import Environment
from engine.expressions.functions import Signature, signature
from engine.values import Value

_PATTERN_LENGTH_MAX: Final = 4096
_PROGRAM_BYTES_MAX: Final = 4 << 20
_REPLACEMENT = re.compile(r"\$(\d)|\\([\\$])|([^\\$]+)", re.DOTALL)
_BLANKS = re.compile(r"[\t\n\r ]+")


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str, flags: str) -> Any:
    """The RE2 program; null if the pattern or a flag is not valid."""
    if len(pattern) > _PATTERN_LENGTH_MAX or not set(flags) <= set("imsxq"):
        return None
    if "q" in flags:
        pattern = re2.escape(pattern)
    elif "x" in flags:
        pattern = _BLANKS.sub("", pattern)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PROGRAM_BYTES_MAX
    options.case_sensitive = "i" not in flags
    options.dot_nl = "s" in flags
    try:
        return re2.compile("(?m)" + pattern if "m" in flags else pattern, options)
    except re2.error:
        return None


def matches(_env: Environment, text: str, pattern: str, flags: str | None = None) -> Value:
    """matches"""
    program = _compiled(pattern, flags or "")
    return None if program is None else program.search(text) is not None


def replace(
    env: Environment, text: str, pattern: str, replacement: str, flags: str | None = None
) -> Value:
    """replace: $1 to $9 are groups, $0 the whole match; null if the pattern matches nothing"""
    program = _compiled(pattern, flags or "")
    parts = _replacement_parts(replacement)
    if program is None or parts is None or program.search("") is not None:
        return None

    def substitute(match: Any) -> str:
        groups = program.groups
        made = "".join(
            part if isinstance(part, str) else (match.group(part) or "") if part <= groups else ""
            for part in parts
        )
        env.spend(1 + (len(made) >> 6))
        return made

    result: str = program.sub(substitute, text)
    return result


def _replacement_parts(replacement: str) -> list[str | int] | None:
    """Literal text and group numbers; null where XPath forbids the text (a lone $ or backslash)."""
    parts: list[str | int] = []
    position = 0
    while position < len(replacement):
        match = _REPLACEMENT.match(replacement, position)
        if match is None:
            return None
        parts.append(int(match[1]) if match[1] else match[2] or match[3])
        position = match.end()
    return parts


def split(env: Environment, text: str, delimiter: str) -> Value:
    """split"""
    program = _compiled(delimiter, "")
    if program is None:
        return None
    parts: list[Value] = []
    position = 0
    for match in program.finditer(text):
        env.spend(1)
        if match.end() > match.start():
            parts.append(text[position : match.start()])
            position = match.end()
    parts.append(text[position:])
    return parts


def extract(env: Environment, text: str, pattern: str) -> Value:
    """extract: every match"""
    program = _compiled(pattern, "")
    if program is None:
        return None
    found: list[Value] = []
    for match in program.finditer(text):
        env.spend(1)
        found.append(match.group())
    return found


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "matches": (signature("input: string, pattern: string, flags?: string", matches),),
    "replace": (
        signature("input: string, pattern: string, replacement: string, flags?: string", replace),
    ),
    "split": (signature("string: string, delimiter: string", split),),
    "extract": (signature("string: string, pattern: string", extract),),
}
