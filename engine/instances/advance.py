"""The transition under way: one command on one instance, from its state to the next.

Handlers and commands emit events through it; each event changes the draft at once, so that what
follows sees it. What is still to do waits in queues, none of them part of the state:

- `due`: steps of element instances that must be taken before anything else;
- `touched`: scopes in which something ended, perhaps the last thing;
- `swept`: sweeps of compensation whose handler has ended, by key;
- `moved`: by scope, a set as in `Joins`: those that something which moved or ended came to, or
  may have held up, so that they may no longer have to wait;
- `free`: joins, by scope and index, that need not wait; the agenda comes to them;
- `gates`: complex gateways under way, by scope and index, as they were found;
- `agenda`: flows that arrived and scopes to start. Only here a transition may be cut: all of it can
  be read off the document (arrivals not yet consumed, scopes in which nothing has begun);
- `ending`: element instances that are over, with more inside than is ended at once.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from engine import commands as c
from engine import events as e
from engine import variables as v
from engine.effects import CONSEQUENCES
from engine.effects.consequences import Consequences
from engine.instances.changes import Changes, marks_of
from engine.instances.evaluator import Evaluator
from engine.instances.evolve import evolve
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import ElementState, Step
from engine.model.elements import Activity, AnyElement, ProcessModel, SubProcess
from engine.model.reachability import joins_of
from engine.outcome import Context
from engine.state import AdHocWait, ElementInstance, ProcessInstance, TaskWait

SCOPE_START = -1
"""Stands in the agenda where a flow's index does, for the start of the scope itself."""


class DueStep(NamedTuple):
    """`payload`: the variables that what happened brought along, as JSON texts."""

    key: int
    step: Step
    payload: v.Texts | None


class Advance:
    """See the module. `state` is the draft, which only `evolve` changes."""

    def __init__(
        self, context: Context, model: ProcessModel, state: ProcessInstance, *, steps: int = 0
    ) -> None:
        self.context = context
        self.model = model
        self.state = state
        self.events: list[e.AnyEvent] = []
        self.dirty: set[int] = set()
        self.due: deque[DueStep] = deque()
        self.touched: dict[int, None] = {}
        self.swept: dict[int, None] = {}
        self.moved: dict[int, int] = {}
        self.joins = joins_of(model)
        self.free: dict[tuple[int, int], None] = {}
        self.gates: dict[tuple[int, int], int] = {}
        self.agenda: deque[tuple[int, int]] = deque()
        self.ending: dict[int, None] = {}
        self.changes = Changes()
        self.consequences = Consequences(context, model, state)
        self.consequences.steps = steps
        self._key = state.counter
        self.evaluator = Evaluator(context, state)

    # --- events ---

    def emit(self, event: e.AnyEvent) -> None:
        """Let an event happen: its consequences are collected, then it changes the draft."""
        kind = type(event)
        row = CONSEQUENCES[kind]
        if row is not None:
            row(self.consequences, event)
        note = _NOTES.get(kind)
        if note is not None:
            note(self, event)
        evolve(self.state, event, self.context.now)
        self.events.append(event)

    def ask_joins(self, scope: int, element_id: str) -> None:
        """Let the joins be asked again that a token at this element may have held up."""
        joins = self.joins.from_element.get(element_id)
        if joins is not None:
            self.moved[scope] = self.moved.get(scope, 0) | joins

    def new_key(self) -> int:
        """The next number of this instance."""
        self._key += 1
        return self._key

    @property
    def steps(self) -> int:
        """Steps taken since the last stimulus, by this transition and those that led to it."""
        return self.consequences.steps

    def send(self, command: c.AnyCommand, *, through_log: bool = False) -> None:
        """Send a command to another aggregate, or (through the log) to this one later."""
        self.consequences.send(command, through_log=through_log)

    # --- elements ---

    def instance(self, key: int) -> ElementInstance:
        return self.state.elements[key]

    def element(self, key: int) -> AnyElement:
        """The element of a living element instance other than the process's own."""
        return self.model.element(self.state.elements[key].element_id)

    def is_loop(self, key: int) -> bool:
        """Whether an element instance is a loop: what the activity does, its iterations do."""
        instance = self.state.elements[key]
        if instance.scope is None or instance.ordinal or self.is_choice(key):
            return False
        return getattr(self.element(key), "loop", None) is not None

    def is_choice(self, key: int) -> bool:
        """Whether an element instance is the scope of something chosen in an ad-hoc sub-process.

        It is one of the same element as the ad-hoc sub-process that it lies in.
        """
        elements = self.state.elements
        instance = elements[key]
        if not instance.ad_hoc or instance.scope is None:
            return False
        return elements[instance.scope].element_id == instance.element_id

    def is_over(self, key: int) -> bool:
        """Whether an element instance was ended, or is to be part by part."""
        return key not in self.state.elements or self.is_ending(key)

    def is_answered(self, owner: int) -> bool:
        """Whether what an element instance waits for may still come; not if that is over.

        But for listeners: a process and a user task that are ended before their time have some.
        """
        return owner == self.state.root or not self.is_ending(owner) or self.is_canceling(owner)

    def is_ending(self, key: int) -> bool:
        """Whether an element instance, or one around it, is over and only waits to be ended."""
        elements, loops = self.state.elements, self.state.loops
        here: int | None = key if key in elements else None
        while here is not None:
            element = elements[here]
            here = element.scope
            if element.state is ElementState.TERMINATING:
                return True
            if element.ordinal and here is not None and loops[here].stopped:
                return True
        return False

    def is_canceling(self, key: int) -> bool:
        """Whether an element instance is over but for the listeners at the end of its user task."""
        elements, waits = self.state.elements, self.state.waits
        if key not in elements or elements[key].state is not ElementState.TERMINATING:
            return False
        return any(isinstance(waits[number], TaskWait) for number in elements[key].waits)

    def offer_of(self, scope: int) -> AdHocWait | None:
        """What an ad-hoc sub-process offers; None: the scope is no such thing, or interrupted."""
        if not self.model.has_ad_hocs:
            return None
        waits = self.state.waits
        for key in self.state.elements[scope].waits:
            wait = waits[key]
            if isinstance(wait, AdHocWait):
                return wait
        return None

    def attached(self, key: int) -> tuple[int, ...]:
        """The boundary events of an element instance: a loop has them, not its iterations."""
        instance = self.state.elements[key]
        if instance.scope is None or instance.ordinal or self.is_choice(key):
            return ()
        element = self.element(key)
        return element.boundary if isinstance(element, Activity) else ()

    def begin_iteration(self, element: AnyElement, loop: int) -> None:
        """Activate the next iteration of a loop; its first step is due."""
        key, ordinal = self.new_key(), self.state.loops[loop].begun + 1
        self.emit(e.ElementActivated(key=key, element_id=element.id, scope=loop, ordinal=ordinal))
        self.due.append(DueStep(key, Step.ACTIVATE, None))

    def activate(self, element: AnyElement, scope: int, *, consumed: tuple[str, ...] = ()) -> int:
        """Activate an element, with no step due yet."""
        key = self.new_key()
        self.emit(
            e.ElementActivated(
                key=key,
                element_id=element.id,
                scope=scope,
                consumed=consumed,
                ad_hoc=self._counted_by(element, scope),
            )
        )
        return key

    def _counted_by(self, element: AnyElement, scope: int) -> int:
        """The offer that counts what a flow begins in an ad-hoc sub-process: its activities."""
        if not self.model.has_ad_hocs or not isinstance(element, Activity):
            return 0
        offer = self.offer_of(scope)
        by_event = isinstance(element, SubProcess) and element.by_event
        return 0 if offer is None or by_event else offer.key

    def begin(
        self,
        element: AnyElement,
        scope: int,
        *,
        consumed: tuple[str, ...] = (),
        step: Step,
        payload: v.Texts | None = None,
    ) -> int:
        """Activate an element; its first step is due."""
        key = self.activate(element, scope, consumed=consumed)
        self.due.append(DueStep(key, step, payload))
        return key

    def take(self, flow_index: int, scope: int) -> None:
        """Take a sequence flow; its target is on the agenda.

        In an ad-hoc sub-process that is stopped none is taken: nothing may begin there.
        """
        offer = self.offer_of(scope)
        if offer is not None and offer.stopped:
            return
        self.emit(e.FlowTaken(flow_id=self.model.flows[flow_index].id, scope=scope))
        self.agenda.append((scope, flow_index))

    # --- variables ---

    def set_variables(self, scope: int, variables: v.Texts) -> None:
        """Set variables in just this scope. Raises StuckError beyond the instance's limit."""
        if variables:
            self.set_each({scope: dict(variables)})

    def propagate(self, scope: int, variables: v.Texts) -> None:
        """Write without a mapping: each to the nearest scope that has the name, else the root."""
        self.set_each(v.propagate(self.state, scope, variables))

    def set_each(self, targets: dict[int, dict[str, str]]) -> None:
        """Set variables in several scopes, all or none. Raises StuckError as `set_variables`."""
        limit = self.context.settings.variables_bytes_max
        growth = sum(v.growth(self.state, scope, texts) for scope, texts in targets.items())
        total = self.state.variables_bytes + growth
        if growth > 0 and total > limit:
            names = ", ".join(name for texts in targets.values() for name in texts)
            raise StuckError(
                IncidentKind.TOO_LARGE,
                f"Expected variables of at most {limit} bytes, found {total} with {names[:200]}",
            )
        for scope, texts in targets.items():
            self.emit(e.VariablesSet(scope=scope, variables=texts))


def _note_variables(advance: Advance, event: e.VariablesSet) -> None:
    advance.dirty.add(event.scope)
    if advance.model.conditional:
        advance.changes.set(event.scope, event.variables)
        if advance.model.filters_changes:
            own = advance.state.variables.get(event.scope, {})
            advance.changes.set(event.scope, marks_of(own, event.variables))


def _note_flow(advance: Advance, event: e.FlowTaken) -> None:
    join = advance.joins.at_flow.get(event.flow_id)
    if join is not None:
        advance.moved[event.scope] = advance.moved.get(event.scope, 0) | join


def _note_end(advance: Advance, event: e.ElementCompleted | e.ElementTerminated) -> None:
    state, key = advance.state, event.key
    if key in state.variables:
        advance.dirty.add(key)
    instance = state.elements[key]
    scope = instance.scope
    if scope is not None:
        if instance.compensates:
            advance.swept[state.ledger[scope][instance.compensates].sweep] = None
        advance.touched[scope] = None
        advance.ask_joins(scope, instance.element_id)


# Any: a row takes its own kind of event, which the key names.
_NOTES: Final[Mapping[type[e.AnyEvent], Callable[[Advance, Any], None]]] = {
    e.VariablesSet: _note_variables,
    e.FlowTaken: _note_flow,
    e.ElementCompleted: _note_end,
    e.ElementTerminated: _note_end,
}
"""What an event, before it changes the draft, leaves to do in the queues."""
