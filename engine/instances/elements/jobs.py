"""Tasks that are work for a worker, or a script or decision that the engine evaluates itself."""

from engine.instances.activities import activate, is_skipped
from engine.instances.advance import Advance
from engine.instances.decisions import run_decision
from engine.instances.elements.handler import Handler
from engine.instances.job_opening import open_job
from engine.instances.mappings import targets_of, to_texts
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import Step
from engine.model.elements import (
    BusinessRuleTask,
    ScriptTask,
    SendTask,
    ServiceTask,
)


def _run_rule_task(
    advance: Advance, task: ServiceTask | SendTask | BusinessRuleTask, key: int
) -> Step | None:
    if task.decision is None:
        return _run_task(advance, task, key)
    if is_skipped(advance, task, key):
        return Step.LEAVE
    run_decision(advance, task.decision, key)
    return Step.COMPLETE


def _run_task(
    advance: Advance, task: ServiceTask | SendTask | BusinessRuleTask | ScriptTask, key: int
) -> Step | None:
    """A worker does it. An inline script writes its value and goes on."""
    if is_skipped(advance, task, key):
        return Step.LEAVE
    if task.script is None:
        if task.job is None:
            raise StuckError(
                IncidentKind.EXPRESSION_FAILED, f"Expected a script or a job at {task.id}"
            )
        open_job(advance, task.job, key)
        return None
    value = advance.evaluator.evaluate(task.script.expression, key)
    variable = task.script.result_variable
    if variable is not None:
        advance.set_each(targets_of(advance, key, to_texts({variable: value})))
    return Step.COMPLETE


SERVICE_TASK = Handler[ServiceTask](first=Step.ACTIVATE, activate=activate, run=_run_rule_task)
SEND_TASK = Handler[SendTask](first=Step.ACTIVATE, activate=activate, run=_run_rule_task)
BUSINESS_RULE_TASK = Handler[BusinessRuleTask](
    first=Step.ACTIVATE, activate=activate, run=_run_rule_task
)
SCRIPT_TASK = Handler[ScriptTask](first=Step.ACTIVATE, activate=activate, run=_run_task)
