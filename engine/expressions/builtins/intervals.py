"""Relations between points and ranges (DMN 1.5 table 78), and range() itself."""

from collections.abc import Callable
from typing import Final, TypeAlias

from engine.expressions.calendar.temporal_text import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_time,
)
from engine.expressions.environment import Environment
from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.functions import Implementation, Signature, signature
from engine.expressions.operators import equals, less
from engine.expressions.parsing import syntax
from engine.expressions.parsing.parser import Parser
from engine.expressions.range_value import Range
from engine.expressions.ranges import make_range
from engine.expressions.type_names import type_name
from engine.values import Value

_Relation: TypeAlias = Callable[[Range, Range, Environment], bool]


def _relation(relation: _Relation) -> Implementation:
    """A point is the range from it to itself; null if the two are of different types."""

    def holds(env: Environment, one: Value, other: Value) -> Value:
        if one is None or other is None:
            return None
        left, right = _as_range(one), _as_range(other)
        if type_name(left.low) != type_name(right.low):
            return None
        return relation(left, right, env)

    return holds


def _as_range(value: Value) -> Range:
    if isinstance(value, Range):
        return value
    return Range(value, value, low_included=True, high_included=True)


def _low_before(left: Range, right: Range, env: Environment) -> bool:
    """Whether left begins before right does."""
    if less(left.low, right.low):
        return True
    same = equals(left.low, right.low, env) is True
    return same and left.low_included and not right.low_included


def _high_before(left: Range, right: Range, env: Environment) -> bool:
    """Whether left ends before right does."""
    if less(left.high, right.high):
        return True
    same = equals(left.high, right.high, env) is True
    return same and not left.high_included and right.high_included


def _before(left: Range, right: Range, env: Environment) -> bool:
    if less(left.high, right.low):
        return True
    touching = equals(left.high, right.low, env) is True
    return touching and not (left.high_included and right.low_included)


def _after(left: Range, right: Range, env: Environment) -> bool:
    return _before(right, left, env)


def _meets(left: Range, right: Range, env: Environment) -> bool:
    return left.high_included and right.low_included and equals(left.high, right.low, env) is True


def _met_by(left: Range, right: Range, env: Environment) -> bool:
    return _meets(right, left, env)


def _overlaps(left: Range, right: Range, env: Environment) -> bool:
    return not _before(left, right, env) and not _before(right, left, env)


def _overlaps_before(left: Range, right: Range, env: Environment) -> bool:
    """DMN 1.5 table 78: both may end at the same point."""
    return (
        _low_before(left, right, env)
        and not _high_before(right, left, env)
        and not _before(left, right, env)
    )


def _overlaps_after(left: Range, right: Range, env: Environment) -> bool:
    return _overlaps_before(right, left, env)


def _same_high(left: Range, right: Range, env: Environment) -> bool:
    same = equals(left.high, right.high, env) is True
    return same and left.high_included == right.high_included


def _same_low(left: Range, right: Range, env: Environment) -> bool:
    same = equals(left.low, right.low, env) is True
    return same and left.low_included == right.low_included


def _finishes(left: Range, right: Range, env: Environment) -> bool:
    return _same_high(left, right, env) and not _low_before(left, right, env)


def _finished_by(left: Range, right: Range, env: Environment) -> bool:
    return _finishes(right, left, env)


def _includes(left: Range, right: Range, env: Environment) -> bool:
    return not _low_before(right, left, env) and not _high_before(left, right, env)


def _during(left: Range, right: Range, env: Environment) -> bool:
    return _includes(right, left, env)


def _starts(left: Range, right: Range, env: Environment) -> bool:
    return _same_low(left, right, env) and not _high_before(right, left, env)


def _started_by(left: Range, right: Range, env: Environment) -> bool:
    return _starts(right, left, env)


def _coincides(left: Range, right: Range, env: Environment) -> bool:
    return _same_low(left, right, env) and _same_high(left, right, env)


_LITERAL_FUNCTIONS: Final[dict[str, Callable[[str], Value]]] = {
    "date": parse_date,
    "time": parse_time,
    "date and time": parse_date_time,
    "duration": parse_duration,
}


def parse_range(_env: Environment, text: str) -> Value:
    """range, from its text; its ends must be literals"""
    try:
        node = Parser(text, _LITERAL_FUNCTIONS.keys()).parse()
        if not isinstance(node, syntax.RangeLiteral):
            return None
        low, high = _literal(node.low), _literal(node.high)
    except ExpressionSyntaxError:
        return None
    if (low is None and node.low_included) or (high is None and node.high_included):
        return None
    if low is not None and high is not None and less(high, low) is not False:
        return None
    return make_range(Range(low, high, node.low_included, node.high_included))


def _literal(node: syntax.Node) -> Value:
    """The value of a literal or of date("...") and the like; raises ExpressionSyntaxError else."""
    match node:
        case syntax.Literal(value=value):
            return value
        case syntax.Negation(operand=syntax.Literal(value=int(value))):
            return -value
        case syntax.Call(
            function=syntax.Name(name=name), arguments=(syntax.Literal(value=str(text)),)
        ) if name in _LITERAL_FUNCTIONS:
            return _LITERAL_FUNCTIONS[name](text)
    raise ExpressionSyntaxError("Expected a literal", 0)


_POINTS = ("point1: any, point2: any", "point: any, range: any", "range: any, point: any")
_RANGES = ("range1: any, range2: any",)


def _signatures(relation: _Relation, *parameters: str) -> tuple[Signature, ...]:
    return tuple(signature(names, _relation(relation)) for names in parameters)


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "before": _signatures(_before, *_POINTS, *_RANGES),
    "after": _signatures(_after, *_POINTS, *_RANGES),
    "meets": _signatures(_meets, *_RANGES),
    "met by": _signatures(_met_by, *_RANGES),
    "overlaps": _signatures(_overlaps, *_RANGES),
    "overlaps before": _signatures(_overlaps_before, *_RANGES),
    "overlaps after": _signatures(_overlaps_after, *_RANGES),
    "finishes": _signatures(_finishes, _POINTS[1], *_RANGES),
    "finished by": _signatures(_finished_by, _POINTS[2], *_RANGES),
    "includes": _signatures(_includes, _POINTS[2], *_RANGES),
    "during": _signatures(_during, _POINTS[1], *_RANGES),
    "starts": _signatures(_starts, _POINTS[1], *_RANGES),
    "started by": _signatures(_started_by, _POINTS[2], *_RANGES),
    "coincides": _signatures(_coincides, _POINTS[0], *_RANGES),
    "range": (signature("from: string", parse_range),),
}
