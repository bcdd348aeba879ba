"""What calls of fromAi ask for."""

import pytest

from engine.expressions.tagging import TagError, tagged_parameters
from engine.values import Value, encode


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2", "[]"),
        ("fromAi(", "[]"),
        ('"fromAi(x)"', "[]"),
        ("fromAi(toolCall.query)", '[{"name":"toolCall.query"}]'),
        ("fromAi(query)", '[{"name":"query"}]'),
        ("fromAi(a.b, null, null)", '[{"name":"a.b"}]'),
        ('fromAi(a.b, "what", "string")',
         '[{"name":"a.b","description":"what","type":"string"}]'),
        ('fromAi(options: {required: false}, value: a.b, schema: {enum: ["x", -1.50, null]})',
         '[{"name":"a.b","schema":{"enum":["x",-1.5,null]},"options":{"required":false}}]'),
        ('"https://x/" + string(fromAi(a.b)) + fromAi(a.c, "c")',
         '[{"name":"a.b"},{"name":"a.c","description":"c"}]'),
        ('{one: [fromAi(a.b)], two: if x then fromAi(a.c) else {three: fromAi(a.b)}}',
         '[{"name":"a.b"},{"name":"a.c"},{"name":"a.b"}]'),
    ],
)  # fmt: skip
def test_each_call_is_a_parameter(text: str, expected: str) -> None:
    found: list[Value] = [*tagged_parameters(text)]
    assert encode(found) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fromAi()", "names nothing"),
        ('fromAi("a.b")', "write a reference, such as toolCall.query"),
        ("fromAi(a.b, 10)", "description of fromAi is no constant: write a text"),
        ('fromAi(a.b, "x" + "y")', "description of fromAi is no constant: write it out"),
        ('fromAi(a.b, null, null, "x")', "schema of fromAi is no constant: write a context"),
        ("fromAi(value: a.b, schema: {x: now()})", "schema of fromAi is no constant"),
        ('fromAi(value: a.b, descripton: "x")', "no argument descripton: it has value,"),
        ("fromAi(a.b, null, null, null, null, 1)", "no argument further"),
    ],
)
def test_what_says_nothing_is_told(text: str, said: str) -> None:
    with pytest.raises(TagError, match=said.replace("(", ".").replace(")", ".")):
        tagged_parameters(text)
