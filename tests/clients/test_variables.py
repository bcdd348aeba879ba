"""Variables between Python and JSON: exact, and refused where JSON has nothing for them."""

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torpor_client import variables

numbers = st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=6)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("k"), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text("ab", max_size=3), values))
def test_values_come_back_exactly(given_values: dict[str, Any]) -> None:
    assert variables.decode(variables.encode(given_values)) == given_values


def test_numbers_are_never_floats() -> None:
    found = variables.decode('{"a":1,"b":0.10,"c":1e2,"d":123456789012345678901234567890}')
    assert [type(value) for value in found.values()] == [int, Decimal, Decimal, int]
    assert found["b"] == Decimal("0.10")


def test_no_variables_are_an_empty_object() -> None:
    assert variables.encode(None) == variables.encode({}) == "{}"


def test_dates_and_tuples_are_written_as_json_has_them() -> None:
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    assert variables.encode({"at": moment, "pair": (1, 2)}) == (
        '{"at":"2026-01-02T03:04:05Z","pair":[1,2]}'
    )


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), Decimal("NaN"), [[Decimal("-Infinity")]]]
)
def test_number_that_json_lacks_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        variables.encode({"a": {"b": value}})


def test_object_that_json_lacks_is_refused() -> None:
    with pytest.raises(TypeError):
        variables.encode({"a": object()})


def test_text_that_is_no_object_is_refused() -> None:
    with pytest.raises(TypeError, match="not a JSON object"):
        variables.decode("[1]")
