"""What starts an instance from outside: a message, a signal, a timer, a condition.

Where one of them belongs to a conversation (`engine/conversations.py`), another instance may be the
one for it: `joining.py`.
"""

from engine import commands as c
from engine.instances.guards import parse_variables
from engine.instances.starts.beginnings import BeginningElement, Occurrence, find_beginning
from engine.instances.starts.starting import Beginning, is_free, start, start_of
from engine.model.elements import MessageTrigger, SignalTrigger, parts_of
from engine.outcome import AggregateState, Context, Outcome, Send
from engine.rejections import Rejection
from engine.settling import refused, settled
from engine.variables import size


def start_by_message(
    context: Context, state: AggregateState | None, command: c.StartByMessage
) -> Outcome:
    """Start and settle; a start that cannot be is settled, too, or the message would hang."""
    variables = parse_variables(command.variables)
    element = _triggered(context, state, command)
    if (
        element is None
        or isinstance(variables, Rejection)
        or size(variables) > context.settings.variables_bytes_max
    ):
        return _refuse(state, command)
    occurrence = Occurrence(variables, _part_named(element, MessageTrigger, command.name))
    begins = _begins(
        context,
        command,
        element,
        occurrence,
        message_name=command.name,
        message_key=command.correlation_key,
    )
    return start(context, begins, Send(command=settled(command, accepted=True)))


def start_by_timer(
    context: Context, state: AggregateState | None, command: c.StartByTimer
) -> Outcome:
    """A timer that is due when its start cannot be starts nothing, and is not due again."""
    element = _triggered(context, state, command)
    if element is None:
        return _refuse(state, command)
    return start(context, _begins(context, command, element, Occurrence(part=command.part)))


def start_by_signal(
    context: Context, state: AggregateState | None, command: c.StartBySignal
) -> Outcome:
    """A signal is broadcast to whoever can take it: a start that cannot be is left out."""
    variables = parse_variables(command.variables)
    element = _triggered(context, state, command)
    if element is None or isinstance(variables, Rejection):
        return _refuse(state, command)
    occurrence = Occurrence(variables, _part_named(element, SignalTrigger, command.name))
    return start(context, _begins(context, command, element, occurrence))


def start_by_condition(
    context: Context, state: AggregateState | None, command: c.StartByCondition
) -> Outcome:
    """The variables that made its condition true come with the event."""
    variables = parse_variables(command.variables)
    element = _triggered(context, state, command)
    if element is None or isinstance(variables, Rejection):
        return _refuse(state, command)
    return start(context, _begins(context, command, element, Occurrence(variables, command.part)))


def _begins(
    context: Context,
    command: c.TriggeredStart,
    element: BeginningElement,
    occurrence: Occurrence,
    **message: str,
) -> Beginning:
    """It has no variables of its own yet: what the event brings goes through its outputs."""
    fixed = start_of(
        context,
        command.instance_id,
        command.version,
        process_id=command.process_id,
        conversation=command.conversation,
        **message,
    )
    kind = type(command).__name__
    return Beginning(kind, command.instance_id, fixed, {}, element, occurrence)


def _refuse(state: AggregateState | None, command: c.TriggeredStart) -> Outcome:
    return Outcome(state=state, sends=tuple(Send(command=each) for each in refused(command)))


def _triggered(
    context: Context, state: AggregateState | None, command: c.TriggeredStart
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
