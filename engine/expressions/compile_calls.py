"""Code for calls and for functions that the expression itself defines."""

from engine.expressions import syntax
from engine.expressions.environment import Code, Environment, Frame
from engine.expressions.functions import Function, Parameter, Signature, invoke, invoke_named
from engine.expressions.scope import Scope
from engine.expressions.type_names import conform
from engine.values import Value


def compile_call(node: syntax.Call, scope: Scope) -> Code:
    """function(argument, ...)"""
    function = _compile_function(node.function, scope)
    arguments = tuple(scope.code(argument) for argument in node.arguments)
    return lambda env, frame: invoke(
        function(env, frame), [argument(env, frame) for argument in arguments], env
    )


def compile_named_call(node: syntax.NamedCall, scope: Scope) -> Code:
    """function(name: argument, ...)"""
    function = _compile_function(node.function, scope)
    arguments = tuple((name, scope.code(argument)) for name, argument in node.arguments)
    return lambda env, frame: invoke_named(
        function(env, frame), {name: argument(env, frame) for name, argument in arguments}, env
    )


def _compile_function(node: syntax.Node, scope: Scope) -> Code:
    """A builtin is known now, unless an enclosing frame has bound its name to something else."""
    if isinstance(node, syntax.Name) and node.name not in scope.bound:
        builtin = scope.build.builtins.get(node.name)
        if builtin is not None:
            return lambda _env, _frame: builtin
    return scope.code(node)


def compile_function(node: syntax.FunctionLiteral, scope: Scope) -> Code:
    """function(name: type, ...) body, which keeps the frames it was made in."""
    names = tuple(name for name, _ in node.parameters)
    types = tuple(kind for _, kind in node.parameters)
    build = scope.build
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

        return Function("function", (Signature(parameters, call),))

    return make
