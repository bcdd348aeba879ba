"""Activities: tasks, and what they share with sub-processes and calls."""

from engine.expressions import Expression
from engine.model.elements.data import Mapping, Text
from engine.model.elements.element import Element
from engine.model.elements.loops import Loop
from engine.model.elements.triggers import MessageTrigger
from engine.model.elements.work import DecisionCall, JobDefinition, ScriptDefinition


class Activity(Element, frozen=True, kw_only=True):
    """`boundary` are the indexes of the events attached; `default` is the index of a flow.

    `compensation` is the index of the activity that undoes this one.
    """

    boundary: tuple[int, ...] = ()
    default: int | None = None
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()
    loop: Loop | None = None
    compensation: int | None = None


class Task(Activity, frozen=True, kw_only=True):
    """If `skip` holds when it would begin to work, it is over at once."""

    skip: Expression | None = None


class ServiceTask(Task, frozen=True, kw_only=True, tag="serviceTask"):
    """A `job`, else what needs no worker: a `script`, which is an expression, or a `decision`."""

    job: JobDefinition | None = None
    script: ScriptDefinition | None = None
    decision: DecisionCall | None = None


class SendTask(Task, frozen=True, kw_only=True, tag="sendTask"):
    """As a service task."""

    job: JobDefinition | None = None
    script: ScriptDefinition | None = None
    decision: DecisionCall | None = None


class BusinessRuleTask(Task, frozen=True, kw_only=True, tag="businessRuleTask"):
    """As a service task."""

    job: JobDefinition | None = None
    script: ScriptDefinition | None = None
    decision: DecisionCall | None = None


class ScriptTask(Task, frozen=True, kw_only=True, tag="scriptTask"):
    """Inline `script`, else a `job`."""

    script: ScriptDefinition | None = None
    job: JobDefinition | None = None


class UserTask(Task, frozen=True, kw_only=True, tag="userTask"):
    """Texts that are expressions are evaluated once, at activation.

    `id_variable`: the variable that the task's id is written to.
    """

    assignee: Text | None = None
    candidate_users: Text | None = None
    candidate_groups: Text | None = None
    due_date: Text | None = None
    follow_up_date: Text | None = None
    priority: Text | None = None
    form_key: Text | None = None
    id_variable: str | None = None


class ReceiveTask(Activity, frozen=True, kw_only=True, tag="receiveTask"):
    """`instantiate`: its message starts an instance, in which the task is then done."""

    trigger: MessageTrigger
    instantiate: bool = False


class ManualTask(Activity, frozen=True, kw_only=True, tag="manualTask"):
    pass


class AbstractTask(Activity, frozen=True, kw_only=True, tag="task"):
    pass
