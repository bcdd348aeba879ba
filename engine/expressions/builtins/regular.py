"""Functions on regular expressions, by RE2: linear in the text, whatever the pattern.

RE2 has no look-around and no back-references; a pattern with them gives null.
"""

import functools
import re
from collections.abc import Iterator
from typing import Any, Final

import re2

from engine.expressions.environment import Environment
from engine.expressions.functions import Signature, signature
from engine.values import Value

_PATTERN_LENGTH_MAX: Final = 4096
_PROGRAM_BYTES_MAX: Final = 1 << 20
_REPLACEMENT = re.compile(r"\$(\d)|\\([\\$])|([^\\$]+)", re.DOTALL)
_CLASS_OR_BLANKS = re.compile(r"(\\.|\[(?:\\.|[^\]\\])*\])|[\t\n\r ]+", re.DOTALL)
_LITERAL = re.compile(r"[\w ,;:/@#%&~<>=!'\"-]+")


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str, flags: str) -> Any:
    """The RE2 program; null if the pattern or a flag is not valid."""
    if len(pattern) > _PATTERN_LENGTH_MAX or not set(flags) <= set("imsxq"):
        return None
    if "q" in flags:
        pattern = re2.escape(pattern)
    elif "x" in flags:
        # XPath 3.1 section 5.6.2: blanks are removed, except inside of a class.
        pattern = _CLASS_OR_BLANKS.sub(lambda match: match[1] or "", pattern)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PROGRAM_BYTES_MAX
    options.case_sensitive = "i" not in flags
    options.dot_nl = "s" in flags
    try:
        return re2.compile("(?m)" + pattern if "m" in flags else pattern, options)
    except re2.error:
        return None


def _pay(env: Environment, program: Any, length: int) -> None:
    """For a search through that many characters.

    RE2 is linear in the text, but in the worst case by a factor of the program's size, which 20
    characters of pattern can make 4,000: only both together bound the time.
    """
    size: int = program.programsize
    env.spend(1 + (size >> 5) + (length * size >> 10))


def matches(env: Environment, text: str, pattern: str, flags: str | None = None) -> Value:
    """matches"""
    program = _compiled(pattern, flags or "")
    if program is None:
        return None
    _pay(env, program, len(text))
    return program.search(text) is not None


def replace(
    env: Environment, text: str, pattern: str, replacement: str, flags: str | None = None
) -> Value:
    """replace: $1 to $9 are groups, $0 the whole match; null if the pattern matches nothing"""
    if not flags and _LITERAL.fullmatch(pattern) and _LITERAL.fullmatch(replacement):
        env.spend(text.count(pattern) * len(replacement) >> 6)
        return text.replace(pattern, replacement)
    program = _compiled(pattern, flags or "")
    parts = _replacement_parts(replacement)
    if program is None or parts is None or program.search("") is not None:
        return None
    made = []
    position = 0
    for match in _matches(env, program, text):
        made.append(text[position : match.start()])
        substitute = _substitute(match, parts, program.groups)
        env.spend(len(substitute) >> 6)
        made.append(substitute)
        position = match.end()
    made.append(text[position:])
    return "".join(made)


def _substitute(match: Any, parts: list[str | int], groups: int) -> str:
    return "".join(
        part if isinstance(part, str) else (match.group(part) or "") if part <= groups else ""
        for part in parts
    )


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


def _matches(env: Environment, program: Any, text: str) -> Iterator[Any]:
    """Every match, from left to right. Each may have searched through the rest of the text."""
    _pay(env, program, len(text))
    for match in program.finditer(text):
        yield match
        _pay(env, program, len(text) - match.end())


def split(env: Environment, text: str, delimiter: str) -> Value:
    """split"""
    if _LITERAL.fullmatch(delimiter):
        pieces: list[Value] = list(text.split(delimiter))
        return pieces
    program = _compiled(delimiter, "")
    if program is None:
        return None
    parts: list[Value] = []
    position = 0
    for match in _matches(env, program, text):
        if match.end() > match.start():
            parts.append(text[position : match.start()])
            position = match.end()
    parts.append(text[position:])
    return parts


def extract(env: Environment, text: str, pattern: str) -> Value:
    """extract: every match"""
    program = _compiled(pattern, "")
    return None if program is None else [match.group() for match in _matches(env, program, text)]


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "matches": (signature("input: string, pattern: string, flags?: string", matches),),
    "replace": (
        signature("input: string, pattern: string, replacement: string, flags?: string", replace),
    ),
    "split": (signature("string: string, delimiter: string", split),),
    "extract": (signature("string: string, pattern: string", extract),),
}
