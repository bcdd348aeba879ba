"""What belongs to one instance comes to several partitions at once, in every order that may be.

Records of different partitions are applied in a drawn order, between them more is published, and
instances are ended. At every moment a conversation has one holder at most; in the end nothing that
was published is taken twice, hangs, or is waited for although it was there.
"""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.aggregates import ConversationState, MessageState
from engine.instances.conversations import is_holder
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.routing import partition_of, signal_address
from engine.state import ProcessInstance
from scenarios.simulation import Variant
from tests.support.models import (
    catch,
    chain,
    compiled,
    end,
    event_gateway,
    message,
    message_event,
    receive_task,
    signal,
    signal_event,
    start,
    together,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000
NAMES = ("a", "b", "c")
ROOTS = tuple(message(f"m-{name}", name) for name in NAMES)
OUTPUTS = {name: {f"of_{name}": "=number"} for name in NAMES}


def behind_gateway(*, parallel: bool) -> ProcessModel:
    return compiled(
        *ROOTS,
        event_gateway("first", instantiate=True, parallel=parallel),
        catch("a", message_event("m-a"), outputs=OUTPUTS["a"]),
        receive_task("b", "m-b", outputs=OUTPUTS["b"]),
        catch("c", message_event("m-c"), outputs=OUTPUTS["c"]),
        user_task("work"),
        *(chain("first", name, "work") for name in NAMES),
    )


def by_start_event() -> ProcessModel:
    event = start("s", "".join(message_event(f"m-{name}") for name in NAMES))
    return compiled(
        *ROOTS,
        together(event),
        user_task("work"),
        chain("s", "work"),
    )


MODELS = {
    "parallel gateway": behind_gateway(parallel=True),
    "exclusive gateway": behind_gateway(parallel=False),
    "start event": by_start_event(),
}
VARIANTS = (
    Variant(name="plain", partitions=5),
    Variant(name="twice", partitions=5, twice=True),
    Variant(name="through the log", partitions=5, through_log=True),
)
TTLS = st.sampled_from([0, HOUR])
PUBLISH = st.tuples(st.just("publish"), st.sampled_from(NAMES), st.sampled_from(["", "7"]), TTLS)
END = st.tuples(st.just("end"), st.integers(0, 9), st.just(""), st.just(0))
STEP = st.tuples(st.just("step"), st.integers(0, 99), st.just(""), st.just(0))
SCHEDULE = st.lists(st.integers(0, 99), max_size=20)
SCRIPTS = st.lists(st.one_of(PUBLISH, PUBLISH, END, STEP, STEP, STEP), max_size=60)


class Race:
    """A run in which the records of different partitions are applied in a drawn order."""

    def __init__(self, model: ProcessModel, variant: Variant) -> None:
        self.run = Runner(model, variant=variant)
        self.model = model
        self.published = 0

    def play(self, script: list[tuple[str, str | int, str, int]]) -> None:
        for kind, what, key, ttl_ms in script:
            match kind:
                case "publish":
                    self.publish(str(what), key, ttl_ms)
                case "end":
                    self.end(int(what))
                case _:
                    self.step(int(what))
        self.finish()

    def publish(self, name: str, key: str, ttl_ms: int) -> None:
        self.published += 1
        variables = f'{{"number": {self.published}, "of_{name}": {self.published}}}'
        self.run.post(
            c.PublishMessage(name=name, correlation_key=key, ttl_ms=ttl_ms, variables=variables)
        )

    def end(self, which: int) -> None:
        living = self.living()
        if living:
            instance_id = living[which % len(living)].instance_id
            self.run.post(c.TerminateInstance(instance_id=instance_id))

    def step(self, which: int) -> None:
        waiting = [(n, p) for n, p in enumerate(self.run.partitions) if p.log]
        if waiting:
            number, partition = waiting[which % len(waiting)]
            self.run._apply(number, partition, partition.log.popleft())
            self.assert_one_holder()

    def finish(self) -> None:
        for _ in range(10_000):
            if not any(partition.log for partition in self.run.partitions):
                break
            self.step(7)
        self.run.settle()

    def living(self) -> list[ProcessInstance]:
        states = (state for each in self.run.partitions for state in each.states.values())
        return [state for state in states if isinstance(state, ProcessInstance)]

    # --- what must hold ---

    def assert_one_holder(self) -> None:
        held = Counter(
            state.start.conversation for state in self.living() if is_holder(self.model, state)
        )
        assert all(count == 1 for count in held.values()), held

    def assert_quiet(self) -> None:
        """Nothing is on offer, and conversations are those that living instances hold."""
        states = [state for each in self.run.partitions for state in each.states.values()]
        held = {
            (state.start.conversation, state.instance_id)
            for state in self.living()
            if is_holder(self.model, state)
        }
        known = {
            (state.key, state.holder) for state in states if isinstance(state, ConversationState)
        }
        assert held == known
        messages = [state for state in states if isinstance(state, MessageState)]
        waits = {
            (each.instance_id, each.subscription)
            for state in messages
            for each in state.subscriptions
        }
        assert waits == {
            (state.instance_id, key)
            for state in self.living()
            for key, wait in state.waits.items()
            if hasattr(wait, "correlation_key")
        }
        holders = dict(held)
        for state in messages:
            assert not any(message.offers for message in state.messages), state
            holder = holders.get(state.correlation_key)
            assert set(state.started.values()) <= {holder}, state
            waiting = [each for each in state.messages if each.alive and not each.taken_by]
            assert not (holder is None and waiting), f"{waiting} could start an instance"

    def assert_taken_once(self) -> None:
        """Each instance has its own messages, and no message is in two of them."""
        taken = Counter(
            value
            for instance_id in self.run.history
            for name, value in self._variables(instance_id).items()
            if name.startswith("of_")
        )
        assert all(count == 1 for count in taken.values()), taken

    def _variables(self, instance_id: str) -> dict[str, str]:
        return {
            name: text
            for event in self.run.events(instance_id)
            for name, text in getattr(event, "variables", {}).items()
        }


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@given(script=SCRIPTS, variant=st.sampled_from(VARIANTS))
@settings(max_examples=30, deadline=None)
def test_what_belongs_together_finds_one_instance_in_any_order(
    model: ProcessModel, script: list[tuple[str, str | int, str, int]], variant: Variant
) -> None:
    race = Race(model, variant)
    race.play(script)
    race.assert_quiet()
    race.assert_taken_once()


@pytest.mark.parametrize("key", ["", "7"])
@pytest.mark.parametrize("name", ["parallel gateway", "start event"])
@given(order=st.permutations(NAMES), schedule=st.lists(st.integers(0, 99), max_size=40))
@settings(max_examples=25, deadline=None)
def test_all_that_an_instance_needs_makes_it_begin_in_any_order(
    name: str, key: str, order: list[str], schedule: list[int]
) -> None:
    race = Race(MODELS[name], VARIANTS[0])
    for published in order:
        race.publish(published, key, 0)
    for which in schedule:
        race.step(which)
    race.finish()
    (instance,) = race.living()
    assert set(race.run.active(instance.instance_id)) == {"work"}
    for _ in race.run.tasks():
        race.run.complete_task("work")
    assert race.run.state(instance.instance_id) is InstanceState.COMPLETED
    assert not [
        state
        for each in race.run.partitions
        for state in each.states.values()
        if isinstance(state, ConversationState)
    ]


@pytest.mark.parametrize("name", ["parallel gateway", "start event"])
@pytest.mark.parametrize(("key", "ttl_ms"), [("", 0), ("7", 0), ("", HOUR), ("7", HOUR)])
@given(variant=st.sampled_from(VARIANTS), schedules=st.tuples(SCHEDULE, SCHEDULE))
@settings(max_examples=25, deadline=None)
def test_of_two_messages_an_instance_takes_the_one_that_was_published_first(
    name: str, key: str, ttl_ms: int, variant: Variant, schedules: tuple[list[int], list[int]]
) -> None:
    """While the first is being asked about, the second must not reach the instance that waits."""
    before, after = schedules
    race = Race(MODELS[name], variant)
    race.publish("a", key, ttl_ms)
    race.publish("b", key, ttl_ms)
    for which in before:
        race.step(which)
    race.publish("b", key, ttl_ms)
    for which in after:
        race.step(which)
    race.finish()
    race.assert_quiet()
    (taken,) = [
        variables["of_b"]
        for each in race.living()
        if "of_a" in (variables := race._variables(each.instance_id))
    ]
    assert taken == "2"


# --- a signal while a version is on its way ---


def by_message_and_signal(name: str, *, second: bool) -> ProcessModel:
    """Its second version begins by nothing but a client."""
    begins = (
        start("s") if second else together(start("s", message_event("m-a") + signal_event("go")))
    )
    return compiled(*ROOTS, signal("go", name), begins, user_task("work"), chain("s", "work"))


def waiting_elsewhere(variant: Variant) -> tuple[Runner, str, int, int]:
    """An instance that waits at its beginning for a signal, whose partition is another.

    With the signal's name, the partition of it and that of the instance.
    """
    for number in range(50):
        name = f"signal {number}"
        run = Runner(by_message_and_signal(name, second=False), variant=variant)
        run.accept(c.PublishMessage(name="a", correlation_key=""))
        (instance,) = running(run)
        home = partition_of(signal_address(name), len(run.partitions))
        here = partition_of(instance.instance_id, len(run.partitions))
        if home != here:
            return run, name, home, here
    raise AssertionError("all signals have the partition of the instance")


def running(run: Runner) -> list[ProcessInstance]:
    states = (state for each in run.partitions for state in each.states.values())
    return [state for state in states if isinstance(state, ProcessInstance)]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
@pytest.mark.parametrize("first", ["of the signal", "of the instance"])
@pytest.mark.parametrize("thrown", [False, True], ids=["broadcast", "thrown"])
def test_a_signal_is_taken_once_although_a_version_has_reached_one_partition_first(
    variant: Variant, first: str, *, thrown: bool
) -> None:
    run, name, home, here = waiting_elsewhere(variant)
    older = [partition.definitions for partition in run.partitions]
    run.deploy(by_message_and_signal(name, second=True))
    behind = here if first == "of the signal" else home
    run.partitions[behind].definitions = older[behind]
    if thrown:
        run.deploy(
            compiled(
                signal("go", name),
                start("x"),
                end("y", signal_event("go")),
                chain("x", "y"),
                process_id="thrower",
            )
        )
        run.start("thrower", "t")
    else:
        run.accept(c.BroadcastSignal(name=name))
    (instance,) = running(run)
    assert [each.element_id for each in instance.elements.values()] == ["p", "work"]
