"""Short ways to evaluate FEEL in tests."""

from typing import Literal

from engine.expressions import MISSING, Environment, Missing, compile_feel
from engine.expressions.text import literal_text
from engine.values import Value

NOW_MS = 1_795_960_800_000  # 2026-11-29T14:00:00Z, a Sunday


def environment(variables: dict[str, Value] | None = None, zone: str = "UTC") -> Environment:
    """An environment with these variables."""
    known = variables or {}

    def lookup(name: str) -> Value | Literal[Missing.MISSING]:
        return known.get(name, MISSING)

    return Environment(lookup, NOW_MS, zone)


def feel(text: str, variables: dict[str, Value] | None = None) -> Value:
    """The value of an expression."""
    return compile_feel(text).evaluate(environment(variables))


def shown(text: str, variables: dict[str, Value] | None = None) -> str:
    """The value of an expression, as FEEL would write it."""
    env = environment(variables)
    return literal_text(compile_feel(text).evaluate(env), env)
