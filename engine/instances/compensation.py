"""Compensation: what completed is undone by its handlers, the last first, each once.

BPMN 13.5.5: "Compensation is concerned with undoing steps that were already successfully
completed", by an associated compensation activity for any activity; a sub-process without one is
compensated by what completed inside it, in reverse order.

An activity with a handler leaves an entry in the ledger when it completes, with the variables as it
saw them then. A sweep claims entries and runs their handlers one after the other; each runs in the
scope of the sweep and sees the variables of its entry as its own. What it gives back is written to
the scopes around it, never into that picture of the past.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine import events as e
from engine import state as s
from engine import variables as v
from engine.instances.advance import Advance, DueStep
from engine.instances.data_objects import declare
from engine.instances.endings import terminate_beside
from engine.instances.event_subprocesses import begin_by
from engine.instances.holds import interrupt
from engine.instances.scans import compensating, inside, waits_of
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import Step
from engine.model.elements import (
    Activity,
    BoundaryEvent,
    CancelTrigger,
    Element,
    MultiInstance,
    SubProcess,
    parts_of,
)


def record(advance: Advance, element: Element, key: int) -> None:
    """Before an activity completes: what it takes to compensate it. Raises StuckError."""
    instance = advance.instance(key)
    if not isinstance(element, Activity) or instance.scope is None or instance.compensates:
        return
    handler, variables, inside = "", dict[str, str](), False
    if element.compensation is not None and _is_undone(advance, element, element.compensation, key):
        undoing = advance.model.elements[element.compensation]
        handler, inside = undoing.id, undoing.scope == element.index
        variables = v.visible(advance.state, key)
        _check_size(advance, element, variables)
    elif key not in advance.state.ledger:
        return  # nothing completed inside it that could be compensated
    advance.emit(
        e.CompensationRecorded(
            key=key,
            element_id=element.id,
            scope=instance.scope,
            handler=handler,
            variables=variables,
            inside=inside,
        )
    )


def _is_undone(advance: Advance, activity: Activity, handler: int, key: int) -> bool:
    """Whether the handler undoes this element instance: of a loop, each iteration or the whole."""
    if advance.is_choice(key):
        return False
    loop = activity.loop
    whole = isinstance(loop, MultiInstance) and loop.undone_whole
    if whole and advance.model.elements[handler].scope != activity.index:
        return not advance.instance(key).ordinal
    return not advance.is_loop(key)


def _check_size(advance: Advance, element: Element, variables: dict[str, str]) -> None:
    limit = advance.context.settings.variables_bytes_max
    total = advance.state.ledger_bytes + v.size(variables)
    if total > limit:
        raise StuckError(
            IncidentKind.TOO_LARGE,
            f"Expected variables kept for compensation of at most {limit} bytes, found {total}"
            f" with those of {element.id}",
        )


class Claim(NamedTuple):
    """What a sweep is to run, in its order, and the scopes that completed and were opened up."""

    entries: tuple[e.LedgerEntry, ...] = ()
    expanded: tuple[e.LedgerEntry, ...] = ()


def visible_scopes(advance: Advance, scope: int) -> tuple[int, ...]:
    """The scopes whose completed activities a throw event in this scope compensates.

    BPMN 10.7.2: its own, and from an event sub-process that of the sub-process around it as well.
    What was chosen in an ad-hoc sub-process is in the scope of that.
    One that is a compensation handler has in its own what completed inside its sub-process.
    """
    found = [scope]
    while (outer := advance.instance(found[-1]).scope) is not None:
        if not advance.is_choice(found[-1]) and not _is_within(advance, found[-1]):
            break
        found.append(outer)
    return tuple(found)


def _is_within(advance: Advance, scope: int) -> bool:
    """Whether a scope is an event sub-process that events of the scope around it have begun."""
    element = advance.element(scope)
    by_event = isinstance(element, SubProcess) and element.by_event
    return by_event and not advance.instance(scope).compensates


def find(advance: Advance, scopes: tuple[int, ...], activity: str | None = None) -> Claim:
    """The entries to compensate in some scopes, the last to complete first.

    What another sweep has claimed is its own. A sub-process or loop stands where it completed, and
    is opened up there: nothing recurses, however deep they lie in each other.
    """
    ledger, waits = advance.state.ledger, advance.state.waits
    entries: list[e.LedgerEntry] = []
    expanded: list[e.LedgerEntry] = []
    pending = [
        (scope, entry)
        for outer in reversed(scopes)
        for scope, entry in _entries(advance, outer, activity)
    ]
    while pending:
        scope, entry = pending.pop()
        item = e.LedgerEntry(key=entry.key, scope=scope)
        if not entry.handler:
            expanded.append(item)
            pending.extend((entry.key, inner) for inner in ledger.get(entry.key, {}).values())
        elif entry.sweep not in waits:
            entries.append(item)
    return Claim(tuple(entries), tuple(expanded))


def _entries(
    advance: Advance, scope: int, activity: str | None
) -> Iterator[tuple[int, s.Compensable]]:
    """The entries of a scope, or of one activity in it, with the scopes in which they lie.

    Those of an ad-hoc sub-process may lie in the entries of what was chosen in it.
    """
    ledger, container = advance.state.ledger, advance.instance(scope).element_id
    for entry in ledger.get(scope, {}).values():
        if activity is None or entry.element_id == activity:
            yield scope, entry
        elif entry.element_id == container:
            for inner in ledger.get(entry.key, {}).values():
                if inner.element_id == activity:
                    yield entry.key, inner


def start(advance: Advance, owner: int, scope: int, claim: Claim, *, cancels: bool = False) -> None:
    """Begin a sweep over at least one entry, which `owner` waits for, or only lets run."""
    sweep = advance.new_key()
    advance.emit(
        e.CompensationStarted(
            key=sweep,
            owner=owner,
            scope=scope,
            entries=claim.entries,
            expanded=claim.expanded,
            cancels=cancels,
        )
    )
    go_on(advance, sweep)


def go_on(advance: Advance, key: int) -> None:
    """Begin the next handler of a sweep; after the last one the sweep is over."""
    sweep = _living(advance, key)
    if sweep is None:
        return
    if sweep.begun < len(sweep.entries):
        _begin_handler(advance, sweep)
        return
    advance.emit(e.CompensationEnded(key=key))
    if sweep.cancels:
        give_up(advance, sweep.owner)
    elif sweep.owner == sweep.scope:
        advance.touched[sweep.scope] = None  # it waited for all of the handlers
    elif not has_sweep(advance, sweep.owner):
        advance.due.append(DueStep(sweep.owner, Step.COMPLETE, None))


def next_sweep(advance: Advance) -> int | None:
    """The next sweep that goes on. What was given up meanwhile is forgotten, and costs no step:
    a cut transition, which finds it in the document each time, would never come to anything else.
    """
    while advance.swept:
        key = next(iter(advance.swept))
        if _living(advance, key) is not None:
            return key
        del advance.swept[key]
    return None


def _living(advance: Advance, key: int) -> s.SweepWait | None:
    """The sweep, unless it was given up with its owner, or with all that is around it."""
    sweep = advance.state.waits.get(key)
    if not isinstance(sweep, s.SweepWait) or advance.is_ending(sweep.scope):
        return None
    return sweep


def has_sweep(advance: Advance, owner: int) -> bool:
    """Whether handlers are still to run that an element instance waits for, or only lets run."""
    waits = (advance.state.waits[key] for key in advance.instance(owner).waits)
    return any(isinstance(wait, s.SweepWait) for wait in waits)


def find_sweeps(advance: Advance) -> None:
    """Read off the document which sweeps have no handler running: the next one is to begin."""
    state = advance.state
    busy: dict[int, None] = {}
    for key in compensating(state):
        element = state.elements[key]
        if element.scope is not None:
            busy[state.ledger[element.scope][element.compensates].sweep] = None
    for key in waits_of(state, s.SweepWait):
        if key not in busy:
            advance.swept[key] = None


def _begin_handler(advance: Advance, sweep: s.SweepWait) -> None:
    entry = advance.state.ledger[sweep.scope][sweep.entries[sweep.begun]]
    handler = advance.new_key()
    advance.emit(
        e.ElementActivated(
            key=handler, element_id=entry.handler, scope=sweep.scope, compensates=entry.key
        )
    )
    if entry.variables:
        advance.emit(e.VariablesSet(scope=handler, variables=entry.variables))
    element = advance.element(handler)
    if isinstance(element, SubProcess) and element.by_event:
        declare(advance, element.data, handler)
        start_event = advance.model.elements[element.starts[0]]
        begin_by(advance, handler, element, start_event)
    else:
        advance.due.append(DueStep(handler, Step.ACTIVATE, None))


def give_up(advance: Advance, transaction: int) -> None:
    """Compensate what completed in a transaction, or in all iterations of it; then leave it.

    A loop of transactions has one cancel boundary event, so that all of it is given up, as in
    Camunda 7: "if one instance triggers cancellation, the boundary event cancels all instances".
    What has begun while handlers were running is found when they are over.
    """
    instance = advance.instance(transaction)
    claim = find(advance, _given_up(advance, instance))
    if claim.entries:
        start(advance, transaction, transaction, claim, cancels=True)
        if instance.ordinal:
            terminate_beside(advance, transaction)
    else:
        _leave(advance, transaction)


def _given_up(advance: Advance, transaction: s.ElementInstance) -> tuple[int, ...]:
    """The scopes to compensate: its own, those of the other iterations, and what completed."""
    if not transaction.ordinal or transaction.scope is None:
        return (transaction.key,)
    others = [key for key in inside(advance.state, transaction.scope) if key != transaction.key]
    return (transaction.key, *sorted(others, reverse=True), transaction.scope)


def _leave(advance: Advance, transaction: int) -> None:
    """Leave a transaction, with all loops around it, through its cancel boundary event.

    BPMN 13.5.5 and 10.7: "A cancel Boundary Event ... is triggered after all compensation is done".
    """
    instance = advance.instance(transaction)
    if instance.ordinal and instance.scope is not None:
        transaction = instance.scope
    attached = (advance.model.elements[index] for index in advance.attached(transaction))
    event = next(
        item
        for item in attached
        if isinstance(item, BoundaryEvent)
        and any(isinstance(part, CancelTrigger) for part in parts_of(item.trigger))
    )
    interrupt(advance, transaction, event)
