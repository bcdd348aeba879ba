"""Starts that are asked for: by a client, or by the call activity of another instance."""

from engine import commands as c
from engine.errors import InvariantError
from engine.instances.guards import not_found, parse_variables, too_large
from engine.instances.limits import NAME_LENGTH_MAX
from engine.instances.starts.beginnings import (
    BeginningElement,
    beginnings,
    find_beginning,
    gateway_before,
)
from engine.instances.starts.starting import Beginning, is_free, start, start_of
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.model.spelling import did_you_mean
from engine.outcome import AggregateState, Context, Outcome, Send
from engine.rejections import Rejection, RejectionCode
from engine.state import ProcessInstance, Tombstone
from engine.variables import size

COMPARED_MAX = 500
"""Process ids among which a misspelt one is looked for."""

CHOICES_MAX = 10
"""Start events that a rejection lists."""


def start_by_client(
    context: Context, state: AggregateState | None, command: c.StartInstance
) -> Outcome | Rejection:
    """Start at the process's none start event, or at the element that the command names.

    Rejected: INVALID_ARGUMENT, ALREADY_EXISTS, NOT_FOUND (the process), TOO_LARGE (the variables).
    """
    instance_id = command.instance_id or ""
    rejection = _check_business_key(command) or _check_absent(context, state, instance_id)
    if rejection is not None:
        return rejection
    model = context.model
    if model is None:
        return _unknown(context, command.process_id, command.version)
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    element = _choose_start(model, command.start_element)
    if isinstance(element, Rejection):
        return element
    limit = context.settings.variables_bytes_max
    if size(variables) > limit:
        return too_large(limit, size(variables))
    ref = context.definitions.find(command.process_id, command.version)
    if ref is None:
        raise InvariantError(f"{command.process_id} has a model and no version")
    fixed = start_of(
        context,
        instance_id,
        ref.version,
        process_id=model.process_id,
        business_key=command.business_key,
    )
    return start(
        context,
        Beginning("StartInstance", instance_id, fixed, variables, element, needs_inputs=True),
    )


def _unknown(context: Context, process_id: str, version: int | None) -> Rejection:
    """The process or the version is not deployed: say what is."""
    known = context.definitions.find(process_id)
    if known is not None:
        expected = f"the process {process_id!r} version {version} to be deployed"
        return not_found(expected, f"none; the latest is {known.version}")
    expected = f"the process {process_id[:100]!r} to be deployed"
    near = did_you_mean(process_id, context.definitions.process_ids()[:COMPARED_MAX])
    return not_found(expected, f"none.{near}" if near else "none")


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
    if isinstance(state, ProcessInstance | Tombstone) and not is_free(context, state):
        return Rejection(
            RejectionCode.ALREADY_EXISTS,
            f"Expected no instance {instance_id}, found it {state.state}",
        )
    return None


def _choose_start(
    model: ProcessModel, start_element: str | None
) -> BeginningElement | Rejection | None:
    """The element named, or None for where the process begins by itself."""
    if start_element is not None:
        return _named_start(model, start_element)
    if not model.starts:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            f"Expected {model.process_id!r} to have a none start event, found none; "
            f"name a start_element{_choices(model)}",
        )
    return None


def _choices(model: ProcessModel) -> str:
    """The first of the elements that may be named, to add to a sentence."""
    ids = [element.id[:99] for element in beginnings(model)]
    more = ", ..." if len(ids) > CHOICES_MAX else ""
    return f", one of: {', '.join(ids[:CHOICES_MAX])}{more}" if ids else ""


def _named_start(model: ProcessModel, start_element: str) -> BeginningElement | Rejection:
    """Behind a parallel gateway a start is refused: what else it needs would wait without a key."""
    index = model.element_index.get(start_element)
    found = "none" if index is None else f"a {type(model.elements[index]).__name__}"
    element = find_beginning(model, start_element)
    if element is not None:
        gateway = gateway_before(model, element)
        if gateway is None or not gateway.parallel:
            return element
        found += f" behind the parallel {gateway.id!r}; publish its message"
    return Rejection(
        RejectionCode.INVALID_ARGUMENT,
        f"Expected a start event {start_element[:99]!r} in {model.process_id!r}, found {found}",
    )


def start_child(context: Context, state: AggregateState | None, command: c.StartChild) -> Outcome:
    """A called instance. What keeps it from starting becomes an incident of its caller."""
    if not is_free(context, state):
        return Outcome(state=state)
    model = context.model
    variables = parse_variables(command.variables)
    if model is None:
        return _refuse_child(state, command, "its version is not deployed")
    if not model.starts:
        return _refuse_child(state, command, f"{command.process_id!r} has no none start event")
    if isinstance(variables, Rejection):
        return _refuse_child(state, command, variables.detail)
    limit = context.settings.variables_bytes_max
    if size(variables) > limit:
        return _refuse_child(state, command, too_large(limit, size(variables)).detail)
    fixed = start_of(
        context,
        command.instance_id,
        command.version,
        process_id=command.process_id,
        business_key=command.business_key,
        parent_id=command.parent_id,
        parent_element=command.parent_element,
        depth=command.depth,
    )
    return start(
        context, Beginning("StartChild", command.instance_id, fixed, variables, steps=command.steps)
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
