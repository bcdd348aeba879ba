"""Expressions of one transition: they see variables through the scopes, the time, nothing else."""

from collections.abc import Mapping
from typing import Literal

from engine import variables as v
from engine.expressions import MISSING, Environment, EvaluationError, Expression, Missing
from engine.expressions import evaluate_condition as to_condition
from engine.instances.facts import Facts
from engine.instances.limits import NAME_LENGTH_MAX
from engine.instances.stuck import IncidentKind, StuckError
from engine.model.elements import Text
from engine.outcome import Context
from engine.state import ProcessInstance
from engine.values import ExpressionValue, Value, ValueEncodeError, decode, encode

Locals = Mapping[str, Value]
"""Variables that mappings have made and that are not set yet; they cover those of the scopes."""


class _Sight:
    """What an expression sees at the moment.

    It knows no environment, for that one knows its `find`: a cycle would keep the documents of many
    transitions in memory until they are collected.
    """

    __slots__ = ("decoded", "facts", "locals", "state")

    def __init__(self, context: Context, state: ProcessInstance) -> None:
        self.state = state
        self.facts = Facts(context, state)
        self.decoded: dict[str, Value] = {}
        self.locals: Locals = {}

    def find(self, name: str) -> Value | Literal[Missing.MISSING]:
        if name in self.locals:
            return self.locals[name]
        text = v.find(self.state, self.facts.scope, name)
        return MISSING if text is None else self.decode(text)

    def decode(self, text: str) -> Value:
        known = self.decoded
        if text not in known:
            known[text] = decode(text)
        return known[text]


class Evaluator:
    """Evaluates against the draft as it is at the moment; variables are decoded when touched."""

    __slots__ = ("_environment", "_sight")

    def __init__(self, context: Context, state: ProcessInstance) -> None:
        self._sight = _Sight(context, state)
        self._environment = Environment(
            lookup=self._sight.find,
            now_ms=context.now,
            zone=context.settings.zone,
            steps_max=context.settings.expression_steps_max,
            seed=f"{context.namespace}/{context.partition}-{context.offset}-{context.step}",
        )
        self._environment.facts = self._sight.facts

    @property
    def spent(self) -> int:
        """The steps that all expressions of the transition have taken so far."""
        return self._environment.spent

    def environment(self, scope: int) -> Environment:
        """What the scope sees, for what is more than an expression. Good until the next use."""
        self._enter(scope, None)
        return self._environment

    def evaluate(self, expression: Expression, scope: int, locals_: Locals | None = None) -> Value:
        """The value, as the scope sees variables. Raises StuckError."""
        self._enter(scope, locals_)
        try:
            return expression.evaluate(self._environment)
        except EvaluationError as error:
            raise _failed(expression, error) from None

    def condition(
        self,
        expression: Expression,
        scope: int,
        locals_: Locals | None = None,
        *,
        whose: str = "",
    ) -> bool:
        """Whether a condition holds, as the scope sees variables. Raises StuckError.

        `whose` names it where the incident stands at something else, such as `Flow 'f'`.
        """
        self._enter(scope, locals_)
        try:
            return to_condition(expression, self._environment)
        except EvaluationError as error:
            raise _failed(expression, error, whose) from None

    def text(self, source: Text, scope: int, locals_: Locals | None = None) -> str:
        """A static text, or the text or number that an expression yields. Raises StuckError."""
        if isinstance(source, str):
            return source
        value = self.evaluate(source, scope, locals_)
        if value is None or isinstance(value, bool | list | dict):
            raise self.unusable(source, "a text", value)
        return text_of(value)

    def name(
        self,
        source: Text,
        scope: int,
        locals_: Locals | None = None,
        *,
        length_max: int = NAME_LENGTH_MAX,
    ) -> str:
        """As `text`, and neither empty nor long: what something is found by. Raises StuckError."""
        text = self.text(source, scope, locals_)
        if not isinstance(source, str) and not 0 < len(text) <= length_max:
            raise self.unusable(source, f"a name of 1 to {length_max} characters", text)
        return text

    def unusable(self, source: Expression, expected: str, value: Value) -> StuckError:
        """The error of an expression that was evaluated just now, to a value of no use."""
        found = "null" if value is None else text_of(value)[:100] or "an empty text"
        return StuckError(
            IncidentKind.EXPRESSION_FAILED,
            f"The expression {source.text!r} gives {found}, expected {expected}"
            + hint(tuple(self._environment.missing)),
        )

    def origin(self, source: Text | None) -> str:
        """How a message ends about a value of no use: the expression that just gave it, if any."""
        if source is None or isinstance(source, str):
            return ""
        return f" It comes from {source.text!r}{hint(tuple(self._environment.missing))}"

    def decoded(self, text: str) -> Value:
        """The value of a variable's text. It is shared: nobody may change what it contains."""
        return self._sight.decode(text)

    def _enter(self, scope: int, locals_: Locals | None) -> None:
        self._sight.facts.scope = scope
        self._sight.locals = locals_ or {}


def _failed(expression: Expression, error: EvaluationError, whose: str = "") -> StuckError:
    text = error.message
    if expression.text not in text:
        text = f"The expression {expression.text!r} failed: {text}"
    owner = f"{whose}: " if whose else ""
    return StuckError(IncidentKind.EXPRESSION_FAILED, owner + naming_missing(text, error.missing))


def naming_missing(sentence: str, missing: tuple[str, ...]) -> str:
    """A sentence about a failed evaluation, with the missing variables that it does not name."""
    unnamed = tuple(name for name in missing if f"no variable {name!r}" not in sentence)
    if "; missing: " in sentence or not unnamed:
        return sentence
    stop = "." if sentence.endswith(".") else ""
    return f"{sentence.removesuffix('.')}{hint(unnamed)}{stop}"


def hint(missing: tuple[str, ...]) -> str:
    """How a message ends that names the variables that were not there."""
    return f"; missing: {', '.join(missing)}" if missing else ""


def text_of(value: Value) -> str:
    """A value as plain text: what JSON holds, a text without its quotes."""
    if isinstance(value, str):
        return value
    try:
        return value.json_text() if isinstance(value, ExpressionValue) else encode(value)
    except ValueEncodeError:
        return f"a {type(value).__name__.lower()}"
