"""What the steps of a scenario do: one function a verb, and one table of them."""

from collections.abc import Callable, Mapping
from typing import Any

from scenarios.format import steps as f
from scenarios.format.parts import Part
from scenarios.verbs import adhoc, instances, messages, people, time, work
from scenarios.verbs.actor import Actor


def do(actor: Actor, step: Part) -> None:
    """Do a step and all that mocks answer then. Raises Mismatch: it cannot be done."""
    if not isinstance(step, f.ExpectOnly):
        actor.world.mark = len(actor.world.simulation.publications)
    _STEPS[type(step)](actor, step)
    actor.mocking.answer()


def _nothing(_actor: Actor, _step: f.ExpectOnly) -> None:
    """Expectations are looked at after every step."""


# Any: a row takes its own kind of step, which the key names.
_STEPS: Mapping[type[Part], Callable[[Actor, Any], None]] = {
    f.Start: instances.start,
    f.CompleteJob: work.complete_job,
    f.FailJob: work.fail_job,
    f.ThrowError: work.throw,
    f.ThrowEscalation: work.throw,
    f.CompleteTask: work.complete_task,
    f.ClaimTask: people.claim_task,
    f.AssignTask: people.assign_task,
    f.UpdateTask: people.update_task,
    f.PublishMessage: messages.publish,
    f.BroadcastSignal: messages.broadcast,
    f.SetVariables: instances.set_variables,
    f.ResolveIncident: instances.resolve,
    f.Terminate: instances.terminate,
    f.EvaluateConditions: messages.evaluate_conditions,
    f.Activate: adhoc.activate,
    f.CompleteAdHoc: adhoc.complete,
    f.Send: messages.send,
    f.Deploy: messages.deploy,
    f.Elapse: time.elapse,
    f.AdvanceTo: time.advance_to,
    f.FireTimer: time.fire_timer,
    f.ExpectOnly: _nothing,
}
