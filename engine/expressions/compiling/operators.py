"""Code for literals, names, operators and control: everything that neither loops nor calls."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from engine.expressions.arithmetic import TABLES, calculate, negate
from engine.expressions.compiling.scope import Scope
from engine.expressions.environment import MISSING, Code, Environment, Frame
from engine.expressions.operators import (
    Answer,
    at_most,
    between,
    equals,
    less,
    negated,
    passes,
)
from engine.expressions.parsing import syntax
from engine.expressions.range_value import Range, comparison_range
from engine.expressions.ranges import make_range
from engine.expressions.type_names import is_instance
from engine.values import Value


def compile_literal(node: syntax.Literal, _scope: Scope) -> Code:
    """A constant."""
    value = node.value
    return lambda _env, _frame: value


def compile_name(node: syntax.Name, scope: Scope) -> Code:
    """A variable: of the innermost frame that has it, else the caller's, else null and missing."""
    name = node.name
    if not scope.binds(name):
        scope.build.free.setdefault(name)
    return _framed_name(name) if scope.framed else _outer_name(name)


def _outer_name(name: str) -> Code:
    def outer(env: Environment, _frame: Frame | None) -> Value:
        value = env.lookup(name)
        if value is MISSING:
            env.missing[name] = None
            return None
        return value

    return outer


def _framed_name(name: str) -> Code:
    def framed(env: Environment, frame: Frame | None) -> Value:
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.parent
        value = env.lookup(name)
        if value is MISSING:
            env.missing[name] = None
            return None
        return value

    return framed


def compile_negation(node: syntax.Negation, scope: Scope) -> Code:
    """-operand"""
    if isinstance(node.operand, syntax.Literal):
        opposite = negate(node.operand.value)
        return lambda _env, _frame: opposite
    operand = scope.code(node.operand)
    return lambda env, frame: negate(operand(env, frame))


def compile_arithmetic(node: syntax.Arithmetic, scope: Scope) -> Code:
    """first op operand op operand ..."""
    code = scope.code(node.first)
    if node.rest[0][0] == "**":  # the operators of one node all have the same precedence
        return _powers(code, tuple(scope.code(operand) for _, operand in node.rest))
    if len(node.rest) == 1:
        operator, operand = node.rest[0]
        return _single_operation(operator, code, scope.code(operand))
    rest = tuple((TABLES[operator], scope.code(operand)) for operator, operand in node.rest)

    def chain(env: Environment, frame: Frame | None) -> Value:
        value = code(env, frame)
        env.spend(len(rest))
        for table, operand in rest:
            other = operand(env, frame)
            rule = table.get((type(value), type(other)))
            value = None if rule is None else rule(value, other)
            if type(value) is str:
                env.spend(len(value) >> 6)
        return value

    return chain


def _single_operation(operator: str, left: Code, right: Code) -> Code:
    table = TABLES[operator]

    def operation(env: Environment, frame: Frame | None) -> Value:
        one, other = left(env, frame), right(env, frame)
        rule = table.get((type(one), type(other)))
        if rule is None:
            return None
        value = rule(one, other)
        if type(value) is str:
            env.spend(len(value) >> 6)
        return value

    return operation


_RELATIONS: Final[dict[str, Callable[[Value, Value], Answer]]] = {
    "<": less,
    ">": lambda left, right: less(right, left),
    "<=": at_most,
    ">=": lambda left, right: at_most(right, left),
}


def _powers(base: Code, exponents: tuple[Code, ...]) -> Code:
    def raise_to(env: Environment, frame: Frame | None) -> Value:
        value = base(env, frame)
        for exponent in exponents:
            other = exponent(env, frame)
            env.spend(_WHOLE_POWER_STEPS if type(other) is int else _BROKEN_POWER_STEPS)
            value = calculate("**", value, other)
        return value

    return raise_to


# A broken exponent needs a logarithm and an exponential of 34 digits.
_WHOLE_POWER_STEPS: Final = 8
_BROKEN_POWER_STEPS: Final = 100


def compile_comparison(node: syntax.Comparison, scope: Scope) -> Code:
    """left op right"""
    left, right = scope.code(node.left), scope.code(node.right)
    if node.operator == "=":
        return lambda env, frame: equals(left(env, frame), right(env, frame), env)
    if node.operator == "!=":
        return lambda env, frame: negated(equals(left(env, frame), right(env, frame), env))
    if node.operator in ("<", ">") and _is_number(node.right):
        return _number_comparison(node, left)
    relation = _RELATIONS[node.operator]
    return lambda env, frame: relation(left(env, frame), right(env, frame))


def _is_number(node: syntax.Node) -> bool:
    return isinstance(node, syntax.Literal) and type(node.value) in (int, Decimal)


def _number_comparison(node: syntax.Comparison, left: Code) -> Code:
    """Against a number literal, the most frequent condition of all: without the table."""
    limit: Any = node.right.value if isinstance(node.right, syntax.Literal) else None

    def above(env: Environment, frame: Frame | None) -> Value:
        value = left(env, frame)
        if type(value) is int or type(value) is Decimal:
            return bool(value > limit)
        return None

    def below(env: Environment, frame: Frame | None) -> Value:
        value = left(env, frame)
        if type(value) is int or type(value) is Decimal:
            return bool(value < limit)
        return None

    return above if node.operator == ">" else below


def compile_between(node: syntax.Between, scope: Scope) -> Code:
    """operand between low and high"""
    operand, low, high = scope.code(node.operand), scope.code(node.low), scope.code(node.high)
    return lambda env, frame: between(operand(env, frame), low(env, frame), high(env, frame))


def compile_in(node: syntax.In, scope: Scope) -> Code:
    """operand in (test, ...): true if one passes, null if none does and one cannot tell."""
    operand = scope.code(node.operand)
    tests = tuple(scope.code(test) for test in node.tests)

    def member(env: Environment, frame: Frame | None) -> Value:
        value = operand(env, frame)
        answer: Answer = False
        for test in tests:
            result = passes(value, test(env, frame), env)
            if result is True:
                return True
            if result is None:
                answer = None
        return answer

    return member


def compile_conjunction(node: syntax.Conjunction, scope: Scope) -> Code:
    """False if one is false, else true if all are true, else null."""
    items = tuple(scope.code(item) for item in node.items)

    def conjunction(env: Environment, frame: Frame | None) -> Value:
        answer: Answer = True
        for item in items:
            value = item(env, frame)
            if value is False:
                return False
            if value is not True:
                answer = None
        return answer

    return conjunction


def compile_disjunction(node: syntax.Disjunction, scope: Scope) -> Code:
    """True if one is true, else false if all are false, else null."""
    items = tuple(scope.code(item) for item in node.items)

    def disjunction(env: Environment, frame: Frame | None) -> Value:
        answer: Answer = False
        for item in items:
            value = item(env, frame)
            if value is True:
                return True
            if value is not False:
                answer = None
        return answer

    return disjunction


def compile_if(node: syntax.If, scope: Scope) -> Code:
    """Only true is true."""
    condition, yes, no = scope.code(node.condition), scope.code(node.yes), scope.code(node.no)
    return lambda env, frame: yes(env, frame) if condition(env, frame) is True else no(env, frame)


def compile_instance_of(node: syntax.InstanceOf, scope: Scope) -> Code:
    """operand instance of type"""
    operand, wanted = scope.code(node.operand), scope.build.declared(node.type)
    return lambda env, frame: is_instance(operand(env, frame), wanted)


def compile_unary_comparison(node: syntax.UnaryComparison, scope: Scope) -> Code:
    """A comparison without left side is the range of what passes it."""
    operand, operator = scope.code(node.operand), node.operator
    return lambda env, frame: comparison_range(operator, operand(env, frame))


def compile_range(node: syntax.RangeLiteral, scope: Scope) -> Code:
    """A range; null if its ends are of different types or have no order."""
    low, high = scope.code(node.low), scope.code(node.high)
    low_included, high_included = node.low_included, node.high_included

    def make(env: Environment, frame: Frame | None) -> Value:
        return make_range(Range(low(env, frame), high(env, frame), low_included, high_included))

    if isinstance(node.low, syntax.Literal) and isinstance(node.high, syntax.Literal):
        constant = make_range(Range(node.low.value, node.high.value, low_included, high_included))
        return lambda _env, _frame: constant
    return make
