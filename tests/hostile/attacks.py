"""Attacks that are known, each tried in every run: files, expressions, schedules, variables."""

from itertools import pairwise
from random import Random

from tests.hostile.mutation import ESCAPES, HUGE_NUMBERS, PATTERNS

_HEAD = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
_PROCESS = f'{_HEAD}><process id="p" isExecutable="true">'
_END = "</process></definitions>"


def _doubled(first: str, joint: str) -> str:
    """A value that holds its parts twice on each of 22 levels."""
    names = "abcdefghijklmnopqrstuvw"
    entries = [f"a: {first}"]
    entries += [f"{two}: {joint.format(one)}" for one, two in pairwise(names)]
    return f"{{{', '.join(entries)}}}.{names[-1]}"


_DOUBLINGS = (('"xxxxxxxx"', "{0} + {0}"), ("[1]", "[{0}, {0}]"), ("1", "{{l: {0}, r: {0}}}"))

FEEL = (
    *HUGE_NUMBERS,
    *ESCAPES,
    *(f'matches("{"a" * 5_000}!", "{pattern}")' for pattern in PATTERNS),
    *(f'replace("{"a" * 5_000}!", "{pattern}", "$0$0$0$0")' for pattern in PATTERNS),
    "9**99999999",
    "2**-99999999",
    "(9**9)**(9**9)",
    "1/0",
    "-(-(-(1)))" * 1_000,
    "for i in 1..1000000000 return i",
    "sum(1..1000000000)",
    "count(-1000000000..1000000000)",
    "for i in 1..10000 return for j in 1..10000 return i * j",
    "for i in 1..5 return if i = 1 then [1] else concatenate(partial, partial)",
    "some x in 1..100000000 satisfies x = -1",
    "every x in [1..100000000] satisfies x > 0",
    f'string join(for i in 1..20000 return "{"a" * 52}")',
    *(_doubled(first, joint) for first, joint in _DOUBLINGS),
    *(f"{one} = {one}" for one in (_doubled(*each) for each in _DOUBLINGS)),
    *(f"flatten([{_doubled(*each)}])" for each in _DOUBLINGS),
    *(f"string({_doubled(*each)})" for each in _DOUBLINGS),
    *(f"to json({_doubled(*each)})" for each in _DOUBLINGS),
    *(f"distinct values([{one}, {one}])" for one in (_doubled(*each) for each in _DOUBLINGS)),
    "for i in 1..9999 return a",
    "for i in 1..9999 return {k: a, l: x}",
    "{f: function(x) f(x), r: f(1)}.r",
    "(function(f) f(f))(function(f) f(f))",
    "{f: function(n) if n < 2 then n else f(n - 1) + f(n - 2), r: f(60)}.r",
    "[" * 10_000 + "]" * 10_000,
    "(" * 10_000,
    "-" * 10_000 + "1",
    "not(" * 5_000 + "true" + ")" * 5_000,
    "a" + ".a" * 8_000,
    "a" + "[1]" * 5_000,
    "1" + " + 1" * 4_000,
    '"' + "\\u0041" * 2_000 + '"',
    "if a then " * 2_000 + "1" + " else 2" * 2_000,
    "x" * 16_384,
    "`" * 1_000,
    "sort(for i in 1..15000 return -i, function(a, b) a < b)",
    "flatten(for i in 1..9 return [[[[i]]]])",
    "distinct values(for i in 1..15000 return i)",
    "index of(1..15000, 3)",
    "union(1..9999, 1..9999)",
    "date(999999999, 1, 1)",
    'date and time("-999999999-01-01T00:00:00")',
    'duration("P999999999999Y") + duration("P999999999999Y")',
    "time(99, 99, 99)",
    'date("2024-01-01") + duration("P999999999D") * 999999999',
    '@"' + "9" * 4_000 + '"',
    "substring(x, -999999999, 999999999)",
    "list contains(" * 500,
    "decimal(1/3, 6144)",
    'number("' + "1" * 10_000 + '")',
    "string(10**6144)",
    'split("' + "a," * 5_000 + '", ",")',
    "median(1..15000)",
    "stddev(1..15000)",
    "product(1..15000)",
    "mode(1..15000)",
    "all(1..99999)",
    'context put({}, ["a", "b"], 1)',
    "context merge(for i in 1..9999 return {a: i})",
    "for i in 1..99 return for i in i..99 return for i in i..99 return i",
    "overlaps([1..9], [1..9])",
    "get entries(" + "{a: " * 1_000 + "1" + "}" * 1_000 + ")",
    "random number() * 9**9999",
    "uuid()",
    'years and months duration(date("0001-01-01"), date("9999-12-31"))',
    "now() - now() - now()",
)

JUEL = (
    *(f"${{{text}}}" for text in (*HUGE_NUMBERS[:2], *ESCAPES)),
    "${''.class.forName('java.lang.Runtime').getMethod('exec')}",
    "${''['class']}",
    "${a['__class__']}",
    "${a.getClass()}",
    "${a.class.classLoader}",
    "#{request.getClass().getClassLoader()}",
    "${''.getClass().forName('java.lang.ProcessBuilder')}",
    "${execution.__class__}",
    "${'a'.__class__.__mro__}",
    "${execution.getVariable('x').__init__.__globals__}",
    "${[].__class__.__base__.__subclasses__()}",
    "${a.matches('(a+)+$')}",
    "${a.replaceAll('(a*)*', '$0$0$0')}",
    "${a.split('(x*)*')}",
    "${a.replace('', 'aaaaaaaaaaaaaaaa')}",
    "${a.concat(a).concat(a).concat(a).concat(a).concat(a).concat(a).concat(a).concat(a)}",
    "${" + "(" * 5_000,
    "${" + "!" * 5_000 + "a}",
    "${a" + ".b" * 5_000 + "}",
    "${a" + "[0]" * 5_000 + "}",
    "${" + "a ? b : " * 2_000 + "c}",
    "${1" + " + 1" * 4_000 + "}",
    "${a}" * 4_000,
    "${" * 5_000,
    "${'" + "a" * 16_000 + "'}",
    "${" + "9" * 5_000 + "}",
    "${1 % 0}",
    "${1 / 0}",
    "${1e999999999}",
    "${empty" * 1_000,
    "${now().plusYears(999999999).plusYears(999999999)}",
    "${dateTime().plusDays(9e9)}",
    "${S('" + "[" * 5_000 + "')}",
    "${JSON('{\"a\":'.concat('1}')).prop('a').prop('b')}",
    "${S(a).jsonPath('$" + "..a" * 2_000 + "').element()}",
    "${a.substring(-1, 999999999)}",
    "${a.subList(-5, 999999999)}",
    "${vars:contains(a, 'a', 'b')}",
    "${a.toString().toString().length()}",
)

SCHEDULES = (
    "R/2024-02-29T00:00:00Z/P1Y, " * 100_000,
    "/[" * 200_000,
    "P" + "9" * 4_000 + "D",
    "PT" + "1H" * 4_000,
    "-P999999999Y",
    "P1Y" * 1_000,
    "PT0.0000000001S",
    "P",
    "PT",
    "R999999999/PT0S",
    "R/PT0S",
    "R/PT0.0001S",
    "R/0001-01-01T00:00:00Z/PT1S",
    "R1/P9999Y/P9999Y",
    "R/2024-01-01T00:00:00Z/P0D",
    "R-1/PT1H",
    "R" + "9" * 4_000 + "/PT1H",
    "/" * 10_000,
    "9999-12-31T23:59:59Z",
    "0000-00-00T00:00:00Z",
    "2024-02-30T00:00:00Z",
    "2024-01-01T00:00:00@../../x",
    "2024-01-01T00:00:00@" + "A/" * 5_000,
    "2024-01-01T00:00:00+99:99",
    "-999999999-01-01",
    "0 0 0 30 2 *",
    "0 0 0 31 2,4,6,9,11 *",
    "0 0 0 29 2 1#5",
    "* * * * * *",
    "*/0 * * * * *",
    "0-59/" + "9" * 4_000 + " * * * * *",
    "0 0 0 ? * 5L 2099",
    "1," * 5_000 + "1 * * * * *",
    "59-0 59-0 23-0 31-1 12-1 *",
    "0 0 0 L-40 * ?",
    "0 0 0 1W,2W,3W * ? 9999",
    "@" + "daily" * 1_000,
    "@every 1s",
)

VARIABLES = (
    "[" * 100_000,
    '{"a":' * 100_000,
    '{"a":' * 99 + "1" + "}" * 99,
    '{"a":' * 101 + "1" + "}" * 101,
    '{"a": 1e999999999}',
    '{"a": -1e-999999999}',
    f'{{"a": {"9" * 100_000}}}',
    f'{{"a": 0.{"9" * 100_000}}}',
    '{"a": NaN}',
    '{"a": Infinity}',
    '{"a": "\\ud800"}',
    '{"a": "\\u0000"}',
    '{"\\ud800": 1}',
    "{" + ",".join(f'"k{n}": {n}' for n in range(40_000)) + "}",
    "{" + '"a": 1,' * 50_000 + '"a": 2}',
    '{"a": [' + "1," * 200_000 + "1]}",
    f'{{"a": "{"x" * 600_000}"}}',
    f'{{"{"k" * 300_000}": 1}}',
    '{"__class__": {"__mro__": []}, "__proto__": {}, "": null, " ": 1}',
    "[1]",
    "null",
    "",
    "{",
    "{}{}",
    '{"a": 1}' + " " * 500_000,
    "\ufeff{}",
    '{"a": 01}',
    '{"a": [' + "[]," * 100_000 + "[]]}",
    '{"x": "' + "a" * 100_000 + '!"}',
)


def _filled(piece: str, number: int) -> str:
    return "".join(piece % n for n in range(number))


def models() -> tuple[bytes, ...]:
    """Files that are costly, or look past the file."""
    size = 4 * 1024 * 1024 - 500
    chain = _filled('<sequenceFlow id="f%x" sourceRef="a" targetRef="a"/>', 7_000)
    texts = (
        _PROCESS + "<a/>" * (size // 4) + _END,
        _HEAD + _filled(' a%x=""', 400_000) + "/>",
        _HEAD + _filled(' xmlns:a%x="u"', 230_000) + "/>",
        _PROCESS + "<a>" * 200_000,
        _PROCESS + _filled('<userTask id="t%x"/>', 14_000) + _END,
        _PROCESS + "<task/>" * 14_000 + _END,
        _PROCESS + _filled('<dataObject id="d%x" name="a b c d e f"/>', 14_000) + _END,
        _PROCESS + _filled('<dataObject id="d%x" name="one of many"/>', 14_000) + _END,
        _PROCESS + '<parallelGateway id="a"/>' + chain + _END,
        _PROCESS + '<inclusiveGateway id="a"/>' + chain + _END,
        _PROCESS + '<task id="a">' + "<incoming>f</incoming>" * 14_000 + "</task>" + _END,
        _PROCESS + _filled('<subProcess id="s%x">', 240) + "</subProcess>" * 240 + _END,
        _PROCESS + f'<task id="{"i" * 1_000_000}" name="{"n" * 1_000_000}"/>' + _END,
        _PROCESS + '<callActivity id="c" calledElement="p"/>' + _END,
        _PROCESS + '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="s"/>' + _END,
        _PROCESS
        + '<subProcess id="x"><boundaryEvent id="b" attachedToRef="x"/></subProcess>'
        + _END,
        _PROCESS
        + '<task id="t" default="f"/><sequenceFlow id="f" sourceRef="t" targetRef="t"/>'
        + _END,
        _HEAD + "><!--" + "-" * 1_000_000 + "--></definitions>",
        "<!DOCTYPE x [" + _filled('<!ENTITY e%d "&e;&e;&e;&e;">', 900) + "]><x/>",
        '<?xml version="1.0" encoding="utf-7"?>' + _PROCESS + _END,
        _PROCESS + "<task id='t'><script>" + "&#0;" + "</script></task>" + _END,
        _PROCESS + "<![CDATA[" + "]" * 1_000_000 + "]]>" + _END,
        "",
        "<",
        "\x00" * 1_000,
        "PK\x03\x04",
        " " * 1_000_000,
        "<a" * 100_000,
        "</a>" * 100_000,
    )
    return tuple(text.encode() for text in texts)


_RECURSIVE = (
    '<itemDefinition name="t"><itemComponent name="l"><typeRef>t</typeRef></itemComponent>'
    '<itemComponent name="r"><typeRef>t</typeRef></itemComponent></itemDefinition>'
    '<decision id="a" name="a"><variable name="a" typeRef="t"/>'
)


def decision_models(chance: Random) -> tuple[bytes, ...]:
    namespace = "https://www.omg.org/spec/DMN/20191111/MODEL/"
    head = f'<definitions xmlns="{namespace}" name="n" namespace="u" id="d">'
    entry = "<{0}Entry><text>{1}</text></{0}Entry>"
    item = '<itemDefinition name="t%x" isCollection="true"><typeRef>t</typeRef></itemDefinition>'
    literal = "<literalExpression><text>%s</text></literalExpression>"
    texts = (
        head + '<decision id="a" name="a"><informationRequirement><requiredDecision href="#a"/>'
        "</informationRequirement>" + literal % "a + 1" + "</decision></definitions>",
        head
        + _filled(f'<decision id="x%x" name="x">{literal % "1"}</decision>', 5_000)
        + "</definitions>",
        head
        + '<decision id="a" name="a"><decisionTable><input id="i"><inputExpression><text>1</text>'
        "</inputExpression></input><output id='o'/>"
        + f"<rule>{entry.format('input', '-')}{entry.format('output', '1')}</rule>" * 4_000
        + "</decisionTable></decision></definitions>",
        head
        + '<decision id="a" name="a">'
        + "<list>" * 5_000
        + "</list>" * 5_000
        + "</decision></definitions>",
        head
        + '<decision id="a" name="a">'
        + literal % chance.choice(FEEL).replace("<", "&lt;")
        + "</decision></definitions>",
        head + _filled(item, 5_000) + "</definitions>",
        head
        + _RECURSIVE
        + literal % _doubled("null", "{{l: {0}, r: {0}}}")
        + "</decision></definitions>",
        head
        + '<itemDefinition name="t"><itemComponent name="c"><typeRef>t</typeRef></itemComponent>'
        '</itemDefinition><decision id="a" name="a"><variable name="a" typeRef="t"/>'
        + literal % "{c: {c: {c: 1}}}"
        + "</decision></definitions>",
    )
    return tuple(text.encode() for text in texts)
