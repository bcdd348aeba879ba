"""Mutations of texts and XML: cut, repeated, nested, swapped, swollen. All drawn from a seed."""

import gzip
import re
from collections.abc import Callable
from random import Random

HUGE_NUMBERS = (
    "9" * 5_000, "9**99999999", "1e999999999", "-1e-999999999", "0.1**-9999999", "1..1000000000",
    "10**6144 * 10**6144",
)  # fmt: skip
PATTERNS = ("(a+)+$", "(a|aa)+$", "(.*a){25}", "((a*)*)*", "a{1,1000}{1,1000}", "(?R)", "[", "\\")
STRANGE = (
    "\x00",
    "\ud800",
    "\u202e",
    "﷽",
    "\U0001f9e8" * 50,
    "e\u0301" * 100,
    "\ufeff",
    "\r\n\t",
    "]]>",
)
ESCAPES = (
    "__class__", "__class__.__mro__[1].__subclasses__()", "__import__('os').system('id')",
    "''.class.forName('java.lang.Runtime')", "${''.getClass().forName('x')}", "#{7*7}",
    "${execution.getEngineServices()}", "a.__dict__", "f.__globals__", "import os", "{0.__class__}",
    "%(x)s%s%n", "${jndi:ldap://127.0.0.1/x}", "../../../../etc/passwd", "=@SUM(1+1)",
    "'; DROP TABLE",
)  # fmt: skip
LENGTH_MAX = 4 * 1024 * 1024 - 1024


def hostile_text(chance: Random) -> str:
    return chance.choice(HUGE_NUMBERS + PATTERNS + STRANGE + ESCAPES)


# --- expressions ---


def _cut(text: str, chance: Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _drop(text: str, chance: Random) -> str:
    begin = chance.randrange(len(text) + 1)
    return text[:begin] + text[begin + chance.randrange(1, 6) :]


def _insert(text: str, chance: Random) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + hostile_text(chance) + text[place:]


def _repeat(text: str, chance: Random) -> str:
    joint = chance.choice((" + ", ", ", " and ", "", " = ", ".", " "))
    return joint.join([text] * chance.choice((2, 20, 500)))


def _nest(text: str, chance: Random) -> str:
    before, after = chance.choice(
        (("(", ")"), ("[", "]"), ("{a: ", "}"), ("-", ""), ("if true then ", " else 1"),
         ("for x in [1, 2, 3] return ", ""), ("some x in [1] satisfies ", ""), ("f(", ")"),
         ("x[", "]"), ("function(x) ", ""), ("!", ""), ("${", "}"), ("a ? b : ", ""))
    )  # fmt: skip
    times = chance.choice((2, 10, 150, 3_000))
    return before * times + text + after * times


def _call(text: str, chance: Random) -> str:
    """The text as an argument of what grows, searches or repeats."""
    return chance.choice(
        ("string join(for i in 1..100000 return {0})", "matches({0}, \"(a+)+$\")",
         "replace({0}, \"(a|b|ab)*\", \"$0$0$0\")", "split({0}, \"(x*)*\")", "{0} ** 9999999",
         "for i in 1..1000, j in 1..1000, k in 1..1000 return {0}", "count(1..999999999) + {0}",
         "concatenate([{0}], [{0}], flatten([[{0}]]))", "sort([{0}, {0}], function(a, b) a < b)",
         "partial + {0}", "substring({0}, 1, 99999999)", "decimal({0}, 999999)",
         "{0} instance of any",
         "{{f: function(n) f(n - 1) + {0}, r: f(100000)}}.r", "date({0})", "duration({0})",
         "get or else({0}, {0})", "string({0})", "number({0})", "list replace([{0}], 1, {0})",
         "range({0})", "exp({0})", "log({0})", "sqrt({0})", "modulo({0}, 0.0000001)")
    ).format(text)  # fmt: skip


EXPRESSION: tuple[Callable[[str, Random], str], ...] = (
    _cut, _drop, _insert, _repeat, _nest, _call,
)  # fmt: skip


def mutated_expression(text: str, chance: Random) -> str:
    for _ in range(chance.randrange(1, 4)):
        text = chance.choice(EXPRESSION)(text, chance)[:LENGTH_MAX]
    return text


# --- XML ---

_ATTRIBUTE = re.compile(rb'(\s[\w:.-]+)="([^"]{0,200})"')
_ELEMENT = re.compile(rb"<([\w:.-]+)(?=[\s/>])[^<>]*?(?:/>|>[^<>]*</\1>)")
_TEXT = re.compile(rb">([^<>]{1,200})<")


def _escaped(text: str) -> bytes:
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return plain.encode("utf-8", "replace")


def _pick(pattern: re.Pattern[bytes], content: bytes, chance: Random) -> re.Match[bytes] | None:
    found = list(pattern.finditer(content[:200_000]))
    return chance.choice(found) if found else None


def _truncate(content: bytes, chance: Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _erase(content: bytes, chance: Random) -> bytes:
    begin = chance.randrange(len(content) + 1)
    return content[:begin] + content[begin + chance.choice((1, 10, 1_000)) :]


def _flip(content: bytes, chance: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 5, 100))):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _swap_attribute(content: bytes, chance: Random) -> bytes:
    """The value of one attribute becomes that of another, or a hostile one."""
    one, other = _pick(_ATTRIBUTE, content, chance), _pick(_ATTRIBUTE, content, chance)
    if one is None or other is None:
        return content
    value = other[2] if chance.random() < 0.6 else _escaped(hostile_text(chance))
    return content[: one.start(2)] + value + content[one.end(2) :]


def _swell(content: bytes, chance: Random) -> bytes:
    """One attribute of a megabyte."""
    one = _pick(_ATTRIBUTE, content, chance)
    if one is None:
        return content
    return content[: one.start(2)] + b"x" * 1_000_000 + content[one.end(2) :]


def _change_text(content: bytes, chance: Random) -> bytes:
    one = _pick(_TEXT, content, chance)
    if one is None:
        return content
    inner = one[1].decode("utf-8", "replace")
    return (
        content[: one.start(1)]
        + _escaped(mutated_expression(inner, chance))
        + content[one.end(1) :]
    )


def _multiply(content: bytes, chance: Random) -> bytes:
    """One element many times, with its id or with new ones."""
    one = _pick(_ELEMENT, content, chance)
    if one is None:
        return content
    times = min(chance.choice((1, 50, 5_000, 100_000)), LENGTH_MAX // len(one[0]))
    if chance.random() < 0.5:
        copies = one[0] * times
    else:
        copies = b"".join(
            re.sub(rb'\sid="', b' id="c%d-' % number, one[0], count=1) for number in range(times)
        )
    return content[: one.end()] + copies + content[one.end() :]


def _wrap(content: bytes, chance: Random) -> bytes:
    """One element inside of many."""
    one = _pick(_ELEMENT, content, chance)
    if one is None:
        return content
    name = chance.choice((b"bpmn:subProcess", b"subProcess", b"a", one[1]))
    times = chance.choice((3, 100, 10_000))
    return (
        content[: one.start()] + b"<%s>" % name * times + one[0] + b"</%s>" % name * times
        + content[one.end() :]
    )  # fmt: skip


def _move(content: bytes, chance: Random) -> bytes:
    """One element at the place of another."""
    one, other = _pick(_ELEMENT, content, chance), _pick(_ELEMENT, content, chance)
    if one is None or other is None:
        return content
    return content[: other.start()] + one[0] + content[other.start() :]


def _declare(content: bytes, chance: Random) -> bytes:
    """Entities, external ones too, before the root."""
    body = re.sub(rb"^\s*<\?xml[^>]*\?>", b"", content)
    doctype = chance.choice(
        (b'<!DOCTYPE a [<!ENTITY a "1234567890"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
         b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">]>',
         b'<!DOCTYPE a SYSTEM "file:///etc/passwd">',
         b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
         b'<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;]>',
         b"<!DOCTYPE a [" + b"<!ENTITY x 'y'>" * 20_000 + b"]>")
    )  # fmt: skip
    return doctype + body


def _encode(content: bytes, chance: Random) -> bytes:
    text = content.decode("utf-8", "replace")
    return chance.choice(
        (text.encode("utf-16"), text.encode("utf-7", "replace"), b"\xff\xfe" + content,
         text.encode("utf-32"), gzip.compress(content, mtime=0)[: chance.randrange(20, 400)],
         gzip.compress(b" " * 50_000_000, mtime=0), gzip.compress(content, mtime=0) + b"more",
         content.replace(b"UTF-8", b"x" * 10_000, 1))
    )  # fmt: skip


XML: tuple[Callable[[bytes, Random], bytes], ...] = (
    _truncate, _erase, _flip, _swap_attribute, _swap_attribute, _swell, _change_text, _change_text,
    _multiply, _wrap, _move, _move, _declare, _encode,
)  # fmt: skip


def mutated_xml(content: bytes, chance: Random) -> bytes:
    for _ in range(chance.randrange(1, 5)):
        content = chance.choice(XML)(content, chance)[: LENGTH_MAX + 100]
    return content
