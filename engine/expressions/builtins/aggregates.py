"""Functions that reduce a list to one value."""

from decimal import Decimal
from typing import Final

from engine.expressions.arithmetic import calculate
from engine.expressions.builtins.lists import sort
from engine.expressions.builtins.spread import spread
from engine.expressions.environment import Environment
from engine.expressions.functions import Signature, signature
from engine.expressions.numeric import CONTEXT, Number, divide, finite, is_number
from engine.expressions.operators import less
from engine.values import Value

_List = list[Value]


def _numbers(values: _List, env: Environment) -> list[Number] | None:
    """The items if all are numbers and there is one at least, else null."""
    items = spread(values)
    if not items or not all(is_number(item) for item in items):
        return None
    env.spend(len(items) >> 2)
    return [item for item in items if isinstance(item, (int, Decimal))]


def minimum(env: Environment, values: _List) -> Value:
    """min"""
    return _extreme(env, values, smallest=True)


def maximum(env: Environment, values: _List) -> Value:
    """max"""
    return _extreme(env, values, smallest=False)


def _extreme(env: Environment, values: _List, *, smallest: bool) -> Value:
    items = spread(values)
    if not items:
        return None
    env.spend(len(items) >> 2)
    best = items[0]
    if less(best, best) is None:
        return None
    for item in items[1:]:
        better = less(item, best) if smallest else less(best, item)
        if better is None:
            return None
        if better:
            best = item
    return best


def total(env: Environment, values: _List) -> Value:
    """sum: of numbers or of durations"""
    items = spread(values)
    if not items or isinstance(items[0], str):
        return None
    env.spend(len(items) >> 2)
    result: Value = items[0] if calculate("+", items[0], items[0]) is not None else None
    for item in items[1:]:
        result = calculate("+", result, item)
    return result


def product(env: Environment, values: _List) -> Value:
    """product"""
    numbers = _numbers(values, env)
    if numbers is None:
        return None
    result: Value = 1
    for number in numbers:
        result = calculate("*", result, number)
    return result


def mean(env: Environment, values: _List) -> Value:
    """mean"""
    items = spread(values)
    return None if not items else calculate("/", total(env, values), len(items))


def median(env: Environment, values: _List) -> Value:
    """median"""
    numbers = _numbers(values, env)
    if numbers is None:
        return None
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return divide(CONTEXT.add(ordered[middle - 1], ordered[middle]), 2)


def standard_deviation(env: Environment, values: _List) -> Value:
    """stddev: of a sample"""
    numbers = _numbers(values, env)
    if numbers is None or len(numbers) < 2:
        return None
    average = mean(env, list(numbers))
    if not isinstance(average, (int, Decimal)):
        return None
    squares = Decimal(0)
    for number in numbers:
        squares = CONTEXT.add(squares, CONTEXT.power(CONTEXT.subtract(number, average), 2))
    return finite(CONTEXT.sqrt(CONTEXT.divide(squares, len(numbers) - 1)))


def mode(env: Environment, values: _List) -> Value:
    """mode: the most frequent numbers, in ascending order"""
    if values == [[]]:
        return []
    numbers = _numbers(values, env)
    if numbers is None:
        return None
    counts: dict[Number, int] = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    most = max(counts.values())
    modes: _List = [number for number, times in counts.items() if times == most]
    return sort(env, modes)


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "min": (signature("list...: any", minimum),),
    "max": (signature("list...: any", maximum),),
    "sum": (signature("list...: any", total),),
    "product": (signature("list...: any", product),),
    "mean": (signature("list...: any", mean),),
    "median": (signature("list...: any", median),),
    "stddev": (signature("list...: any", standard_deviation),),
    "mode": (signature("list...: any", mode),),
}
