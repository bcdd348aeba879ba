"""Calls of `fromAi`: what an expression says that a model of language is to give.

Read off the syntax tree when a model is deployed; evaluated, the function just gives its value.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import msgspec

from engine.expressions.builtins import BUILTINS
from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.parsing import syntax
from engine.expressions.parsing.parser import Parser
from engine.values import Value

FUNCTION: Final = "fromAi"
_ARGUMENTS: Final = ("value", "description", "type", "schema", "options")
_TEXTS: Final = ("description", "type")


class TagError(ValueError):
    """A call of `fromAi` whose arguments say nothing. The text names them, and what to write."""


def tagged_parameters(text: str) -> list[dict[str, Value]]:
    """What each call of `fromAi` in a FEEL expression asks for, in order; what is null is left out.

    `name` is the path of its value, such as `toolCall.query`; `description` and `type` are texts,
    `schema` and `options` objects. Raises TagError. Of a text that is no expression nothing is
    told: its compilation says so.
    """
    if FUNCTION not in text:
        return []
    try:
        tree = Parser(text, BUILTINS.keys()).parse()
    except ExpressionSyntaxError:
        return []
    return [_parameter(call) for call in _calls(tree)]


def _calls(part: object) -> Iterator[syntax.Call | syntax.NamedCall]:
    if isinstance(part, syntax.Call | syntax.NamedCall) and part.function == syntax.Name(FUNCTION):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _calls(each)
    elif isinstance(part, msgspec.Struct):
        for field in part.__struct_fields__:
            yield from _calls(getattr(part, field))


def _parameter(call: syntax.Call | syntax.NamedCall) -> dict[str, Value]:
    if isinstance(call, syntax.NamedCall):
        arguments = dict(call.arguments)
    else:
        names = (*_ARGUMENTS, *("further",) * len(call.arguments))
        arguments = dict(zip(names, call.arguments, strict=False))
    unknown = [name for name in arguments if name not in _ARGUMENTS]
    if unknown:
        raise TagError(f"{FUNCTION} has no argument {unknown[0]}: it has {', '.join(_ARGUMENTS)}.")
    parameter: dict[str, Value] = {"name": _path(arguments.get("value"))}
    for name in _ARGUMENTS[1:]:
        if name not in arguments:
            continue
        value = _constant(arguments[name], name)
        kind = str if name in _TEXTS else dict
        if value is not None and not isinstance(value, kind):
            expected = "a text" if name in _TEXTS else "a context"
            raise TagError(f"The argument {name} of {FUNCTION} is no constant: write {expected}.")
        if value:
            parameter[name] = value
    return parameter


def _path(node: object) -> str:
    if isinstance(node, syntax.Name):
        return node.name
    if isinstance(node, syntax.Path):
        return f"{_path(node.source)}.{node.name}"
    raise TagError(
        f"The value of {FUNCTION} names nothing: write a reference, such as toolCall.query."
    )


def _constant(node: syntax.Node, argument: str) -> Value:
    match node:
        case syntax.Literal(value) if value is None or isinstance(value, _PLAIN):
            return value
        case syntax.Negation(syntax.Literal(value)) if isinstance(value, _NUMBERS):
            return -value
        case syntax.ListLiteral(items):
            return [_constant(item, argument) for item in items]
        case syntax.ContextLiteral(entries):
            return {name: _constant(entry, argument) for name, entry in entries}
        case _:
            raise TagError(f"The argument {argument} of {FUNCTION} is no constant: write it out.")


_NUMBERS: Final = (int, Decimal)
_PLAIN: Final = (bool, str, *_NUMBERS)
