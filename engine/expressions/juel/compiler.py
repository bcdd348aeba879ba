"""JUEL's syntax trees to closures: one table, from each construct to the function that compiles it.

A call that no table knows is a call into Java: UnsupportedCallError, before anything runs.
"""

from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias

from engine.expressions.calendar.temporal import DateTime
from engine.expressions.compiling.scope import TREE_DEPTH_MAX
from engine.expressions.environment import MISSING, Code, Environment, Frame
from engine.expressions.errors import (
    EvaluationError,
    ExpressionSyntaxError,
    UnsupportedCallError,
)
from engine.expressions.juel import execution, syntax
from engine.expressions.juel.coercion import NUMBERS, shown, to_boolean, to_number, to_text
from engine.expressions.juel.functions import FUNCTIONS, Function
from engine.expressions.juel.methods import call_method, getter_key, is_known
from engine.expressions.juel.operators import OPERATIONS, PREFIXES, RELATIONS
from engine.expressions.numeric import truncated
from engine.values import Value

_OF_THE_MOMENT: Final = frozenset({"now", "dateTime", "isAfterNow", "isBeforeNow"})


class Build:
    """One compilation: the variables it meets, and how deep it is in the tree."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.changes_alone = False
        self._depth = 0

    def code(self, node: syntax.Node) -> Code:
        """Compile a part of the tree."""
        self._depth += 1
        if self._depth > TREE_DEPTH_MAX:
            raise ExpressionSyntaxError(
                f"The expression is nested deeper than {TREE_DEPTH_MAX} levels", 0
            )
        code = _COMPILERS[type(node)](node, self)
        self._depth -= 1
        return code

    def codes(self, nodes: tuple[syntax.Node, ...]) -> tuple[Code, ...]:
        """Compile several parts."""
        return tuple(self.code(node) for node in nodes)


def compile_tree(tree: syntax.Node) -> tuple[Code, Build]:
    """The code of a tree, and what was learned: its variables, in order of first use."""
    build = Build()
    return build.code(tree), build


def _literal(node: syntax.Literal, _build: Build) -> Code:
    value = node.value
    return lambda _env, _frame: value


def _variable(node: syntax.Variable, build: Build) -> Code:
    """Java knows no identifier that resolves to nothing: that fails, and does not give null."""
    name = node.name
    if name == execution.NAME:
        _refuse(name, name, 0)
    build.names.setdefault(name)

    def read(env: Environment, frame: Frame | None) -> Value:
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.parent
        value = env.lookup(name)
        if value is MISSING:
            env.missing[name] = None
            raise EvaluationError(f"There is no variable {name!r}.", tuple(env.missing))
        return value

    return read


def _property(node: syntax.Property, build: Build) -> Code:
    if _is_execution(node.source):
        return _fact(node.key)
    source = build.code(node.source)
    if isinstance(node.key, syntax.Literal):
        constant = node.key.value
        return lambda env, frame: _get(source(env, frame), constant, env)
    key = build.code(node.key)
    return lambda env, frame: _get(source(env, frame), key(env, frame), env)


def _get(value: Value, key: Value, env: Environment) -> Value:
    """JSR-245 section 1.6: null has any property, and it is null; a list has its positions."""
    if value is None or key is None:
        return None
    if isinstance(value, dict):
        return value.get(key if isinstance(key, str) else to_text(key, env))
    if isinstance(value, list):
        position = truncated(to_number(key))
        return value[position] if 0 <= position < len(value) else None
    if isinstance(value, DateTime) and isinstance(key, str):
        return call_method(value, f"get{key[:1].upper()}{key[1:]}", [], env)
    raise EvaluationError(f"{shown(value)} has no property {shown(key)}.")


def _is_execution(node: syntax.Node) -> bool:
    return isinstance(node, syntax.Variable) and node.name == execution.NAME


def _fact(key: syntax.Node, position: int = 0) -> Code:
    name = key.value if isinstance(key, syntax.Literal) else None
    fact = execution.FACTS.get(name) if isinstance(name, str) else None
    if fact is None:
        _refuse(execution.NAME, f"{execution.NAME}.{name or '...'}", position)
    return lambda env, _frame: execution.read_fact(env, fact)


def _method_call(node: syntax.MethodCall, build: Build) -> Code:
    if _is_execution(node.source):
        return _execution_call(node, build)
    name = node.method
    if not is_known(name, len(node.arguments)):
        _refuse(_root(node), _path(node), node.position)
    build.changes_alone |= name in _OF_THE_MOMENT
    source, arguments = build.code(node.source), build.codes(node.arguments)
    return lambda env, frame: call_method(
        source(env, frame), name, [argument(env, frame) for argument in arguments], env
    )


def _execution_call(node: syntax.MethodCall, build: Build) -> Code:
    key = getter_key(node.method)
    if not node.arguments and key is not None:
        return _fact(syntax.Literal(key), node.position)
    call = execution.METHODS.get(node.method)
    if call is None or len(node.arguments) != 1:
        _refuse(execution.NAME, _path(node), node.position)
    _note_name(node.arguments[0], build)
    argument = build.code(node.arguments[0])
    return lambda env, frame: call(env, argument(env, frame))


def _function_call(node: syntax.FunctionCall, build: Build) -> Code:
    function = FUNCTIONS.get(node.function)
    if function is None or not function.least <= len(node.arguments) <= function.most:
        _refuse(node.function, node.function, node.position)
    build.changes_alone |= node.function in _OF_THE_MOMENT
    arguments = build.codes(_named(function, node.arguments, build))
    implementation = function.implementation

    def call(env: Environment, frame: Frame | None) -> Value:
        env.spend(1 + len(arguments))
        return implementation(env, *(argument(env, frame) for argument in arguments))

    return call


def _named(
    function: Function, arguments: tuple[syntax.Node, ...], build: Build
) -> tuple[syntax.Node, ...]:
    """With an identifier as the first argument taken for the name itself, as Flowable does."""
    if not function.of_variable:
        return arguments
    first, *rest = arguments
    if isinstance(first, syntax.Variable):
        first = syntax.Literal(first.name)
    _note_name(first, build)
    return (first, *rest)


def _note_name(node: syntax.Node, build: Build) -> None:
    if isinstance(node, syntax.Literal) and isinstance(node.value, str):
        build.names.setdefault(node.value)
    else:
        build.changes_alone = True


def _refuse(name: str, call: str, position: int) -> NoReturn:
    raise UnsupportedCallError(name, call, position)


def _root(node: syntax.Node) -> str:
    """The variable that a chain of calls and properties begins with; "" if it is a value."""
    while isinstance(node, (syntax.MethodCall, syntax.Property)):
        node = node.source
    if isinstance(node, syntax.FunctionCall):
        return node.function
    return node.name if isinstance(node, syntax.Variable) else ""


def _path(node: syntax.Node) -> str:
    """A chain of calls and properties as it is written, without arguments."""
    names = []
    while isinstance(node, (syntax.MethodCall, syntax.Property)):
        if isinstance(node, syntax.MethodCall):
            names.append(node.method)
        elif isinstance(node.key, syntax.Literal):
            names.append(str(node.key.value))
        node = node.source
    root = _root(node)
    return ".".join([*([root] if root else []), *reversed(names)])


def _prefix(node: syntax.Prefix, build: Build) -> Code:
    operand, operation = build.code(node.operand), PREFIXES[node.operator]
    return lambda env, frame: operation(operand(env, frame))


def _chain(node: syntax.Chain, build: Build) -> Code:
    first = build.code(node.first)
    rest = tuple((OPERATIONS[operator], build.code(operand)) for operator, operand in node.rest)
    if len(rest) == 1:
        symbol, operand_node = node.rest[0]
        if symbol in RELATIONS and isinstance(operand_node, syntax.Literal):
            return _against_literal(first, symbol, operand_node.value)
        operation, operand = rest[0]
        return lambda env, frame: operation(first(env, frame), operand(env, frame), env)

    def chain(env: Environment, frame: Frame | None) -> Value:
        value = first(env, frame)
        env.spend(len(rest))
        for operation, operand in rest:
            value = operation(value, operand(env, frame), env)
        return value

    return chain


def _against_literal(first: Code, symbol: str, literal: Value) -> Code:
    """A comparison with a literal, the most frequent condition of all: numbers without coercion."""
    relation, operation = RELATIONS[symbol], OPERATIONS[symbol]
    is_number = type(literal) in NUMBERS

    def check(env: Environment, frame: Frame | None) -> Value:
        value = first(env, frame)
        if is_number and type(value) in NUMBERS:
            return relation(value, literal)
        return operation(value, literal, env)

    return check


def _conjunction(node: syntax.Conjunction, build: Build) -> Code:
    items = build.codes(node.items)
    return lambda env, frame: all(to_boolean(item(env, frame)) for item in items)


def _disjunction(node: syntax.Disjunction, build: Build) -> Code:
    items = build.codes(node.items)
    return lambda env, frame: any(to_boolean(item(env, frame)) for item in items)


def _choice(node: syntax.Choice, build: Build) -> Code:
    condition, yes, no = build.codes((node.condition, node.yes, node.no))
    return lambda env, frame: (yes if to_boolean(condition(env, frame)) else no)(env, frame)


def _template(node: syntax.Template, build: Build) -> Code:
    parts = tuple(part if isinstance(part, str) else build.code(part) for part in node.parts)

    def join(env: Environment, frame: Frame | None) -> Value:
        texts = [
            part if isinstance(part, str) else to_text(part(env, frame), env) for part in parts
        ]
        env.spend(sum(map(len, texts)) >> 6)
        return "".join(texts)

    return join


_Compile: TypeAlias = Callable[..., Code]
_COMPILERS: Final[dict[type[syntax.Node], _Compile]] = {
    syntax.Literal: _literal,
    syntax.Variable: _variable,
    syntax.Property: _property,
    syntax.MethodCall: _method_call,
    syntax.FunctionCall: _function_call,
    syntax.Prefix: _prefix,
    syntax.Chain: _chain,
    syntax.Conjunction: _conjunction,
    syntax.Disjunction: _disjunction,
    syntax.Choice: _choice,
    syntax.Template: _template,
}
