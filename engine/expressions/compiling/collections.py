"""Code for lists, contexts, paths, filters and loops."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from engine.expressions.compiling.scope import Scope
from engine.expressions.environment import Code, Environment, Frame
from engine.expressions.iteration import index_into, iterable, span
from engine.expressions.operators import Answer
from engine.expressions.parsing import syntax
from engine.expressions.parsing.search import mentions
from engine.expressions.properties import get_property
from engine.values import Value

# The results so far, bound inside of the body of a `for` (DMN 1.5 section 10.3.2.14).
_PARTIAL = "partial"
_Loop: TypeAlias = tuple[str, Code, Code | None]


def compile_list(node: syntax.ListLiteral, scope: Scope) -> Code:
    """[item, ...]"""
    items = tuple(scope.code(item) for item in node.items)

    def make(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(items))
        return [item(env, frame) for item in items]

    return make


def compile_context(node: syntax.ContextLiteral, scope: Scope) -> Code:
    """{key: value, ...}, each entry inside of a frame of the ones before; null for a double key."""
    keys = [key for key, _ in node.entries]
    if len(set(keys)) != len(keys):
        return lambda _env, _frame: None
    entries = []
    inner_scope = scope.binding()
    for key, value in node.entries:
        if isinstance(value, syntax.FunctionLiteral):
            inner_scope.bind(key)  # so that it may call itself; no other entry can see its own
        entries.append((key, inner_scope.code(value)))
        inner_scope.bind(key)

    def make(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(entries))
        context: dict[str, Value] = {}
        inner = Frame(context, frame)
        for key, code in entries:
            context[key] = code(env, inner)
        return context

    return make


def compile_path(node: syntax.Path, scope: Scope) -> Code:
    """source.name"""
    source, name = scope.code(node.source), node.name

    def follow(env: Environment, frame: Frame | None) -> Value:
        value = source(env, frame)
        if type(value) is dict:
            return value.get(name)
        return get_property(value, name, env)

    return follow


def compile_filter(node: syntax.Filter, scope: Scope) -> Code:
    """source[condition]: the items for which it is true, or the one at the position it gives."""
    source = scope.code(node.source)
    index = _constant_index(node.condition)
    if index is not None:
        return lambda env, frame: index_into(source(env, frame), index)
    condition = scope.binding("item").code(node.condition)

    def select(env: Environment, frame: Frame | None) -> Value:
        items = _filtered_items(source(env, frame))
        if items is None:
            return None
        selected = []
        for item in items:
            env.spend(1)
            answer = condition(env, _item_frame(item, frame))
            if answer is True:
                selected.append(item)
            elif type(answer) is not bool and answer is not None:
                return index_into(items, answer)
        return selected

    return select


def _constant_index(condition: syntax.Node) -> int | None:
    sign = 1
    if isinstance(condition, syntax.Negation):
        condition, sign = condition.operand, -1
    if isinstance(condition, syntax.Literal) and type(condition.value) is int:
        return sign * condition.value
    return None


def _filtered_items(value: Value) -> list[Value] | None:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _item_frame(item: Value, frame: Frame | None) -> Frame:
    """`item` is the item; where it is a context, its entries are names too, and come first."""
    outer = Frame({"item": item}, frame)
    return Frame(item, outer) if isinstance(item, dict) else outer


def _compile_iterators(
    iterators: Iterable[syntax.Iterator], scope: Scope
) -> tuple[tuple[_Loop, ...], Scope]:
    """Each source sees the names of the iterators before it; the returned scope sees all."""
    loops = []
    for iterator in iterators:
        end = None if iterator.end is None else scope.code(iterator.end)
        loops.append((iterator.name, scope.code(iterator.source), end))
        scope = scope.binding(iterator.name)
    return tuple(loops), scope


def _frames(
    loops: tuple[_Loop, ...], env: Environment, frame: Frame | None
) -> Iterator[Frame | None]:
    """A frame for each combination, the last iterator turning fastest; None if one cannot loop."""
    name, source, end = loops[0]
    value = source(env, frame)
    items = iterable(value) if end is None else span(value, end(env, frame))
    if items is None:
        yield None
        return
    for item in items:
        env.spend(1)
        inner = Frame({name: item}, frame)
        if len(loops) == 1:
            yield inner
        else:
            yield from _frames(loops[1:], env, inner)


def compile_for(node: syntax.For, scope: Scope) -> Code:
    """for iterators return body; null if one cannot be iterated."""
    loops, inner = _compile_iterators(node.iterators, scope)
    body = inner.binding(_PARTIAL).code(node.body)
    wants_partial = mentions(node.body, _PARTIAL)

    def loop(env: Environment, frame: Frame | None) -> Value:
        results: list[Value] = []
        for bound in _frames(loops, env, frame):
            if bound is None:
                return None
            if wants_partial:
                env.spend(len(results) >> 6)
                results.append(body(env, Frame({_PARTIAL: list(results)}, bound)))
            else:
                results.append(body(env, bound))
        return results

    return loop


def compile_quantified(node: syntax.Quantified, scope: Scope) -> Code:
    """some: true once one is true; every: false once one is false; else null if one is neither."""
    loops, inner = _compile_iterators(node.iterators, scope)
    body, sought = inner.code(node.body), node.answer

    def search(env: Environment, frame: Frame | None) -> Value:
        answer: Answer = not sought
        for bound in _frames(loops, env, frame):
            if bound is None:
                return None
            value = body(env, bound)
            if value is sought:
                return sought
            if type(value) is not bool:
                answer = None
        return answer

    return search
