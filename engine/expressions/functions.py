"""Functions as values, and their invocation: which signature fits, what the arguments become."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeAlias

import msgspec

from engine.expressions.calendar.temporal import Date, DateTime, DaysDuration, MonthsDuration, Time
from engine.expressions.environment import Environment
from engine.expressions.range_value import Range
from engine.values import ExpressionValue, Value

Implementation: TypeAlias = Callable[..., Value]


class Parameter(msgspec.Struct, frozen=True):
    """A parameter. `kinds` are the Python types it takes, none for any; null fits only any."""

    name: str
    kinds: frozenset[type] | None = None
    optional: bool = False
    variadic: bool = False


class Signature(msgspec.Struct, frozen=True):
    """One way to call a function, with `least` to `most` arguments."""

    parameters: tuple[Parameter, ...]
    implementation: Implementation
    least: int
    most: int

    @property
    def variadic(self) -> bool:
        """Whether the last parameter takes all further arguments."""
        return self.most > len(self.parameters)

    def takes(self, count: int) -> bool:
        """Whether it can be called with that many arguments."""
        return self.least <= count <= self.most


class Function(ExpressionValue, frozen=True, eq=False):
    """A builtin function, or one that the expression defines. Equal only to itself."""

    name: str
    signatures: tuple[Signature, ...]

    @property
    def arity(self) -> int:
        """How many parameters its first signature has."""
        return len(self.signatures[0].parameters)


_KINDS: Final[dict[str, frozenset[type] | None]] = {
    "any": None,
    "boolean": frozenset({bool}),
    "number": frozenset({int, Decimal}),
    "string": frozenset({str}),
    "list": frozenset({list}),
    "context": frozenset({dict}),
    "date": frozenset({Date}),
    "time": frozenset({Time}),
    "date and time": frozenset({DateTime}),
    "day": frozenset({Date, DateTime}),
    "duration": frozenset({DaysDuration, MonthsDuration}),
    "days duration": frozenset({DaysDuration}),
    "range": frozenset({Range}),
    "function": frozenset({Function}),
}
_ARGUMENTS_MAX: Final = 1_000_000


def signature(parameters: str, implementation: Implementation) -> Signature:
    """A signature from its text: `string: string, length?: number`, `items...: any`."""
    return make_signature(
        tuple(_parameter(part.strip()) for part in parameters.split(",") if part.strip()),
        implementation,
    )


def make_signature(parameters: tuple[Parameter, ...], implementation: Implementation) -> Signature:
    """A signature, with the number of arguments counted from its parameters."""
    least = sum(not (parameter.optional or parameter.variadic) for parameter in parameters)
    variadic = bool(parameters) and parameters[-1].variadic
    most = _ARGUMENTS_MAX if variadic else len(parameters)
    return Signature(parameters, implementation, least, most)


def _parameter(text: str) -> Parameter:
    name, _, kind = text.partition(": ")
    return Parameter(
        name.rstrip("?."), _KINDS[kind], optional=name.endswith("?"), variadic=name.endswith("...")
    )


def invoke(function: Value, arguments: Sequence[Value], env: Environment) -> Value:
    """Call a function value by position; null if it is no function or no signature fits."""
    if not isinstance(function, Function):
        env.spend(1)
        return None
    candidates = [each for each in function.signatures if each.takes(len(arguments))]
    return invoke_fitting(candidates, arguments, env)


def invoke_fitting(
    candidates: Sequence[Signature], arguments: Sequence[Value], env: Environment
) -> Value:
    """Call the first of the signatures whose parameter types fit, by position; null if none."""
    env.spend(1)
    for argument in arguments:
        _charge(argument, env)
    for candidate in candidates:
        fitting = _fit(candidate, arguments)
        if fitting is not None:
            return _run(candidate, fitting, env)
    return None


def invoke_named(function: Value, arguments: Mapping[str, Value], env: Environment) -> Value:
    """Call a function value by parameter names; null if it is no function or none fits."""
    env.spend(1)
    if not isinstance(function, Function):
        return None
    for argument in arguments.values():
        _charge(argument, env)
    for candidate in function.signatures:
        ordered = _in_order(candidate, arguments)
        fitting = None if ordered is None else _fit(candidate, ordered)
        if fitting is not None:
            return _run(candidate, fitting, env)
    return None


def _in_order(candidate: Signature, arguments: Mapping[str, Value]) -> list[Value] | None:
    names = [parameter.name for parameter in candidate.parameters]
    if not arguments.keys() <= set(names):
        return None
    if not all(
        parameter.optional or parameter.name in arguments for parameter in candidate.parameters
    ):
        return None
    while names and names[-1] not in arguments:
        names.pop()  # so that the implementation's own default applies
    return [arguments.get(name) for name in names]


def _fit(candidate: Signature, arguments: Sequence[Value]) -> list[Value] | None:
    """The arguments as the parameters want them; null if one does not fit."""
    fitting: list[Value] = []
    for parameter, argument in zip(candidate.parameters, arguments, strict=False):
        kinds = parameter.kinds
        if parameter.variadic:
            break
        if kinds is None or type(argument) in kinds or (argument is None and parameter.optional):
            fitting.append(argument)
            continue
        converted = _converted(argument, kinds)
        if converted is None:
            return None
        fitting.append(converted)
    if candidate.variadic:
        fitting.append(list(arguments[len(candidate.parameters) - 1 :]))
    return fitting


def _converted(argument: Value, kinds: frozenset[type]) -> Value:
    """DMN 1.5 section 10.3.2.9.4: a singleton list is its item, an item is a singleton list."""
    if list in kinds:
        return None if argument is None else [argument]
    if isinstance(argument, list) and len(argument) == 1 and type(argument[0]) in kinds:
        return argument[0]
    return None


def _run(candidate: Signature, arguments: list[Value], env: Environment) -> Value:
    result = candidate.implementation(env, *arguments)
    _charge(result, env)
    return result


def _charge(value: Value, env: Environment) -> None:
    """Long texts and lists cost what it takes to copy them; who looks at each item pays for it."""
    kind = type(value)
    if kind is str or kind is list or kind is dict:
        size = len(value)  # type: ignore[arg-type]  # asked by exact type
        if size >= _FREE_SIZE:
            env.spend(size >> 6 if kind is str else size >> 5)


_FREE_SIZE: Final = 32
