"""Starting an instance, whatever has asked for it: its document, its variables, where it begins."""

from typing import Any, NamedTuple

from engine import events as e
from engine.errors import InvariantError
from engine.instances.advance import Advance, DueStep
from engine.instances.conversations import end_conversation
from engine.instances.data_objects import declare, require_inputs
from engine.instances.evolve import create
from engine.instances.outcomes import finish
from engine.instances.run import run
from engine.instances.starts.beginnings import BeginningElement, Occurrence, begin
from engine.instances.stuck import StuckError
from engine.lifecycle import InstanceState, Step
from engine.outcome import AggregateState, Context, Outcome, Send
from engine.routing import root_of
from engine.state import Tombstone


def is_free(context: Context, state: AggregateState | None) -> bool:
    """Whether no instance has the id, or its tombstone has expired."""
    return state is None or (isinstance(state, Tombstone) and state.expires_at <= context.now)


def start_of(context: Context, instance_id: str, version: int, **details: Any) -> e.InstanceStart:
    """What is fixed at the start. `details` are further fields of `InstanceStart`."""
    return e.InstanceStart(
        version=version,
        root_id=root_of(instance_id),
        counter=context.offset << 16,
        start_command_id=context.command_id,
        started_at=context.now,
        **details,
    )


class Beginning(NamedTuple):
    """`element` is the one that something triggered or named; None: the process's own.

    `variables` are the process's; what came with the `occurrence` goes through the outputs of the
    element, if it has any. `needs_inputs`: where the process has input sets one of them is awaited,
    as it always is when the process begins by itself.
    """

    command_type: str
    instance_id: str
    start: e.InstanceStart
    variables: dict[str, str]
    element: BeginningElement | None = None
    occurrence: Occurrence = Occurrence()
    steps: int = 0
    needs_inputs: bool = False


def start(context: Context, beginning: Beginning, *sends: Send) -> Outcome:
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
    if beginning.element is None:
        advance.due.append(DueStep(root, Step.RUN, None))
    else:
        _begin(advance, beginning, beginning.element)
    run(advance)
    end_conversation(advance, None)
    return finish(advance, beginning.command_type, sends)


def _begin(advance: Advance, beginning: Beginning, element: BeginningElement) -> None:
    if beginning.needs_inputs:
        try:
            require_inputs(advance)
        except StuckError:
            root = advance.state.root
            advance.activate(element, root)
            advance.due.append(DueStep(root, Step.TAKE, None))  # fails again, and is an incident
            return
    begin(advance, element, beginning.occurrence)
