"""Names that somebody probably meant."""

import pytest

from engine.model.spelling import did_you_mean

KNOWN = ("retries", "type", "string length")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("retires", "retries"), ("stringlength", "string length"), ("Type", "type")],
)
def test_the_nearest_known_name_is_what_was_meant(name: str, meant: str) -> None:
    assert did_you_mean(name, KNOWN) == f" Did you mean `{meant}`?"


@pytest.mark.parametrize("name", ["priority", "", "retries" * 1_000])
def test_a_name_that_is_near_none_is_not_guessed_at(name: str) -> None:
    assert did_you_mean(name, KNOWN) == ""


def test_a_prefix_is_part_of_the_advice() -> None:
    assert did_you_mean("typ", KNOWN, "v:") == " Did you mean `v:type`?"
