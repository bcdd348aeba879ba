"""Commands on the deployments aggregate, and what each leads to."""

from typing import TypeAlias, assert_never

from engine import commands as c
from engine.aggregates import DeploymentsState
from engine.deployments.activation import activated, wait_is_over
from engine.deployments.condition_starts import evaluate
from engine.deployments.deploying import deploy
from engine.deployments.timer_starts import fire_start
from engine.outcome import Context, Outcome, TimerChange
from engine.rejections import Rejection

DeploymentsCommand: TypeAlias = (
    c.DeployResources | c.VersionActivated | c.FireTimer | c.EvaluateConditions
)


def apply_deployments(
    context: Context, state: DeploymentsState | None, command: DeploymentsCommand
) -> Outcome | Rejection:
    """Apply a command to the one aggregate at `deployments`; None: nothing was ever deployed.

    DeployResources can be rejected: INVALID_ARGUMENT, INVALID_MODEL with every finding, or
    TOO_LARGE. Its answer comes later, from the command by which the last partition has it.
    EvaluateConditions can be rejected for its variables: INVALID_ARGUMENT, TOO_LARGE.
    """
    known = state or DeploymentsState()
    match command:
        case c.DeployResources():
            return deploy(context, known, command)
        case c.VersionActivated():
            return _unless_same(state, activated(context, known, command))
        case c.FireTimer():
            return _unless_same(state, _fire(context, known, command))
        case c.EvaluateConditions():
            return evaluate(context, state, command)
        case _:
            assert_never(command)


def _fire(context: Context, state: DeploymentsState, command: c.FireTimer) -> Outcome:
    """A start is due, or the wait for the partitions is over. Early: nothing happens."""
    start = next((known for known in state.timer_starts if known.timer == command.timer), None)
    pending = next((known for known in state.pending if known.timer == command.timer), None)
    if start is None and pending is None:
        stale = TimerChange(address=command.address, timer=command.timer, due_ms=None)
        return Outcome(state=state, timers=(stale,))
    if command.due_ms > context.now:
        return Outcome(state=state)
    if pending is not None:
        return wait_is_over(context, state, pending)
    if start is None or start.due_ms != command.due_ms:
        return Outcome(state=state)
    return fire_start(context, state, start)


def _unless_same(before: DeploymentsState | None, outcome: Outcome) -> Outcome:
    """An aggregate that was not there does not come to be by what it does not know."""
    if before is None and outcome.state == DeploymentsState():
        return Outcome(state=None, timers=outcome.timers)
    return outcome
