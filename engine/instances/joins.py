"""Joins that wait only for what may still come: inclusive gateways with several incoming flows.

Whether such a join still has to wait depends on everything in its scope, so it is asked when all
else of a transition has settled, once for each scope in which something moved or ended: after an
arrival as well as after the end of a branch that now will never arrive.

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

from typing import NamedTuple

from engine.instances.advance import Advance, DueStep
from engine.instances.scans import places
from engine.lifecycle import Step
from engine.model.elements import AnyElement, InclusiveGateway, ParallelGateway, ProcessModel
from engine.model.reachability import reach_of
from engine.state import GateWait


class Scene(NamedTuple):
    """The tokens of one scope: the elements that have instances, the flows that have arrivals.

    `joins` are the gateways at which arrivals wait for others. Of these `gates` are the complex
    ones that have begun, with the flows that they have taken; None: they wait for their start.
    """

    living: dict[int, None]
    arrived: dict[int, None]
    joins: dict[int, AnyElement]
    gates: dict[int, tuple[str, ...] | None]


def settle_joins(advance: Advance) -> bool:
    """Put on the agenda what the joins that need not wait any longer begin with.

    Only scopes in which something moved are looked at, all of them in one pass over the elements.
    False: no join fires.
    """
    moved, advance.moved = advance.moved, {}
    scenes = {scope: scene for scope in moved if (scene := _scene(advance, scope)) is not None}
    if not scenes:
        return False
    for (inner, element_id), keys in places(advance.state):
        scene = scenes.get(inner)
        if scene is not None:
            scene.living[advance.model.element_index[element_id]] = None
            if advance.model.has_complex_joins:
                _place_gates(advance, scene, keys)
    for scope, scene in scenes.items():
        for join in _released(advance.model, scene):
            if join.index in scene.gates:
                advance.due.append(DueStep(advance.gates[scope, join.index], Step.COMPLETE, None))
                continue
            advance.free[scope, join.index] = None
            entry = next(flow for flow in join.incoming if flow in scene.arrived)
            advance.agenda.append((scope, entry))
    return bool(advance.agenda)


def _place_gates(advance: Advance, scene: Scene, keys: list[int]) -> None:
    """A complex gateway waits in the scene like a join."""
    model = advance.model
    for instance in map(advance.instance, keys):
        index = model.element_index[instance.element_id]
        for key in instance.waits:
            gate = advance.state.waits[key]
            if isinstance(gate, GateWait) and instance.scope is not None:
                scene.gates[index] = None if gate.waiting_for_start else gate.taken
                scene.joins[index] = model.elements[index]
                advance.gates[instance.scope, index] = instance.key


def take_free(advance: Advance, join: AnyElement, scope: int) -> tuple[str, ...] | None:
    """One arrival of each incoming flow that has some, once the join may fire; else None."""
    if (scope, join.index) not in advance.free:
        return None
    del advance.free[scope, join.index]
    arrivals = advance.state.arrivals.get(scope, {})
    flows = (advance.model.flows[index].id for index in join.incoming)
    return tuple(flow for flow in flows if flow in arrivals)


def _scene(advance: Advance, scope: int) -> Scene | None:
    """None when nothing waits there that could be released; living elements come later."""
    model = advance.model
    arrivals = advance.state.arrivals.get(scope, ())
    arrived = dict.fromkeys(model.flow_index[flow] for flow in arrivals)
    counts: dict[int, int] = {}
    for flow in arrived:
        target = model.flows[flow].target
        counts[target] = counts.get(target, 0) + 1
    joins: dict[int, AnyElement] = {}
    for target, count in counts.items():
        element = model.elements[target]
        match element:
            case InclusiveGateway() if len(element.incoming) > 1:
                joins[target] = element
            case ParallelGateway() if count < len(element.incoming):
                joins[target] = element
            case _:
                pass  # it is on its way: what it leads to is asked about like a living element
    inclusive = any(isinstance(join, InclusiveGateway) for join in joins.values())
    return Scene({}, arrived, joins, {}) if inclusive or model.has_complex_joins else None


class Hold(NamedTuple):
    """What keeps a join waiting: something that moves by itself, or (`behind`) other joins.

    `excepted`: each of these could also go where there is an arrival already.
    """

    moving: bool
    behind: tuple[int, ...]
    excepted: bool

    @property
    def is_free(self) -> bool:
        return not self.moving and not self.behind


def _released(model: ProcessModel, scene: Scene) -> list[AnyElement]:
    """The joins that fire now.

    All that are free do: a token that reached the missing flows of one over another would have
    held it. Else at most one of those that wait for each other.
    """
    waiting = [
        join
        for index, join in scene.joins.items()
        if isinstance(join, InclusiveGateway) or scene.gates.get(index) is not None
    ]
    holds = {join.index: _hold(model, scene, join) for join in waiting}
    free: list[AnyElement] = [join for join in waiting if holds[join.index].is_free]
    if free or all(hold.moving for hold in holds.values()):
        return free
    for index, join in scene.joins.items():
        if index not in holds:
            holds[index] = _hold(model, scene, join)
    waits = _waits_for_something(holds)
    stuck = [join for join in waiting if join.index not in waits]
    stuck.sort(key=lambda join: (not holds[join.index].excepted, join.index))
    return [*stuck[:1]]


def _waits_for_something(holds: dict[int, Hold]) -> set[int]:
    """The joins that something still on the move can reach, be it over other joins."""
    held_up: dict[int, list[int]] = {}
    for index, hold in holds.items():
        for other in hold.behind:
            held_up.setdefault(other, []).append(index)
    pending = [index for index, hold in holds.items() if hold.moving]
    found = set(pending)
    while pending:
        for index in held_up.get(pending.pop(), ()):
            if index not in found:
                found.add(index)
                pending.append(index)
    return found


def _full(model: ProcessModel, scene: Scene, join: AnyElement) -> int:
    """The incoming flows that a join need not wait for: arrived, or taken when it fired."""
    taken: tuple[str, ...] | None = ()
    if join.index in scene.gates:
        taken = scene.gates[join.index]
    if taken is None:
        return 0  # more may come on any of them before its condition holds
    done = {model.flow_index[flow] for flow in taken}
    flows = enumerate(join.incoming)
    return sum(1 << bit for bit, flow in flows if flow in scene.arrived or flow in done)


def _hold(model: ProcessModel, scene: Scene, join: AnyElement) -> Hold:
    reach = reach_of(model, join.index).from_element
    full = _full(model, scene, join)
    missing = ~full
    moving, excepted = False, True
    behind: dict[int, None] = {}
    for index in scene.living:
        mask = reach.get(index, 0)
        if not mask & missing or (index == join.index and index in scene.gates):
            continue
        if index not in scene.gates:
            return Hold(moving=True, behind=(), excepted=False)
        excepted = excepted and bool(mask & full)
        behind[index] = None
    for flow in scene.arrived:
        target = model.flows[flow].target
        mask = reach.get(target, 0)
        if target == join.index or not mask & missing:
            continue
        excepted = excepted and bool(mask & full)
        if target in scene.joins:
            behind[target] = None
        else:
            moving = True
    return Hold(moving, tuple(behind), excepted)
