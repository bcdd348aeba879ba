"""What a decision table makes of the rules that match: one function a hit policy.

DMN 1.5 section 8.2.8. A violated policy is an error of the model, and so an incident.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from engine.decisions.errors import DecisionError
from engine.expressions import Environment
from engine.expressions.builtins.aggregates import maximum, minimum, total
from engine.expressions.operators import equals
from engine.values import Value


class Hit(msgspec.Struct, frozen=True):
    """A rule that matches: its number, from 1, and its outputs."""

    rule: int
    outputs: tuple[Value, ...]


class Outputs(msgspec.Struct, frozen=True):
    """The output columns. `priorities` are the values of each, from the most important down."""

    names: tuple[str, ...]
    priorities: tuple[tuple[Value, ...], ...]
    aggregation: str | None = None

    def value(self, hit: Hit) -> Value:
        """The only output itself, or a context of them all."""
        if len(hit.outputs) == 1:
            return hit.outputs[0]
        return dict(zip(self.names, hit.outputs, strict=True))


Policy: TypeAlias = Callable[[list[Hit], Outputs, Environment], Value]


def _first(hits: list[Hit], outputs: Outputs, _env: Environment) -> Value:
    return outputs.value(hits[0])


def _unique(hits: list[Hit], outputs: Outputs, _env: Environment) -> Value:
    if len(hits) > 1:
        raise DecisionError(
            f"The hit policy UNIQUE is violated: the rules {hits[0].rule} and {hits[1].rule}"
            " both match."
        )
    return outputs.value(hits[0])


def _any(hits: list[Hit], outputs: Outputs, env: Environment) -> Value:
    value = outputs.value(hits[0])
    for hit in hits[1:]:
        if equals(outputs.value(hit), value, env) is not True:
            raise DecisionError(
                f"The hit policy ANY is violated: the rules {hits[0].rule} and {hit.rule} match"
                " with different outputs."
            )
    return value


def _by_priority(hits: list[Hit], outputs: Outputs, env: Environment) -> list[Hit]:
    """By the first column that tells them apart; rules of equal priority stay in their order."""

    def rank(hit: Hit) -> tuple[int, ...]:
        return tuple(
            next(
                (place for place, each in enumerate(values) if equals(each, value, env) is True),
                len(values),
            )
            for value, values in zip(hit.outputs, outputs.priorities, strict=True)
        )

    env.spend(len(hits))
    return sorted(hits, key=rank)


def _priority(hits: list[Hit], outputs: Outputs, env: Environment) -> Value:
    return outputs.value(_by_priority(hits, outputs, env)[0])


def _output_order(hits: list[Hit], outputs: Outputs, env: Environment) -> Value:
    return [outputs.value(hit) for hit in _by_priority(hits, outputs, env)]


def _rule_order(hits: list[Hit], outputs: Outputs, _env: Environment) -> Value:
    return [outputs.value(hit) for hit in hits]


def _collect(hits: list[Hit], outputs: Outputs, env: Environment) -> Value:
    values = [outputs.value(hit) for hit in hits]
    if outputs.aggregation is None:
        return values
    return aggregate(outputs.aggregation, values, env)


def aggregate(aggregation: str, values: list[Value], env: Environment) -> Value:
    """The values as one."""
    if aggregation == "COUNT":
        return len(values)
    if not values:
        return None
    result = _AGGREGATIONS[aggregation](env, values)
    if result is None:
        raise DecisionError(f"The outputs of the rules that match have no {aggregation}.")
    return result


_AGGREGATIONS: Final[dict[str, Callable[[Environment, list[Value]], Value]]] = {
    "SUM": total,
    "MIN": minimum,
    "MAX": maximum,
}
AGGREGATIONS: Final = frozenset((*_AGGREGATIONS, "COUNT"))
POLICIES: Final[dict[str, Policy]] = {
    "UNIQUE": _unique,
    "FIRST": _first,
    "ANY": _any,
    "PRIORITY": _priority,
    "OUTPUT ORDER": _output_order,
    "RULE ORDER": _rule_order,
    "COLLECT": _collect,
}
LISTING: Final = frozenset(("OUTPUT ORDER", "RULE ORDER", "COLLECT"))
"""The policies whose result is a list of all hits, unless they are aggregated."""

HITS_MAX: Final = {"FIRST": 1, "UNIQUE": 2}
"""After how many rules that match the others need not be looked at."""
