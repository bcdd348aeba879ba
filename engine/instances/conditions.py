"""Conditional events: evaluated when they are armed and after each change of variables.

They occur on the edge from false to true, so what is known of each is whether it held the last
time. Those that ask for what has changed (`condition_names.py`) are asked in the order in which
they were armed, after the step that changed it; what one of them leads to comes before the next
change is looked at. Very many are asked part by part: a transition may be cut between them.
"""

from typing import Final

from engine import events as e
from engine import state as s
from engine.errors import InvariantError
from engine.instances.advance import Advance, DueStep
from engine.instances.condition_names import names_of
from engine.instances.evolve import widen
from engine.instances.limits import clip
from engine.instances.listeners import going_on
from engine.instances.occurrences import occur
from engine.instances.stuck import StuckError
from engine.instances.triggers.condition import holds
from engine.lifecycle import Step
from engine.model.elements import ConditionTrigger, NoneTrigger, parts_of

_EXPRESSION_STEPS: Final = 1_000
"""How many steps of expressions weigh as much as one step of the process: one may be worth twenty.
"""

_CONDITIONS: Final = 4
"""How many conditions weigh as much as one step of the process, however cheap they are."""


_CARRIED: Final = 16_384
"""How many characters of variables that jobs, tasks and called instances are given weigh as much as
one step of the process. With a thousand steps a commit has 16 MB of them, however wide a loop."""


def weight(advance: Advance) -> int:
    """What the transition weighs beside its steps, in steps."""
    spent = advance.evaluator.spent // _EXPRESSION_STEPS
    carried = advance.consequences.carried // _CARRIED
    return spent + carried + advance.changes.asked // _CONDITIONS


def ask_conditions(advance: Advance, room: int) -> None:
    """Evaluate what has changed of the conditions waited for; let those occur that became true.

    With no `room` left, in steps, the transition is cut: its rest asks those that come behind.
    """
    changes = advance.changes
    keys = _to_ask(advance)
    changes.forget()
    if changes.unasked is not None and keys:
        changes.cut(keys[0] - 1)
        return
    for key in keys:
        if weight(advance) >= room:
            changes.cut(key - 1)
            return
        changes.asked += 1
        wait = advance.state.waits.get(key)
        if isinstance(wait, s.ConditionWait):
            _ask_event(advance, wait)
        elif isinstance(wait, s.GateWait):
            _ask_gateway(advance, wait)


def _to_ask(advance: Advance) -> list[int]:
    """The waits to look at, in the order in which they were armed."""
    changes, names = advance.changes, names_of(advance.model)
    widen(advance.state)
    found = dict.fromkeys(changes.armed)
    for scope, changed in changes.by_scope.items():
        if scope in advance.state.elements:
            found.update(dict.fromkeys(names.touched(advance.state, scope, changed)))
    if changes.behind is not None:
        behind = changes.behind
        found.update(dict.fromkeys(key for key in names.all(advance.state) if key > behind))
    return sorted(found)


def _ask_event(advance: Advance, wait: s.ConditionWait) -> None:
    if advance.is_ending(wait.owner):
        return
    result = _result(advance, wait)
    if result is not None and result != wait.holds:
        _change(advance, wait, result=result)


def _ask_gateway(advance: Advance, wait: s.GateWait) -> None:
    """Let a complex gateway look again whose activation asks for variables.

    BPMN 10.6.5: an activationCondition "refers to data and to the activationCount of incoming
    gates"; 13.4.5: only if it "never becomes true in the first phase, tokens are blocked".
    """
    if wait.waiting_for_start and not _is_stuck(advance, wait.owner):
        step = going_on(advance.element(wait.owner), Step.RUN)
        advance.due.append(DueStep(wait.owner, step, None))


def _is_stuck(advance: Advance, owner: int) -> bool:
    """Whether an incident holds it already: that looks again once it is resolved."""
    owned = (advance.state.waits[key] for key in advance.instance(owner).waits)
    return any(isinstance(other, s.IncidentWait) for other in owned)


def _result(advance: Advance, wait: s.ConditionWait) -> bool | None:
    """Whether it holds; None, and an incident, where that cannot be told."""
    trigger = _trigger(advance, wait)
    try:
        return holds(advance, trigger.condition, wait.owner)
    except StuckError as stuck:
        if not _is_told(advance, wait):
            advance.emit(
                e.IncidentRaised(
                    key=advance.new_key(),
                    owner=wait.owner,
                    kind=stuck.kind,
                    message=clip(stuck.message),
                    step=Step.NOTHING,
                    element_id=wait.element_id,
                )
            )
        return None


def _trigger(advance: Advance, wait: s.ConditionWait) -> ConditionTrigger:
    """The condition of the event; of several that one may have, the one with this text."""
    event = advance.model.element(wait.element_id)
    for trigger in parts_of(getattr(event, "trigger", NoneTrigger())):
        if isinstance(trigger, ConditionTrigger) and trigger.condition.text == wait.condition:
            return trigger
    raise InvariantError(f"{wait.element_id} waits for {wait.condition!r}, which is not its own")


def _is_told(advance: Advance, wait: s.ConditionWait) -> bool:
    """Whether an incident says already that this condition cannot be evaluated."""
    owned = (advance.state.waits[key] for key in advance.instance(wait.owner).waits)
    return any(
        isinstance(other, s.IncidentWait) and other.element_id == wait.element_id for other in owned
    )


def _change(advance: Advance, wait: s.ConditionWait, *, result: bool) -> None:
    if result and wait.interrupting:
        advance.emit(e.SubscriptionClosed(key=wait.key, taken=True))
    else:
        condition = _trigger(advance, wait).condition
        advance.emit(
            e.ConditionEvaluated(
                scope=wait.owner,
                flow_id="",
                expression=condition.text,
                result=result,
                key=wait.key,
            )
        )
    if result:
        # It counts as a step: events that make each other true are an endless loop, too.
        advance.consequences.steps += 1
        occur(advance, wait.owner, wait.element_id, None)
