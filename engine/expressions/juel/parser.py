"""JUEL text to a syntax tree, by recursive descent: the grammar of JSR-245 without assignments.

A text is literal text with any number of `${...}` and `#{...}`, which mean the same here. A
backslash in front of one of these makes it literal text.
"""

from typing import Final, NoReturn

from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.juel import syntax
from engine.expressions.juel.lexer import OPENING, Kind, Token, tokenize
from engine.expressions.juel.syntax import Node
from engine.expressions.numeric import parse_number
from engine.expressions.parsing.cursor import DEPTH_MAX
from engine.expressions.parsing.lexer import LENGTH_MAX

_PRECEDENCE: Final = (("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))
_PREFIXES: Final = ("!", "-", "empty")
_CONSTANTS: Final = {"true": True, "false": False, "null": None}


def parse_template(text: str) -> Node:
    """The tree of a whole text. Raises ExpressionSyntaxError."""
    _check_length(text)
    parts: list[str | Node] = []
    position = 0
    while position < len(text):
        literal, position = _literal_text(text, position)
        if literal:
            parts.append(literal)
        if position < len(text):
            tokens, end = tokenize(text, position + 2, closed=True)
            parts.append(Parser(tokens).parse())
            position = end
    if len(parts) == 1 and isinstance(parts[0], Node):
        return parts[0]
    return syntax.Template(tuple(parts))


def parse_expression(text: str) -> Node:
    """The tree of what would stand between the braces. Raises ExpressionSyntaxError."""
    _check_length(text)
    return Parser(tokenize(text, 0, closed=False)[0]).parse()


def _check_length(text: str) -> None:
    if len(text) > LENGTH_MAX:
        raise ExpressionSyntaxError(f"The expression is longer than {LENGTH_MAX} characters", 0)


def _literal_text(text: str, start: int) -> tuple[str, int]:
    """The literal text from here to the next expression, and where that one begins."""
    pieces: list[str] = []
    position = start
    while True:
        match = OPENING.search(text, position)
        if match is None:
            return "".join([*pieces, text[position:]]), len(text)
        if match.start() == position or text[match.start() - 1] != "\\":
            return "".join([*pieces, text[position : match.start()]]), match.start()
        pieces.append(text[position : match.start() - 1] + match.group())
        position = match.end()


class Parser:
    """One expression being parsed."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._index = 0
        self._depth = 0
        self._choices = 0

    def parse(self) -> Node:
        """The tree. Raises ExpressionSyntaxError."""
        node = self._expression()
        if self._peek().kind is not Kind.END:
            self._fail("Expected an operator or the end")
        return node

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._index + ahead, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._peek()
        self._index += 1
        return token

    def _sees(self, operator: str, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token.kind is Kind.OPERATOR and token.text == operator

    def _accept(self, operator: str) -> bool:
        seen = self._sees(operator)
        self._index += seen
        return seen

    def _expect(self, operator: str) -> None:
        if not self._accept(operator):
            self._fail(f"Expected {operator!r}")

    def _fail(self, message: str) -> NoReturn:
        token = self._peek()
        found = "the end" if token.kind is Kind.END else repr(token.word or token.text)
        raise ExpressionSyntaxError(f"{message}, found {found}", token.start)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            self._fail(f"The expression is nested deeper than {DEPTH_MAX} levels")

    def _expression(self) -> Node:
        self._deeper()
        node = self._disjunction()
        if self._accept("?"):
            self._choices += 1
            yes = self._expression()
            self._choices -= 1
            self._expect(":")
            node = syntax.Choice(node, yes, self._expression())
        self._depth -= 1
        return node

    def _disjunction(self) -> Node:
        items = [self._conjunction()]
        while self._accept("||"):
            items.append(self._conjunction())
        return items[0] if len(items) == 1 else syntax.Disjunction(tuple(items))

    def _conjunction(self) -> Node:
        items = [self._chain(0)]
        while self._accept("&&"):
            items.append(self._chain(0))
        return items[0] if len(items) == 1 else syntax.Conjunction(tuple(items))

    def _chain(self, precedence: int) -> Node:
        """Operators from the loosest (0) to the tightest; all associate to the left."""
        if precedence == len(_PRECEDENCE):
            return self._prefixed()
        first = self._chain(precedence + 1)
        rest = []
        while self._peek().kind is Kind.OPERATOR and self._peek().text in _PRECEDENCE[precedence]:
            operator = self._take().text
            rest.append((operator, self._chain(precedence + 1)))
        return syntax.Chain(first, tuple(rest)) if rest else first

    def _prefixed(self) -> Node:
        operators = []
        while self._peek().kind is Kind.OPERATOR and self._peek().text in _PREFIXES:
            operators.append(self._take().text)
            self._deeper()
        node = self._postfixed()
        self._depth -= len(operators)
        for operator in reversed(operators):
            node = syntax.Prefix(operator, node)
        return node

    def _postfixed(self) -> Node:
        node = self._primary()
        while True:
            if self._accept("."):
                node = self._member(node)
            elif self._accept("["):
                node = syntax.Property(node, self._expression())
                self._expect("]")
            else:
                return node

    def _member(self, source: Node) -> Node:
        token = self._peek()
        name = token.word  # a JSON key may be a word such as `empty`
        if not name:
            self._fail("Expected a property name")
        self._index += 1
        if self._accept("("):
            return syntax.MethodCall(source, name, self._arguments(), token.start)
        return syntax.Property(source, syntax.Literal(name))

    def _arguments(self) -> tuple[Node, ...]:
        if self._accept(")"):
            return ()
        arguments = [self._expression()]
        while self._accept(","):
            arguments.append(self._expression())
        self._expect(")")
        return tuple(arguments)

    def _primary(self) -> Node:
        token = self._peek()
        match token.kind:
            case Kind.NUMBER:
                self._take()
                return syntax.Literal(parse_number(token.text.rstrip(".")))
            case Kind.STRING:
                self._take()
                return syntax.Literal(token.text)
            case Kind.NAME:
                return self._name()
            case _:
                return self._parenthesised()

    def _parenthesised(self) -> Node:
        if not self._accept("("):
            self._fail("Expected an expression")
        node = self._expression()
        self._expect(")")
        return node

    def _name(self) -> Node:
        token = self._take()
        name = token.text
        if name in _CONSTANTS:
            return syntax.Literal(_CONSTANTS[name])
        if self._begins_prefixed_function():
            self._take()
            name = f"{name}:{self._take().word}"
        if self._accept("("):
            return syntax.FunctionCall(name, self._arguments(), token.start)
        return syntax.Variable(name)

    def _begins_prefixed_function(self) -> bool:
        """Whether `:name(` follows. In `a ? b : c(1)` the colon belongs to the choice."""
        return (
            self._sees(":")
            and bool(self._peek(1).word)  # also of an operator: `vars:eq(...)`
            and self._sees("(", 2)
            and not (self._choices and self._peek(1).start > self._peek().start + 1)
        )
