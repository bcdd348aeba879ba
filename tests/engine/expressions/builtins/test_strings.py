"""String functions."""

import re

import pytest

from engine.values import Value
from tests.engine.expressions.evaluating import feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('substring("foobar", 3)', "obar"),
        ('substring("foobar", -2)', "ar"),
        ('substring("foobar", 3, 3)', "oba"),
        ('substring("foobar", -3, 2)', "ba"),
        ('substring("foobar", 3, 10)', "obar"),
        ('substring("foobar", 0)', None),
        ('substring("foobar", -7)', None),
        ('substring("foobar", 1, 0)', None),
        ('substring("foobar", 7)', ""),
        ('substring("🐎ab", 2)', "ab"),
        ('string length("🐎ab")', 3),
        ('upper case("aBc4")', "ABC4"),
        ('lower case("aBc4")', "abc4"),
        ('substring before("foobar", "bar")', "foo"),
        ('substring before("foobar", "x")', ""),
        ('substring before("foobar", "")', ""),
        ('substring after("foobar", "ob")', "ar"),
        ('substring after("foobar", "x")', ""),
        ('substring after("foobar", "")', "foobar"),
        ('contains("foobar", "of")', False),
        ('contains(["foobar"], "oo")', True),
        ('starts with("foobar", "fo")', True),
        ('ends with("foobar", "r")', True),
        ('trim("  hello  world ")', "hello  world"),
        ('is blank(" ")', True),
        ('is blank("a")', False),
        ('string join(["a", null, "c"], "-")', "a-c"),
        ('string join(["a", "b"], null)', "ab"),
        ('string join("a", "-")', "a"),
        ("string join([])", ""),
        ('string join(["a", 1], "-")', None),
        ('string join(["a", "b"], ", ", "[", "]")', "[a, b]"),
        ('string join(["a", "b"], "-", "x")', None),
        ('to base64("FEEL")', "RkVFTA=="),
        ('to base64("ä")', "w6Q="),
        ("string length(null)", None),
        ("string length(5)", None),
        ("string length(uuid())", 36),
    ],
)
def test_functions(text: str, value: Value) -> None:
    assert feel(text) == value


def test_a_uuid_has_version_4() -> None:
    made = feel("uuid()")
    assert isinstance(made, str)
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}", made)
