"""Random processes of nested blocks, and random stimuli for them.

A block has one entry and leaves by its one exit exactly once, so every join is met and every
process can come to its end; what happens in between (interruptions, errors, failures, incidents) is
left to chance.
"""

from itertools import count, pairwise
from random import Random
from typing import NamedTuple

from engine import commands as c
from engine.model.elements import AdHocSubProcess, ProcessModel
from engine.state import AdHocWait, IncidentWait, ProcessInstance
from tests.support.models import (
    ad_hoc,
    boundary,
    call_activity,
    cancel_event,
    catch,
    chain,
    compensate_event,
    compensation,
    compiled,
    conditional_event,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    event_gateway,
    event_sub_process,
    exclusive,
    flow,
    for_compensation,
    inclusive,
    link_event,
    looped,
    message,
    message_event,
    multi_instance,
    parallel,
    receive_task,
    script_task,
    service_task,
    signal,
    signal_event,
    standard_loop,
    start,
    sub_process,
    task,
    terminate_event,
    throw,
    timer,
    transaction,
    user_task,
    with_plain_ad_hocs,
)
from tests.support.runner import Runner

MINUTE = 60_000
CODES = ("LOW", "HIGH")
MESSAGES = ("news", "other", "third")
"""A boundary event that does not interrupt takes any number of the first, so nobody else waits for
it: of several subscribers in one process a message goes to the first."""
ROOTS = (
    message("m", "news", key='="k"'),
    message("other", "other", key='="k"'),
    message("third", "third", key='="k"'),
    error("low", "LOW"),
    error("high", "HIGH"),
    escalation("late", "LATE"),
    escalation("never", "NEVER"),
    signal("go", "go"),
    message("begin", "begin"),
    message("begin-too", "begin-too"),
)
TRUE_LATER = conditional_event("=level > 3")
"""Nobody but the outside writes `level`, so that it cannot hide in an inner scope."""
CALLED = compiled(
    *ROOTS,
    start("s"),
    service_task("work"),
    throw("tell", escalation_event("late")),
    user_task("look"),
    end("bad", error_event("high")),
    exclusive("choice", default="fine"),
    end("e"),
    chain("s", "work", "tell", "choice"),
    flow("choice", "bad", condition="=n = 13"),
    flow("choice", "look", flow_id="fine"),
    chain("look", "e"),
    process_id="called",
)


class Block(NamedTuple):
    parts: tuple[str, ...]
    entry: str
    exit: str


class Builder:
    """Draws blocks; every element gets a number of its own."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.numbers = count(1)

    def choose(self, options: int) -> int:
        return self.chance.randrange(options)

    def name(self, kind: str) -> str:
        return f"{kind}{next(self.numbers)}"

    def beginning(self) -> Block:
        """Where the process begins: half of them plainly, the others by the message "begin"."""
        kind = self.choose(8)
        if kind == 0:
            return Block((receive_task("s", "begin", instantiate=True),), "s", "s")
        if kind == 1:
            trigger = message_event("begin") + message_event("begin-too")
            begin = start("s", trigger).replace(" id=", ' parallelMultiple="true" id=', 1)
            return Block((begin,), "s", "s")
        if kind in (2, 3):
            together = kind == 2
            parts = (
                event_gateway("s", instantiate=True, parallel=together),
                catch("first", message_event("begin")),
                receive_task("second", "begin-too"),
                parallel("begun") if together else exclusive("begun"),
                chain("s", "first", "begun"),
                chain("s", "second", "begun"),
            )
            return Block(parts, "s", "begun")
        return Block((start("s"),), "s", "s")

    def block(self, depth: int) -> Block:
        kinds = (self.activity, self.wait, self.throw, self.jump, self.sequence, self.choice,
                 self.fork, self.race, self.loop, self.spread, self.undone,
                 self.given_up, self.pool)  # fmt: skip
        return kinds[self.choose(len(kinds) if depth > 0 else 4)](depth)

    def sequence(self, depth: int) -> Block:
        blocks = [self.block(depth - 1) for _ in range(1 + self.choose(3))]
        parts = [part for block in blocks for part in block.parts]
        for before, after in pairwise(blocks):
            parts.append(flow(before.exit, after.entry))
        return Block(tuple(parts), blocks[0].entry, blocks[-1].exit)

    def activity(self, depth: int) -> Block:
        """An activity, perhaps with boundary events; ways that interrupt meet its own."""
        name, parts = self.some_activity(depth)
        if self.choose(4) == 0:
            parts = (looped(parts[0], self.some_loop()), *parts[1:])
        merge = self.name("merge")
        for kind in self.chance.sample(range(8), self.choose(3)):
            event, beside = self.name("edge"), self.name("b")
            trigger, interrupting = self.some_boundary(kind)
            parts += (boundary(event, name, trigger, interrupting=interrupting),)
            if interrupting:
                parts += (flow(event, merge),)
            else:
                parts += (self.some_task(beside), flow(event, beside))
        return Block((*parts, exclusive(merge), flow(name, merge)), name, merge)

    def some_loop(self) -> str:
        sequential = bool(self.choose(2))
        kinds = (
            multi_instance(times=str(self.choose(4)), sequential=sequential),
            multi_instance(over="=[5, 7]", item="n", output="=n", into="all"),
            multi_instance(times="3", until=f"=numberOfCompletedInstances = {1 + self.choose(2)}",
                           sequential=sequential),
            standard_loop(condition="=loopCounter < 2", test_before=sequential),
            standard_loop(maximum="2"),
        )  # fmt: skip
        return kinds[self.choose(len(kinds))]

    def some_task(self, name: str) -> str:
        kinds = (task(name), service_task(name), user_task(name))
        return kinds[self.choose(len(kinds))]

    def some_activity(self, depth: int) -> tuple[str, tuple[str, ...]]:
        kind = self.choose(6 if depth > 0 else 5)
        name = self.name("a")
        if kind == 0:
            return name, (service_task(name, retries=str(1 + self.choose(2))),)
        if kind == 1:
            return name, (user_task(name, inputs={"local": "=n"}, outputs={"seen": "=local"}),)
        if kind == 2:
            return name, (script_task(name, "=n + 1", result="n"),)
        if kind == 3:
            return name, (call_activity(name, "called"),)
        if kind == 4:
            return name, (task(name),)
        return name, (self.some_sub_process(name, depth),)

    def some_sub_process(self, name: str, depth: int) -> str:
        """Its blocks run side by side, one after the other in a scope that waits for them all."""
        begin, over = self.name("s"), self.name("e")
        trigger = terminate_event() if self.choose(3) == 0 else ""
        parts = [start(begin), end(over, trigger)]
        for _ in range(1 + self.choose(3)):
            inner = self.block(depth - 1)
            parts += [*inner.parts, flow(begin, inner.entry), flow(inner.exit, over)]
        for kind in self.chance.sample(range(8), self.choose(3)):
            parts.append(self.event_sub_process(kind))
        return sub_process(name, *parts, inputs={"mine": "=n"}, outputs={"n": "=n"})

    def some_boundary(self, kind: int) -> tuple[str, bool]:
        """A trigger, and whether it interrupts."""
        either = bool(self.choose(2))
        triggers = (
            (timer(duration="PT5M"), either),
            (timer(cycle="R2/PT3M"), False),
            (message_event("m"), either),
            (error_event("low"), True),
            (error_event(), True),
            (signal_event("go"), either),
            (TRUE_LATER, either),
            (escalation_event(self.chance.choice((None, "late"))), either),
        )
        return triggers[kind]

    def event_sub_process(self, kind: int, *, interrupting: bool = True) -> str:
        """Begun as a boundary event would be; without `interrupting` only beside its scope."""
        trigger, may_interrupt = self.some_boundary(kind)
        begin, work, over = self.name("s"), self.name("h"), self.name("e")
        tells = kind != ESCALATION and self.choose(3) == 0  # else it would begin itself for ever
        return event_sub_process(
            self.name("on"),
            start(begin, trigger, interrupting=interrupting and may_interrupt),
            self.some_task(work),
            end(over, escalation_event("late") if tells else ""),
            chain(begin, work, over),
        )

    def throw(self, depth: int) -> Block:
        """What is thrown may end what it is thrown in, and reaches others too."""
        name = self.name("t")
        events = (
            escalation_event("late"),
            escalation_event("never"),
            signal_event("go"),
            message_event("other"),
            message_event("m"),
        )
        return Block((throw(name, self.chance.choice(events)),), name, name)

    def jump(self, depth: int) -> Block:
        away, there = self.name("l"), self.name("l")
        parts = (throw(away, link_event(away)), catch(there, link_event(away)))
        return Block(parts, away, there)

    def wait(self, depth: int) -> Block:
        name = self.name("w")
        kinds = (
            catch(name, timer(duration="PT2M")),
            catch(name, message_event("other")),
            catch(name, signal_event("go")),
            catch(name, TRUE_LATER),
            receive_task(name, "third"),
        )
        return Block((kinds[self.choose(len(kinds))],), name, name)

    def choice(self, depth: int) -> Block:
        split, merge = self.name("x"), self.name("x")
        first, second = self.block(depth - 1), self.block(depth - 1)
        default = f"default-{split}"
        return Block(
            (
                exclusive(split, default=default),
                exclusive(merge),
                *first.parts,
                *second.parts,
                flow(split, first.entry, condition=f"=n > {self.choose(5)}"),
                flow(split, second.entry, flow_id=default),
                flow(first.exit, merge),
                flow(second.exit, merge),
            ),
            split,
            merge,
        )

    def fork(self, depth: int) -> Block:
        split, join = self.name("f"), self.name("j")
        parts = [parallel(split), parallel(join)]
        for _ in range(2 + self.choose(2)):
            block = self.block(depth - 1)
            parts += [*block.parts, flow(split, block.entry), flow(block.exit, join)]
        return Block(tuple(parts), split, join)

    def spread(self, depth: int) -> Block:
        """Some of the branches, and a join that waits for just these."""
        split, join = self.name("i"), self.name("j")
        default = f"default-{split}"
        parts = [inclusive(split, default=default), inclusive(join)]
        for number in range(2 + self.choose(2)):
            block = self.block(depth - 1)
            way = {"condition": f"=n > {self.choose(5)}"} if number else {"flow_id": default}
            parts += [*block.parts, flow(split, block.entry, **way), flow(block.exit, join)]
        return Block(tuple(parts), split, join)

    def undone(self, depth: int) -> Block:
        """Activities that can be compensated, and an event that compensates them and more."""
        blocks = [self.undoable(depth) for _ in range(1 + self.choose(3))]
        undo = self.name("undo")
        trigger = compensate_event(wait=bool(self.choose(3)))
        parts = [part for block in blocks for part in block.parts]
        ways = [flow(before.exit, after.entry) for before, after in pairwise(blocks)]
        out = flow(blocks[-1].exit, undo)
        return Block((*parts, throw(undo, trigger), *ways, out), blocks[0].entry, undo)

    def undoable(self, depth: int) -> Block:
        name, parts = self.some_activity(depth)
        if self.choose(3) == 0:
            parts = (looped(parts[0], multi_instance(times=str(self.choose(4)))), *parts[1:])
        handler = self.name("un")
        undoing = for_compensation(self.some_task(handler))
        return Block((*parts, undoing, compensation(name, handler)), name, name)

    def given_up(self, depth: int) -> Block:
        """A transaction that may be canceled, and goes on all the same."""
        name, begin, check, over = (self.name(kind) for kind in ("ta", "s", "x", "e"))
        cancel, way_out, merge = self.name("cancel"), self.name("out"), self.name("x")
        inner = self.undoable(depth - 1)
        default = f"default-{check}"
        inside = (
            start(begin),
            *inner.parts,
            exclusive(check, default=default),
            end(over),
            end(cancel, cancel_event()),
            flow(begin, inner.entry),
            flow(inner.exit, check),
            flow(check, over, flow_id=default),
            flow(check, cancel, condition=f"=n > {self.choose(5)}"),
        )
        return Block(
            (
                transaction(name, *inside),
                boundary(way_out, name, cancel_event()),
                exclusive(merge),
                flow(name, merge),
                flow(way_out, merge),
            ),
            name,
            merge,
        )

    def pool(self, depth: int) -> Block:
        """Activities to choose from, some of them with more behind, some of them chosen by it."""
        name = self.name("pool")
        parts: list[str] = []
        offered: list[str] = []
        for _ in range(1 + self.choose(3)):
            first = self.activity(depth - 1)
            parts += first.parts
            offered.append(first.entry)
            if self.choose(2):
                behind = self.block(depth - 1)
                parts += [*behind.parts, flow(first.exit, behind.entry)]
        for kind in self.chance.sample(range(8), self.choose(2)):
            parts.append(self.event_sub_process(kind))
        chosen = ", ".join(f'"{self.chance.choice(offered)}"' for _ in range(self.choose(4)))
        until = (None, "=false", f"=numberOfCompletedInstances = {1 + self.choose(2)}", "=n > 2")
        inside = ad_hoc(
            name,
            *parts,
            active=f"=[{chosen}]" if self.choose(3) else None,
            collects=("=n", "collected") if self.choose(3) == 0 else None,
            until=self.chance.choice(until),
            sequential=bool(self.choose(2)),
            cancels=bool(self.choose(2)),
            inputs={"mine": "=n"},
        )
        if self.choose(4) == 0:
            inside = looped(inside, self.some_loop())
        return Block((inside,), name, name)

    def race(self, depth: int) -> Block:
        split, merge = self.name("g"), self.name("x")
        arms = [self.name("w") for _ in range(5)]
        parts = [
            event_gateway(split),
            exclusive(merge),
            catch(arms[0], timer(duration="PT1M")),
            catch(arms[1], message_event("other")),
            receive_task(arms[2], "third"),
            catch(arms[3], signal_event("go")),
            catch(arms[4], TRUE_LATER),
        ]
        for arm in arms:
            parts += [flow(split, arm), flow(arm, merge)]
        return Block(tuple(parts), split, merge)

    def loop(self, depth: int) -> Block:
        """Around again until the counter is high enough."""
        again, count_up, check = self.name("x"), self.name("c"), self.name("x")
        inner = self.block(depth - 1)
        back = f"back-{check}"
        out = self.name("t")
        return Block(
            (
                exclusive(again),
                *inner.parts,
                script_task(count_up, "=rounds + 1", result="rounds"),
                exclusive(check, default=back),
                task(out),
                chain(again, inner.entry),
                chain(inner.exit, count_up, check),
                flow(check, again, flow_id=back),
                flow(check, out, condition=f"=rounds > {1 + self.choose(3)}"),
            ),
            again,
            out,
        )


ESCALATION = 7
BESIDE = (1, 5, 6, ESCALATION)
"""Kinds of triggers that may stand in the process itself without ever ending it."""


def random_process(chance: Random, depth: int = 3) -> ProcessModel:
    model = compiled(*random_parts(chance, depth))
    return with_plain_ad_hocs(model) if chance.randrange(2) else model


def random_parts(chance: Random, depth: int = 3) -> list[str]:
    """What a file with such a process is made of."""
    builder = Builder(chance)
    begin = builder.beginning()
    block = builder.sequence(depth + 1)
    beside = [
        builder.event_sub_process(kind, interrupting=False)
        for kind in BESIDE[: chance.randrange(3)]
    ]
    return [
        *ROOTS,
        *begin.parts,
        *block.parts,
        *beside,
        end("e"),
        flow(begin.exit, block.entry),
        flow(block.exit, "e"),
    ]


def begin(run: Runner) -> None:
    """Start the instance "a" of the process, by its message if it begins with one."""
    variables = '{"n": 3, "rounds": 0}'
    table = run.partitions[0].definitions
    begins = [element for process, element in table.message_starts("begin") if process == "p"]
    if not begins:
        run.start("p", variables=variables)
        return
    run.internal(
        c.StartByMessage(
            instance_id="a",
            process_id="p",
            version=1,
            start_element=begins[0],
            name="begin",
            correlation_key="k",
            message=1,
            variables=variables,
            conversation=table.conversation("p", begins[0], "k"),
        )
    )


def stimulate(run: Runner, choice: int) -> None:
    """Do one of the things that the outside may do; which, and to whom, follows from a number."""
    kinds = (complete_job, complete_job, complete_task, complete_task, publish, elapse, fail_job,
             throw_error, throw_escalation, resolve, set_variables, set_level,
             broadcast, choose, begin_too)  # fmt: skip
    choice, kind = divmod(choice, len(kinds))
    kinds[kind](run, choice)


def complete_job(run: Runner, choice: int) -> None:
    jobs = run.jobs()
    if jobs:
        job = jobs[choice % len(jobs)]
        variables = f'{{"n": {choice % 15}}}'
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt, variables=variables))


def complete_task(run: Runner, choice: int) -> None:
    tasks = run.tasks()
    if tasks:
        run.accept(c.CompleteTask(task_id=tasks[choice % len(tasks)].task_id))


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
    jobs = run.jobs()
    if jobs:
        job = jobs[choice % len(jobs)]
        code = CODES[choice // 7 % 2]
        run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code=code))


def throw_escalation(run: Runner, choice: int) -> None:
    jobs = run.jobs()
    if jobs:
        job = jobs[choice % len(jobs)]
        code = ("LATE", "OTHER")[choice // 7 % 2]
        run.accept(c.ThrowEscalation(job_id=job.job_id, attempt=job.attempt, code=code))


def choose(run: Runner, choice: int) -> None:
    """Choose an activity of an ad-hoc sub-process; a sequential one that is busy refuses."""
    found = offers(run)
    if found:
        element_instance_id, names = found[choice % len(found)]
        element_ids = (names[choice // 3 % len(names)],)
        run.send(
            c.ActivateActivities(element_instance_id=element_instance_id, element_ids=element_ids)
        )


def complete_ad_hoc(run: Runner) -> None:
    for element_instance_id, _ in offers(run)[:1]:
        run.accept(c.ActivateActivities(element_instance_id=element_instance_id, complete=True))


def offers(run: Runner) -> list[tuple[str, tuple[str, ...]]]:
    """The ids of the ad-hoc sub-processes in which activities can be chosen, and of these."""
    state = run.document()
    if not isinstance(state, ProcessInstance):
        return []
    model = next(model for model in run.models.values() if model.process_id == "p")
    found = []
    for wait in state.waits.values():
        if isinstance(wait, AdHocWait) and not wait.stopped:
            element = model.element(state.elements[wait.owner].element_id)
            assert isinstance(element, AdHocSubProcess)
            names = tuple(model.elements[index].id for index in element.offered)
            found.append((f"a:{wait.owner}", names))
    return found


def broadcast(run: Runner, choice: int) -> None:
    run.accept(c.BroadcastSignal(name="go"))


def set_level(run: Runner, choice: int) -> None:
    if isinstance(run.document(), ProcessInstance):
        run.accept(c.SetVariables(instance_id="a", variables=f'{{"level": {choice % 8}}}'))


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


def finish(run: Runner) -> None:
    """Do everything that anybody waits for until nobody does."""
    for turn in range(500):
        if not isinstance(run.document(), ProcessInstance):
            return
        set_level(run, 7)  # again and again: a called instance hands back what it was given
        if turn % 20 == 0:  # rarely: each may begin more than a turn gets done
            broadcast(run, 0)
        for act in (resolve, begin_too, complete_job, complete_task):
            act(run, 0)
        complete_ad_hoc(run)
        publish(run, 1 + turn % 2)
        run.elapse(MINUTE)
    raise AssertionError(f"it comes to no end: {run.waiting()}")
