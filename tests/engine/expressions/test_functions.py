"""Which signature fits, and what the arguments become."""

import pytest

from engine.expressions import Environment
from engine.expressions.functions import Function, invoke, invoke_named, signature
from engine.values import Value

ENV = Environment()


def echo(_env: Environment, *arguments: Value) -> Value:
    return list(arguments)


TWO = Function(
    "two",
    (
        signature("a: number, b?: string", echo),
        signature("a: string", echo),
        signature("list: list", echo),
    ),
)
REST = Function("rest", (signature("first: any, more...: any", echo),))


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ([1], [1]),
        ([1, "x"], [1, "x"]),
        ([1, None], [1, None]),
        ([[1]], [1]),
        (["x"], ["x"]),
        ([True], [[True]]),
        ([None], None),
        ([1, 2], None),
        ([], None),
        ([1, "x", 2], None),
    ],
)
def test_the_first_signature_that_fits_is_called(arguments: list[Value], result: Value) -> None:
    assert invoke(TWO, arguments, ENV) == result


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"a": 1}, [1]),
        ({"b": "x", "a": 1}, [1, "x"]),
        ({"a": "x"}, ["x"]),
        ({"list": 5}, [[5]]),
        ({"c": 1}, None),
        ({"b": "x"}, None),
        ({}, None),
    ],
)
def test_names_choose_the_signature(arguments: dict[str, Value], result: Value) -> None:
    assert invoke_named(TWO, arguments, ENV) == result


def test_the_last_parameter_may_take_all_that_follow() -> None:
    assert invoke(REST, [1], ENV) == [1, []]
    assert invoke(REST, [1, None, 3], ENV) == [1, [None, 3]]
    assert invoke_named(REST, {"first": 1, "more": 2}, ENV) == [1, [2]]


def test_what_is_no_function_gives_null() -> None:
    assert invoke(5, [1], ENV) is None
    assert invoke_named(None, {}, ENV) is None


def test_long_arguments_are_paid_for() -> None:
    env = Environment()
    invoke(REST, ["x" * 64_000, [1] * 8_000], env)
    assert env.steps_max - env.steps >= 1_250


def test_a_function_equals_only_itself() -> None:
    assert TWO == TWO  # noqa: PLR0124 - asks its __eq__
    assert Function("two", TWO.signatures) != TWO
