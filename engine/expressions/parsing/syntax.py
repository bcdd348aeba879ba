"""The syntax tree: a frozen Struct per construct of FEEL. Data only; compiler.py gives meaning."""

import msgspec

from engine.values import Value


class Node(msgspec.Struct, frozen=True):
    """What all constructs have in common: nothing."""


class Literal(Node, frozen=True):
    """A number, string, boolean, null or @-literal."""

    value: Value


class Name(Node, frozen=True):
    """A variable, or a function where it is called."""

    name: str


class Negation(Node, frozen=True):
    """-operand"""

    operand: Node


class Arithmetic(Node, frozen=True):
    """first op operand op operand ...: operators of one precedence, applied left to right."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Comparison(Node, frozen=True):
    """left op right"""

    operator: str
    left: Node
    right: Node


class Between(Node, frozen=True):
    """operand between low and high"""

    operand: Node
    low: Node
    high: Node


class In(Node, frozen=True):
    """operand in test, or in (test, test ...)"""

    operand: Node
    tests: tuple[Node, ...]


class Conjunction(Node, frozen=True):
    """item and item and ..."""

    items: tuple[Node, ...]


class Disjunction(Node, frozen=True):
    """item or item or ..."""

    items: tuple[Node, ...]


class If(Node, frozen=True):
    """if condition then yes else no"""

    condition: Node
    yes: Node
    no: Node


class Iterator(msgspec.Struct, frozen=True):
    """name in source, or name in source..end"""

    name: str
    source: Node
    end: Node | None


class For(Node, frozen=True):
    """for iterators return body"""

    iterators: tuple[Iterator, ...]
    body: Node


class Quantified(Node, frozen=True):
    """some (every) iterators satisfies body; `answer` is what ends the search."""

    answer: bool
    iterators: tuple[Iterator, ...]
    body: Node


class ListLiteral(Node, frozen=True):
    """[item, ...]"""

    items: tuple[Node, ...]


class ContextLiteral(Node, frozen=True):
    """{key: value, ...}; later entries see earlier ones."""

    entries: tuple[tuple[str, Node], ...]


class RangeLiteral(Node, frozen=True):
    """[low..high], with round or outward brackets where an end is excluded."""

    low: Node
    high: Node
    low_included: bool
    high_included: bool


class UnaryComparison(Node, frozen=True):
    """< operand, without a left side: a test of whatever it is applied to."""

    operator: str
    operand: Node


class Path(Node, frozen=True):
    """source.name"""

    source: Node
    name: str


class Filter(Node, frozen=True):
    """source[condition]"""

    source: Node
    condition: Node


class Call(Node, frozen=True):
    """function(arguments)"""

    function: Node
    arguments: tuple[Node, ...]


class NamedCall(Node, frozen=True):
    """function(name: argument, ...)"""

    function: Node
    arguments: tuple[tuple[str, Node], ...]


class TypeName(msgspec.Struct, frozen=True):
    """A type: its name, and what stands in its brackets, by name for a context."""

    name: str
    inner: tuple["TypeName", ...] = ()
    entries: tuple[tuple[str, "TypeName"], ...] = ()


ANY = TypeName("Any")


class InstanceOf(Node, frozen=True):
    """operand instance of type"""

    operand: Node
    type: TypeName


class FunctionLiteral(Node, frozen=True):
    """function(name: type, ...) body"""

    parameters: tuple[tuple[str, TypeName], ...]
    body: Node


class UnaryTests(Node, frozen=True):
    """What a decision table cell says about its input; `negated` for not(...)."""

    tests: tuple[Node, ...]
    negated: bool
