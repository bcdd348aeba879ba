"""What must hold in every document of a process instance, whatever happened to it."""

from collections import Counter

from engine.lifecycle import Step
from engine.model.vocabulary import LISTENER
from engine.state import (
    AdHocWait,
    HoldWait,
    IncidentWait,
    JobWait,
    ProcessInstance,
    TaskChange,
    TaskWait,
    TimerWait,
    Tombstone,
    Wait,
)
from engine.variables import size


def assert_consistent(state: ProcessInstance | Tombstone, timers: dict[int, int]) -> None:
    """The parts of a document agree with each other, and with the timers armed for it."""
    if isinstance(state, Tombstone):
        assert timers == {}, "timers of an ended instance"
        return
    _assert_scopes(state)
    _assert_waits(state)
    _assert_loops(state)
    _assert_offers(state)
    assert timers == _timers(state), "the armed timers are not those of the document"
    kept = [own for wait in state.waits.values() for own in _kept(wait)]
    own = [*state.variables.values(), *kept]
    assert state.variables_bytes == sum(map(size, own))


def _kept(wait: Wait) -> tuple[dict[str, str], ...]:
    """What comes into a scope only when something else is done."""
    match wait:
        case TaskWait(change=TaskChange(variables=variables)) | HoldWait(variables=variables):
            return (variables,)
        case AdHocWait():
            return wait.variables
        case _:
            return ()


def _assert_scopes(state: ProcessInstance) -> None:
    inside = Counter(item.scope for item in state.elements.values())
    for key, element in state.elements.items():
        arrivals = sum(state.arrivals.get(key, {}).values())
        assert element.open == inside[key] + arrivals, f"{element} counts what it holds wrongly"
        assert element.scope is None or element.scope in state.elements
        assert (element.scope is None) == (key == state.root)
    for scopes in (state.arrivals, state.variables):
        assert set(scopes) <= set(state.elements), "something outlived its scope"
    assert all(count > 0 for flows in state.arrivals.values() for count in flows.values())
    assert all(state.arrivals.values())
    assert all(state.variables.values())


def _assert_loops(state: ProcessInstance) -> None:
    iterations = Counter(item.scope for item in state.elements.values() if item.ordinal)
    assert set(state.loops) <= set(state.elements), "a loop outlived its activity"
    assert set(state.outputs) <= set(state.elements), "outputs outlived what collects them"
    assert set(iterations) <= set(state.loops)
    loops_bytes = 0
    for key, loop in state.loops.items():
        assert loop.begun == loop.completed + loop.terminated + iterations[key]
        assert loop.count is None or loop.begun <= loop.count
        loops_bytes += sum(len(text.encode()) for text in loop.items)
    for pages in state.outputs.values():
        texts = [text for page in pages.values() for text in page.values()]
        loops_bytes += sum(len(text.encode()) for text in texts)
    assert state.loops_bytes == loops_bytes


def _assert_offers(state: ProcessInstance) -> None:
    counted = Counter(item.ad_hoc for item in state.elements.values())
    for key, offer in state.waits.items():
        if isinstance(offer, AdHocWait):
            assert offer.active == counted[key]
            assert offer.begun >= offer.completed + offer.active
            assert not (offer.stopped and offer.chosen)
            assert not offer.variables or len(offer.variables) == len(offer.chosen)


def _assert_waits(state: ProcessInstance) -> None:
    owned = {key: item.key for item in state.elements.values() for key in item.waits}
    assert owned == {key: wait.owner for key, wait in state.waits.items()}
    numbers = [*state.elements, *state.waits]
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) <= state.counter


def _timers(state: ProcessInstance) -> dict[int, int]:
    due: dict[int, int] = {}
    for key, wait in state.waits.items():
        if isinstance(wait, TimerWait):
            due[key] = wait.due_ms
        elif isinstance(wait, JobWait) and wait.retry_at is not None:
            due[key] = wait.retry_at
    return due


def assert_asleep(state: ProcessInstance) -> None:
    """When all is quiet every living element holds others or waits for something."""
    root = state.elements[state.root]
    for element in state.elements.values():
        if element.key in state.loops and root.waits:
            continue  # the limit of steps has stopped it between two iterations
        scope = element if element.scope is None else state.elements[element.scope]
        held = any(_holds_back(state.waits[key]) for key in scope.waits)
        assert element.open or element.waits or held, f"{element} waits for nothing"


def _holds_back(wait: Wait) -> bool:
    """What began a scope waits for the listeners of it, for its inputs, or until both can be."""
    if isinstance(wait, IncidentWait):
        return wait.step in {Step.RUN, Step.TAKE}
    return isinstance(wait, JobWait) and LISTENER in wait.headers
