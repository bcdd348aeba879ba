"""Mocks: workers and people who answer by themselves, so that steps need not."""

from collections.abc import Mapping
from typing import Final
from xml.sax.saxutils import quoteattr

from engine import commands as c
from engine import records as r
from engine.expressions import (
    EvaluationError,
    compile_feel,
)
from engine.state import TASK_CHANGES
from engine.values import Value, ValueEncodeError, decode, encode
from scenarios import looking
from scenarios.errors import Mismatch
from scenarios.format.file import Answer, Mocks
from scenarios.world import World

ANSWERS_MAX: Final = 20_000
"""Answers after one step. More of them are a loop in the model that the mocks keep going."""

Table = Mapping[str, tuple[Answer, ...] | None]


def merged(file: Mocks, scenario: Mocks | None) -> Mocks:
    """The mocks of a scenario: its own count before the file's, name by name."""
    if scenario is None:
        return file
    return Mocks(
        jobs={**file.jobs, **scenario.jobs},
        tasks={**file.tasks, **scenario.tasks},
        processes={**file.processes, **scenario.processes},
    )


def answering(mocks: Mocks) -> tuple[str, ...]:
    """The names of all mocks that may answer, as `Mocking.asked` has them."""
    called = {job_type_of(name): answers for name, answers in mocks.processes.items()}
    tables: tuple[Table, ...] = (mocks.jobs, mocks.tasks, called)
    return tuple(name for table in tables for name, answers in table.items() if answers)


def job_type_of(process_id: str) -> str:
    """The type of the job as which a call of a mocked process waits."""
    return f"process:{process_id}"


class Mocking:
    """Answers what is open, until nothing that it knows is."""

    def __init__(self, world: World, mocks: Mocks) -> None:
        called = {job_type_of(name): answers for name, answers in mocks.processes.items()}
        self._jobs: Table = {**mocks.jobs, **called}
        self._tasks: Table = mocks.tasks
        self._world = world
        self._given: dict[str, int] = {}

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of the mocks that have answered; processes by the type of their jobs."""
        return tuple(self._given)

    def answer(self) -> None:
        """Raises Mismatch: an answer was refused, or there is no end of them."""
        if not self._jobs and not self._tasks:
            return
        for _ in range(ANSWERS_MAX):
            if not self._round():
                return
        raise Mismatch(f"Mocks gave more than {ANSWERS_MAX} answers, and were asked again.")

    def _round(self) -> bool:
        """Answer all that is open now. False: there was nothing to answer."""
        simulation, answered = self._world.simulation, False
        for job in looking.open_jobs(simulation):
            name = self._name(self._jobs, job.instance_id, job.element_id, job.type)
            if name is not None and looking.is_open(simulation, job):
                self._send(_job_command(self._next(self._jobs, name), job, self._world), name)
                answered = True
        for task_id in list(simulation.published_tasks):
            task = simulation.published_tasks.get(task_id)
            if task is None or task.state in TASK_CHANGES:
                continue  # gone meanwhile, or its listeners are asked
            name = self._name(self._tasks, task.instance_id, task.element_id)
            if name is not None:
                self._send(_task_command(self._next(self._tasks, name), task, self._world), name)
                answered = True
        return answered

    def _name(
        self, table: Table, instance_id: str, element_id: str, job_type: str | None = None
    ) -> str | None:
        """The entry of the table that is meant, if it answers."""
        if not table:
            return None
        if job_type is not None and job_type in table:
            return job_type if table[job_type] else None
        names = self._world.names_in(instance_id)
        found = next((name for name in table if names.is_named(element_id, name)), None)
        return found if found is not None and table[found] else None

    def _next(self, table: Table, name: str) -> Answer:
        answers = table[name]
        assert answers
        number = self._given.get(name, 0)
        self._given[name] = number + 1
        return answers[min(number, len(answers) - 1)]

    def _send(self, command: c.AnyCommand, name: str) -> None:
        reply = self._world.send(command)
        if reply.status is not r.ReplyStatus.ACCEPTED:
            raise Mismatch(f"The answer of the mock {name!r} was refused: {reply.detail}")


def _job_command(answer: Answer, job: r.Job, world: World) -> c.AnyCommand:
    variables = None if answer.variables is None else encode(answer.variables)
    if answer.fail is not None:
        return c.FailJob(
            job_id=job.job_id,
            attempt=job.attempt,
            message=answer.fail,
            retries=answer.retries,
            variables=variables,
        )
    if answer.error is not None:
        return c.ThrowError(
            code=answer.error, job_id=job.job_id, attempt=job.attempt, variables=variables
        )
    text = _object(answer, "complete", job.variables, world)
    result = None if answer.result is None else _object(answer, "result", job.variables, world)
    return c.CompleteJob(job_id=job.job_id, attempt=job.attempt, variables=text, result=result)


def _task_command(answer: Answer, task: r.Task, world: World) -> c.AnyCommand:
    if answer.fail is not None:
        raise Mismatch("A mock of a user task cannot fail: only jobs do.", line=answer.line("fail"))
    if answer.error is not None:
        variables = None if answer.variables is None else encode(answer.variables)
        return c.ThrowError(code=answer.error, task_id=task.task_id, variables=variables)
    if answer.result is not None:
        raise Mismatch(
            "A mock of a user task has no result: only jobs do.", line=answer.line("result")
        )
    variables = _object(answer, "complete", task.variables, world)
    return c.CompleteTask(task_id=task.task_id, variables=variables)


def _object(answer: Answer, key: str, given: str, world: World) -> str:
    """The variables to complete with, or the result, as a JSON text."""
    value: Value = getattr(answer, key)
    if isinstance(value, dict):
        return encode(value)
    text, line = str(value), answer.line(key)
    variables = decode(given)
    assert isinstance(variables, dict)
    try:
        value = compile_feel(text[1:]).evaluate(world.environment(variables))
        if not isinstance(value, dict):
            raise Mismatch(
                f"The mock's {text!r} gives no names and values, but {encode(value)}.", line=line
            )
        return encode(value)
    except (EvaluationError, ValueEncodeError) as error:
        raise Mismatch(f"The mock's {text!r} cannot be evaluated: {error}", line=line) from None


def called_process(process_id: str) -> bytes:
    """A BPMN file for a process that is called and has no model: it waits as a job, and ends."""
    names = {"id": quoteattr(process_id), "type": quoteattr(job_type_of(process_id))}
    return _CALLED.format(**names).encode()


_CALLED: Final = """\
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="mocks">
  <process id={id} isExecutable="true">
    <startEvent id="called"/><sequenceFlow id="to-answer" sourceRef="called" targetRef="answer"/>
    <serviceTask id="answer"><extensionElements><zeebe:taskDefinition type={type}/>
    </extensionElements></serviceTask>
    <sequenceFlow id="to-answered" sourceRef="answer" targetRef="answered"/>
    <endEvent id="answered"/>
  </process>
</definitions>
"""
