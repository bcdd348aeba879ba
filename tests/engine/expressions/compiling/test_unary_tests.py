"""What a decision table cell says about its input."""

import pytest

from engine.expressions import compile_unary_tests
from engine.values import Value
from tests.engine.expressions.evaluating import environment


@pytest.mark.parametrize(
    ("text", "given", "passes"),
    [
        ("-", None, True),
        ("5", 5, True),
        ("5", 6, False),
        ("< 5", 5, False),
        ("<= 5", 5, True),
        ("[1..5], > 9", 10, True),
        ("not(1, 2)", 2, False),
        ("not(1, 2)", 3, True),
        ("not(< 3) ", 4, True),
        ('"a", "b"', "b", True),
        ("? > 3 and ? < 5", 4, True),
        ("not(?)", False, True),
        ("limit", 7, True),
        ("[7, 8]", 8, True),
        ("null", None, True),
        ("null", 1, False),
        ('contains(?, "x")', "axb", True),
        ("some i in [1, 2] satisfies i = ?", 2, True),
        ("< limit", "a", False),
        ("true", True, True),
        ("true", False, False),
        ("true", 1, False),
        ("limit > 5", 1, True),
        ("limit > 9", 1, False),
        ("limit > 9", False, True),
        ("yes", False, False),
        ("yes", True, True),
        ("yes", 1, True),
        ('date("2026-01-01")', "2026-01-01", False),
    ],
)
def test_cells(*, text: str, given: Value, passes: bool) -> None:
    env = environment({"?": given, "limit": 7, "yes": True})
    assert compile_unary_tests(text).evaluate(env) is passes
