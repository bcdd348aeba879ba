"""Runs a file's processes on the real core and does whatever they wait for, a bounded time."""

import json
import re
from typing import Any, Literal

from engine import commands as c
from engine.expressions import Expression
from engine.lifecycle import InstanceState
from engine.model.elements import (
    Element,
    MessageTrigger,
    NoneTrigger,
    ProcessModel,
    StartEvent,
    Text,
    Trigger,
    parts_of,
)
from engine.settings import Settings
from engine.state import (
    ConditionWait,
    IncidentWait,
    ProcessInstance,
    SignalWait,
    SubscriptionWait,
    TimerWait,
)
from tests.support.runner import Runner

TURNS_MAX = 40
DAY = 24 * 3_600_000
_QUOTED = re.compile(r"'([^']*)'|; missing: ([\w, ]+)")
_NAME = re.compile(r"[^\W\d]\w*")
_GUESSES: tuple[Any, ...] = (True, 1, "text", [], {})
"""What a variable may be that the model asks for and nobody has set; tried in turn."""
_EXPECTED: dict[str, Any] = {"not true or false": True, "expected a text": "text"}
"""What an incident says is expected -> what to try first."""

End = Literal["end", "wait", "incident"]


def run_process(
    models: tuple[ProcessModel, ...], process_id: str, turns_max: int = TURNS_MAX
) -> set[End]:
    """Start the process in every way it can be started, and how each of these runs came out.

    "wait": after all the turns it still waits for something, as loops do for ever. "incident": it
    is stuck at data that nobody can guess. Anything else fails: the core asserts after each record
    that an instance waits for something real.
    """
    (model,) = (model for model in models if model.process_id == process_id)
    return {_run(models, model, way, turns_max) for way in _ways(model)}


def _ways(model: ProcessModel) -> list[Element | None]:
    """None is a plain start, an element a start event that something triggers."""
    triggered = (*model.message_starts, *model.timer_starts, *model.signal_starts)
    plain: list[Element | None] = [None] if model.starts else []
    return plain + [model.elements[index] for index in triggered]


def _run(
    models: tuple[ProcessModel, ...], model: ProcessModel, way: Element | None, turns_max: int
) -> End:
    run = Runner(*models, settings=Settings(steps_max=5_000))
    instance_id = _begin(run, model, way)
    for turn in range(turns_max):
        if run.state(instance_id) is not InstanceState.RUNNING:
            assert run.state(instance_id) is InstanceState.COMPLETED
            return "end"
        _do_something(run, turn)
    if run.state(instance_id) is not InstanceState.RUNNING:
        return "end"
    state = run.living(instance_id)
    assert state.waits
    stuck = all(isinstance(wait, IncidentWait) for wait in state.waits.values())
    return "incident" if stuck else "wait"


def _begin(run: Runner, model: ProcessModel, way: Element | None) -> str:
    """Start at the event, or, behind an instantiating gateway, by its message. Gives the id."""
    if way is None or isinstance(way, StartEvent):
        start_element = None if way is None else way.id
        start = c.StartInstance(
            process_id=model.process_id,
            instance_id="a",
            business_key="key",
            start_element=start_element,
        )
        run.accept(start)
        return "a"
    trigger = getattr(way, "trigger", None)
    assert isinstance(trigger, MessageTrigger)
    assert isinstance(trigger.name, str)
    run.accept(c.PublishMessage(name=trigger.name, correlation_key="key"))
    return run.effects("InstanceStarted")[0].instance_id


def _do_something(run: Runner, turn: int) -> None:
    """What workers, people, partners and time do: something for every kind of wait."""
    for partition in run.partitions:
        for state in list(partition.states.values()):
            if isinstance(state, ProcessInstance):
                _answer(run, state, turn)
    for job in run.jobs():
        run.send(c.CompleteJob(job_id=job.job_id, attempt=job.attempt))
    for task in run.tasks():
        run.send(c.CompleteTask(task_id=task.task_id))


def _answer(run: Runner, state: ProcessInstance, turn: int) -> None:
    for wait in list(state.waits.values()):
        match wait:
            case SubscriptionWait(name=name, correlation_key=key):
                run.send(c.PublishMessage(name=name, correlation_key=key))
            case SignalWait(name=name):
                run.send(c.BroadcastSignal(name=name))
            case TimerWait() if turn % 3 == 2:  # what else it waits for comes first
                run.elapse(DAY)
            case IncidentWait():
                _resolve(run, state, wait, turn)
            case ConditionWait():
                names = _asked(run, state, wait)
                run.send(_set(state, names, turn))
            case _:
                pass


def _resolve(run: Runner, state: ProcessInstance, wait: IncidentWait, turn: int) -> None:
    """Set what the expression in the incident's message asks for to what it expects."""
    texts = " ".join("".join(found) for found in _QUOTED.findall(wait.message))
    expected = [value for text, value in _EXPECTED.items() if text in wait.message]
    guess = expected[0] if expected else _GUESSES[turn % len(_GUESSES)]
    variables = json.dumps(dict.fromkeys(_NAME.findall(texts), guess))
    incident = f"{state.instance_id}:{wait.key}"
    run.send(c.ResolveIncident(incident_id=incident, variables=variables))


def _set(state: ProcessInstance, names: tuple[str, ...], turn: int) -> c.SetVariables:
    variables = json.dumps({name: _GUESSES[turn % len(_GUESSES)] for name in names})
    return c.SetVariables(instance_id=state.instance_id, variables=variables)


def _asked(run: Runner, state: ProcessInstance, wait: ConditionWait) -> tuple[str, ...]:
    """The variables of the condition that is waited for."""
    element = run.model(state).element(wait.element_id)
    trigger: Trigger = getattr(element, "trigger", NoneTrigger())
    conditions: list[Text | None] = [getattr(part, "condition", None) for part in parts_of(trigger)]
    return tuple(name for each in conditions if isinstance(each, Expression) for name in each.names)
