"""Boolean functions, and those that deal with null, whatever the type."""

from typing import Final

from engine.expressions.builtins.spread import spread
from engine.expressions.calendar.temporal import DateTime, Time
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.functions import Signature, signature
from engine.expressions.operators import Answer, equals
from engine.expressions.type_names import type_name
from engine.values import Value


def negation(_env: Environment, negand: Value) -> Value:
    """not"""
    return not negand if isinstance(negand, bool) else None


def is_defined(_env: Environment, value: Value) -> Value:
    """is defined: a missing variable is null, and so is none."""
    return value is not None


def get_or_else(_env: Environment, value: Value, default: Value) -> Value:
    """get or else"""
    return default if value is None else value


def assertion(_env: Environment, value: Value, condition: Value, cause: str | None = None) -> Value:
    """assert: the one function that fails instead of giving null."""
    if condition is True:
        return value
    raise EvaluationError(cause or "An assertion in the expression is not met.")


def same(env: Environment, value1: Value = None, value2: Value = None) -> Value:
    """is: equal, and written in the same way: times in different zones are not."""
    if type_name(value1) != type_name(value2):
        return False
    if isinstance(value1, (Time, DateTime)):
        return value1 == value2
    return equals(value1, value2, env) is True


def every_true(env: Environment, values: list[Value]) -> Value:
    """all"""
    return _decide(spread(values), env, decisive=False)


def any_true(env: Environment, values: list[Value]) -> Value:
    """any"""
    return _decide(spread(values), env, decisive=True)


def _decide(values: list[Value] | None, env: Environment, *, decisive: bool) -> Answer:
    if values is None:
        return None
    env.spend(len(values) >> 2)
    if decisive in (value for value in values if isinstance(value, bool)):
        return decisive
    return None if not all(isinstance(value, bool) for value in values) else not decisive


def from_ai(_env: Environment, value: Value, *_hints: Value) -> Value:
    """fromAi: a marker for connectors; the value itself."""
    return value


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "not": (signature("negand: any", negation),),
    "is defined": (signature("value: any", is_defined),),
    "get or else": (signature("value: any, default: any", get_or_else),),
    "assert": (signature("value: any, condition: any, cause?: string", assertion),),
    "is": (signature("value1?: any, value2?: any", same),),
    "all": (signature("list...: any", every_true),),
    "and": (signature("list...: any", every_true),),
    "any": (signature("list...: any", any_true),),
    "or": (signature("list...: any", any_true),),
    "fromAi": (
        signature(
            "value: any, description?: any, type?: any, schema?: any, options?: any", from_ai
        ),
    ),
}
