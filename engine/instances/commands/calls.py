"""Between a call activity and the instance that it called: each learns of the other's end."""

from engine import commands as c
from engine import events as e
from engine import state as s
from engine.instances import escalations
from engine.instances.advance import Advance, DueStep
from engine.instances.endings import end_instance
from engine.instances.errors import BpmnError, find_catcher, throw_error, unhandled
from engine.instances.guards import parse_variables
from engine.instances.incidents import raise_incident
from engine.instances.mappings import map_outputs, targets_of
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import InstanceState, Step
from engine.model.elements import CallActivity
from engine.rejections import Rejection
from engine.variables import Texts


def child_ended(advance: Advance, command: c.ChildEnded) -> None:
    """A called instance is over: go on with its variables, or with the error that it ended by."""
    call = _find_call(advance, command)
    if call is None:
        return  # the call was given up before its instance could end
    advance.emit(e.CallClosed(key=call.key, child_state=command.state))
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        variables = {}
    if command.state == InstanceState.COMPLETED:
        if not _takes_variables(advance.element(call.owner)):
            variables = {}
        advance.due.append(DueStep(call.owner, Step.COMPLETE, variables))
        return
    try:
        if command.error_code is None:
            raise _call_failed(command)
        thrown = parse_variables(command.error_variables)
        error = BpmnError(
            command.error_code,
            command.error_message,
            {} if isinstance(thrown, Rejection) else thrown,
        )
        catcher = find_catcher(advance, call.owner, error)
        if catcher is None:
            raise unhandled(error)
        _take_back(advance, call.owner, variables)
    except StuckError as stuck:
        raise_incident(advance, call.owner, Step.RUN, stuck)
        return
    throw_error(advance, catcher, error)


def _take_back(advance: Advance, owner: int, variables: Texts) -> None:
    """What Camunda 7 takes even from a process that an error leaves. Raises StuckError."""
    activity = advance.element(owner)
    if not isinstance(activity, CallActivity) or not activity.returns_on_errors:
        return
    if activity.returned or activity.propagate_all_child_variables:
        advance.set_each(targets_of(advance, owner, variables))
        map_outputs(advance, activity.outputs[: activity.returned], owner)


def child_escalated(advance: Advance, command: c.ChildEscalated) -> None:
    """The called instance has gone on already; it ends here if an interrupting event catches."""
    call = _find_call(advance, command)
    variables = parse_variables(command.variables)
    if call is None or isinstance(variables, Rejection):
        return
    try:
        escalations.throw(advance, call.owner, command.code, variables)
    except StuckError as stuck:
        raise_incident(advance, call.owner, Step.NOTHING, stuck)


def _find_call(advance: Advance, command: c.ChildEnded | c.ChildEscalated) -> s.CallWait | None:
    owner = advance.state.elements.get(command.parent_element)
    if owner is not None and advance.is_ending(owner.key):
        return None
    for key in owner.waits if owner is not None else ():
        wait = advance.state.waits[key]
        if isinstance(wait, s.CallWait) and wait.child_id == command.child_id:
            return wait
    return None


def _takes_variables(activity: object) -> bool:
    """With output mappings these alone choose; the variables are then only theirs to see."""
    return isinstance(activity, CallActivity) and bool(
        activity.outputs or activity.propagate_all_child_variables
    )


def _call_failed(command: c.ChildEnded) -> StuckError:
    reason = f": {command.error_message}" if command.error_message else ""
    return StuckError(
        IncidentKind.CALLED_PROCESS_FAILED,
        f"Expected {command.child_id} to complete, found it {command.state}{reason}",
    )


def terminate_child(advance: Advance, command: c.TerminateChild) -> None:
    """The activity that called this instance was given up; no other may end it."""
    if advance.state.start.parent_element == command.parent_element:
        end_instance(advance, InstanceState.TERMINATED, reason="the call was given up")
