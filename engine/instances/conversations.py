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


def is_joint(advance: Advance, wait: SignalWait) -> bool:
    """Whether an instance waits for a signal at its beginning, without a key."""
    model = advance.model
    is_beginning = model.element_index[wait.element_id] in model.joint_starts
    return is_beginning and advance.state.start.conversation == ""


def comes_as_start(advance: Advance, wait: SignalWait, joint: tuple[tuple[str, str], ...]) -> bool:
    """Whether a signal reaches an instance as a start does, being one of these `joint` starts.

    Were it taken as any other signal is, then the instance might have all that it needs before the
    same signal asks its conversation which instance to start. Whether it does is not for this
    partition to say: it may know another version of the process than that which sends the start.

        version 2 does not begin by the signal     here: version 1, the partition of the name: 2
        the signal comes                           it starts nothing, so it is taken here
    """
    return is_joint(advance, wait) and (advance.state.start.process_id, wait.element_id) in joint


def end_conversation(advance: Advance, before: ProcessInstance | None) -> None:
    """Say so if an instance that goes on is no longer the holder; one that ends always does."""
    state = advance.state
    if state.start.conversation != "" or state.state is not InstanceState.RUNNING:
        return
    was_holder = before is None or is_holder(advance.model, before)
    if was_holder and not is_holder(advance.model, state):
        advance.send(end_of_conversation(advance.context, advance.model, state))
