"""Context functions."""

from typing import Final

from engine.expressions.environment import Environment
from engine.expressions.functions import Signature, signature
from engine.values import Value

_Context = dict[str, Value]


def get_value(_env: Environment, context: _Context, key: str) -> Value:
    """get value"""
    return context.get(key)


def get_nested_value(_env: Environment, context: _Context, keys: list[Value]) -> Value:
    """get value, along a path of keys"""
    value: Value = context if keys else None
    for key in keys:
        if not isinstance(value, dict) or not isinstance(key, str):
            return None
        value = value.get(key)
    return value


def get_entries(env: Environment, context: _Context) -> Value:
    """get entries"""
    env.spend(len(context))
    return [{"key": key, "value": value} for key, value in context.items()]


def context_put(_env: Environment, context: _Context, key: str, value: Value) -> Value:
    """context put"""
    return {**context, key: value}


def context_put_nested(
    env: Environment, context: _Context, keys: list[Value], value: Value
) -> Value:
    """context put, along a path of keys; contexts that are missing on it are made"""
    if not keys or not all(isinstance(key, str) for key in keys):
        return None
    env.spend(len(keys))
    result = dict(context)
    inner = result
    for key in keys[:-1]:
        deeper = inner.get(str(key))
        if deeper is not None and not isinstance(deeper, dict):
            return None
        copied: _Context = dict(deeper or {})
        env.spend(len(copied) >> 3)
        inner[str(key)] = copied
        inner = copied
    inner[str(keys[-1])] = value
    return result


def context_merge(env: Environment, contexts: list[Value]) -> Value:
    """context merge: later entries win"""
    merged: _Context = {}
    given = contexts[0] if len(contexts) == 1 and isinstance(contexts[0], list) else contexts
    for context in given:
        if not isinstance(context, dict):
            return None
        env.spend(len(context) >> 3)
        merged.update(context)
    return merged if contexts else None


def make_context(env: Environment, entries: list[Value]) -> Value:
    """context: from entries with key and value, each key once"""
    env.spend(len(entries))
    context: _Context = {}
    for entry in entries:
        if not isinstance(entry, dict) or "value" not in entry:
            return None
        key = entry.get("key")
        if not isinstance(key, str) or key in context:
            return None
        context[key] = entry["value"]
    return context


_PUT = (
    signature("context: context, key: string, value: any", context_put),
    signature("context: context, keys: list, value: any", context_put_nested),
)
_MERGE = (signature("contexts...: any", context_merge),)
FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "get value": (
        signature("m: context, key: string", get_value),
        signature("context: context, key: string", get_value),
        signature("context: context, keys: list", get_nested_value),
    ),
    "get entries": (
        signature("m: context", get_entries),
        signature("context: context", get_entries),
    ),
    "context put": _PUT,
    "put": _PUT,
    "context merge": _MERGE,
    "put all": _MERGE,
    "context": (signature("entries: list", make_context),),
}
