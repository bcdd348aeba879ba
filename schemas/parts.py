"""The parts of a large instance: what its sibling hash holds, each field written when it changed.

    <scope>            the variables of a scope
    items:<loop>       the collection of a loop, written once
    outputs:<loop>:<n> what a page of its iterations have given
    ledger:<scope>:<n> what can be compensated in a scope, in pages in the order of completion
    elements:<n>, waits:<n>   a page of the element instances and waits of a wide instance

So one iteration of ten thousand that completes writes its own pages, and not the ten thousand.
Whether an instance is wide, and what is on which page, follows from its content alone.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import islice
from operator import lt
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.state import Compensable, ElementInstance, ProcessInstance, Wait

WIDE = 256
"""Element instances and waits; with more of them an instance keeps these in pages."""

PAGE_BITS = 7
_ITEMS, _OUTPUTS, _ELEMENTS, _WAITS = "items", "outputs", "elements", "waits"
_LEDGER = "ledger"
_KINDS: Mapping[str, type[Any]] = {
    _ITEMS: tuple[str, ...],
    _OUTPUTS: dict[int, str],
    _LEDGER: dict[int, Compensable],
    _ELEMENTS: dict[int, ElementInstance],
    _WAITS: dict[int, Wait],
}
_DECODERS = {kind: msgspec.msgpack.Decoder(shape) for kind, shape in _KINDS.items()}


def parts_of(instance: ProcessInstance) -> dict[str, Any]:
    """The parts of an instance beside its variables, by the names of their fields."""
    parts: dict[str, Any] = {}
    for key, loop in instance.loops.items():
        if loop.items:
            parts[f"{_ITEMS}:{key}"] = loop.items
    for key, pages in instance.outputs.items():
        for number, page in pages.items():
            parts[f"{_OUTPUTS}:{key}:{number}"] = page
    for scope, entries in instance.ledger.items():
        for number, slice_ in enumerate(_slices(entries)):
            parts[f"{_LEDGER}:{scope}:{number}"] = slice_
    if is_wide(instance):
        parts |= _pages(_ELEMENTS, instance.elements) | _pages(_WAITS, instance.waits)
    return parts


def is_wide(instance: ProcessInstance) -> bool:
    return len(instance.elements) + len(instance.waits) > WIDE


def _slices(entries: Mapping[int, Compensable]) -> Iterable[dict[int, Compensable]]:
    """Entries in pages as they come: they are added, and in most cases taken, at the end."""
    left = iter(entries.items())
    while page := dict(islice(left, 1 << PAGE_BITS)):
        yield page


def _pages(kind: str, entries: Mapping[int, Any]) -> dict[str, Any]:
    """Entries in pages by their keys; none if joined pages would not give back their order.

    In slices, for this is done for every commit of a wide instance.
    """
    keys, values = list(entries), list(entries.values())
    if not all(map(lt, keys, keys[1:])):
        return {}
    pages: dict[str, Any] = {}
    begin = 0
    while begin < len(keys):
        number = keys[begin] >> PAGE_BITS
        end = bisect_left(keys, (number + 1) << PAGE_BITS, begin)
        pages[f"{kind}:{number}"] = dict(zip(keys[begin:end], values[begin:end], strict=True))
        begin = end
    return pages


def without_parts(instance: ProcessInstance, parts: Iterable[str]) -> ProcessInstance:
    """What is left for the main document when these parts are apart."""
    kinds = {name.partition(":")[0] for name in parts}
    return replace(
        instance,
        variables={},
        outputs={},
        ledger={},
        loops={key: replace(loop, items=()) for key, loop in instance.loops.items()},
        elements={} if _ELEMENTS in kinds else instance.elements,
        waits={} if _WAITS in kinds else instance.waits,
    )


def decode_part(name: str, body: msgspec.Raw) -> Any:
    """The content of a part. Raises msgspec.DecodeError, and KeyError for a name of no kind."""
    return _DECODERS[name.partition(":")[0]].decode(body)


def join(instance: ProcessInstance, parts: Mapping[str, Any]) -> None:
    """Put parts back, given in the order in which `parts_of` names them."""
    for name, part in parts.items():
        kind, *numbers = name.split(":")
        key = int(numbers[0])
        if kind == _ITEMS:
            instance.loops[key] = replace(instance.loops[key], items=part)
        elif kind == _OUTPUTS:
            instance.outputs.setdefault(key, {})[int(numbers[1])] = part
        elif kind == _LEDGER:
            instance.ledger.setdefault(key, {}).update(part)
        elif kind == _ELEMENTS:
            instance.elements.update(part)
        else:
            instance.waits.update(part)
