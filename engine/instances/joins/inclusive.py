"""Joins that wait only for what may still come: inclusive gateways with several incoming flows.

Whether such a join still has to wait depends on everything in its scope, so it is asked when all
else of a transition has settled: after an arrival at it, and after each move or end of a token that
could reach it, for such a branch may now never arrive. No other token matters, even where a join
waits for others: what can reach one of these can reach it as well, or must pass it before.

    a --> J --> b --> K        a moves: J and K are asked;  b moves: K alone
    c --> d                    c moves: none is, however many wait

BPMN 13.4.3: "The Inclusive Gateway is activated if at least one incoming Sequence Flow has at least
one token and for every directed path formed by Sequence Flow that starts with a Sequence Flow f of
the diagram that has a token, ends with an incoming Sequence Flow of the Inclusive Gateway that has
no token, and does not visit the Inclusive Gateway, there is also a directed path formed by Sequence
Flow that starts with f, ends with an incoming Sequence Flow of the Inclusive Gateway that has a
token, and does not visit the Inclusive Gateway."

A token is a living element instance, whatever holds it (an incident too), or an arrival.

    split --> a --> J          a done, b waits:      arrivals a-J 1; b reaches b-J: J waits
          --> b --> J          b's timer fires, its
          b! -----> end        boundary leads away:  nothing reaches b-J: J fires with a-J alone

Departure: the exception at the end of the rule ("there is also ...") lets a join fire while a token
can still go either way, and then once more for that token; a modeler who drew one join expects one
firing. So here it is an exception only where nothing else would ever happen: where joins wait for
each other alone. Of those the first in document order fires that the exception releases; where it
releases none, the specification leaves them stuck for ever, and here simply the first fires.

    F --> J1 --> A --> J2      F forks to J1 and J2, A and B may also end
    F --> J2 --> B --> J1
    arrivals F-J1 1, F-J2 1:   J1 waits for B-J1, which the arrival at J2 reaches over B;
                               J2 waits for A-J2, which the arrival at J1 reaches over A;
                               no other token: J1 fires, A begins
    A takes A-J2:              arrivals F-J2 1, A-J2 1: J2 fires, with both
    B takes B-J1:              arrivals B-J1 1, F-J1 is out of reach: J1 fires

The tests that pin it are in `tests/scenarios/test_inclusive.py`.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final

from engine.instances.advance import Advance, DueStep
from engine.instances.evolve import widen
from engine.instances.joins import mutual
from engine.instances.joins.tokens import TokenMap, map_of, tokens_of
from engine.instances.scans import at
from engine.lifecycle import Step
from engine.model.elements import AnyElement, ComplexGateway
from engine.pages import look
from engine.state import GateWait

ALL_JOINS: Final = -1
"""Of a scope, as a set as in `Joins`."""


class Answer(Enum):
    """What keeps a join waiting: something that moves by itself, other joins, or nothing."""

    HELD = "held"
    BEHIND = "behind"
    FREE = "free"


def settle_joins(advance: Advance) -> bool:
    """Put on the agenda what the joins that need not wait any longer begin with.

    False: no join fires.
    """
    moved, advance.moved = advance.moved, {}
    for scope, asked in moved.items():
        if not advance.is_over(scope):
            _settle(advance, scope, asked)
    return bool(advance.agenda)


def _settle(advance: Advance, scope: int, asked: int) -> None:
    """Ask these joins of a scope, a set as in `Joins`."""
    joins = map_of(advance.model)
    waiting = asked & _waiting(advance, joins, scope)
    if not waiting:
        return
    free: list[AnyElement] = []
    behind = 0
    for number in _numbers(waiting):
        match _ask(advance, joins, scope, number):
            case Answer.FREE:
                free.append(advance.model.elements[joins.indexes[number]])
            case Answer.BEHIND:
                behind |= 1 << number
            case Answer.HELD:
                pass
    if behind and not free:
        free = mutual.released(advance, scope)
    if free and behind:
        advance.moved[scope] = behind  # what was released decides on them
    for join in free:
        _release(advance, scope, join)


def _waiting(advance: Advance, joins: TokenMap, scope: int) -> int:
    """The joins of a scope with arrivals, or in a cycle that may end."""
    widen(advance.state, scope)
    waiting = joins.waiting_at(advance.state.arrivals.get(scope, {}))
    return waiting | joins.begun(advance.state.elements, scope)


def _numbers(joins: int) -> Iterator[int]:
    while joins:
        lowest = joins & -joins
        yield lowest.bit_length() - 1
        joins ^= lowest


def _ask(advance: Advance, joins: TokenMap, scope: int, number: int) -> Answer:
    """Whether anything can still come to a join on a flow on which nothing has."""
    model, elements = advance.model, advance.state.elements
    index = joins.indexes[number]
    tokens = tokens_of(model, index)
    flows = advance.state.arrivals.get(scope, {})
    full = 0
    if isinstance(tokens.join, ComplexGateway):
        gate = _gate(advance, scope, tokens.join)
        if gate is None or gate.waiting_for_start:
            return Answer.HELD  # its condition is what it waits for
        for flow in gate.taken:
            full |= tokens.bits[flow]
    for part in joins.flows_at(flows, number):
        full |= look(part, tokens.arrived)
    missing = ~full
    is_behind = False
    for place in joins.near(elements, scope, number):
        if look(place, tokens.from_elements).get(scope, 0) & missing:
            return Answer.HELD
        is_behind = is_behind or bool(look(place, tokens.from_gates).get(scope, 0) & missing)
    is_behind = is_behind or any(
        look(part, tokens.from_flows) & missing for part in joins.flows_near(flows, number)
    )
    return Answer.BEHIND if is_behind else Answer.FREE


def _gate(advance: Advance, scope: int, join: ComplexGateway) -> GateWait | None:
    """What a complex gateway that has begun waits for."""
    for key in at(advance.state, scope, join.id):
        for wait in map(advance.state.waits.__getitem__, advance.instance(key).waits):
            if isinstance(wait, GateWait):
                advance.gates[scope, join.index] = key
                return wait
    return None


def _release(advance: Advance, scope: int, join: AnyElement) -> None:
    if isinstance(join, ComplexGateway):
        _gate(advance, scope, join)
        advance.due.append(DueStep(advance.gates[scope, join.index], Step.COMPLETE, None))
        return
    arrivals, flows = advance.state.arrivals[scope], advance.model.flows
    advance.free[scope, join.index] = None
    entry = next(flow for flow in join.incoming if flows[flow].id in arrivals)
    advance.agenda.append((scope, entry))


def take_free(advance: Advance, join: AnyElement, scope: int) -> tuple[str, ...] | None:
    """One arrival of each incoming flow that has some, once the join may fire; else None."""
    if (scope, join.index) not in advance.free:
        return None
    del advance.free[scope, join.index]
    arrivals = advance.state.arrivals.get(scope, {})
    flows = (advance.model.flows[index].id for index in join.incoming)
    return tuple(flow for flow in flows if flow in arrivals)
