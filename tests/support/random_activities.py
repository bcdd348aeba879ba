"""Random activities: of every kind, repeated or not, with what may happen to them meanwhile."""

from itertools import count
from random import Random
from typing import NamedTuple

from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compensate_event,
    decision_task,
    end,
    error_event,
    escalation_event,
    event_sub_process,
    exclusive,
    flow,
    looped,
    message_event,
    multi_instance,
    receive_task,
    script_task,
    service_task,
    signal_event,
    standard_loop,
    start,
    sub_process,
    task,
    terminate_event,
    transaction,
    user_task,
)
from tests.support.random_triggers import Trigger, some_triggers


class Block(NamedTuple):
    """A piece of a process that is entered at one element and left at one, once each."""

    parts: tuple[str, ...]
    entry: str
    exit: str


class Activities:
    """Draws activities; every element gets a number of its own."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.numbers = count(1)

    def choose(self, options: int) -> int:
        return self.chance.randrange(options)

    def name(self, kind: str) -> str:
        return f"{kind}{next(self.numbers)}"

    def block(self, depth: int) -> Block:
        """What a sub-process is filled with."""
        raise NotImplementedError

    def activity(self, depth: int) -> Block:
        """An activity, perhaps with boundary events; ways that interrupt meet its own."""
        name, activity = self.some_activity(depth)
        if self.choose(3) == 0:
            activity = looped(activity, self.some_loop())
        parts: tuple[str, ...] = (activity,)
        merge = self.name("merge")
        for trigger in some_triggers(self.chance):
            event, beside = self.name("edge"), self.name("b")
            interrupting = self.interrupts(trigger)
            edge = boundary(event, name, trigger.definition, interrupting=interrupting)
            parts += (trigger.at(edge),)
            if interrupting:
                parts += (flow(event, merge),)
            else:
                parts += (self.some_task(beside), flow(event, beside))
        return Block((*parts, exclusive(merge), flow(name, merge)), name, merge)

    def interrupts(self, trigger: Trigger) -> bool:
        return bool(self.choose(2)) if trigger.interrupting is None else trigger.interrupting

    def some_loop(self) -> str:
        sequential = bool(self.choose(2))
        kinds = (
            multi_instance(times=str(self.choose(4)), sequential=sequential),
            multi_instance(over="=items", item="n", output="=n", into="all", sequential=sequential),
            multi_instance(times="3", until=f"=numberOfCompletedInstances = {1 + self.choose(2)}",
                           sequential=sequential),
            standard_loop(condition="=loopCounter < 2", test_before=sequential),
            standard_loop(maximum="2"),
        )  # fmt: skip
        return kinds[self.choose(len(kinds))]

    def some_task(self, name: str) -> str:
        kinds = (
            task(name),
            service_task(name),
            user_task(name),
            task(name, kind="manualTask"),
            self.listened_task(name),
        )
        return kinds[self.choose(len(kinds))]

    def listened_task(self, name: str) -> str:
        """A user task with listeners at some of its changes."""
        heard = tuple((event, event) for event in _TASK_EVENTS if self.choose(2))
        return user_task(name, assignee="ann", listeners=heard)

    def some_activity(self, depth: int, *, handled: bool = False) -> tuple[str, str]:
        """Its id, and itself. `handled`: it has a handler already that undoes it."""
        name = self.name("a")
        kinds = (
            service_task(name, retries=str(1 + self.choose(2))),
            service_task(name, kind=("sendTask", "businessRuleTask")[self.choose(2)]),
            user_task(name, inputs={"local": "=n"}, outputs={"seen": "=local"}),
            script_task(name, "=n + 1", result="n"),
            decision_task(name, "Next", result="n"),
            call_activity(name, "called"),
            receive_task(name, "third"),
            self.some_task(name),
        )
        kind = self.choose(len(kinds) + (2 if depth > 0 else 0))
        if kind < len(kinds):
            return name, kinds[kind]
        return name, self.some_sub_process(name, depth, handled=handled)

    def some_sub_process(self, name: str, depth: int, *, handled: bool = False) -> str:
        """Its blocks run side by side, one after the other in a scope that waits for them all."""
        begin, over = self.name("s"), self.name("e")
        head = task(begin) if self.choose(4) == 0 else start(begin)
        parts = [head, end(over, self.chance.choice(_ENDS))]
        for _ in range(1 + self.choose(3)):
            inner = self.block(depth - 1)
            parts += [*inner.parts, flow(begin, inner.entry), flow(inner.exit, over)]
        parts += [self.event_sub_process(trigger) for trigger in some_triggers(self.chance)]
        if not handled and self.choose(4) == 0:
            parts.append(self.undoing())
        kind = transaction if self.choose(4) == 0 else sub_process
        return kind(name, *parts, inputs={"mine": "=n"}, outputs={"n": "=n"})

    def event_sub_process(self, trigger: Trigger, *, interrupting: bool = True) -> str:
        """Begun as a boundary event would be; without `interrupting` only beside its scope."""
        begin, work, over = self.name("s"), self.name("h"), self.name("e")
        tells = not trigger.throws and self.choose(3) == 0  # else it would begin itself for ever
        begins = start(
            begin, trigger.definition, interrupting=interrupting and self.interrupts(trigger)
        )
        return event_sub_process(
            self.name("on"),
            trigger.at(begins),
            self.some_task(work),
            end(over, escalation_event("late") if tells else ""),
            chain(begin, work, over),
        )

    def undoing(self) -> str:
        """An event sub-process that undoes the scope around it, and what completed in there."""
        begin, work, rest = self.name("s"), self.name("h"), self.name("e")
        return event_sub_process(
            self.name("on"),
            start(begin, compensate_event()),
            self.some_task(work),
            end(rest, compensate_event() if self.choose(2) else ""),
            chain(begin, work, rest),
        )

    def failing(self, depth: int) -> Block:
        """A sub-process that ends with an error, which its boundary event catches."""
        name, begin, bad, edge, merge = (self.name(kind) for kind in ("f", "s", "e", "edge", "x"))
        inner = self.block(depth - 1)
        parts = (start(begin), *inner.parts, end(bad, error_event("low")),
                 flow(begin, inner.entry), flow(inner.exit, bad))  # fmt: skip
        caught = boundary(edge, name, error_event("low" if self.choose(2) else None))
        ways = (flow(name, merge), flow(edge, merge))
        return Block((sub_process(name, *parts), caught, exclusive(merge), *ways), name, merge)


_TASK_EVENTS = ("creating", "assigning", "updating", "completing", "canceling")
_ENDS = (
    "",
    "",
    terminate_event(),
    terminate_event(),
    compensate_event(),
    escalation_event("late"),
    signal_event("go"),
    message_event("other"),
    signal_event("go") + escalation_event("late") + terminate_event(),
    compensate_event() + escalation_event("late"),
    terminate_event() + compensate_event() + signal_event("go"),
)
