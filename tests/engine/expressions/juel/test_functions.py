"""The functions: the time, JSON texts, and Flowable's that read variables by name."""

import pytest

from engine.expressions.calendar.temporal_text import parse_date_time
from engine.values import Value
from tests.engine.expressions.juel.evaluating import fails, juel

VARIABLES: dict[str, Value] = {
    "n": 5,
    "s": "text",
    "list": ["a", 2],
    "none": None,
    "empty": "",
    "json": '{"a": [1]}',
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("variables:get('n')", 5),
        ("vars:get(n)", 5),
        ('var:get("nope")', None),
        ("vars:getOrDefault(nope, 7)", 7),
        ("vars:getOrDefault(none, 7)", 7),
        ("vars:getOrDefault(n, 7)", 5),
        ("vars:exists(n)", True),
        ("vars:exists(none)", False),
        ("vars:exists(nope)", False),
        ("vars:empty('empty')", True),
        ("vars:isEmpty(nope)", True),
        ("vars:isNotEmpty(list)", True),
        ("vars:notEmpty(none)", False),
        ("vars:equals(n, 5)", True),
        ("vars:eq(n, '5')", False),
        ("vars:eq(nope, null)", True),
        ("vars:notEquals(s, 'other')", True),
        ("vars:ne(s, 'text')", False),
        ("vars:contains(list, 'a', 2)", True),
        ("vars:contains(list, 'a', 3)", False),
        ("vars:contains(s, 'te', 'xt')", True),
        ("vars:contains(nope, 'a')", False),
        ("vars:containsAny(list, 'b', 2)", True),
        ("vars:containsAny(s, 'b', 'x')", True),
        ("vars:containsAny(n, 5)", False),
        ("vars:lowerThan(n, 6)", True),
        ("vars:lessThan(n, 5)", False),
        ("vars:lt(none, 5)", False),
        ("vars:lte(n, 5)", True),
        ("vars:lowerThanOrEquals(n, 4)", False),
        ("vars:greaterThan(n, 4)", True),
        ("vars:gt(s, 'a')", True),
        ("vars:gte(n, 5) && vars:greaterThanOrEquals(n, 4)", True),
        ("vars:base64(s)", "dGV4dA=="),
    ],
)
def test_functions_of_variables(text: str, value: Value) -> None:
    assert juel(text, VARIABLES) == value


def test_what_has_no_order_fails() -> None:
    assert "cannot be compared" in fails("vars:lt(s, 5)", VARIABLES)
    assert "is not a string" in fails("vars:base64(n)", VARIABLES)


def test_the_time_is_the_commands() -> None:
    assert juel("now()") == parse_date_time("2026-11-29T14:00:00Z")
    assert juel("dateTime() == now()") is True


def test_json_texts_are_read() -> None:
    assert juel("S(json).a[0]", VARIABLES) == 1
    assert juel("JSON(list).size()", VARIABLES) == 2
    assert "not valid JSON" in fails("S(s)", VARIABLES)
