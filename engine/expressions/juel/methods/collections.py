"""The methods of java.util.List and java.util.Map that JUEL expressions may call on JSON's."""

from typing import Final

from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import to_text
from engine.expressions.juel.methods.method import Method, index, method, within
from engine.expressions.operators import equals
from engine.values import Value

_List = list[Value]
_Map = dict[str, Value]


def _positions(env: Environment, items: _List, element: Value) -> list[int]:
    env.spend(len(items) >> 2)
    return [position for position, item in enumerate(items) if equals(item, element, env) is True]


def contains(env: Environment, items: _List, element: Value) -> Value:
    """contains: of the same type, so that 2 is not found among texts"""
    env.spend(len(items) >> 2)
    return any(equals(item, element, env) is True for item in items)


def _contains_all(env: Environment, items: _List, elements: Value) -> Value:
    if not isinstance(elements, list):
        raise EvaluationError("containsAll() takes a list.")
    return all(contains(env, items, element) is True for element in elements)


def _get(_env: Environment, items: _List, position: Value) -> Value:
    return items[within(index(position), len(items), "item")]


def _index_of(env: Environment, items: _List, element: Value) -> Value:
    positions = _positions(env, items, element)
    return positions[0] if positions else -1


def _last_index_of(env: Environment, items: _List, element: Value) -> Value:
    positions = _positions(env, items, element)
    return positions[-1] if positions else -1


def _sub_list(env: Environment, items: _List, start: Value, end: Value) -> Value:
    first, last = index(start), index(end)
    if not 0 <= first <= last <= len(items):
        raise EvaluationError(f"A list of {len(items)} items has none from {first} to {last}.")
    env.spend(last - first >> 3)
    return items[first:last]


def _contains_key(env: Environment, entries: _Map, key: Value) -> Value:
    return to_text(key, env) in entries


def _contains_value(env: Environment, entries: _Map, value: Value) -> Value:
    return contains(env, list(entries.values()), value)


def _get_or_default(env: Environment, entries: _Map, key: Value, default: Value) -> Value:
    return entries.get(to_text(key, env), default)


def _keys(env: Environment, entries: _Map) -> Value:
    env.spend(len(entries) >> 3)
    return list(entries)


def _values(env: Environment, entries: _Map) -> Value:
    env.spend(len(entries) >> 3)
    return list(entries.values())


# What Camunda 7 offers of a decision's result: a list of the outputs, by name, of each rule.


def _single_result(_env: Environment, rows: _List) -> Value:
    if len(rows) > 1:
        raise EvaluationError(f"The result of the decision has {len(rows)} rules, not one.")
    return rows[0] if rows else None


def _single_entry(env: Environment, rows: _List) -> Value:
    row = _single_result(env, rows)
    if not isinstance(row, dict):
        return None
    if len(row) > 1:
        raise EvaluationError(f"The result of the decision has {len(row)} outputs, not one.")
    return next(iter(row.values()), None)


def _collect_entries(env: Environment, rows: _List, name: Value) -> Value:
    env.spend(len(rows) >> 2)
    output = to_text(name, env)
    return [row[output] for row in rows if isinstance(row, dict) and output in row]


_SIZED: Final[dict[str, Method]] = {
    "isEmpty": method(lambda _env, value: not value),
    "size": method(lambda _env, value: len(value)),
}
LISTS: Final[dict[str, Method]] = {
    **_SIZED,
    "collectEntries": method(_collect_entries, 1),
    "contains": method(contains, 1),
    "containsAll": method(_contains_all, 1),
    "get": method(_get, 1),
    "getFirst": method(lambda env, items: _get(env, items, 0)),
    "getFirstResult": method(lambda _env, rows: rows[0] if rows else None),
    "getLast": method(lambda env, items: _get(env, items, len(items) - 1)),
    "getResultList": method(lambda _env, rows: rows),
    "getSingleEntry": method(_single_entry),
    "getSingleResult": method(_single_result),
    "indexOf": method(_index_of, 1),
    "lastIndexOf": method(_last_index_of, 1),
    "subList": method(_sub_list, 2),
}
MAPS: Final[dict[str, Method]] = {
    **_SIZED,
    "containsKey": method(_contains_key, 1),
    "containsValue": method(_contains_value, 1),
    "get": method(lambda env, entries, key: entries.get(to_text(key, env)), 1),
    "getEntry": method(lambda env, entries, key: entries.get(to_text(key, env)), 1),
    "getOrDefault": method(_get_or_default, 2),
    "keySet": method(_keys),
    "values": method(_values),
}
