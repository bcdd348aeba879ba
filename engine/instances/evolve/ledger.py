"""The ledger of what can be compensated, as events change it: part of `evolve`.

Entries lie in the scope in which their activity completed, in the order of completion. A scope that
completes and can be compensated is an entry of its own, and what lies inside it stays; what lies
in any other scope that ends goes with it.

    S [ A B ] C      completed: A B S C           ledger: root: S C,  S: A B
    throw in root    C, then S: B, then A         root: A B C, claimed by the sweep C B A
    C's handler ends                              root: A B
"""

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine import variables as v
from engine.errors import InvariantError
from engine.ordered import writable
from engine.pages import put_in_order


def record(state: s.ProcessInstance, event: e.CompensationRecorded, at_ms: int) -> None:
    """Add an entry, behind those of its scope that completed before."""
    _put(
        state,
        event.scope,
        s.Compensable(
            key=event.key,
            element_id=event.element_id,
            handler=event.handler,
            variables=event.variables,
            inside=event.inside,
        ),
    )
    state.ledger_bytes += v.size(event.variables)


def claim(state: s.ProcessInstance, event: e.CompensationStarted) -> None:
    """The sweep's entries move into its scope, out of those that completed with them.

    They stay in the ledger until their handlers end: an entry is never in neither place. And they
    stay in the order of completion, so that handler by handler the last of them goes.
    """
    for item in reversed(event.entries):
        entry = _take(state, item.scope, item.key)
        _put(state, event.scope, replace(entry, sweep=event.key))
    for item in reversed(event.expanded):
        _take(state, item.scope, item.key)


def begin(state: s.ProcessInstance, scope: int, key: int, handler: int) -> None:
    """The handler of an entry begins; an event sub-process finds in it what completed inside."""
    entry = state.ledger[scope][key]
    if entry.inside and key in state.ledger:
        put_in_order(state.ledger, handler, state.ledger.pop(key))
    sweep = state.waits[entry.sweep]
    if not isinstance(sweep, s.SweepWait):
        raise InvariantError(f"the entry {key} is compensated, and no sweep asked for it")
    state.waits[sweep.key] = replace(sweep, begun=sweep.begun + 1)


def end(state: s.ProcessInstance, element: s.ElementInstance) -> None:
    """An element instance has ended: a handler with its entry, a scope with those inside it."""
    if element.compensates and element.scope is not None:
        entry = _take(state, element.scope, element.compensates)
        state.ledger_bytes -= v.size(entry.variables)
    recorded = state.ledger.get(element.scope or 0, {}).get(element.key)
    if recorded is None or (recorded.handler and not recorded.inside):
        _drop(state, element.key)


def _drop(state: s.ProcessInstance, scope: int) -> None:
    pending = [scope]
    while pending:
        for key, entry in state.ledger.pop(pending.pop(), {}).items():
            state.ledger_bytes -= v.size(entry.variables)
            pending.append(key)


def _put(state: s.ProcessInstance, scope: int, entry: s.Compensable) -> None:
    entries = writable(state.ledger.get(scope, {}), state.revision)
    entries[entry.key] = entry
    put_in_order(state.ledger, scope, entries)


def _take(state: s.ProcessInstance, scope: int, key: int) -> s.Compensable:
    entries = writable(state.ledger[scope], state.revision)
    entry = entries.pop(key)
    if entries:
        state.ledger[scope] = entries
    else:
        del state.ledger[scope]
    return entry
