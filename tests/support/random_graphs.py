"""Random graphs without any structure: splits, merges, inclusive joins and loops as they come.

    node i:  merge i --> task i --> split i --> merges of later nodes, and back

A way back is taken only as long as the counter `rounds` allows it, so every process comes to its
end by itself. Whether a node merges or joins what arrives is left to chance, and so is whether what
a split has parted ever meets again: but each branch must come to an end, and no join may hang.
"""

from random import Random

from engine import events as e
from engine.lifecycle import ElementState
from engine.model.elements import (
    Activity,
    AdHocSubProcess,
    ComplexGateway,
    InclusiveGateway,
    LinkTrigger,
    ParallelGateway,
    ProcessModel,
)
from engine.state import ProcessInstance
from tests.support.models import (
    boundary,
    call_activity,
    catch,
    compiled,
    complex_gateway,
    end,
    error_event,
    escalation_event,
    exclusive,
    flow,
    inclusive,
    link_event,
    looped,
    multi_instance,
    parallel,
    script_task,
    service_task,
    signal_event,
    start,
    sub_process,
    task,
    terminate_event,
    throw,
    timer,
    user_task,
)
from tests.support.random_triggers import ROOTS


def random_graph(chance: Random) -> ProcessModel:
    """A process of nodes each of which leads to later ones, some of them back as well."""
    count = 3 + chance.randrange(6)
    targets = {number: {number + 1} for number in range(count)}
    for number in range(count - 1):
        for _ in range(chance.randrange(3)):
            targets[number].add(number + 1 + chance.randrange(count - number))
    parts = [start("s"), flow("s", "merge0"), end("e"), flow(f"merge{count}", "e")]
    for number in range(count + 1):
        merge = chance.choice((inclusive, inclusive, exclusive, _early))
        parts.append(merge(f"merge{number}"))
    for number, ahead in targets.items():
        back = chance.randrange(number + 1) if chance.randrange(4) == 0 else None
        parts += _node(chance, number, sorted(ahead), back)
    return compiled(*ROOTS, *parts)


def _early(element_id: str) -> str:
    """A complex gateway that goes on with the first arrival and gathers the rest."""
    return complex_gateway(element_id, "=activationCount >= 1")


def _node(chance: Random, number: int, ahead: list[int], back: int | None) -> list[str]:
    work, split = f"task{number}", f"split{number}"
    activity = _activity(chance, work)
    parts = [activity, flow(f"merge{number}", work)]
    if chance.randrange(3) == 0 and not activity.startswith("<bpmn:intermediate"):
        late, trigger = f"late{number}", chance.choice(_EDGES)
        interrupting = trigger == _EDGES[0] or bool(chance.randrange(2))
        parts += [boundary(late, work, trigger, interrupting=interrupting),
                  flow(late, f"merge{ahead[-1]}")]  # fmt: skip
    after = work
    if back is not None:
        again, count_up = f"again{number}", f"count{number}"
        ahead_id = f"ahead{number}"
        parts += [
            script_task(count_up, "=rounds + 1", result="rounds"),
            exclusive(again, default=ahead_id),
            flow(work, count_up),
            flow(count_up, again),
            flow(again, f"merge{back}", condition="=rounds < 4"),
            flow(again, split, flow_id=ahead_id),
        ]
    else:
        parts.append(flow(after, split))
    return parts + _split(chance, split, ahead)


_EDGES = (error_event(), timer(duration="PT5M"), signal_event("go"), escalation_event())


def _activity(chance: Random, work: str) -> str:
    """What a node does, which may be to wait, or a scope that ends itself in its own way."""
    begin, left, over = f"{work}-s", f"{work}-left", f"{work}-over"
    inside = (start(begin), user_task(left), end(over, terminate_event()), flow(begin, left),
              flow(begin, over), flow(left, over))  # fmt: skip
    kinds = (
        task(work),
        service_task(work),
        user_task(work),
        catch(work, timer(duration="PT2M")),
        call_activity(work, "called", all_out=False),  # else it sets the counter back
        sub_process(work, *inside),
        looped(user_task(work), multi_instance(times="2")),
    )
    return kinds[chance.randrange(len(kinds))]


def _split(chance: Random, split: str, ahead: list[int]) -> list[str]:
    default, *others = [f"merge{target}" for target in ahead]
    if not others and chance.randrange(3) == 0:
        there = f"{split}-there"
        return [throw(split, link_event(split)), catch(there, link_event(split)),
                flow(there, default)]  # fmt: skip
    kind = chance.randrange(3)
    if kind == 0:
        return [parallel(split), *(flow(split, f"merge{target}") for target in ahead)]
    default_id = f"{split}-default"
    gateway = (inclusive if kind == 1 else exclusive)(split, default=default_id)
    conditions = [flow(split, target, condition=f"=n > {chance.randrange(5)}") for target in others]
    return [gateway, *conditions, flow(split, default, flow_id=default_id)]


# --- what must hold of inclusive joins, by walking every path anew ---


def assert_joins_fired_rightly(model: ProcessModel, events: list[e.AnyEvent]) -> None:
    """Replay a history: no join fired while something on the move could still reach it.

    Only arrivals at other joins may have been left behind, where these waited for each other.
    """
    living: dict[int, tuple[int, int]] = {}
    gates: dict[int, int] = {}
    arrivals: dict[tuple[int, int], int] = {}
    taken = consumed = 0
    for event in events:
        match event:
            case e.FlowTaken():
                key = (event.scope, model.flow_index[event.flow_id])
                arrivals[key] = arrivals.get(key, 0) + 1
                taken += 1
            case e.ElementActivated() if event.element_id in model.element_index:
                index = model.element_index[event.element_id]
                consumed += _consume(model, arrivals, event.scope, event.consumed)
                _assert_free(model, event, living)
                living[event.key] = (event.scope, index)
            case e.GateOpened():
                gates[event.key] = event.owner
            case e.GateFired():
                scope = living[gates[event.key]][0]
                consumed += _consume(model, arrivals, scope, event.consumed)
            case e.ElementCompleted():
                scope = living.pop(event.key, (0, 0))[0]
                consumed += _consume(model, arrivals, scope, event.discarded)
            case e.ElementTerminated():
                living.pop(event.key, None)
            case _:
                pass
    assert taken == consumed, "a branch was lost"
    assert not any(arrivals.values())


def _consume(
    model: ProcessModel,
    arrivals: dict[tuple[int, int], int],
    scope: int,
    flow_ids: tuple[str, ...],
) -> int:
    for flow_id in flow_ids:
        arrivals[scope, model.flow_index[flow_id]] -= 1
    return len(flow_ids)


def _assert_free(
    model: ProcessModel, fired: e.ElementActivated, living: dict[int, tuple[int, int]]
) -> None:
    """Nothing alive could reach the flows on which the join had no arrival to consume."""
    join = model.element(fired.element_id)
    if not isinstance(join, InclusiveGateway):
        return
    missing = {flow for flow in join.incoming if model.flows[flow].id not in fired.consumed}
    for scope, index in living.values():
        if scope == fired.scope and not isinstance(model.elements[index], ComplexGateway):
            assert not _reached(model, index, join.index) & missing, f"{join.id} fired early"


def _reached(model: ProcessModel, start_at: int, join: int) -> set[int]:
    """The incoming flows of a join that can be reached from an element without passing it."""
    found: set[int] = set()
    seen = {start_at}
    pending = [start_at]
    while pending:
        element = model.elements[pending.pop()]
        ways = list(element.outgoing)
        ahead = [model.flows[way].target for way in ways]
        found |= {way for way in ways if model.flows[way].target == join}
        if isinstance(element, Activity):
            ahead += element.boundary
        if isinstance(trigger := getattr(element, "trigger", None), LinkTrigger) and trigger.target:
            ahead.append(trigger.target)
        for index in ahead:
            if index != join and index not in seen:
                seen.add(index)
                pending.append(index)
    return found


def _is_over(state: ProcessInstance, key: int) -> bool:
    """Whether an element instance, or one around it, is ended and only not yet gone."""
    here: int | None = key
    while here is not None:
        element = state.elements[here]
        here = element.scope
        if element.state is ElementState.TERMINATING:
            return True
        if element.ordinal and here is not None and state.loops[here].stopped:
            return True
    return False


def assert_joins_wait_for_something(model: ProcessModel, state: ProcessInstance) -> None:
    """While all is quiet, whatever waits at a join waits for something that can still come."""
    for scope, flows in state.arrivals.items():
        if _is_over(state, scope):
            continue  # it only waits for listeners at the end of something inside
        around = model.element_index.get(state.elements[scope].element_id)
        if around is not None and isinstance(model.elements[around], AdHocSubProcess):
            continue  # where one activity runs after the other, arrivals wait for their turn
        for flow_id in flows:
            join = model.flows[model.flow_index[flow_id]].target
            element = model.elements[join]
            if isinstance(element, ComplexGateway):
                continue  # of a flow that it has taken already, it keeps more for its next cycle
            assert isinstance(element, InclusiveGateway | ParallelGateway), (
                f"{flow_id} is left over"
            )
            missing = {flow for flow in element.incoming if model.flows[flow].id not in flows}
            moving = [
                model.element_index[item.element_id]
                for item in state.elements.values()
                if item.scope == scope
            ]
            moving += [
                target
                for other in flows
                if (target := model.flows[model.flow_index[other]].target) != join
            ]
            assert any(_reached(model, index, join) & missing for index in moving), "a join hangs"
