"""Expressions inside of something larger: names of its frames, of its entries, and its types."""

import pytest

from engine.expressions import ExpressionSyntaxError, compile_feel, compile_unary_tests
from engine.expressions.environment import Frame
from engine.expressions.juel import compile_juel
from engine.expressions.parsing.cursor import NameTree
from engine.expressions.parsing.syntax import TypeName
from engine.expressions.surroundings import Surroundings
from engine.values import Value
from tests.engine.expressions.evaluating import environment


def inside(text: str, around: Surroundings, names: dict[str, Value]) -> Value:
    env = environment({"outer": 1, "n": 2})
    return compile_feel(text, (), around).code(env, Frame(names, None))


def test_names_of_frames_come_before_variables_and_may_hold_blanks() -> None:
    around = Surroundings().binding("n", "the sum")
    assert inside("outer + n + the sum", around, {"n": 20, "the sum": 300}) == 321


def test_a_frame_may_get_further_names() -> None:
    around = Surroundings().binding("n")
    around.bind("the sum")
    assert inside("n + the sum", around, {"n": 20, "the sum": 300}) == 320


def test_names_of_frames_are_not_free() -> None:
    around = Surroundings().binding("n").binding("m")
    assert compile_feel("m + n + k", (), around).names == ("k",)


def test_a_name_of_a_frame_may_be_that_of_a_builtin() -> None:
    assert inside("count + count([1, 2])", Surroundings().binding("count"), {"count": 5}) == 7


def test_names_of_entries_hold_blanks_behind_a_dot_only() -> None:
    around = Surroundings(NameTree.of(["net price", "a-b"])).binding("n")
    assert inside("n.net price + n.a-b", around, {"n": {"net price": 5, "a-b": 2}}) == 7
    with pytest.raises(ExpressionSyntaxError):
        compile_feel("net price", (), around)


def test_names_of_entries_are_names_inside_of_a_filter() -> None:
    around = Surroundings(NameTree.of(["net price"])).binding("items", "limit")
    names: dict[str, Value] = {"items": [{"net price": 5}, {"net price": 9}], "limit": [6]}
    assert inside("items[net price > limit[1]].net price", around, names) == [9]
    with pytest.raises(ExpressionSyntaxError):
        compile_feel("items[1] + net price", (), around)


def test_declared_types_are_known_by_name() -> None:
    types = {"tAge": TypeName("number"), "a list": TypeName("list", (TypeName("string"),))}
    around = Surroundings(types=types)
    assert inside("5 instance of tAge", around, {}) is True
    assert inside('["x"] instance of a list', around, {}) is True
    assert inside("[[5]] instance of list<list<tAge>>", around, {}) is True
    assert inside('{f: function(x: tAge) x, r: [f(5), f("a")]}.r', around, {}) == [5, None]


def test_unary_tests_see_the_frames_too() -> None:
    around = Surroundings().binding("limit", "the other").binding("?")
    tests = compile_unary_tests("> limit, the other", (), around)
    frame = Frame({"limit": 10, "the other": 3}, None)
    answers = [tests.code(environment(), Frame({"?": value}, frame)) for value in (11, 3, 5)]
    assert answers == [True, True, False]


def test_juel_sees_the_frames_too() -> None:
    code = compile_juel("${n + outer}").code
    env = environment({"outer": 1, "n": 2})
    assert code(env, Frame({}, Frame({"n": 20}, None))) == 21
    assert code(env, None) == 3
