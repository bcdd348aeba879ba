"""JSON text to values and back: exact numbers, one form each, and every refusal a sentence."""

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.values import (
    NESTING_MAX,
    ExpressionValue,
    Value,
    ValueDecodeError,
    ValueEncodeError,
    decode,
    decode_object,
    encode,
    encode_object,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS
VALUES = st.recursive(
    SCALARS
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20),
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("true", True),
        (" 1 ", 1),
        ("1.0", 1),
        ("10e-1", 1),
        ("-0", 0),
        ("-0.0", 0),
        ("0e999999", 0),
        ("1.50", Decimal("1.5")),
        ("0.1", Decimal("0.1")),
        ("9999999999999999999999999999999999", 9999999999999999999999999999999999),
        ("1e34", Decimal(10**34)),
        ("1" * 4300, Decimal("1" * 4300)),
        ("0." + "1" * 4000, Decimal("0." + "1" * 4000)),
        ('{"a":1,"a":2}', {"a": 2}),
        ('"\\ud83d\\ude00"', "😀"),
        (
            '["9999999999999999999999999999999999999999", "ü"]',
            ["9999999999999999999999999999999999999999", "ü"],
        ),
    ],
)
def test_json_text_has_one_value(text: str, value: Value) -> None:
    assert decode(text) == value
    assert type(decode(text)) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NaN",
        "-Infinity",
        "[1,]",
        "01",
        "{1:2}",
        '"\\ud800"',
        '["\\ud800", 9999999999999999999999999999999999999999]',
        '["\ud800", 9999999999999999999999999999999999999999]',
        "[NaN, 9999999999999999999999999999999999999999]",
        '"\ud800"',
        "[1e6145, 9999999999999999999999999999999999999999]",
        '{"a": {"b": 9999999999999999999999999999999999999999}',
        "1e6145",
        "1e-6145",
        "1" * 4301,
        "0." + "1" * 4300,
        "1e99999999999999999999",
        "[" * (NESTING_MAX + 1) + "]" * (NESTING_MAX + 1),
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000 + "9999999999999999999999999999999999999999" + "}" * 100_000,
    ],
)
def test_what_is_not_a_json_value_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueDecodeError, match=r"\.$"):
        decode(text)


def test_the_deepest_allowed_nesting_decodes_and_encodes() -> None:
    text = "[" * NESTING_MAX + "]" * NESTING_MAX
    assert encode(decode(text)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, None, True], "a": "ü\n"}, '{"b":[1,null,true],"a":"ü\\n"}'),
        (Decimal("1.50"), "1.5"),
        (Decimal("3.00"), "3"),
        (Decimal("1E+2"), "100"),
        (Decimal("-0"), "0"),
        (10**40, "1" + "0" * 40),
        (Decimal("1E+6000"), "1E+6000"),
        ([10**40], "[1" + "0" * 40 + "]"),
        ([Decimal("0.10"), 2**64], "[0.1,18446744073709551616]"),
    ],
)
def test_a_value_has_one_text(value: Value, text: str) -> None:
    assert encode(value) == text


@pytest.mark.parametrize(
    "value", ["\ud800", Decimal("NaN"), [Decimal("Infinity")], ExpressionValue(), [1.5], {1: 2}]
)
def test_what_has_no_json_form_is_refused_with_a_sentence(value: Value) -> None:
    with pytest.raises(ValueEncodeError, match=r"\.$"):
        encode(value)


def test_a_value_nested_too_deeply_is_refused() -> None:
    value: Value = []
    for _ in range(NESTING_MAX):
        value = [value]
    with pytest.raises(ValueEncodeError, match="deeper"):
        encode(value)


@settings(deadline=None)
@given(VALUES)
def test_every_value_survives_the_round_trip(value: Value) -> None:
    assert decode(encode(value)) == value
    assert encode(decode(encode(value))) == encode(value)


@settings(deadline=None)
@given(VALUES)
def test_the_text_is_json_to_any_other_reader(value: Value) -> None:
    assert json.loads(encode(value), parse_float=Decimal, parse_int=Decimal) == value


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_value_or_a_clean_refusal(text: str) -> None:
    try:
        decode(text)
    except ValueDecodeError:
        return


def test_an_object_splits_into_texts_and_joins_again() -> None:
    text = '{ "a" : 1.0, "b c": [1, {"x": null}], "a": 2 }'
    texts = decode_object(text)
    assert texts == {"a": "2", "b c": '[1,{"x":null}]'}
    assert encode_object(texts) == '{"a":2,"b c":[1,{"x":null}]}'


@pytest.mark.parametrize("text", ["[]", "1", "null", "{"])
def test_only_an_object_splits(text: str) -> None:
    with pytest.raises(ValueDecodeError, match=r"\.$"):
        decode_object(text)


def test_a_part_that_a_value_holds_many_times_weighs_as_often() -> None:
    value: Value = [1]
    for _ in range(60):
        value = [value, {"again": value}]
    texts: Value = ["x" * 100_000] * 1_000
    for heavy in (value, texts, {"a": texts}):
        with pytest.raises(ValueEncodeError):
            encode(heavy)
    assert len(encode(["x" * 1_000] * 1_000)) == 1_003_001
