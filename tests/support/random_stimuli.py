"""What the outside may do to a random process, and how it is brought to its end."""

import json

from engine import commands as c
from engine.model.elements import AdHocSubProcess
from engine.model.vocabulary import LISTENER_EVENT
from engine.records import Job, ReplyStatus, Task, Topic
from engine.state import TASK_CHANGES, AdHocWait, IncidentWait, ProcessInstance
from tests.support.random_processes import MESSAGES
from tests.support.runner import Runner

MINUTE = 60_000
CODES = ("LOW", "HIGH")


def stimulate(run: Runner, choice: int) -> None:
    """Do one of the things that the outside may do; which, and to whom, follows from a number."""
    kinds = (complete_job, complete_job, complete_task, complete_task, publish, elapse, fail_job,
             throw_error, throw_error_from_task, throw_escalation, resolve, set_variables,
             set_level, broadcast, choose, repeat, complete_again, fire_early,
             begin_too, change_task, deny_or_correct)  # fmt: skip
    choice, kind = divmod(choice, len(kinds))
    kinds[kind](run, choice)


def complete_job(run: Runner, choice: int) -> None:
    jobs = run.jobs()
    if jobs:
        job = jobs[choice % len(jobs)]
        run.accept(
            c.CompleteJob(
                job_id=job.job_id,
                attempt=job.attempt,
                variables=f'{{"n": {choice % 15}}}',
                result=_decision(run, job, choice // 2) if job.type == "agent" else None,
            )
        )


def _decision(run: Runner, job: Job, choice: int) -> str | None:
    """What a worker decides that directs an ad-hoc sub-process; with 0 that it is done."""
    state = run.document(job.instance_id)
    number = int(job.job_id.rpartition(":")[2])
    if not isinstance(state, ProcessInstance) or number not in state.waits:
        return None
    names = _offered(run, state, state.waits[number].owner)
    chosen = [
        {"elementId": names[index % len(names)], "variables": {"mine": index, "n": index}}
        for index in range(choice % 7, choice % 7 + 1 + choice % 2)
    ]
    decisions: tuple[dict[str, object], ...] = (
        {"isCompletionConditionFulfilled": True},
        {"activateElements": chosen},
        {"activateElements": chosen},
        {"activateElements": chosen, "isCancelRemainingInstances": True},
        {"isCompletionConditionFulfilled": True, "isCancelRemainingInstances": True},
        {},
    )
    return json.dumps(decisions[choice % len(decisions)])


def deny_or_correct(run: Runner, choice: int) -> None:
    """A listener at the change of a user task has something to say of it."""
    jobs = [job for job in run.jobs() if job.headers.get(LISTENER_EVENT) in _DENIABLE]
    if jobs:
        job = jobs[choice % len(jobs)]
        results = ('{"denied": true}', '{"corrections": {"assignee": "eve", "priority": 1}}')
        result = results[choice // 5 % 2]
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt, result=result))


_DENIABLE = frozenset({"assigning", "updating", "completing"})


def throwers(run: Runner) -> list[Job]:
    """The open jobs but those of listeners at what is canceled, which throw nothing."""
    over = ("canceling", "cancel")
    return [job for job in run.jobs() if job.headers.get(LISTENER_EVENT) not in over]


def free_tasks(run: Runner) -> list[Task]:
    """The open tasks of which no change is under way."""
    return [task for task in run.tasks() if task.state not in TASK_CHANGES]


def complete_task(run: Runner, choice: int) -> None:
    tasks = free_tasks(run)
    if tasks:
        run.accept(c.CompleteTask(task_id=tasks[choice % len(tasks)].task_id))


def change_task(run: Runner, choice: int) -> None:
    """Somebody claims a task, which may be refused, or it is assigned or updated."""
    tasks = run.tasks()
    if tasks:
        task_id = tasks[choice % len(tasks)].task_id
        user = ("ann", "bob")[choice // 3 % 2]
        changes = (
            c.ClaimTask(task_id=task_id, user=user),
            c.AssignTask(task_id=task_id, assignee=None),
            c.UpdateTask(task_id=task_id, priority=choice % 5),
        )
        change = changes[choice // 6 % 3]
        if run.posting:
            run.post(change)
        else:
            run.send(change)


def publish(run: Runner, choice: int) -> None:
    name = MESSAGES[choice % 3]
    ttl = (0, 5 * MINUTE)[choice // 3 % 2]
    run.accept(c.PublishMessage(name=name, correlation_key="k", ttl_ms=ttl))


def begin_too(run: Runner, choice: int) -> None:
    """The other message that the beginning needs, once: it would start an instance of its own."""
    state = run.document()
    waits = state.waits.values() if isinstance(state, ProcessInstance) else ()
    under_way = any(
        getattr(stimulus.command, "name", None) == "begin-too"
        for partition in run.partitions
        for stimulus in partition.log
    )
    if not under_way and any(getattr(wait, "name", None) == "begin-too" for wait in waits):
        run.accept(c.PublishMessage(name="begin-too", correlation_key="k"))


def elapse(run: Runner, choice: int) -> None:
    if choice % 2:
        run.elapse(choice % 7 * MINUTE)
    else:
        run.sleep(choice % 7 * MINUTE)


def fail_job(run: Runner, choice: int) -> None:
    jobs = run.jobs()
    if jobs:
        job = jobs[choice % len(jobs)]
        backoff_ms = choice % 3 * MINUTE
        run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, backoff_ms=backoff_ms))


def throw_error(run: Runner, choice: int) -> None:
    jobs = throwers(run)
    if jobs:
        job = jobs[choice % len(jobs)]
        code = CODES[choice // 7 % 2]
        run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code=code))


def throw_escalation(run: Runner, choice: int) -> None:
    jobs = throwers(run)
    if jobs:
        job = jobs[choice % len(jobs)]
        code = ("LATE", "OTHER")[choice // 7 % 2]
        run.accept(c.ThrowEscalation(job_id=job.job_id, attempt=job.attempt, code=code))


def throw_error_from_task(run: Runner, choice: int) -> None:
    tasks = free_tasks(run)
    if tasks:
        task_id = tasks[choice % len(tasks)].task_id
        run.accept(c.ThrowError(task_id=task_id, code=CODES[choice // 7 % 2]))


def repeat(run: Runner, choice: int) -> None:
    """A client that did not hear the answer sends one of its commands again."""
    if run.sent and not run.posting:
        command, command_id = run.sent[choice % len(run.sent)]
        before = len(run.history.get("a", ()))
        reply = run.send(command, command_id=command_id)
        assert reply is not None
        assert reply.status is ReplyStatus.DUPLICATE
        assert len(run.history.get("a", ())) == before


def complete_again(run: Runner, choice: int) -> None:
    """A worker whose attempt is over answers late: that changes nothing."""
    given: list[Job] = run.records(Topic.JOBS)
    still_open = {(job.job_id, job.attempt) for job in run.jobs()}
    stale = [job for job in given if (job.job_id, job.attempt) not in still_open]
    if stale:
        job = stale[choice % len(stale)]
        again = c.CompleteJob(job_id=job.job_id, attempt=job.attempt)
        if run.posting:
            run.post(again)
        else:
            run.reject(again)


def fire_early(run: Runner, choice: int) -> None:
    """A timer comes before it is due: nothing happens, and it stays armed."""
    for partition in run.partitions:
        for (address, timer), due_ms in list(partition.timers.items())[:1]:
            early = c.FireTimer(address=address, timer=timer, due_ms=due_ms)
            if due_ms > run.now and not run.posting:
                run.send(early)
                assert partition.timers[address, timer] == due_ms


def choose(run: Runner, choice: int) -> None:
    """Choose an activity of an ad-hoc sub-process; a sequential one that is busy refuses."""
    found = offers(run)
    if found:
        element_instance_id, names = found[choice % len(found)]
        element_ids = (names[choice // 3 % len(names)],)
        chosen = c.ActivateActivities(
            element_instance_id=element_instance_id, element_ids=element_ids
        )
        if run.posting:
            run.post(chosen)
        else:
            run.send(chosen)


def complete_ad_hoc(run: Runner) -> None:
    for element_instance_id, _ in offers(run)[:1]:
        run.accept(c.ActivateActivities(element_instance_id=element_instance_id, complete=True))


def offers(run: Runner) -> list[tuple[str, tuple[str, ...]]]:
    """The ids of the ad-hoc sub-processes in which activities can be chosen, and of these."""
    state = run.document()
    if not isinstance(state, ProcessInstance):
        return []
    return [
        (f"a:{wait.owner}", _offered(run, state, wait.owner))
        for wait in state.waits.values()
        if isinstance(wait, AdHocWait) and not wait.stopped
    ]


def _offered(run: Runner, state: ProcessInstance, owner: int) -> tuple[str, ...]:
    model = run.model(state)
    element = model.element(state.elements[owner].element_id)
    assert isinstance(element, AdHocSubProcess)
    return tuple(model.elements[index].id for index in element.offered)


def broadcast(run: Runner, choice: int) -> None:
    run.accept(c.BroadcastSignal(name="go"))


def set_level(run: Runner, choice: int) -> None:
    if isinstance(run.document(), ProcessInstance):
        run.accept(c.SetVariables(instance_id="a", variables=f'{{"level": {choice % 8}}}'))


def leave_loops(run: Runner) -> None:
    """What counts the rounds of a loop is far enough, and the level, too."""
    set_level(run, 7)
    if isinstance(run.document(), ProcessInstance):
        run.accept(c.SetVariables(instance_id="a", variables='{"rounds": 7}'))


def resolve(run: Runner, choice: int) -> None:
    open_incidents = incidents(run)
    if open_incidents:
        run.accept(c.ResolveIncident(incident_id=open_incidents[choice % len(open_incidents)]))


def set_variables(run: Runner, choice: int) -> None:
    if isinstance(run.document(), ProcessInstance):
        run.accept(c.SetVariables(instance_id="a", variables=f'{{"n": {choice % 5}}}'))


def incidents(run: Runner) -> list[str]:
    return [
        f"{state.instance_id}:{wait.key}"
        for partition in run.partitions
        for state in partition.states.values()
        if isinstance(state, ProcessInstance)
        for wait in state.waits.values()
        if isinstance(wait, IncidentWait)
    ]


def let_go(run: Runner) -> None:
    """Listeners at the end of what was terminated answer, until the instance is gone."""
    for _ in range(500):
        if not isinstance(run.document(), ProcessInstance) and not run.jobs():
            return  # until then there may be a job that waits for its next try
        resolve(run, 0)
        complete_job(run, 0)
        run.elapse(MINUTE)
    raise AssertionError(f"it comes to no end: {run.waiting()}")


def finish(run: Runner) -> None:
    """Do everything that anybody waits for until nobody does."""
    for turn in range(500):
        if not isinstance(run.document(), ProcessInstance):
            return
        leave_loops(run)  # again and again: a called instance hands back what it was given
        if turn % 20 == 0:  # rarely: each may begin more than a turn gets done
            broadcast(run, 0)
        for act in (resolve, begin_too, complete_job, complete_task) * 3:
            act(run, 0)
        complete_ad_hoc(run)
        publish(run, 1 + turn % 2)
        run.elapse(MINUTE)
    raise AssertionError(f"it comes to no end: {run.waiting()}")
