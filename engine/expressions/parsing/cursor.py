"""A place in the tokens of an expression, and the names of several words that are known there."""

from collections.abc import Iterable
from typing import Final, NoReturn

from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.parsing import typos
from engine.expressions.parsing.lexer import Kind, Token, tokenize

# Keeps the parser well inside the interpreter's recursion limit: about 11 calls a level.
DEPTH_MAX: Final = 48
_ENDS: Final = 16  # more than any look-ahead that does not stop at the first end


class NameTree:
    """Names of several words, by their words: finding the longest costs no more than its length."""

    __slots__ = ("following", "name")

    def __init__(self) -> None:
        self.name: str | None = None
        self.following: dict[str, NameTree] = {}

    @classmethod
    def of(cls, names: Iterable[str]) -> "NameTree":
        """The tree of those of the names that have several words."""
        tree = cls()
        for name in names:
            tree.learn(name)
        return tree

    def learn(self, name: str) -> None:
        """Put a name in its place, if it has several words."""
        words = _words(name)
        if len(words) < 2:
            return
        node = self
        for word in words:
            node = node.following.setdefault(word, NameTree())
        node.name = name


def _words(name: str) -> tuple[str, ...]:
    try:
        return tuple(token.text for token in tokenize(name)[:-1])
    except ExpressionSyntaxError:
        return ()  # only backticks can spell such a name


NO_NAMES: Final = NameTree()
_WORDS: Final = (Kind.OPERATOR, Kind.NAME)
_PROPERTIES: Final = NameTree.of(("time offset", "start included", "end included"))


class Cursor:
    """Reads tokens one by one; says what it expected where it finds something else.

    `names` and `declared` are names of several words that are known from the beginning, `entries`
    those that may follow a dot, or stand inside of a filter.
    """

    def __init__(
        self,
        text: str,
        names: Iterable[str],
        declared: tuple[NameTree, ...] = (),
        entries: NameTree = NO_NAMES,
    ) -> None:
        self.text = text
        self.depth = 0
        self.filters = 0  # how many filters are around this place
        self._tokens = tokenize(text)
        self._tokens += self._tokens[-1:] * _ENDS
        self._index = 0
        self._known = NameTree.of(names)
        self._declared = declared
        self._entries = entries

    @property
    def index(self) -> int:
        """The place itself, for `back_to`."""
        return self._index

    def back_to(self, index: int) -> None:
        """Read again from an earlier place."""
        self._index = index

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one after it; behind the last one there are only ends."""
        return self._tokens[self._index + ahead]

    def take(self) -> Token:
        """The next token, which is then behind."""
        token = self.peek()
        self._index += 1
        return token

    def sees(self, text: str, ahead: int = 0) -> bool:
        """Whether a keyword or an operator of this text is next."""
        token = self._tokens[self._index + ahead]
        return token.text == text and token.kind in _WORDS

    def accept(self, text: str) -> bool:
        """Take the keyword or operator if it is next."""
        token = self._tokens[self._index]
        if token.text == text and token.kind in _WORDS:
            self._index += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Take the keyword or operator, which must be next."""
        if not self.accept(text):
            self.fail(f"Expected {text!r}")

    def fail(self, message: str) -> NoReturn:
        """Raise, naming what stands here instead."""
        token = self.peek()
        found = "the end" if token.kind is Kind.END else repr(self.text[token.start : token.end])
        raise typos.syntax_error(f"{message}, found {found}", self.text, token.start)

    def deeper(self) -> None:
        """Note one more level; the caller takes it off `depth` again."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            self.fail(f"The expression is nested deeper than {DEPTH_MAX} levels")

    def learn(self, name: str) -> None:
        """Know a name of several words from here on."""
        self._known.learn(name)

    def known_name(self) -> str | None:
        """Take the longest known name of several words that begins here, if any."""
        entries = (self._entries,) if self.filters else ()
        return self._longest(self._known, *self._declared, *entries)

    def property_name(self) -> str:
        """Take what follows a dot."""
        name = self._longest(self._known, *self._declared, self._entries, _PROPERTIES)
        if name is not None:
            return name
        if self.peek().kind not in (Kind.NAME, Kind.QUOTED, Kind.STRING):
            self.fail("Expected a property name")
        return self.take().text

    def _longest(self, *trees: NameTree) -> str | None:
        best: str | None = None
        length = 0
        for tree in trees:
            ahead = 0
            node = tree.following.get(self.peek().text)
            while node is not None:
                ahead += 1
                if node.name is not None and ahead > length:
                    best, length = node.name, ahead
                node = node.following.get(self.peek(ahead).text)
        self._index += length
        return best

    def name_before(self, *stops: str) -> str:
        """Take the words of a name, up to one of these or anything that is no word."""
        words = []
        while self.peek().kind in (Kind.NAME, Kind.QUOTED) and self.peek().text not in stops:
            words.append(self.take().text)
        if not words:
            self.fail("Expected a name")
        name = " ".join(words)
        self.learn(name)
        return name

    def key(self) -> str:
        """Take the key of a context entry, up to its colon; it may hold blanks and operators."""
        first = self.peek()
        if first.kind in (Kind.STRING, Kind.QUOTED) and self.sees(":", 1):
            self._index += 1
            self.learn(first.text)
            return first.text
        start = self._index
        while not self.sees(":"):
            if self.peek().kind is Kind.END or self.peek().text in ("{", "}", "[", "]", ","):
                self.fail("Expected a key and ':'")
            self._index += 1
        if start == self._index:
            self.fail("Expected a key")
        name = " ".join(self.text[first.start : self._tokens[self._index - 1].end].split())
        self.learn(name)
        return name
