"""Conditional events: evaluated when they are armed and after each change of variables.

They occur on the edge from false to true, so what is known of each is whether it held the last
time. All that wait are asked, in the order in which they were armed, after the step that changed
something; what one of them leads to comes before the next change is looked at.
"""

from engine import events as e
from engine import state as s
from engine.errors import InvariantError
from engine.instances.advance import Advance, Change, DueStep
from engine.instances.limits import clip
from engine.instances.listeners import going_on
from engine.instances.occurrences import occur
from engine.instances.scans import waits_of
from engine.instances.stuck import StuckError
from engine.instances.triggers.condition import holds
from engine.lifecycle import Step
from engine.model.elements import ComplexGateway, ConditionTrigger, NoneTrigger, parts_of


def ask_conditions(advance: Advance) -> None:
    """Evaluate all conditions that are waited for, and let those occur that have become true."""
    advance.conditions_changed = False
    changes, advance.changes = advance.changes, []
    unasked, advance.unasked = advance.unasked, {}
    for key in waits_of(advance.state, s.ConditionWait):
        wait = advance.state.waits.get(key)
        if not isinstance(wait, s.ConditionWait) or advance.is_ending(wait.owner):
            continue  # one before it has ended what waited
        if key not in unasked and not _heeds(advance, wait, changes):
            continue
        result = _result(advance, wait)
        if result is not None and result != wait.holds:
            _change(advance, wait, result=result)
    _ask_gateways(advance)


def _heeds(advance: Advance, wait: s.ConditionWait, changes: list[Change]) -> bool:
    """Whether one of the changes is of those after which the condition is asked."""
    if not advance.model.filters_changes:
        return True
    admitting = _trigger(advance, wait).filter
    if admitting is None:
        return True
    seen = advance.scopes_around(wait.owner)
    return any(
        change.scope in seen and admitting.admits(change.name, created=change.created)
        for change in changes
    )


def _ask_gateways(advance: Advance) -> None:
    """Let complex gateways look again whose activation asks for variables.

    BPMN 10.6.5: an activationCondition "refers to data and to the activationCount of incoming
    gates"; 13.4.5: only if it "never becomes true in the first phase, tokens are blocked".
    """
    for key in waits_of(advance.state, s.GateWait):
        wait = advance.state.waits[key]
        if not isinstance(wait, s.GateWait) or not wait.waiting_for_start:
            continue
        gateway = advance.element(wait.owner)
        if not isinstance(gateway, ComplexGateway) or not gateway.asks_data:
            continue
        if not _is_stuck(advance, wait.owner):
            advance.due.append(DueStep(wait.owner, going_on(gateway, Step.RUN), None))


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
