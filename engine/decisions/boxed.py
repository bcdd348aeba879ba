"""Boxed expressions to code: one table, from each kind of expression to what compiles it.

DMN 1.5 section 10.2. Each runs inside of frames that hold the names of what is required, of the
entries before it, of parameters and of iterators.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from engine.decisions.place import Place
from engine.decisions.source import Source
from engine.decisions.tables import compile_table
from engine.decisions.types import Types
from engine.expressions import Environment
from engine.expressions.environment import Code, Frame
from engine.expressions.functions import (
    Function,
    Parameter,
    invoke_named,
    make_signature,
)
from engine.expressions.iteration import index_into, iterable
from engine.values import Value

DEPTH_MAX: Final = 40
"""How deep boxed expressions may stand inside of each other."""

_NOT_LOGIC: Final = frozenset(
    (
        "description", "variable", "formalParameter", "typeRef", "question", "allowedAnswers",
        "extensionElements", "informationRequirement", "knowledgeRequirement",
        "authorityRequirement", "supportedObjective", "impactedPerformanceIndicator",
        "decisionMaker", "decisionOwner", "usingProcess", "usingTask", "parameter",
    )
)  # fmt: skip
"""What may stand beside the one expression of its parent."""

_Compile: TypeAlias = Callable[[Source, Place], Code | None]


def logic_of(parent: Source) -> Source | None:
    """The one expression inside of an element."""
    return next((child for child in parent.children if child.tag not in _NOT_LOGIC), None)


def compile_logic(parent: Source, place: Place) -> Code | None:
    """The code of the one expression inside of an element; null if there is none.

    None, and a finding, if it cannot be compiled.
    """
    logic = logic_of(parent)
    return _nothing if logic is None else compile_boxed(logic, place)


def _nothing(_env: Environment, _frame: Frame | None) -> Value:
    return None


def compile_boxed(source: Source, place: Place) -> Code | None:
    """The code of a boxed expression, its result converted to its type."""
    compiler = _COMPILERS.get(source.tag)
    if compiler is None:
        place.refuse(
            source, "unsupported-expression", f"A {source.tag} is no expression that can be run."
        )
        return None
    inner = place.deeper()
    if inner.depth > DEPTH_MAX:
        place.refuse(
            source, "too-deep", f"Expressions stand inside of each other {DEPTH_MAX} times."
        )
        return None
    code = compiler(source, inner)
    return None if code is None else place.typed(code, source.type_ref())


def _literal(source: Source, place: Place) -> Code | None:
    if source.child("importedValues") is not None:
        place.refuse(
            source, "unsupported-expression", "Imported values are not read. Write them out."
        )
        return None
    return place.expression(source, "literal expression")


def _context(source: Source, place: Place) -> Code | None:
    """Each entry sees the ones before it; an entry without a name is the result."""
    entries: list[tuple[str | None, Code]] = []
    inner = place.binding()
    for entry in source.all("contextEntry"):
        variable = entry.child("variable")
        name = None if variable is None else variable.get("name")
        own = logic_of(entry)
        if name and _is_function(own):
            inner.surroundings.bind(name)
        code = compile_logic(entry, inner)
        if code is None:
            return None
        if variable is not None:
            code = place.typed(code, variable.type_ref())
        entries.append((name, code))
        if name:
            inner.surroundings.bind(name)
    return _context_code(tuple(entries))


def _is_function(source: Source | None) -> bool:
    """A function may call itself by the name of its entry."""
    return source is not None and source.tag == "functionDefinition"


def _context_code(entries: tuple[tuple[str | None, Code], ...]) -> Code:
    def make(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(entries))
        context: dict[str, Value] = {}
        inner = Frame(context, frame)
        for name, code in entries:
            value = code(env, inner)
            if name is None:
                return value
            context[name] = value
        return context

    return make


def _list(source: Source, place: Place) -> Code | None:
    items = _all(tuple(child for child in source.children if child.tag not in _NOT_LOGIC), place)
    if items is None:
        return None

    def make(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(items))
        return [item(env, frame) for item in items]

    return make


def _all(sources: tuple[Source, ...], place: Place) -> tuple[Code, ...] | None:
    codes = [compile_boxed(source, place) for source in sources]
    compiled = tuple(code for code in codes if code is not None)
    return compiled if len(compiled) == len(codes) else None


def _relation(source: Source, place: Place) -> Code | None:
    columns = [column.get("name") or "" for column in source.all("column")]
    rows = []
    for row in source.all("row"):
        cells = _all(tuple(cell for cell in row.children if cell.tag not in _NOT_LOGIC), place)
        if cells is None:
            return None
        rows.append(tuple(zip(columns, cells, strict=False)))

    def make(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(rows) * len(columns))
        return [{name: cell(env, frame) for name, cell in row} for row in rows]

    return make


def _function_definition(source: Source, place: Place) -> Code | None:
    kind = source.get("kind") or "FEEL"
    if kind != "FEEL":
        place.refuse(
            source, "unsupported-expression", f"A function of kind {kind} is not run. Use FEEL."
        )
        return None
    function = compile_function(source, place)
    if function is None:
        return None
    return lambda _env, frame: function.in_frame(frame)


class BoxedFunction(msgspec.Struct, frozen=True):
    """A function whose body is a boxed expression. `levels` is what a call of it nests."""

    parameters: tuple[tuple[str, str | None], ...]
    body: Code
    types: Types
    levels: int

    def in_frame(self, frame: Frame | None) -> Function:
        """The function value whose body runs inside of this frame."""
        names = tuple(name for name, _ in self.parameters)

        def call(env: Environment, *arguments: Value) -> Value:
            bound: dict[str, Value] = {}
            for (name, kind), argument in zip(self.parameters, arguments, strict=True):
                bound[name] = self.types.conform(argument, kind, env)
                if bound[name] is None and argument is not None:
                    return None  # DMN 1.5 section 10.3.2.13.3: no function takes these arguments
            env.enter(self.levels)
            result = self.body(env, Frame(bound, frame))
            env.nesting -= self.levels
            return result

        signature = make_signature(tuple(Parameter(name) for name in names), call)
        return Function("function", (signature,))


def compile_function(source: Source, place: Place) -> BoxedFunction | None:
    """The function that an element with formal parameters and one expression defines."""
    parameters = tuple(
        (parameter.get("name") or "", parameter.type_ref())
        for parameter in source.all("formalParameter")
    )
    inner = place.in_function().binding(*(name for name, _ in parameters))
    body = compile_logic(source, inner)
    if body is None:
        return None
    return BoxedFunction(parameters, body, place.shared.types, inner.gauge.levels)


def _invocation(source: Source, place: Place) -> Code | None:
    called = next(
        (child for child in source.children if child.tag not in {*_NOT_LOGIC, "binding"}), None
    )
    if called is None:
        place.refuse(source, "missing-part", "An invocation names no function. Add it.")
        return None
    function = compile_boxed(called, place)
    if function is None:
        return None
    bindings = []
    for binding in source.all("binding"):
        parameter = binding.child("parameter")
        code = compile_logic(binding, place)
        if parameter is None:
            place.refuse(binding, "missing-part", "A binding has no parameter. Add it.")
            return None
        if code is None:
            return None
        bindings.append((parameter.get("name") or "", code))
    return lambda env, frame: invoke_named(
        function(env, frame), {name: code(env, frame) for name, code in bindings}, env
    )


def _part(source: Source, tag: str, place: Place) -> Code | None:
    """The expression of a part of it, such as the `then` of a conditional."""
    part = source.child(tag)
    if part is None:
        place.refuse(source, "missing-part", f"A {source.tag} has no {tag}. Add it.")
        return None
    return compile_logic(part, place)


def _conditional(source: Source, place: Place) -> Code | None:
    """Unlike `if`, it is null for a condition that is neither a boolean nor null."""
    condition = _part(source, "if", place)
    yes, no = _part(source, "then", place), _part(source, "else", place)
    if condition is None or yes is None or no is None:
        return None

    def choose(env: Environment, frame: Frame | None) -> Value:
        answer = condition(env, frame)
        if answer is True:
            return yes(env, frame)
        return no(env, frame) if answer is False or answer is None else None

    return choose


def _iterator(source: Source, place: Place, body: str) -> tuple[str, Code, Code] | None:
    name = source.get("iteratorVariable") or "item"
    items = _part(source, "in", place)
    code = _part(source, body, place.binding(name, "partial"))
    return None if items is None or code is None else (name, items, code)


def _for(source: Source, place: Place) -> Code | None:
    parts = _iterator(source, place, "return")
    if parts is None:
        return None
    name, items, body = parts

    def loop(env: Environment, frame: Frame | None) -> Value:
        sequence = iterable(items(env, frame))
        if sequence is None:
            return None
        results: list[Value] = []
        for item in sequence:
            env.spend(1 + (len(results) >> 6))
            results.append(body(env, Frame({name: item, "partial": list(results)}, frame)))
        return results

    return loop


def _quantified(source: Source, place: Place) -> Code | None:
    """Unlike `some` and `every`, it is null if anything is neither a boolean nor null."""
    parts = _iterator(source, place, "satisfies")
    if parts is None:
        return None
    name, items, body = parts
    sought = source.tag == "some"

    def search(env: Environment, frame: Frame | None) -> Value:
        sequence = iterable(items(env, frame))
        if sequence is None:
            return None
        answers = []
        for item in sequence:
            env.spend(1)
            answers.append(body(env, Frame({name: item}, frame)))
        if not all(type(answer) is bool or answer is None for answer in answers):
            return None
        return sought if sought in answers else not sought

    return search


def _filter(source: Source, place: Place) -> Code | None:
    items = _part(source, "in", place)
    match = _part(source, "match", place.binding("item"))
    if items is None or match is None:
        return None

    def select(env: Environment, frame: Frame | None) -> Value:
        value = items(env, frame)
        sequence: list[Value] = [] if value is None else [value]
        if isinstance(value, list):
            sequence = value
        selected: list[Value] = []
        for item in sequence:
            env.spend(1)
            inner = Frame({"item": item}, frame)
            answer = match(env, Frame(item, inner) if isinstance(item, dict) else inner)
            if answer is True:
                selected.append(item)
            elif answer is not False and answer is not None:
                return index_into(sequence, answer)
        return selected

    return select


_COMPILERS: Final[dict[str, _Compile]] = {
    "literalExpression": _literal,
    "decisionTable": compile_table,
    "context": _context,
    "list": _list,
    "relation": _relation,
    "functionDefinition": _function_definition,
    "invocation": _invocation,
    "conditional": _conditional,
    "for": _for,
    "some": _quantified,
    "every": _quantified,
    "filter": _filter,
}
