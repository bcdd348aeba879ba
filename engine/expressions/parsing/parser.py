"""FEEL text to a syntax tree, by recursive descent: DMN 1.5 chapter 10.3.1.2, Camunda's additions.

A name may hold blanks if it is in backticks, is a known function being called, was declared by the
caller, or was introduced earlier in the text (a context key, an iterator, a parameter).
"""

from collections.abc import Iterable, Set
from typing import Final

from engine.expressions.calendar.temporal_text import parse_literal
from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.numeric import parse_number
from engine.expressions.parsing import syntax
from engine.expressions.parsing.cursor import NO_NAMES, Cursor, NameTree
from engine.expressions.parsing.lexer import Kind
from engine.expressions.parsing.syntax import Node
from engine.expressions.parsing.type_syntax import parse_type

COMPARISONS: Final = ("<", "<=", ">", ">=", "=", "!=")
_PRECEDENCE: Final = {"+": 0, "-": 0, "*": 1, "/": 1, "**": 2}
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_KEYWORDS: Final = frozenset(
    ("if", "then", "else", "for", "in", "return", "satisfies", "and", "or", "between", "function")
)
_FUNCTION_WORDS_MAX: Final = 6
# What can follow a bracket only if it ends a range, as in `]1..5[ and`, and not if it is a filter.
_AFTER_RANGE: Final = frozenset(
    [*COMPARISONS, "+", "*", "/", "**", "..", ".", ")", "]", "}", ",", "and", "or", "then", "else"]
) | frozenset(["return", "satisfies", "between", "in", "instance"])


class Parser:
    """One text being parsed."""

    def __init__(
        self,
        text: str,
        functions: Set[str],
        names: Iterable[str] = (),
        declared: tuple[NameTree, ...] = (),
        entries: NameTree = NO_NAMES,
    ) -> None:
        self._cursor = Cursor(text, names, declared, entries)
        self._functions = functions
        self._in_range_end = False

    def parse(self) -> Node:
        """The tree of an expression. Raises ExpressionSyntaxError."""
        node = self._expression()
        self._finish()
        return node

    def parse_unary_tests(self) -> Node:
        """The tree of a decision table's input entry. Raises ExpressionSyntaxError."""
        cursor = self._cursor
        if cursor.sees("-") and cursor.peek(1).kind is Kind.END:
            return syntax.UnaryTests((), negated=False)
        if cursor.sees("not") and cursor.sees("(", 1):
            negated = self._negated_tests()
            if negated is not None:
                return negated
        tests = self._expressions()
        self._finish()
        return syntax.UnaryTests(tests, negated=False)

    def _negated_tests(self) -> Node | None:
        """not(...) around the whole cell; null if it is only part of an expression."""
        start = self._cursor.index
        self._cursor.back_to(start + 2)
        try:
            tests = self._expressions()
            self._cursor.expect(")")
            self._finish()
        except ExpressionSyntaxError:
            self._cursor.back_to(start)
            return None
        return syntax.UnaryTests(tests, negated=True)

    def _finish(self) -> None:
        if self._cursor.peek().kind is not Kind.END:
            self._cursor.fail("Expected an operator or the end")

    def _expressions(self) -> tuple[Node, ...]:
        items = [self._expression()]
        while self._cursor.accept(","):
            items.append(self._expression())
        return tuple(items)

    def _expression(self) -> Node:
        in_range_end, self._in_range_end = self._in_range_end, False
        self._cursor.deeper()
        node = self._control() or self._disjunction()
        self._cursor.depth -= 1
        self._in_range_end = in_range_end
        return node

    def _control(self) -> Node | None:
        cursor = self._cursor
        if cursor.peek().kind is not Kind.NAME:
            return None
        match cursor.peek().text:
            case "if":
                return self._if()
            case "for":
                return self._for()
            case "some" | "every" if self._begins_quantifier():
                return self._quantified()
            case "function" if cursor.sees("(", 1):
                return self._function_literal()
        return None

    def _if(self) -> Node:
        cursor = self._cursor
        cursor.expect("if")
        condition = self._expression()
        cursor.expect("then")
        yes = self._expression()
        cursor.expect("else")
        return syntax.If(condition, yes, self._expression())

    def _for(self) -> Node:
        self._cursor.expect("for")
        iterators = self._iterators()
        self._cursor.expect("return")
        return syntax.For(iterators, self._expression())

    def _begins_quantifier(self) -> bool:
        """`some` and `every` are also names: only `some name in` begins a quantifier."""
        ahead = 1
        while self._cursor.peek(ahead).kind in (Kind.NAME, Kind.QUOTED):
            if self._cursor.sees("in", ahead):
                return ahead > 1
            ahead += 1
        return False

    def _quantified(self) -> Node:
        answer = self._cursor.take().text == "some"
        iterators = self._iterators()
        self._cursor.expect("satisfies")
        return syntax.Quantified(answer, iterators, self._expression())

    def _iterators(self) -> tuple[syntax.Iterator, ...]:
        iterators = []
        while True:
            name = self._cursor.name_before("in")
            self._cursor.expect("in")
            source = self._expression()
            end = self._expression() if self._cursor.accept("..") else None
            iterators.append(syntax.Iterator(name, source, end))
            if not self._cursor.accept(","):
                return tuple(iterators)

    def _function_literal(self) -> Node:
        cursor = self._cursor
        cursor.expect("function")
        cursor.expect("(")
        parameters = []
        while not cursor.sees(")"):
            name = cursor.name_before()
            parameters.append((name, parse_type(cursor) if cursor.accept(":") else syntax.ANY))
            if not cursor.accept(","):
                break
        cursor.expect(")")
        if cursor.sees("external"):
            cursor.fail("External functions are not allowed")
        return syntax.FunctionLiteral(tuple(parameters), self._expression())

    def _disjunction(self) -> Node:
        items = [self._conjunction()]
        while self._cursor.accept("or"):
            items.append(self._conjunction())
        return items[0] if len(items) == 1 else syntax.Disjunction(tuple(items))

    def _conjunction(self) -> Node:
        items = [self._comparison()]
        while self._cursor.accept("and"):
            items.append(self._comparison())
        return items[0] if len(items) == 1 else syntax.Conjunction(tuple(items))

    def _comparison(self) -> Node:
        cursor = self._cursor
        if self._sees_comparison():
            return syntax.UnaryComparison(cursor.take().text, self._arithmetic())
        node = self._arithmetic()
        while True:
            if self._sees_comparison():
                node = syntax.Comparison(cursor.take().text, node, self._arithmetic())
            elif cursor.accept("between"):
                low = self._arithmetic()
                cursor.expect("and")
                node = syntax.Between(node, low, self._arithmetic())
            elif cursor.accept("in"):
                node = syntax.In(node, self._in_tests())
            elif cursor.sees("instance") and cursor.sees("of", 1):
                cursor.back_to(cursor.index + 2)
                node = syntax.InstanceOf(node, parse_type(cursor))
            else:
                return node

    def _sees_comparison(self) -> bool:
        token = self._cursor.peek()
        return token.kind is Kind.OPERATOR and token.text in COMPARISONS

    def _in_tests(self) -> tuple[Node, ...]:
        cursor = self._cursor
        if cursor.accept("("):
            tests = self._expressions()
            if len(tests) == 1 and cursor.accept(".."):
                return (self._range_end(tests[0], low_included=False),)
            cursor.expect(")")
            return tests
        if self._sees_comparison():
            return (syntax.UnaryComparison(cursor.take().text, self._arithmetic()),)
        return (self._arithmetic(),)

    def _arithmetic(self, loosest: int = 0) -> Node:
        """Operators that bind at least as tightly as `loosest`; all associate to the left."""
        node = self._signed()
        while (precedence := self._precedence()) >= loosest:
            rest = []
            while self._precedence() == precedence:
                operator = self._cursor.take().text
                rest.append((operator, self._arithmetic(precedence + 1)))
            node = syntax.Arithmetic(node, tuple(rest))
        return node

    def _precedence(self) -> int:
        token = self._cursor.peek()
        return _PRECEDENCE.get(token.text, -1) if token.kind is Kind.OPERATOR else -1

    def _sees_operator(self, operators: tuple[str, ...]) -> bool:
        token = self._cursor.peek()
        return token.kind is Kind.OPERATOR and token.text in operators

    def _signed(self) -> Node:
        signs = 0
        while self._cursor.accept("-"):
            signs += 1
            self._cursor.deeper()
        node = self._postfix()
        self._cursor.depth -= signs
        for _ in range(signs):
            node = syntax.Negation(node)
        return node

    def _postfix(self) -> Node:
        cursor = self._cursor
        node = self._primary()
        while True:
            if cursor.accept("."):
                node = syntax.Path(node, cursor.property_name())
            elif cursor.sees("[") and not (self._in_range_end and self._ends_range()):
                node = syntax.Filter(node, self._condition())
            elif cursor.accept("("):
                node = self._call(node)
            else:
                return node

    def _condition(self) -> Node:
        """[condition], where the entries of the items are names."""
        cursor = self._cursor
        cursor.expect("[")
        cursor.filters += 1
        node = self._expression()
        cursor.filters -= 1
        cursor.expect("]")
        return node

    def _ends_range(self) -> bool:
        after = self._cursor.peek(1)
        return after.kind is Kind.END or (
            after.kind in (Kind.OPERATOR, Kind.NAME) and after.text in _AFTER_RANGE
        )

    def _call(self, function: Node) -> Node:
        cursor = self._cursor
        if cursor.accept(")"):
            return syntax.Call(function, ())
        if self._begins_named_argument():
            named = []
            while True:
                name = cursor.name_before()
                cursor.expect(":")
                named.append((name, self._expression()))
                if not cursor.accept(","):
                    break
            cursor.expect(")")
            return syntax.NamedCall(function, tuple(named))
        arguments = self._expressions()
        cursor.expect(")")
        return syntax.Call(function, arguments)

    def _begins_named_argument(self) -> bool:
        ahead = 0
        while self._cursor.peek(ahead).kind in (Kind.NAME, Kind.QUOTED):
            ahead += 1
        return ahead > 0 and self._cursor.sees(":", ahead)

    def _primary(self) -> Node:
        token = self._cursor.peek()
        match token.kind:
            case Kind.NUMBER:
                self._cursor.take()
                return syntax.Literal(parse_number(token.text))
            case Kind.STRING:
                self._cursor.take()
                return syntax.Literal(token.text)
            case Kind.QUOTED:
                self._cursor.take()
                return syntax.Name(token.text)
            case Kind.NAME:
                return self._name()
            case _:
                return self._bracketed(token.text)

    def _name(self) -> Node:
        cursor = self._cursor
        known = cursor.known_name() or self._function_name()
        if known is not None:
            return syntax.Name(known)
        word = cursor.peek().text
        if word in _CONSTANTS:
            cursor.take()
            return syntax.Literal(_CONSTANTS[word])
        if word in _KEYWORDS:
            nested = self._control()
            return nested if nested is not None else cursor.fail("Expected an expression")
        cursor.take()
        return syntax.Name(word)

    def _function_name(self) -> str | None:
        """Take the longest function name that is followed by a parenthesis, if any."""
        cursor = self._cursor
        words: list[str] = []
        best = 0
        while len(words) < _FUNCTION_WORDS_MAX and cursor.peek(len(words)).kind is Kind.NAME:
            words.append(cursor.peek(len(words)).text)
            if cursor.sees("(", len(words)) and " ".join(words) in self._functions:
                best = len(words)
        if not best:
            return None
        cursor.back_to(cursor.index + best)
        return " ".join(words[:best])

    def _bracketed(self, bracket: str) -> Node:
        cursor = self._cursor
        match bracket:
            case "(":
                return self._parenthesised()
            case "[":
                return self._list_or_range()
            case "]":
                return self._open_range()
            case "{":
                return self._context()
            case "@" if cursor.peek(1).kind is Kind.STRING:
                cursor.take()
                return syntax.Literal(parse_literal(cursor.take().text))
        return cursor.fail("Expected an expression")

    def _parenthesised(self) -> Node:
        cursor = self._cursor
        cursor.expect("(")
        node = self._expression()
        if cursor.accept(".."):
            return self._range_end(node, low_included=False)
        cursor.expect(")")
        return node

    def _open_range(self) -> Node:
        self._cursor.expect("]")
        low = self._arithmetic()
        self._cursor.expect("..")
        return self._range_end(low, low_included=False)

    def _list_or_range(self) -> Node:
        cursor = self._cursor
        cursor.expect("[")
        if cursor.accept("]"):
            return syntax.ListLiteral(())
        items = self._expressions()
        if len(items) == 1 and cursor.accept(".."):
            return self._range_end(items[0], low_included=True)
        cursor.expect("]")
        return syntax.ListLiteral(items)

    def _range_end(self, low: Node, *, low_included: bool) -> Node:
        outer, self._in_range_end = self._in_range_end, True
        high = self._arithmetic()
        self._in_range_end = outer
        if not self._sees_operator((")", "]", "[")):
            self._cursor.fail("Expected the end of a range")
        return syntax.RangeLiteral(low, high, low_included, self._cursor.take().text == "]")

    def _context(self) -> Node:
        cursor = self._cursor
        cursor.expect("{")
        entries = []
        while not cursor.sees("}"):
            key = cursor.key()
            cursor.expect(":")
            entries.append((key, self._expression()))
            if not cursor.accept(","):
                break
        cursor.expect("}")
        return syntax.ContextLiteral(tuple(entries))
