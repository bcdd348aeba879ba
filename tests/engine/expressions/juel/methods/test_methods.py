"""Every method of the tables, and what is said where an argument does not fit."""

from decimal import Decimal

import pytest

from engine.expressions.juel.methods import getter_key
from engine.values import Value
from tests.engine.expressions.juel.evaluating import fails, juel

VARIABLES: dict[str, Value] = {
    "s": "Hello, World",
    "n": 7,
    "d": Decimal("-2.5"),
    "yes": True,
    "list": [1, "b", None, "b"],
    "map": {"a": 1, "b": None},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("s.length()", 12),
        ("s.isEmpty()", False),
        ("' '.isBlank()", True),
        ("s.contains('World')", True),
        ("s.startsWith('He')", True),
        ("s.endsWith('d')", True),
        ("s.indexOf('o')", 4),
        ("s.lastIndexOf('o')", 8),
        ("s.indexOf('x')", -1),
        ("s.substring(7)", "World"),
        ("s.substring(0, 5)", "Hello"),
        ("s.charAt(1)", "e"),
        ("s.toUpperCase()", "HELLO, WORLD"),
        ("s.toLowerCase()", "hello, world"),
        ("' a '.trim().concat('b')", "ab"),
        ("' a '.strip()", "a"),
        ("s.concat(n)", "Hello, World7"),
        ("s.replace('l', 'L')", "HeLLo, WorLd"),
        ("'a1b22'.replaceAll('[0-9]+', '-')", "a-b-"),
        ("s.matches('H.*')", True),
        ("s.matches('ello')", False),
        ("'a,b,,'.split(',')", ["a", "b"]),
        ("','.split(',')", [""]),
        ("s.equals('x')", False),
        ("s.equalsIgnoreCase('hello, world')", True),
        ("s.equalsIgnoreCase(n)", False),
        ("'a'.compareTo('b')", -1),
        ("'B'.compareToIgnoreCase('a')", 1),
        ("'12'.intValue() + '3'.longValue() + '0.5'.doubleValue()", Decimal("15.5")),
        ("s.toString()", "Hello, World"),
    ],
)
def test_methods_of_a_text(text: str, value: Value) -> None:
    assert juel(text, VARIABLES) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s.substring(13)", "none from 13 to 12"),
        ("s.substring(-1)", "none from -1 to 12"),
        ("s.substring(3, 2)", "none from 3 to 2"),
        ("s.charAt(12)", "no character 12"),
        ("s.contains(5)", "A number is not a string"),
        ("s.startsWith(null)", "A null is not a string"),
        ("s.matches('(')", "'(' is not supported"),
        ("s.intValue()", "is not a number"),
        ("s.substring('a')", "'a' is not a number"),
    ],
)
def test_arguments_that_do_not_fit_a_text(text: str, message: str) -> None:
    assert message in fails(text, VARIABLES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("d.intValue()", -2),
        ("d.longValue()", -2),
        ("d.doubleValue() - n.floatValue()", Decimal("-9.5")),
        ("n.compareTo(8)", -1),
        ("n.equals(7)", True),
        ("n.equals('7')", False),
        ("n.toString()", "7"),
        ("yes.booleanValue()", True),
        ("yes.equals(true)", True),
        ("yes.toString()", "true"),
    ],
)
def test_methods_of_numbers_and_booleans(text: str, value: Value) -> None:
    assert juel(text, VARIABLES) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("list.size()", 4),
        ("list.isEmpty()", False),
        ("list.contains('b')", True),
        ("list.contains(null)", True),
        ("list.contains('1')", False),
        ("list.containsAll(list)", True),
        ("list.get(1)", "b"),
        ("list.getFirst()", 1),
        ("list.getLast()", "b"),
        ("list.indexOf('b')", 1),
        ("list.indexOf('x')", -1),
        ("list.lastIndexOf('b')", 3),
        ("list.subList(1, 3)", ["b", None]),
        ("list.toString()", '[1,"b",null,"b"]'),
        ("map.size()", 2),
        ("map.isEmpty()", False),
        ("map.get('a')", 1),
        ("map.get('x')", None),
        ("map.containsKey('b')", True),
        ("map.containsValue(1)", True),
        ("map.getOrDefault('x', 5)", 5),
        ("map.keySet()", ["a", "b"]),
        ("map.values()", [1, None]),
    ],
)
def test_methods_of_lists_and_maps(text: str, value: Value) -> None:
    assert juel(text, VARIABLES) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("list.get(4)", "There is no item 4; there are 4."),
        ("list.get(-1)", "no item -1"),
        ("list.subList(0, 5)", "none from 0 to 5"),
        ("list.containsAll(1)", "takes a list"),
        ("list.getName()", "A list has no method getName()"),
    ],
)
def test_arguments_that_do_not_fit_a_list(text: str, message: str) -> None:
    assert message in fails(text, VARIABLES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("now().plusDays(3)", "2026-12-02T14:00:00Z"),
        ("now().minusWeeks(1)", "2026-11-22T14:00:00Z"),
        ("now().plusMonths(3)", "2027-02-28T14:00:00Z"),
        ("now().minusYears(1)", "2025-11-29T14:00:00Z"),
        ("now().plusHours(11).plusMinutes(1).plusSeconds(2)", "2026-11-30T01:01:02Z"),
        ("now().withTimeAtStartOfDay().toDate()", "2026-11-29T00:00:00Z"),
        ("now().toDateTime().getTime() - now().getMillis()", 0),
        ("now().getYear() + now().getMonthOfYear() + now().getDayOfMonth()", 2026 + 11 + 29),
        ("now().getDayOfWeek()", 7),
        ("now().getHourOfDay() + now().getMinuteOfHour() + now().getSecondOfMinute()", 14),
        ("now().isBefore(now().plusSeconds(1))", True),
        ("now().before('2026-11-29T14:00:01Z')", True),
        ("now().isAfter(now()) || now().after(now())", False),
        ("now().plusDays(1).isAfterNow() && now().minusDays(1).isBeforeNow()", True),
        ("now().isEqual('2026-11-29T14:00:00Z')", True),
    ],
)
def test_methods_of_a_moment(text: str, value: Value) -> None:
    assert juel(text + ("" if not isinstance(value, str) else ".toString()")) == value


def test_moments_end_with_the_calendar() -> None:
    assert "too much" in fails("now().plusDays(9999999999)")
    assert "outside of the calendar" in fails("now().plusYears(1000000000)")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("map.prop('a').value()", 1),
        ("map.prop('a').numberValue() + 1", 2),
        ("map.prop('b').isNull()", True),
        ("map.prop('b').value()", None),
        ("map.hasProp('b') && !map.hasProp('x')", True),
        ("map.fieldNames()", ["a", "b"]),
        ("map.isObject() && list.isArray() && n.isNumber()", True),
        ("s.isString() && yes.isBoolean()", True),
        ("list.elements().size()", 4),
        ("s.stringValue()", "Hello, World"),
        ("yes.boolValue()", True),
        ('S(\'{"o":{"i":[1,{"a b":2}]}}\').jsonPath(\'$.o.i[1]["a b"]\').element()', 2),
        ("list.jsonPath('$[1]').stringValue()", "b"),
        ("list.jsonPath('$').elementList().size()", 4),
    ],
)
def test_methods_of_json(text: str, value: Value) -> None:
    assert juel(text, VARIABLES) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map.prop('x')", "no property 'x'"),
        ("n.prop('x')", "no property 'x'"),
        ("s.numberValue()", "is no number"),
        ("n.fieldNames()", "is no object"),
        ("map.jsonPath('a')", "does not begin with '$'"),
        ("map.jsonPath('$..a')", "is not supported"),
        ("map.jsonPath('$.x')", "There is no .x in a context."),
        ("list.jsonPath('$[9]')", "There is no [9] in a list."),
    ],
)
def test_json_that_is_not_there(text: str, message: str) -> None:
    assert message in fails(text, VARIABLES)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("getName", "name"),
        ("isOpen", "open"),
        ("getURL", "URL"),
        ("getX", "x"),
        ("get", None),
        ("getaway", None),
        ("name", None),
    ],
)
def test_the_property_of_a_getter(name: str, key: str | None) -> None:
    assert getter_key(name) == key


RESULT: dict[str, Value] = {
    "none": [],
    "one": [{"rate": 1}],
    "wide": [{"rate": 1, "level": "low"}],
    "two": [{"rate": 1}, {"rate": 2, "level": "high"}],
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("none.getSingleEntry()", None),
        ("none.getSingleResult()", None),
        ("none.getFirstResult()", None),
        ("one.getSingleEntry()", 1),
        ("one.getSingleResult().rate", 1),
        ("wide.getSingleResult().getEntry('level')", "low"),
        ("two.getFirstResult().getRate()", 1),
        ("two.collectEntries('rate')", [1, 2]),
        ("two.collectEntries('level')", ["high"]),
        ("two.getResultList().size()", 2),
    ],
)
def test_methods_of_the_result_of_a_decision(text: str, value: Value) -> None:
    assert juel(text, RESULT) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("two.getSingleResult()", "2 rules"),
        ("two.getSingleEntry()", "2 rules"),
        ("wide.getSingleEntry()", "2 outputs"),
    ],
)
def test_a_result_of_several_is_not_a_single_one(text: str, said: str) -> None:
    assert said in fails(text, RESULT)
