"""Messages and real instances over the log, in random order, with every send repeated at will.

What the small models of `test_correlation_promises.py` promise must hold for the instances that
ship, through the record loop that ships, wherever instances and messages happen to live.
"""

import json
import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import pytest

from engine import commands as c
from engine.aggregates import MessageState
from engine.records import SentCommand
from engine.routing import address_of, kafka_key, partition_of
from engine.state import ProcessInstance, SubscriptionWait
from tests.support.contexts import HOUR
from tests.support.models import (
    boundary,
    bpmn,
    chain,
    end,
    flow,
    message,
    message_event,
    process,
    receive_task,
    start,
    timer,
    user_task,
)
from tests.support.partitions import Partitions

MINUTE = 60_000

TWICE = process(
    "twice",
    start("begin"),
    receive_task("first", "Paid"),
    receive_task("second", "Paid"),
    user_task("rest"),
    end("done"),
    boundary("late", "first", timer(duration="PT10M")),
    end("given_up"),
    chain("begin", "first", "second", "rest", "done"),
    flow("late", "given_up"),
)
OFTEN = process(
    "often",
    start("begin"),
    user_task("work"),
    end("done"),
    boundary("told", "work", message_event("Paid"), interrupting=False),
    end("noted"),
    chain("begin", "work", "done"),
    flow("told", "noted"),
)
STARTED = process(
    "started",
    start("begin", message_event("Paid")),
    user_task("work"),
    end("done"),
    chain("begin", "work", "done"),
)
DEPLOYMENT = c.DeployResources(
    resources=tuple(
        c.Resource(name=f"{n}.bpmn", content=bpmn(drawn, message("Paid", "paid", key="=key")))
        for n, drawn in enumerate((TWICE, OFTEN, STARTED))
    )
)

CHOICES = range(30)
STEPS: tuple[tuple[str, Sequence[Any]], ...] = (
    ("start", ["twice", "often"]),
    ("publish", [0, 0, 5 * MINUTE, HOUR]),
    *[("deliver", CHOICES)] * 5,
    ("repeat", CHOICES),
    ("elapse", [MINUTE, MINUTE, 11 * MINUTE]),
    ("terminate", CHOICES),
)
"""What may happen next, and with which value; most of it is that something arrives."""


class Net:
    """The partitions, and between each two of them a channel that keeps its order."""

    def __init__(self, partitions: int) -> None:
        self.world = Partitions(partitions)
        assert self.world.send(DEPLOYMENT).rejection is None
        self.channels: dict[tuple[int, int], deque[SentCommand]] = {}
        self.before: list[tuple[int, SentCommand]] = []
        self.started = 0
        self.published: dict[str, int] = {}
        self.waited: dict[str, list[str]] = {}
        self.buried: list[tuple[str, str]] = []

    def collect(self) -> None:
        self.world.collect()
        while self.world.log:
            target, send = self.world.log.popleft()
            self.channels.setdefault((send.source_partition, target), deque()).append(send)

    def deliver(self, choice: int) -> bool:
        """Let one channel deliver its next send; False: nothing is on its way."""
        ready = [pair for pair, channel in self.channels.items() if channel]
        if not ready:
            return False
        pair = ready[choice % len(ready)]
        send = self.channels[pair].popleft()
        self.before.append((pair[1], send))
        self.world[pair[1]].take_sent(send)
        self.collect()
        return True

    def send(self, command: c.AnyCommand) -> None:
        """Send a client's command to the partition that its key names."""
        key = kafka_key(address_of(command))
        self.world[partition_of(key, len(self.world.all))].take(command)
        self.collect()

    def start(self, process_id: str) -> None:
        instance_id = f"{process_id}-{self.started}"
        self.started += 1
        self.send(
            c.StartInstance(process_id=process_id, instance_id=instance_id, variables='{"key":"k"}')
        )

    def publish(self, ttl_ms: int) -> None:
        """Publish a message that leaves a variable named for it where it is taken."""
        name = f"m{len(self.published)}"
        self.published[name] = self.world[0].now + ttl_ms
        self.waited[name] = self.waiting() if ttl_ms == 0 else []
        self.send(
            c.PublishMessage(
                name="paid",
                correlation_key="k",
                ttl_ms=ttl_ms,
                variables=json.dumps({name: True}),
            )
        )

    def repeat(self, choice: int) -> None:
        """A copy of some send that was delivered: it may come at any later time."""
        if self.before:
            target, send = self.before[choice % len(self.before)]
            self.world[target].take_sent(send)
            self.collect()

    def elapse(self, duration_ms: int) -> None:
        before = self.world[0].now
        now = before + duration_ms
        for name, until in self.published.items():
            if before < until <= now:
                self.waited[name] = self.waiting()
        self.world.set_time(now)
        for partition in self.world.all:
            for command in partition.due():
                partition.take(command)
        self.collect()

    def terminate(self, choice: int) -> None:
        living = self.instances()
        if living:
            chosen = living[choice % len(living)]
            self.buried.extend(messages_of(chosen))
            self.send(c.TerminateInstance(instance_id=chosen.instance_id))

    def settle(self) -> None:
        while self.deliver(0):
            pass

    # --- what is to be seen ---

    def instances(self) -> list[ProcessInstance]:
        return [
            state
            for partition in self.world.all
            for state in partition.states.values()
            if isinstance(state, ProcessInstance)
        ]

    def messages(self) -> MessageState:
        for partition in self.world.all:
            for state in partition.states.values():
                if isinstance(state, MessageState):
                    return state
        return MessageState(name="paid", correlation_key="k")

    def waiting(self) -> list[str]:
        """The instances that the aggregate knows to wait."""
        return [known.instance_id for known in self.messages().subscriptions]

    def taken(self) -> list[tuple[str, str]]:
        """(process id, message) of each that was taken, by instances that live or have ended."""
        found = [pair for each in self.instances() for pair in messages_of(each)]
        for effect in self.world.effects("InstanceCompleted"):
            names = json.loads(effect.variables or "{}")
            found.extend((effect.process_id, name) for name in names if name.startswith("m"))
        return found + self.buried


def messages_of(instance: ProcessInstance) -> list[tuple[str, str]]:
    """The messages that an instance took: each has left a variable."""
    names = instance.variables.get(instance.root, {})
    return [(instance.start.process_id, name) for name in names if name.startswith("m")]


def subscriptions(instances: list[ProcessInstance]) -> set[tuple[str, int]]:
    return {
        (instance.instance_id, wait.key)
        for instance in instances
        for wait in instance.waits.values()
        if isinstance(wait, SubscriptionWait)
    }


def run(seed: int, partitions: int) -> Net:
    """Fifty things that happen in an order made from the seed; then what is on its way arrives."""
    chance = random.Random(seed)
    net = Net(partitions)
    for _ in range(50):
        kind, values = chance.choice(STEPS)
        getattr(net, kind)(chance.choice(values))
    net.settle()
    return net


@pytest.mark.parametrize("partitions", [1, 4])
def test_messages_are_taken_once_and_withheld_from_nobody(partitions: int) -> None:
    for seed in range(100):
        problem = broken_promise(run(seed, partitions))
        assert problem is None, f"seed {seed}: {problem}"


def broken_promise(net: Net) -> str | None:
    """What the handshake promises, where nothing is on its way; None: all of it holds."""
    state, taken = net.messages(), net.taken()
    if len(taken) != len(set(taken)):
        return f"a process took a message twice: {taken}"
    known = {(one.instance_id, one.subscription) for one in state.subscriptions}
    if known != subscriptions(net.instances()):
        return f"the aggregate knows {known}"
    if any(each.offers for each in state.messages):
        return f"a message is still on offer: {state.messages}"
    begun = {
        each.start.process_id: each.instance_id
        for each in net.instances()
        if each.start.process_id == "started"
    }
    if state.started != begun:
        return f"the key is held by {state.started}, and there are {begun}"
    return withheld(net)


def withheld(net: Net) -> str | None:
    """A message that a process should have that waits for it."""
    taken = net.taken()
    for one in net.messages().subscriptions:
        for name, until in net.published.items():
            due = until > net.world[0].now or one.instance_id in net.waited[name]
            if due and (one.process_id, name) not in taken:
                return f"{name} is withheld from {one.instance_id}, which waits"
    return None


def test_the_random_orders_reach_what_they_are_about() -> None:
    """A search that finds nothing because nothing happens would look just as green."""
    net = Net(4)
    for step in ("start", "twice"), ("start", "often"), ("publish", 0), ("publish", HOUR):
        kind, value = step
        getattr(net, kind)(value)
        net.settle()
    assert broken_promise(net) is None
    assert sorted(net.taken()) == [
        ("often", "m0"),
        ("often", "m1"),
        ("started", "m0"),
        ("twice", "m0"),
        ("twice", "m1"),
    ]
