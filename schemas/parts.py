"""The parts of a large document: what its sibling hash holds, each field written when it changed.

    variables:<scope>  the variables of a scope
    items:<loop>       the collection of a loop, written once
    entries:<sweep>    what a sweep of compensation runs through, written once
    outputs:<loop>:<n> what a page of its iterations have given
    ledger:<scope>     what can be compensated in a scope; ledger:<scope>:<n> a page of very much
    flows:<scope>:<n>  a page of the arrivals of a scope, when they are very many
    elements:<n>, waits:<n>, loops:<n>, arrivals:<n>   a page of these, when there are many
    ids:<n>            of a message aggregate: a page of the message ids that count
    text:<message>     the variables of a buffered message, written once

So one iteration of ten thousand that completes writes its own pages, and not the ten thousand.
Where something is kept follows from the instance's content alone. What has changed is what is
another object than before: no command changes an object that a state holds (`engine/pages.py`).
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.aggregates import MessageState
from engine.ordered import Ordered
from engine.pages import WIDE, Page, Pages, changes, page_changes, paged
from engine.state import Compensable, ElementInstance, Loop, ProcessInstance, SweepWait, Wait

Change: TypeAlias = tuple[str, Any, Any]
"""A field, its part before and now; None: there is none."""

_DECODERS: Mapping[str, msgspec.msgpack.Decoder[Any]] = {
    kind: msgspec.msgpack.Decoder(shape)
    for kind, shape in {
        "variables": dict[str, str],
        "items": tuple[str, ...],
        "entries": tuple[int, ...],
        "outputs": dict[int, str],
        "ledger": dict[int, Compensable],
        "ledger:": dict[int, tuple[int, Compensable]],
        "flows:": dict[int, tuple[str, int]],
        "ids": dict[int, tuple[str, int]],
        "text": str,
        "elements": dict[int, ElementInstance],
        "waits": dict[int, Wait],
        "loops": dict[int, Loop],
        "arrivals": dict[int, dict[str, int]],
    }.items()
}
"""By the kind of a part; of what has two numbers, with a colon."""

_PAGED = ("elements", "waits", "loops", "arrivals")


def is_wide(instance: ProcessInstance) -> bool:
    """Whether something of the instance is kept in pages."""
    return (
        any(len(getattr(instance, kind)) > WIDE for kind in _PAGED)
        or len(instance.ledger) > WIDE
        or any(len(flows) > WIDE for flows in instance.arrivals.values())
        or any(len(entries) > WIDE for entries in instance.ledger.values())
    )


def part_changes(before: ProcessInstance | None, after: ProcessInstance) -> Iterator[Change]:
    """The fields whose parts differ; all of them if nothing was stored in parts `before`."""
    for kind in _PAGED:
        old, new = (_pages(each, kind) for each in (before, after))
        for number, old_page, new_page in page_changes(old, new):
            yield f"{kind}:{number}", old_page, _without_large(kind, new_page)
    for scope, old, new in _changes(before, after, "variables"):
        yield f"variables:{scope}", old, new
    yield from _fixed(before, after)
    for key, old, new in _changes(before, after, "outputs"):
        for number, old_page, new_page in changes(old or {}, new or {}):
            yield f"outputs:{key}:{number}", old_page, new_page
    for scope, old, new in _changes(before, after, "ledger"):
        yield from _inner_changes(f"ledger:{scope}", old or {}, new or {})
    for scope, old, new in _changes(before, after, "arrivals"):
        yield from _inner_changes(f"flows:{scope}", _if_wide(old), _if_wide(new))


def _pages(instance: ProcessInstance | None, kind: str) -> Mapping[int, Page[Any]]:
    """The pages of a map; none of one that is not wide."""
    entries: MutableMapping[int, Any] = {} if instance is None else getattr(instance, kind)
    wide = paged(entries)
    return wide.pages if isinstance(wide, Pages) else {}


def _changes(
    before: ProcessInstance | None, after: ProcessInstance, kind: str
) -> Iterator[tuple[int, Any, Any]]:
    return changes({} if before is None else getattr(before, kind), getattr(after, kind))


def _fixed(before: ProcessInstance | None, after: ProcessInstance) -> Iterator[Change]:
    """What never changes of loops and sweeps, however often these do."""
    for kind, name, field in (("loops", "items", "items"), ("waits", "entries", "entries")):
        for key, old, new in _changes(before, after, kind):
            fixed = getattr(old, field, None) or None, getattr(new, field, None) or None
            if fixed[0] is not fixed[1]:
                yield f"{name}:{key}", *fixed


def _inner_changes(
    name: str, before: Mapping[Any, Any], after: Mapping[Any, Any]
) -> Iterator[Change]:
    """Of a map inside a map: as one field, or in pages when it is wide."""
    old, new = _inner_pages(before), _inner_pages(after)
    for number, old_page, new_page in page_changes(old, new):
        yield (name if number < 0 else f"{name}:{number}"), old_page, new_page


def _inner_pages(entries: Mapping[Any, Any]) -> Mapping[int, Any]:
    if len(entries) <= WIDE:
        return {-1: entries} if entries else {}
    return (entries if isinstance(entries, Ordered) else Ordered(entries)).pages


def _if_wide(flows: Mapping[str, int] | None) -> Mapping[str, int]:
    return flows if flows is not None and len(flows) > WIDE else {}


# --- of a message aggregate ---

_LONG = 256
"""Variables of a buffered message with more characters than this are kept apart."""


def long_texts(messages: MessageState) -> dict[int, str]:
    """The variables of buffered messages that are kept apart, by the message's number."""
    return {
        each.number: each.variables for each in messages.messages if len(each.variables) > _LONG
    }


def message_changes(before: MessageState | None, after: MessageState) -> Iterator[Change]:
    """As `part_changes`, of a message aggregate."""
    known = before or MessageState(name=after.name, correlation_key=after.correlation_key)
    ids = _id_pages(known.message_ids), _id_pages(after.message_ids)
    for number, old, new in page_changes(*ids):
        yield f"ids:{number}", old, new
    old_texts, new_texts = long_texts(known), long_texts(after)
    for number in dict.fromkeys((*old_texts, *new_texts)):
        texts = old_texts.get(number), new_texts.get(number)
        if texts[0] != texts[1]:
            yield f"text:{number}", *texts


def _id_pages(ids: Mapping[str, int]) -> Mapping[int, Any]:
    return _inner_pages(ids) if len(ids) > WIDE else {}


def messages_without_parts(state: MessageState) -> MessageState:
    """What is left of a message aggregate for the main document."""
    apart = long_texts(state)
    messages = tuple(
        replace(each, variables="") if each.number in apart else each for each in state.messages
    )
    ids = {} if len(state.message_ids) > WIDE else state.message_ids
    return replace(state, messages=messages, message_ids=ids)


# --- what is left ---


def without_parts(instance: ProcessInstance) -> ProcessInstance:
    """What is left for the main document when the parts are apart."""
    return replace(
        instance,
        variables={},
        outputs={},
        ledger={},
        **{kind: _rest(kind, getattr(instance, kind)) for kind in _PAGED},
    )


def _rest(kind: str, entries: Mapping[int, Any]) -> Mapping[int, Any]:
    return {} if len(entries) > WIDE else _without_large(kind, entries)


def _without_large(kind: str, entries: Any) -> Any:
    """Entries of a page, or of the main document, without what has fields of its own."""
    if entries is None or kind not in _LARGE:
        return entries
    is_large, reduced = _LARGE[kind]
    large = {key: reduced(entry) for key, entry in entries.items() if is_large(entry)}
    return {**entries, **large} if large else entries


# Any: each row takes the entries of its own map, which the key names.
_LARGE: Mapping[str, tuple[Callable[[Any], bool], Callable[[Any], Any]]] = {
    "waits": (lambda wait: type(wait) is SweepWait, lambda sweep: replace(sweep, entries=())),
    "loops": (lambda loop: bool(loop.items), lambda loop: replace(loop, items=())),
    "arrivals": (lambda flows: len(flows) > WIDE, lambda _flows: {}),
}


# --- and back ---


def decode_part(name: str, body: msgspec.Raw) -> Any:
    """The content of a part. Raises msgspec.DecodeError, and KeyError for a name of no kind."""
    kind, *numbers = name.split(":")
    decoder = _DECODERS.get(f"{kind}:") if len(numbers) > 1 else None
    return (decoder or _DECODERS[kind]).decode(body)


def join(instance: ProcessInstance, parts: Mapping[str, Any]) -> None:
    """Put the parts back, in whatever order they are given. Raises KeyError, ValueError."""
    found: dict[str, dict[tuple[int, ...], Any]] = {}
    for name, part in parts.items():
        kind, *numbers = name.split(":")
        found.setdefault(kind, {})[tuple(map(int, numbers))] = part
    for kind in _PAGED:
        if kind in found:
            setattr(
                instance,
                kind,
                Pages.join({numbers[0]: page for numbers, page in found[kind].items()}),
            )
    variables = found.get("variables", {})
    instance.variables = paged({scope: variables[scope,] for (scope,) in sorted(variables)})
    for (key,), items in found.get("items", {}).items():
        instance.loops[key] = replace(instance.loops[key], items=items)
    for (key,), entries in found.get("entries", {}).items():
        instance.waits[key] = replace(instance.waits[key], entries=entries)
    outputs: dict[int, dict[int, Any]] = {}
    for (key, number), page in sorted(found.get("outputs", {}).items()):
        outputs.setdefault(key, {})[number] = page
    instance.outputs = paged(outputs)
    instance.ledger = paged(_join_inner(found.get("ledger", {})))
    for scope, flows in _join_inner(found.get("flows", {})).items():
        instance.arrivals[scope] = flows


def join_messages(state: MessageState, parts: Mapping[str, Any]) -> MessageState:
    """A message aggregate with these parts. Raises KeyError, ValueError."""
    found: dict[str, dict[int, Any]] = {"ids": {}, "text": {}}
    for name, part in parts.items():
        kind, _, number = name.partition(":")
        found[kind][int(number)] = part
    texts = found["text"]
    messages = tuple(
        replace(each, variables=texts.pop(each.number)) if each.number in texts else each
        for each in state.messages
    )
    if texts:
        raise ValueError(f"texts of messages {list(texts)}, which are not there")
    ids = Ordered.join(found["ids"]) if found["ids"] else state.message_ids
    return replace(state, messages=messages, message_ids=ids)


def _join_inner(parts: Mapping[tuple[int, ...], Any]) -> dict[int, Any]:
    """Maps inside a map, from their pages or their one field."""
    joined: dict[int, Any] = {}
    pages: dict[int, dict[int, Any]] = {}
    for numbers in sorted(parts):
        if len(numbers) == 1:
            joined[numbers[0]] = parts[numbers]
        else:
            pages.setdefault(numbers[0], {})[numbers[1]] = parts[numbers]
    joined.update((key, Ordered.join(each)) for key, each in pages.items())
    return dict(sorted(joined.items(), key=lambda item: item[0]))
