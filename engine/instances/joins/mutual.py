"""Joins that wait for each other: which of them fires where nothing else would ever happen.

See `inclusive.py`, which asks here where a join waits for what has arrived at others, and for
nothing else. Then all of its scope is looked at: that is rare.
"""

from typing import NamedTuple

from engine.instances.advance import Advance
from engine.instances.scans import inside
from engine.model.elements import AnyElement, InclusiveGateway, ParallelGateway, ProcessModel
from engine.model.reachability import reach_of
from engine.state import ElementInstance, GateWait


class Scene(NamedTuple):
    """The tokens of one scope: the elements that have instances, the flows that have arrivals.

    `joins` are the gateways at which arrivals wait for others. Of these `gates` are the complex
    ones that have begun, with the flows that they have taken; None: they wait for their start.
    """

    living: dict[int, None]
    arrived: dict[int, None]
    joins: dict[int, AnyElement]
    gates: dict[int, tuple[str, ...] | None]


def released(advance: Advance, scope: int) -> list[AnyElement]:
    """The joins of a scope that fire now."""
    return _released(advance.model, _scene(advance, scope))


def _scene(advance: Advance, scope: int) -> Scene:
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
    scene = Scene({}, arrived, joins, {})
    for key in inside(advance.state, scope):
        instance = advance.instance(key)
        scene.living[model.element_index[instance.element_id]] = None
        if model.has_complex_joins:
            _place_gate(advance, scene, instance)
    return scene


def _place_gate(advance: Advance, scene: Scene, instance: ElementInstance) -> None:
    """A complex gateway waits in the scene like a join."""
    index = advance.model.element_index[instance.element_id]
    for key in instance.waits:
        gate = advance.state.waits[key]
        if isinstance(gate, GateWait):
            scene.gates[index] = None if gate.waiting_for_start else gate.taken
            scene.joins[index] = advance.model.elements[index]


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
