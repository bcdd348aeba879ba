"""Precedence, the ambiguous brackets, and names that hold blanks."""

import pytest

from engine.expressions import ExpressionSyntaxError
from engine.expressions.builtins import BUILTINS
from engine.expressions.parsing import syntax
from engine.expressions.parsing.parser import Parser
from engine.expressions.parsing.syntax import Literal, Name, Node
from tests.engine.expressions.evaluating import feel, shown


def parse(text: str, *names: str) -> Node:
    return Parser(text, BUILTINS.keys(), names).parse()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("1 - 2 - 3", "(1 - 2) - 3"),
        ("2 ** 3 ** 2", "(2 ** 3) ** 2"),
        ("-2 ** 2", "(-2) ** 2"),
        ("2 * 3 ** 2", "2 * (3 ** 2)"),
        ("1 + 1 = 2 and 2 > 1 or false", "(((1 + 1) = 2) and (2 > 1)) or false"),
        ("true or false and false", "true or (false and false)"),
        ("5 between 1 and 10 and true", "(5 between 1 and 10) and true"),
        ("1 in [1..2] and true", "(1 in [1..2]) and true"),
        ("if true then 1 else 2 + 3", "if true then 1 else (2 + 3)"),
        ("1 + if true then 1 else 2", "1 + (if true then 1 else 2)"),
        ("for i in 1..2 return i + 1", "for i in (1)..(2) return (i + 1)"),
        ("- - 1", "-(-1)"),
    ],
)
def test_precedence(text: str, same: str) -> None:
    assert shown(text) == shown(same)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[1..5]", "[1..5]"),
        ("(1..5)", "(1..5)"),
        ("]1..5[", "(1..5)"),
        ("[1..5[", "[1..5)"),
        ("[[1,2][1]..[5][1]]", "[1..5]"),
        ("[1..[5][1][", "[1..5)"),
        ("[[1..5[, [1..3]]", "[[1..5), [1..3]]"),
        ("3 in [1..5[ and true", "true"),
        ("[1..5[.end", "5"),
        ("{a: [1..5[}", "{a: [1..5)}"),
        ("[1, (2), [3]]", "[1, 2, [3]]"),
    ],
)
def test_brackets_are_lists_filters_or_ranges(text: str, written: str) -> None:
    assert shown(text) == written


def test_names_with_blanks_are_learned_from_the_text() -> None:
    assert feel("{net pay: 5, gross pay: net pay * 2}.gross pay") == 10
    assert feel("for next item in [1, 2] return next item + 1") == [2, 3]
    assert feel("{f: function(first part, b) first part + b, r: f(first part: 1, b: 2)}.r") == 3
    assert feel("{a-b: 1, c: a-b + 1}.c") == 2


def test_names_with_blanks_can_be_declared() -> None:
    tree = parse("Monthly Fee + 1", "Monthly Fee")
    assert tree == syntax.Arithmetic(Name("Monthly Fee"), (("+", Literal(1)),))


def test_names_in_backticks_hold_anything() -> None:
    assert feel("`a b-c` + 1", {"a b-c": 1}) == 2


def test_keywords_are_names_after_a_dot_and_before_a_colon() -> None:
    assert feel("{if: 1, then: {in: 2}}.then.in") == 2


def test_some_and_every_are_names_too() -> None:
    assert feel("some + every", {"some": 1, "every": 2}) == 3


def test_function_names_with_blanks_need_no_declaration() -> None:
    assert feel("string length(upper case(x))", {"x": "ab"}) == 2
    assert feel('date and time("2026-01-01T00:00:00").year') == 2026


def test_a_variable_may_be_called_like_a_function() -> None:
    assert feel("count + count([1, 2])", {"count": 5}) == 7
    assert feel("date", {}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("if true then 1", "Expected 'else', found the end"),
        ("[1, 2", "Expected ']', found the end"),
        ("(1 + 2", r"Expected '\)', found the end"),
        ("{a 1}", "Expected a key and ':'"),
        ("1 2", "Expected an operator or the end, found '2'"),
        ("for i return i", "Expected 'in', found 'return'|Expected 'in'"),
        ("a.", "Expected a property name"),
        ("x instance of", "Expected a type"),
        ("function(x) external {}", "External functions are not allowed"),
        ("then", "Expected an expression, found 'then'"),
        ("[1..2", "Expected the end of a range"),
        ("", "Expected an expression, found the end"),
    ],
)
def test_errors_say_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(ExpressionSyntaxError, match=message):
        parse(text)


def test_error_positions_point_at_the_unexpected_token() -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse("1 + (2 * ) + 3")
    assert caught.value.position == 9


def test_known_names_do_not_slow_a_long_text_down() -> None:
    keys = ", ".join(f"common prefix {number}: 1" for number in range(1_500))
    assert isinstance(parse("{" + keys + "}"), syntax.ContextLiteral)
