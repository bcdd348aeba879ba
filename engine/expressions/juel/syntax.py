"""The syntax tree of JUEL: a frozen Struct per construct. Data only; compiler.py gives meaning."""

import msgspec

from engine.values import Value


class Node(msgspec.Struct, frozen=True):
    """What all constructs have in common: nothing."""


class Literal(Node, frozen=True):
    """A number, string, boolean or null."""

    value: Value


class Variable(Node, frozen=True):
    """An identifier: a variable, or the word `execution`."""

    name: str


class Property(Node, frozen=True):
    """source.name or source[key]"""

    source: Node
    key: Node


class MethodCall(Node, frozen=True):
    """source.method(arguments). `position` is where the method's name stands in the text."""

    source: Node
    method: str
    arguments: tuple[Node, ...]
    position: int


class FunctionCall(Node, frozen=True):
    """function(arguments) or prefix:function(arguments)"""

    function: str
    arguments: tuple[Node, ...]
    position: int


class Prefix(Node, frozen=True):
    """`!`, `-` or `empty`, and its operand."""

    operator: str
    operand: Node


class Chain(Node, frozen=True):
    """first op operand op operand ...: operators of one precedence, applied left to right."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Conjunction(Node, frozen=True):
    """item && item && ..."""

    items: tuple[Node, ...]


class Disjunction(Node, frozen=True):
    """item || item || ..."""

    items: tuple[Node, ...]


class Choice(Node, frozen=True):
    """condition ? yes : no"""

    condition: Node
    yes: Node
    no: Node


class Template(Node, frozen=True):
    """Literal text and expressions, joined to one text."""

    parts: tuple[str | Node, ...]
