"""`apply`: one command on one aggregate. Chooses the aggregate's own decide by the address."""

from typing import TypeAlias

from engine import commands as c
from engine.aggregates import ConversationState, DeploymentsState, MessageState
from engine.conversations import apply_conversation, is_asked
from engine.correlation import apply_message
from engine.deployments import apply_deployments, apply_partition_table
from engine.errors import InvariantError
from engine.instances.aggregate import apply_instance
from engine.outcome import AggregateState, Context, Outcome
from engine.rejections import Rejection
from engine.routing import DEPLOYMENTS, is_instance
from engine.signals import broadcast, deliver

_ForDeployments: TypeAlias = c.DeployResources | c.VersionActivated | c.EvaluateConditions
_WithoutState: TypeAlias = c.ActivateVersion | c.DeliverSignal | c.BroadcastSignal
_ForMessages: TypeAlias = (
    c.PublishMessage
    | c.OpenSubscription
    | c.CloseSubscription
    | c.SettleMessage
    | c.MessageStartSettled
    | c.ReleaseMessageKey
)


def apply(
    context: Context, state: AggregateState | None, command: c.AnyCommand
) -> Outcome | Rejection:
    """Apply a command to the state of its aggregate; neither argument is changed.

    Raises InvariantError when state and rules do not fit together: a bug.
    """
    if isinstance(command, _WithoutState):
        return _apply_without_state(context, command)
    if isinstance(command, c.FireTimer):
        return _fire_timer(context, state, command)
    if isinstance(command, _ForDeployments):
        return apply_deployments(context, _deployments(state), command)
    if isinstance(command, c.EndConversation) or is_asked(command):
        return apply_conversation(context, _conversation(state), command)
    if isinstance(command, _ForMessages):
        return apply_message(context, _messages(state), command)
    return apply_instance(context, state, command)


def _apply_without_state(context: Context, command: _WithoutState) -> Outcome | Rejection:
    match command:
        case c.ActivateVersion():
            return apply_partition_table(context, command)
        case c.DeliverSignal():
            return deliver(context, command)
        case c.BroadcastSignal():
            return broadcast(context, command)


def _fire_timer(
    context: Context, state: AggregateState | None, command: c.FireTimer
) -> Outcome | Rejection:
    """Timers are the one thing that every aggregate may have."""
    if command.address == DEPLOYMENTS:
        return apply_deployments(context, _deployments(state), command)
    if is_instance(command.address):
        return apply_instance(context, state, command)
    return apply_message(context, _messages(state), command)


def _deployments(state: AggregateState | None) -> DeploymentsState | None:
    if state is not None and not isinstance(state, DeploymentsState):
        raise InvariantError(f"a {type(state).__name__} where deployments are kept")
    return state


def _messages(state: AggregateState | None) -> MessageState | None:
    if state is not None and not isinstance(state, MessageState):
        raise InvariantError(f"a {type(state).__name__} where messages are kept")
    return state


def _conversation(state: AggregateState | None) -> ConversationState | None:
    if state is not None and not isinstance(state, ConversationState):
        raise InvariantError(f"a {type(state).__name__} where a conversation is kept")
    return state
