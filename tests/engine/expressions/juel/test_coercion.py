"""What JUEL makes of a value where it needs a boolean, a number or a text, and what is equal."""

from decimal import Decimal

import pytest

from engine.values import Value
from tests.engine.expressions.juel.evaluating import fails, juel, template


@pytest.mark.parametrize(
    ("value", "truth"),
    [(True, True), (False, False), (None, False), ("", False), ("TRUE", True), ("yes", False)],
)
def test_null_and_texts_count_as_booleans(value: Value, truth: object) -> None:
    assert juel("v ? 1 : 0", {"v": value}) == int(bool(truth))


@pytest.mark.parametrize("value", [1, Decimal("0.5"), [], {}])
def test_numbers_lists_and_objects_are_no_booleans(value: Value) -> None:
    assert "boolean" in fails("!v", {"v": value})


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (None, 0),
        ("", 0),
        ("5", 5),
        ("-2.50", Decimal("-2.5")),
        ("1e2", 100),
        (Decimal("0.1"), Decimal("0.1")),
    ],
)
def test_null_and_texts_count_as_numbers(value: Value, number: Value) -> None:
    assert juel("v + 0", {"v": value}) == number


@pytest.mark.parametrize("value", ["a", "1 2", "0x1", "NaN", "9" * 101, True, [1], {}])
def test_other_values_are_no_numbers(value: Value) -> None:
    assert "is not a number" in fails("v * 1", {"v": value})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "()"),
        (True, "(true)"),
        (10**20, "(100000000000000000000)"),
        (Decimal("1.50"), "(1.5)"),
        ([1, "a"], '([1,"a"])'),
        ({"a": None}, '({"a":null})'),
    ],
)
def test_a_value_inside_of_a_text_is_its_json(value: Value, text: str) -> None:
    assert template("(${v})", {"v": value}) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null == null", True),
        ("null == 0", False),
        ("null == ''", False),
        ("'5' == 5", True),
        ("5.0 == 5", True),
        ("true == 'true'", True),
        ("false == ''", True),
        ("'a' == 'a'", True),
        ("'a' eq 'A'", False),
        ("list == list", True),
        ("list == other", False),
        ("order == order", True),
        ("list == order", False),
        ("list == '[1,2]'", True),
        ("order != list", True),
    ],
)
def test_what_is_equal(text: str, *, value: bool) -> None:
    variables: dict[str, Value] = {"list": [1, 2], "other": [2, 1], "order": {"a": 1}}
    assert juel(text, variables) is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 < 2", True),
        ("2 <= 2.0", True),
        ("'10' < 9", False),
        ("'10' < '9'", True),
        ("'b' > 'a'", True),
        ("null < 1", False),
        ("null >= 1", False),
        ("null <= null", True),
        ("null < null", False),
        ("false < true", True),
    ],
)
def test_what_is_less(text: str, *, value: bool) -> None:
    assert juel(text) is value


@pytest.mark.parametrize("text", ["1 == 'a'", "1 == true", "list < 1", "list < list", "true < 1"])
def test_what_cannot_be_compared_fails(text: str) -> None:
    assert fails(text, {"list": [1]})


def test_a_text_that_meets_a_date_is_read_as_one() -> None:
    variables: dict[str, Value] = {"due": "2026-11-29T13:59:59Z", "later": "2026-11-29T15:00+02:00"}
    assert juel("due < now()", variables) is True
    assert juel("now() gt due", variables) is True
    assert juel("now() == '2026-11-29T15:00:00+01:00'") is True


def test_a_text_that_is_no_date_is_compared_as_text() -> None:
    assert juel("'never' > now()") is True
    assert juel("'never' == now()") is False


@pytest.mark.parametrize(
    ("value", "empty"),
    [(None, True), ("", True), ([], True), ({}, True), (0, False), (False, False), ([0], False)],
)
def test_what_is_empty(value: Value, *, empty: bool) -> None:
    assert juel("empty v", {"v": value}) is empty
    assert juel("not empty v", {"v": value}) is not empty
