"""How an instance begins: by a client, a message, a timer, or a call activity."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine import commands as c
from engine import events as e
from engine.errors import InvariantError
from engine.instances.advance import Advance, DueStep
from engine.instances.data_objects import declare
from engine.instances.evolve import create
from engine.instances.guards import not_found, parse_variables, too_large
from engine.instances.limits import NAME_LENGTH_MAX
from engine.instances.outcomes import finish
from engine.instances.run import run, start_scope
from engine.lifecycle import InstanceState, Step
from engine.model.elements import PROCESS, ProcessModel, StartEvent
from engine.outcome import AggregateState, Context, Outcome, Send
from engine.rejections import Rejection, RejectionCode
from engine.routing import root_of
from engine.state import ProcessInstance, Tombstone
from engine.variables import size


def start_by_client(
    context: Context, state: AggregateState | None, command: c.StartInstance
) -> Outcome | Rejection:
    instance_id = command.instance_id or ""
    rejection = _check_business_key(command) or _check_absent(context, state, instance_id)
    if rejection is not None:
        return rejection
    model = context.model
    if model is None:
        version = "" if command.version is None else f" version {command.version}"
        return not_found(f"the process {command.process_id[:100]!r}{version} to be deployed")
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    begin = _choose_start(model, command.start_element)
    if isinstance(begin, Rejection):
        return begin
    limit = context.settings.variables_bytes_max
    if size(variables) > limit:
        return too_large(limit, size(variables))
    ref = context.definitions.find(command.process_id, command.version)
    if ref is None:
        raise InvariantError(f"{command.process_id} has a model and no version")
    start = _start_of(
        context,
        instance_id,
        ref.version,
        process_id=model.process_id,
        business_key=command.business_key,
    )
    return _start(context, Beginning("StartInstance", instance_id, start, variables, begin))


def _check_business_key(command: c.StartInstance) -> Rejection | None:
    if command.business_key is not None and len(command.business_key) > NAME_LENGTH_MAX:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            f"Expected a business key of at most {NAME_LENGTH_MAX} characters, "
            f"found {len(command.business_key)}",
        )
    return None


def _check_absent(
    context: Context, state: AggregateState | None, instance_id: str
) -> Rejection | None:
    """An id is free again when the tombstone of its last instance has expired."""
    if isinstance(state, ProcessInstance | Tombstone) and not _is_free(context, state):
        return Rejection(
            RejectionCode.ALREADY_EXISTS,
            f"Expected no instance {instance_id}, found it {state.state}",
        )
    return None


def _is_free(context: Context, state: AggregateState | None) -> bool:
    return state is None or (isinstance(state, Tombstone) and state.expires_at <= context.now)


def _choose_start(model: ProcessModel, start_element: str | None) -> StartEvent | Rejection | None:
    """The start event named, or None for where the process begins by itself."""
    if start_element is not None:
        index = model.element_index.get(start_element)
        element = None if index is None else model.elements[index]
        if isinstance(element, StartEvent) and element.scope == PROCESS:
            return element
        found = "none" if element is None else f"a {type(element).__name__}"
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            f"Expected a start event {start_element[:99]!r} in {model.process_id!r}, found {found}",
        )
    if not model.starts:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            f"Expected {model.process_id!r} to have a none start event, found none; "
            "name a start_element",
        )
    return None


def start_by_message(
    context: Context, state: AggregateState | None, command: c.StartByMessage
) -> Outcome:
    """Start and settle; a start that cannot be is settled, too, or the message would hang."""
    variables = parse_variables(command.variables)
    begin = None
    if context.model is not None:
        begin = _choose_start(context.model, command.start_element)
    accepted = (
        _is_free(context, state)
        and isinstance(begin, StartEvent)
        and not isinstance(variables, Rejection)
        and size(variables) <= context.settings.variables_bytes_max
    )
    settled = Send(
        command=c.MessageStartSettled(
            name=command.name,
            correlation_key=command.correlation_key,
            process_id=command.process_id,
            instance_id=command.instance_id,
            message=command.message,
            accepted=accepted,
        )
    )
    if not accepted or isinstance(begin, Rejection) or isinstance(variables, Rejection):
        return Outcome(state=state, sends=(settled,))
    start = _start_of(
        context,
        command.instance_id,
        command.version,
        process_id=command.process_id,
        message_name=command.name,
        message_key=command.correlation_key,
    )
    return _start(
        context,
        Beginning("StartByMessage", command.instance_id, start, {}, begin, variables),
        settled,
    )


def start_by_timer(
    context: Context, state: AggregateState | None, command: c.StartByTimer
) -> Outcome:
    if context.model is None or not _is_free(context, state):
        return Outcome(state=state)
    begin = _choose_start(context.model, command.start_element)
    if not isinstance(begin, StartEvent):
        return Outcome(state=state)
    start = _start_of(context, command.instance_id, command.version, process_id=command.process_id)
    return _start(context, Beginning("StartByTimer", command.instance_id, start, {}, begin))


def start_by_signal(
    context: Context, state: AggregateState | None, command: c.StartBySignal
) -> Outcome:
    """A signal is broadcast to whoever can take it: a start that cannot be is left out."""
    variables = parse_variables(command.variables)
    if context.model is None or not _is_free(context, state) or isinstance(variables, Rejection):
        return Outcome(state=state)
    begin = _choose_start(context.model, command.start_element)
    if not isinstance(begin, StartEvent):
        return Outcome(state=state)
    start = _start_of(context, command.instance_id, command.version, process_id=command.process_id)
    return _start(
        context, Beginning("StartBySignal", command.instance_id, start, {}, begin, variables)
    )


def start_by_condition(
    context: Context, state: AggregateState | None, command: c.StartByCondition
) -> Outcome:
    """The variables that made its condition true come with the event."""
    variables = parse_variables(command.variables)
    if context.model is None or not _is_free(context, state) or isinstance(variables, Rejection):
        return Outcome(state=state)
    begin = _choose_start(context.model, command.start_element)
    if not isinstance(begin, StartEvent):
        return Outcome(state=state)
    start = _start_of(context, command.instance_id, command.version, process_id=command.process_id)
    return _start(
        context, Beginning("StartByCondition", command.instance_id, start, {}, begin, variables)
    )


def start_child(context: Context, state: AggregateState | None, command: c.StartChild) -> Outcome:
    """A called instance. What keeps it from starting becomes an incident of its caller."""
    if not _is_free(context, state):
        return Outcome(state=state)
    model = context.model
    variables = parse_variables(command.variables)
    if model is None:
        return _refuse_child(state, command, "its version is not deployed")
    if not model.starts:
        return _refuse_child(state, command, f"{command.process_id!r} has no none start event")
    if isinstance(variables, Rejection):
        return _refuse_child(state, command, variables.detail)
    start = _start_of(
        context,
        command.instance_id,
        command.version,
        process_id=command.process_id,
        business_key=command.business_key,
        parent_id=command.parent_id,
        parent_element=command.parent_element,
        depth=command.depth,
    )
    return _start(
        context, Beginning("StartChild", command.instance_id, start, variables, steps=command.steps)
    )


def _refuse_child(state: AggregateState | None, command: c.StartChild, reason: str) -> Outcome:
    ended = c.ChildEnded(
        instance_id=command.parent_id,
        parent_element=command.parent_element,
        child_id=command.instance_id,
        state=InstanceState.FAILED,
        error_message=reason,
    )
    return Outcome(state=state, sends=(Send(command=ended),))


def _start_of(context: Context, instance_id: str, version: int, **details: Any) -> e.InstanceStart:
    return e.InstanceStart(
        version=version,
        root_id=root_of(instance_id),
        counter=context.offset << 16,
        start_command_id=context.command_id,
        started_at=context.now,
        **details,
    )


class Beginning(NamedTuple):
    """`begin` is the start event that something triggered or named; None: the process's own.

    `variables` are the process's; the `payload` goes through the outputs of `begin`, if it has any.
    """

    command_type: str
    instance_id: str
    start: e.InstanceStart
    variables: dict[str, str]
    begin: StartEvent | None = None
    payload: dict[str, str] | None = None
    steps: int = 0


def _start(context: Context, beginning: Beginning, *sends: Send) -> Outcome:
    """Begin: the process itself, its variables, then its start events."""
    if context.model is None:
        raise InvariantError("an instance starts without a model")
    state = create(beginning.instance_id, beginning.start)
    advance = Advance(context, context.model, state, steps=beginning.steps)
    advance.emit(e.InstanceChanged(state=InstanceState.RUNNING, start=beginning.start))
    root = advance.new_key()
    advance.emit(e.ElementActivated(key=root, element_id=beginning.start.process_id, scope=0))
    advance.set_variables(root, beginning.variables)
    declare(advance, context.model.data, root)
    if beginning.begin is None:
        start_scope(advance, root)
    else:
        advance.begin(beginning.begin, root, step=Step.COMPLETE, payload=beginning.payload)
        if context.model.events:
            # After the start event, so that what came with it can be seen.
            advance.due.append(DueStep(root, Step.ARM, None))
    run(advance)
    return finish(advance, beginning.command_type, sends)


# Any: each row takes its own kind of command, which the key names.
STARTS: Mapping[
    type[c.AnyCommand],
    Callable[[Context, AggregateState | None, Any], Outcome | Rejection],
] = {
    c.StartInstance: start_by_client,
    c.StartByMessage: start_by_message,
    c.StartByTimer: start_by_timer,
    c.StartBySignal: start_by_signal,
    c.StartByCondition: start_by_condition,
    c.StartChild: start_child,
}
