"""Code for calls and for functions that the expression itself defines."""

from typing import Final

from engine.expressions.compiling.scope import Scope
from engine.expressions.environment import Code, Environment, Frame
from engine.expressions.functions import (
    Function,
    Parameter,
    invoke,
    invoke_fitting,
    invoke_named,
    make_signature,
)
from engine.expressions.parsing import syntax
from engine.expressions.type_names import conform
from engine.values import Value

# What depends on its arguments alone and mostly has literal ones: evaluated when it is compiled.
_FOLDED: Final = frozenset(["date", "time", "date and time", "duration"])

_OF_THE_MOMENT: Final = frozenset(["now", "today", "random number", "uuid"])


def compile_call(node: syntax.Call, scope: Scope) -> Code:
    """function(argument, ...)"""
    arguments = tuple(scope.code(argument) for argument in node.arguments)
    builtin = _builtin(node.function, scope)
    if builtin is not None and not _is_bound(node.function, scope):
        return _builtin_call(builtin, node, arguments)
    function = _function(node.function, builtin, scope)
    return lambda env, frame: invoke(
        function(env, frame), [argument(env, frame) for argument in arguments], env
    )


def compile_named_call(node: syntax.NamedCall, scope: Scope) -> Code:
    """function(name: argument, ...)"""
    function = _function(node.function, _builtin(node.function, scope), scope)
    arguments = tuple((name, scope.code(argument)) for name, argument in node.arguments)
    return lambda env, frame: invoke_named(
        function(env, frame), {name: argument(env, frame) for name, argument in arguments}, env
    )


def _builtin(node: syntax.Node, scope: Scope) -> Function | None:
    if not isinstance(node, syntax.Name):
        return None
    scope.build.changes_alone |= node.name in _OF_THE_MOMENT
    return scope.build.builtins.get(node.name)


def _is_bound(node: syntax.Node, scope: Scope) -> bool:
    return isinstance(node, syntax.Name) and scope.binds(node.name)


def _function(node: syntax.Node, builtin: Function | None, scope: Scope) -> Code:
    """What is called: a builtin, unless an enclosing frame gave its name to another function.

    A frame may well give it to something else: in {date: today(), year: date("2026-01-01").year}.
    """
    if builtin is None:
        if isinstance(node, syntax.Name) and not scope.binds(node.name):
            scope.build.unknown[node.name] = None
        return scope.code(node)
    if not _is_bound(node, scope):
        return _constant(builtin)
    variable = scope.code(node)

    def choose(env: Environment, frame: Frame | None) -> Value:
        value = variable(env, frame)
        return value if isinstance(value, Function) else builtin

    return choose


def _constant(value: Value) -> Code:
    return lambda _env, _frame: value


def _builtin_call(builtin: Function, node: syntax.Call, arguments: tuple[Code, ...]) -> Code:
    candidates = tuple(each for each in builtin.signatures if each.takes(len(arguments)))
    if builtin.name in _FOLDED and all(
        isinstance(argument, syntax.Literal) for argument in node.arguments
    ):
        env = Environment()
        return _constant(invoke_fitting(candidates, [code(env, None) for code in arguments], env))
    if len(arguments) == 1:
        only = arguments[0]
        return lambda env, frame: invoke_fitting(candidates, (only(env, frame),), env)
    return lambda env, frame: invoke_fitting(
        candidates, [argument(env, frame) for argument in arguments], env
    )


def compile_function(node: syntax.FunctionLiteral, scope: Scope) -> Code:
    """function(name: type, ...) body, which keeps the frames it was made in."""
    names = tuple(name for name, _ in node.parameters)
    build = scope.build
    types = tuple(build.declared(kind) for _, kind in node.parameters)
    outer_deepest, build.deepest = build.deepest, build.depth
    body = scope.binding(*names).code(node.body)
    levels = build.deepest - build.depth + 1
    build.deepest = max(outer_deepest, build.deepest)
    parameters = tuple(Parameter(name) for name in names)

    def make(_env: Environment, frame: Frame | None) -> Value:
        def call(env: Environment, *arguments: Value) -> Value:
            bound = [conform(value, kind) for value, kind in zip(arguments, types, strict=True)]
            env.enter(levels)
            result = body(env, Frame(dict(zip(names, bound, strict=True)), frame))
            env.nesting -= levels
            return result

        return Function("function", (make_signature(parameters, call),))

    return make
