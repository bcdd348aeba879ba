"""The conversation that an instance holds: while it does, this starts no other instance."""

from engine.effects.instances import end_of_conversation
from engine.instances.advance import Advance
from engine.instances.scans import waits_at
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.state import ProcessInstance, SignalWait


def is_holder(model: ProcessModel, state: ProcessInstance) -> bool:
    """Whether an instance holds the conversation by which it was started.

    A key is that of its instance until this ends. What has no key belongs together only as long as
    the instance waits for some of it.
    """
    key = state.start.conversation
    return key is not None and (bool(key) or _waits_at_beginning(model, state))


def _waits_at_beginning(model: ProcessModel, state: ProcessInstance) -> bool:
    places = (model.elements[index].id for index in model.joint_starts)
    return any(waits_at(state, place) for place in places)


def comes_as_start(advance: Advance, wait: SignalWait) -> bool:
    """Whether a signal for which an instance waits at its beginning reaches it as a start does.

    It has no key, and were it taken as any other signal is, then the instance might have all that
    it needs before the same signal asks its conversation which instance to start. The latest
    version of the process must start by it for that.
    """
    start, model = advance.state.start, advance.model
    if start.conversation != "" or model.element_index[wait.element_id] not in model.joint_starts:
        return False
    starts = advance.context.definitions.signal_starts(wait.name)
    return (start.process_id, wait.element_id) in starts


def end_conversation(advance: Advance, before: ProcessInstance | None) -> None:
    """Say so if an instance that goes on is no longer the holder; one that ends always does."""
    state = advance.state
    if state.start.conversation != "" or state.state is not InstanceState.RUNNING:
        return
    was_holder = before is None or is_holder(advance.model, before)
    if was_holder and not is_holder(advance.model, state):
        advance.send(end_of_conversation(advance.context, advance.model, state))
