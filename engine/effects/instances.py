"""What is told of an instance: that it began and ended, and what those wait for who called it."""

from typing import assert_never

from engine import commands as c
from engine import events as e
from engine import records as r
from engine import state as s
from engine.effects.consequences import Consequences
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.outcome import Context
from engine.values import encode_object


def instance_changed(to: Consequences, event: e.InstanceChanged) -> None:
    """Also to whoever waits for the end: the key of its message, and its caller."""
    if event.start is not None:
        to.effect("InstanceStarted")
        return
    match InstanceState(event.state):
        case InstanceState.RUNNING:
            to.effect("InstanceResumed")
        case InstanceState.SUSPENDED:
            to.effect("InstanceSuspended")
        case InstanceState.COMPLETED:
            to.effect("InstanceCompleted", variables=_result(to.state))
            _end(to, event)
        case InstanceState.FAILED:
            code = event.error_code or ""
            to.effect("InstanceFailed", error=r.EffectError(code=code, message=event.reason))
            _end(to, event)
        case InstanceState.TERMINATED:
            to.effect("InstanceTerminated")
            _end(to, event)
        case other:
            assert_never(other)


def _result(state: s.ProcessInstance) -> str:
    return encode_object(state.variables.get(state.root, {}))


def _end(to: Consequences, event: e.InstanceChanged) -> None:
    """Tell those who wait for the end: the message's key, and the instance that called."""
    state, start = to.state, to.state.start
    if start.conversation is not None:
        to.send(end_of_conversation(to.context, to.model, state))
    elif start.message_name is not None and start.message_key:
        to.send(
            c.ReleaseMessageKey(
                name=start.message_name,
                correlation_key=start.message_key,
                process_id=start.process_id,
                instance_id=state.instance_id,
            )
        )
    if start.parent_id is not None and start.parent_element is not None:
        tells = event.state == InstanceState.COMPLETED or event.error_code is not None
        to.send(
            c.ChildEnded(
                instance_id=start.parent_id,
                parent_element=start.parent_element,
                child_id=state.instance_id,
                state=event.state,
                variables=_result(state) if tells else "{}",
                error_code=event.error_code,
                error_message=event.reason,
                steps=to.steps,
                error_variables=event.error_variables,
            )
        )


def end_of_conversation(
    context: Context, model: ProcessModel, state: s.ProcessInstance
) -> c.EndConversation:
    """The word that an instance no longer holds its conversation."""
    key = state.start.conversation or ""
    is_timed = not key and bool(set(model.joint_starts) & set(model.timer_starts))
    return c.EndConversation(
        process_id=state.start.process_id,
        key=key,
        instance_id=state.instance_id,
        ended_at=context.now if is_timed else None,
    )


def call_closed(to: Consequences, event: e.CallClosed) -> None:
    """A called instance that has not ended is no longer wanted."""
    call = to.state.waits[event.key]
    if event.child_state is None and isinstance(call, s.CallWait):
        to.send(c.TerminateChild(instance_id=call.child_id, parent_element=call.owner))
