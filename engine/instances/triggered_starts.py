"""What starts an instance from outside: a message, a signal, a timer.

Where one of them belongs to a conversation (`engine/conversations.py`), it may find that another
instance is the one for it.
"""

from typing import TypeAlias

from msgspec.structs import replace

from engine import commands as c
from engine.instances.beginnings import BeginningElement, Occurrence, find_beginning
from engine.instances.conversations import is_holder
from engine.instances.guards import parse_variables
from engine.instances.starting import Beginning, is_free, start, start_of
from engine.model.elements import MessageTrigger, SignalTrigger, parts_of
from engine.outcome import AggregateState, Context, Outcome, Send
from engine.rejections import Rejection
from engine.state import ProcessInstance, SignalWait
from engine.variables import size

_Triggered: TypeAlias = c.StartByMessage | c.StartBySignal | c.StartByTimer


def start_by_message(
    context: Context, state: AggregateState | None, command: c.StartByMessage
) -> Outcome:
    """Start and settle; a start that cannot be is settled, too, or the message would hang.

    The holder of its conversation that lives already only says so: its wait for the message, if it
    has one, was opened before, and where the message was published it is known before this answer.
    """
    holder = _holder(context, state, command)
    if isinstance(holder, Outcome):
        return holder
    if holder is not None:
        settled = _settled(command, accepted=False, holder=holder.instance_id)
        return Outcome(state=state, sends=(settled,))
    variables = parse_variables(command.variables)
    element = _triggered(context, state, command)
    if (
        element is None
        or isinstance(variables, Rejection)
        or size(variables) > context.settings.variables_bytes_max
    ):
        return Outcome(state=state, sends=(*_given_up(command), _settled(command, accepted=False)))
    fixed = start_of(
        context,
        command.instance_id,
        command.version,
        process_id=command.process_id,
        message_name=command.name,
        message_key=command.correlation_key,
        conversation=command.conversation,
    )
    part = _part_named(element, MessageTrigger, command.name)
    beginning = Beginning(
        "StartByMessage", command.instance_id, fixed, {}, element, Occurrence(variables, part)
    )
    return start(context, beginning, _settled(command, accepted=True))


def _settled(command: c.StartByMessage, *, accepted: bool, holder: str = "") -> Send:
    settled = c.MessageStartSettled(
        name=command.name,
        correlation_key=command.correlation_key,
        process_id=command.process_id,
        instance_id=command.instance_id,
        message=command.message,
        accepted=accepted,
        holder=holder,
    )
    return Send(command=settled)


def start_by_timer(
    context: Context, state: AggregateState | None, command: c.StartByTimer
) -> Outcome:
    """The holder of its conversation has timers of its own: this one is not for it."""
    holder = _holder(context, state, command)
    if isinstance(holder, Outcome):
        return holder
    if holder is not None:
        return Outcome(state=state)
    element = _triggered(context, state, command)
    if element is None:
        return Outcome(state=state, sends=_given_up(command))
    fixed = start_of(
        context,
        command.instance_id,
        command.version,
        process_id=command.process_id,
        conversation=command.conversation,
    )
    occurrence = Occurrence(part=command.part)
    return start(
        context, Beginning("StartByTimer", command.instance_id, fixed, {}, element, occurrence)
    )


def start_by_signal(
    context: Context, state: AggregateState | None, command: c.StartBySignal
) -> Outcome:
    """A signal is broadcast to whoever can take it: a start that cannot be is left out.

    The holder of its conversation takes it if it waits for it.
    """
    holder = _holder(context, state, command)
    variables = parse_variables(command.variables)
    if isinstance(holder, Outcome):
        return holder
    if holder is not None:
        return _take_signal(context, holder, command)
    element = _triggered(context, state, command)
    if element is None or isinstance(variables, Rejection):
        return Outcome(state=state, sends=_given_up(command))
    fixed = start_of(
        context,
        command.instance_id,
        command.version,
        process_id=command.process_id,
        conversation=command.conversation,
    )
    occurrence = Occurrence(variables, _part_named(element, SignalTrigger, command.name))
    return start(
        context, Beginning("StartBySignal", command.instance_id, fixed, {}, element, occurrence)
    )


# --- conversations ---


def _triggered(
    context: Context, state: AggregateState | None, command: _Triggered
) -> BeginningElement | None:
    """The element at which an instance of its own begins; None: it cannot begin."""
    if context.model is None or not is_free(context, state):
        return None
    return find_beginning(context.model, command.start_element)


def _part_named(
    element: BeginningElement, kind: type[MessageTrigger | SignalTrigger], name: str
) -> int | None:
    """Which of several triggers of an element has occurred."""
    for part, trigger in enumerate(parts_of(element.trigger)):
        if isinstance(trigger, kind) and trigger.name == name:
            return part
    return None


def _holder(
    context: Context, state: AggregateState | None, command: _Triggered
) -> ProcessInstance | Outcome | None:
    """The instance that held the conversation before this start came.

    None: the start has one of its own. Is the holder gone, or no longer the holder, then the
    conversation is told, and right behind that asked again.
    """
    if command.holder in {"", command.instance_id}:
        return None
    if isinstance(state, ProcessInstance) and _holds(context, state, command):
        return state
    ended = c.EndConversation(
        process_id=command.process_id,
        key=command.conversation or "",
        instance_id=command.holder,
    )
    again = replace(command, holder="")
    return Outcome(state=state, sends=(Send(command=ended), Send(command=again)))


def _holds(context: Context, state: ProcessInstance, command: _Triggered) -> bool:
    named = (state.start.process_id, state.start.conversation)
    if named != (command.process_id, command.conversation) or context.model is None:
        return False
    return is_holder(context.model, state)


def _given_up(command: _Triggered) -> tuple[Send, ...]:
    """A start that cannot be holds no conversation, either."""
    if command.conversation is None:
        return ()
    ended = c.EndConversation(
        process_id=command.process_id,
        key=command.conversation,
        instance_id=command.instance_id,
    )
    return (Send(command=ended),)


def _take_signal(context: Context, holder: ProcessInstance, command: c.StartBySignal) -> Outcome:
    """Where the holder waits for it at its beginning."""
    takes = (
        c.TakeSignal(
            instance_id=holder.instance_id,
            subscription=wait.key,
            variables=command.variables,
            as_start=True,
        )
        for wait in holder.waits.values()
        if isinstance(wait, SignalWait)
        and wait.element_id == command.start_element
        and wait.name == command.name
    )
    return Outcome(state=holder, sends=tuple(Send(command=take) for take in takes))
