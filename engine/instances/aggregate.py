"""The aggregate of a process instance: its only door, and its answers when it is not there."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine import commands as c
from engine import state as s
from engine.errors import InvariantError
from engine.instances.advance import Advance
from engine.instances.conversations import end_conversation
from engine.instances.decide import COMMANDS
from engine.instances.evolve import make_draft
from engine.instances.guards import not_found
from engine.instances.outcomes import finish
from engine.instances.run import run
from engine.instances.starts import STARTS
from engine.instances.starts.joining import JOINS, ask_again, joins
from engine.outcome import AggregateState, Context, Outcome, Send, TimerChange
from engine.rejections import Rejection, RejectionCode
from engine.routing import address_of, split_handle
from engine.values import encode


def apply_instance(
    context: Context, state: AggregateState | None, command: c.AnyCommand
) -> Outcome | Rejection:
    """Apply a command to a process instance, or to the place where none is.

    Raises InvariantError when state, model and rules do not fit together.
    """
    if isinstance(command, c.TriggeredStart):
        elsewhere = ask_again(state, context, command)
        if elsewhere is not None:
            return elsewhere
        if joins(state, context, command):
            return _advance(context, state, command, JOINS[type(command)])
    start = STARTS.get(type(command))
    if start is not None:
        return start(context, state, command)
    if not isinstance(state, s.ProcessInstance):
        return _answer_absent(context, state, command)
    return _advance(context, state, command, COMMANDS[type(command)])


# Any: the function takes the kind of command that it is given.
def _advance(
    context: Context,
    state: s.ProcessInstance,
    command: c.AnyCommand,
    decide: Callable[[Advance, Any], Rejection | None],
) -> Outcome | Rejection:
    """Let a living instance decide, and go on until it waits."""
    if context.model is None:
        raise InvariantError(f"the model of {state.instance_id} is missing")
    steps = (
        command.steps if isinstance(command, c.Continue | c.ChildEnded | c.ChildEscalated) else 0
    )
    draft = make_draft(state, walks=isinstance(command, c.Continue))
    advance = Advance(context, context.model, draft, steps=steps)
    rejection = decide(advance, command)
    if rejection is not None:
        return rejection
    run(advance)
    end_conversation(advance, state)
    sends: tuple[Send, ...] = ()
    if isinstance(command, c.DeliverMessage):
        # Taken if anything came of it; still open if its subscription outlives the transition.
        still_open = command.subscription in advance.state.waits
        sends = (_settle(command, accepted=bool(advance.events), still_open=still_open),)
    outcome = finish(advance, type(command).__name__, sends, before=state)
    result = _under_way(command, outcome.state)
    return outcome if result is None else replace(outcome, result=result)


def _under_way(command: c.AnyCommand, state: AggregateState | None) -> str | None:
    """For the reply: what was asked for and has to wait; None: it is done.

    A change of a task waits for its listeners, a termination for them and for called instances.
    """
    if not isinstance(command, _HELD) or not isinstance(state, s.ProcessInstance):
        return None
    if isinstance(command, c.TerminateInstance):
        return encode({"change": "terminating"})
    if isinstance(command, c.SetVariables):
        return _updating(command, state)
    task = state.waits.get(split_handle(command.task_id)[1])
    if isinstance(task, s.TaskWait) and task.change is not None:
        return encode({"change": task.change.state})
    return None


def _updating(command: c.SetVariables, state: s.ProcessInstance) -> str | None:
    """Variables of a task that listens to its updates are a change of it, no others."""
    if command.element_instance_id is None:
        return None
    scope = state.elements.get(split_handle(command.element_instance_id)[1])
    for number in () if scope is None else scope.waits:
        task = state.waits[number]
        if isinstance(task, s.TaskWait) and task.change and task.change.state == "updating":
            return encode({"change": "updating"})
    return None


_HELD = (
    *(c.TerminateInstance, c.ClaimTask, c.AssignTask, c.UpdateTask, c.CompleteTask),
    c.SetVariables,
)
"""What a client asks for that may have to wait."""


def _settle(command: c.DeliverMessage, *, accepted: bool, still_open: bool) -> Send:
    settled = c.SettleMessage(
        name=command.name,
        correlation_key=command.correlation_key,
        instance_id=command.instance_id,
        subscription=command.subscription,
        message=command.message,
        accepted=accepted,
        still_open=accepted and still_open,
    )
    return Send(command=settled)


def _answer_absent(
    context: Context, state: AggregateState | None, command: c.AnyCommand
) -> Outcome | Rejection:
    """No living instance: messages are refused, timers forgotten, the rest has lost its object."""
    if isinstance(command, c.ClientCommand):
        return _reject_absent(context, state, command)
    if isinstance(command, c.DeliverMessage):
        settled = _settle(command, accepted=False, still_open=False)
        return Outcome(state=state, sends=(settled,))
    if isinstance(command, c.FireTimer) and command.due_ms <= context.now:
        gone = TimerChange(address=command.address, timer=command.timer, due_ms=None)
        return Outcome(state=state, timers=(gone,))
    return Outcome(state=state)


def _reject_absent(
    context: Context, state: AggregateState | None, command: c.AnyCommand
) -> Rejection:
    instance_id = address_of(command)
    if not isinstance(state, s.Tombstone) or state.expires_at <= context.now:
        return not_found(f"a running instance {instance_id}")
    found = f"it {state.state}"
    if isinstance(command, c.TerminateInstance | c.SetVariables):
        return Rejection(
            RejectionCode.INVALID_STATE, f"Expected {instance_id} to be RUNNING, found {found}"
        )
    return not_found(f"a running instance {instance_id}", found)
