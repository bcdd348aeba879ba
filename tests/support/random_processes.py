"""Random processes of nested blocks.

A block has one entry and leaves by its one exit exactly once, so every join is met and every
process can come to its end; what happens in between (interruptions, errors, failures, incidents) is
left to chance.
"""

from itertools import pairwise
from random import Random

from engine.model.elements import ProcessModel
from tests.support.decisions import decision, dmn, table
from tests.support.models import (
    ad_hoc,
    boundary,
    bpmn,
    cancel_event,
    catch,
    chain,
    compensate_event,
    compensation,
    compiled,
    compiled_resource,
    complex_gateway,
    end,
    error_event,
    escalation_event,
    event_gateway,
    exclusive,
    flow,
    for_compensation,
    inclusive,
    link_event,
    looped,
    message_event,
    multi_instance,
    parallel,
    process,
    receive_task,
    script_task,
    service_task,
    start,
    task,
    throw,
    together,
    transaction,
    user_task,
    with_plain_ad_hocs,
)
from tests.support.random_activities import Activities, Block
from tests.support.random_listeners import listening
from tests.support.random_triggers import MESSAGES, ROOTS, THROWN, WAITS, some_triggers
from tests.support.vendor_rendering import rendered

__all__ = ["CALLED", "MESSAGES", "NEXT", "VARIABLES", "random_file", "random_process"]

VARIABLES = '{"n": 3, "rounds": 0, "items": [5, 7]}'
"""What a random process is started with."""
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


NEXT = dmn(decision("Next", table(["1"], ["n"], [["-", "n + 1"]])))
"""The decision that random activities evaluate."""


class Builder(Activities):
    """Draws blocks of every construct, one inside the other."""

    def block(self, depth: int) -> Block:
        kinds = (self.activity, self.activity, self.wait, self.throw, self.jump, self.held,
                 self.sequence, self.choice, self.fork, self.race, self.loop, self.spread,
                 self.undone, self.given_up, self.failing, self.vote, self.aside,
                 self.pool)  # fmt: skip
        return kinds[self.choose(len(kinds) if depth > 0 else 6)](depth)

    def beginning(self) -> Block:
        """Where the process begins: half of them plainly, the others by the message "begin"."""
        kind = self.choose(8)
        if kind == 0:
            return Block((receive_task("s", "begin", instantiate=True),), "s", "s")
        if kind == 1:
            trigger = message_event("begin") + message_event("begin-too")
            return Block((together(start("s", trigger)),), "s", "s")
        if kind in (2, 3):
            is_parallel = kind == 2
            parts = (
                event_gateway("s", instantiate=True, parallel=is_parallel),
                catch("first", message_event("begin")),
                receive_task("second", "begin-too"),
                parallel("begun") if is_parallel else exclusive("begun"),
                chain("s", "first", "begun"),
                chain("s", "second", "begun"),
            )
            return Block(parts, "s", "begun")
        return Block((start("s"),), "s", "s")

    def sequence(self, depth: int) -> Block:
        blocks = [self.block(depth - 1) for _ in range(1 + self.choose(3))]
        parts = [part for block in blocks for part in block.parts]
        for before, after in pairwise(blocks):
            parts.append(flow(before.exit, after.entry))
        return Block(tuple(parts), blocks[0].entry, blocks[-1].exit)

    def throw(self, depth: int) -> Block:
        """What is thrown may end what it is thrown in, and reaches others too."""
        name = self.name("t")
        return Block((throw(name, self.chance.choice(THROWN)),), name, name)

    def jump(self, depth: int) -> Block:
        away, there = self.name("l"), self.name("l")
        parts = (throw(away, link_event(away)), catch(there, link_event(away)))
        return Block(parts, away, there)

    def wait(self, depth: int) -> Block:
        name = self.name("w")
        trigger = self.chance.choice(WAITS)
        return Block((trigger.at(catch(name, trigger.definition)),), name, name)

    def held(self, depth: int) -> Block:
        """No way out until somebody sets a variable, and resolves the incident."""
        name, out = self.name("x"), self.name("t")
        way = flow(name, out, condition="=level > 3")
        return Block((exclusive(name), task(out), way), name, out)

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
        parts = [parallel(split), parallel(join), *self.branches(split, join, depth)]
        return Block(tuple(parts), split, join)

    def branches(self, split: str, join: str, depth: int) -> list[str]:
        parts = []
        for _ in range(2 + self.choose(2)):
            block = self.block(depth - 1)
            parts += [*block.parts, flow(split, block.entry), flow(block.exit, join)]
        return parts

    def vote(self, depth: int) -> Block:
        """Goes on with the first or second arrival, and gathers the rest."""
        split, join = self.name("f"), self.name("v")
        gate = complex_gateway(join, f"=activationCount >= {1 + self.choose(2)}")
        parts = [parallel(split), gate, *self.branches(split, join, depth)]
        return Block(tuple(parts), split, join)

    def aside(self, depth: int) -> Block:
        """A way that leads nowhere, beside the one that goes on."""
        name, beside = self.name("t"), self.block(depth - 1)
        on = self.name("t")
        parts = (self.some_task(name), task(on), *beside.parts, flow(name, beside.entry))
        return Block((*parts, flow(name, on)), name, on)

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
        activity = self.chance.choice(blocks).entry if self.choose(3) == 0 else None
        trigger = compensate_event(activity, wait=bool(self.choose(3)))
        parts = [part for block in blocks for part in block.parts]
        ways = [flow(before.exit, after.entry) for before, after in pairwise(blocks)]
        out = flow(blocks[-1].exit, undo)
        return Block((*parts, throw(undo, trigger), *ways, out), blocks[0].entry, undo)

    def undoable(self, depth: int) -> Block:
        """An activity with a handler, or a sub-process that is undone by its inside."""
        if depth > 0 and self.choose(4) == 0:
            name = self.name("a")
            return Block((self.some_sub_process(name, depth),), name, name)
        name, activity = self.some_activity(depth, handled=True)
        if self.choose(3) == 0:
            activity = looped(activity, multi_instance(times=str(self.choose(4))))
        handler = self.name("un")
        undoing = for_compensation(self.some_task(handler))
        return Block((activity, undoing, compensation(name, handler)), name, name)

    def given_up(self, depth: int) -> Block:
        """A transaction, or a loop of them, that may be canceled, and goes on all the same."""
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
        body = transaction(name, *inside)
        if self.choose(3) == 0:
            body = looped(body, self.some_loop())
        return Block(
            (
                body,
                boundary(way_out, name, cancel_event()),
                exclusive(merge),
                flow(name, merge),
                flow(way_out, merge),
            ),
            name,
            merge,
        )

    def pool(self, depth: int) -> Block:
        """Activities to choose from, some of them with more behind, some of them chosen by it.

        Or by a worker, whose jobs have the type `agent`.
        """
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
        parts += [self.event_sub_process(trigger) for trigger in some_triggers(self.chance)[:1]]
        chosen = ", ".join(f'"{self.chance.choice(offered)}"' for _ in range(self.choose(4)))
        until = (None, "=false", f"=numberOfCompletedInstances = {1 + self.choose(2)}", "=n > 2")
        is_directed = self.choose(4) == 0
        inside = ad_hoc(
            name,
            *parts,
            active=f"=[{chosen}]" if self.choose(3) and not is_directed else None,
            collects=("=n + 0", "collected") if self.choose(3) == 0 else None,
            until=None if is_directed else self.chance.choice(until),
            job="agent" if is_directed else None,
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
        inputs = {"mine": "=n"} if self.choose(2) else ()
        third = receive_task(arms[4], "third", inputs=inputs)
        parts = [event_gateway(split), exclusive(merge), third]
        parts += [
            catch(arm, trigger.definition) for arm, trigger in zip(arms[:4], WAITS[:4], strict=True)
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


def random_file(chance: Random, depth: int | None = None, *, plain: bool = False) -> bytes:
    """A file of one random process with the id `p`, for Camunda 8.

    `plain`: it begins at a none start event, else it may by the message "begin".
    """
    builder = Builder(chance)
    begin = Block((start("s"),), "s", "s") if plain else builder.beginning()
    block = builder.sequence(3 + chance.randrange(3) if depth is None else depth)
    beside = [
        builder.event_sub_process(trigger, interrupting=False)
        for trigger in some_triggers(chance)
        if trigger.interrupting is not True
    ]
    inside = (*begin.parts, *block.parts, *beside, end("e"))
    ways = (flow(begin.exit, block.entry), flow(block.exit, "e"))
    return bpmn(*ROOTS, process("p", *inside, *ways))


def random_process(chance: Random, vendor: str | None = None) -> ProcessModel:
    """The model of a random file, in the dialect of a vendor (see `vendor_rendering`).

    There messages have the business key of their instance, which no message gives to one.
    """
    content = random_file(chance, plain=vendor is not None)
    if vendor is not None:
        content = rendered(content, vendor)
    elif chance.randrange(2):
        content = listening(content, chance)
    made = compiled_resource(content)
    assert made.deployable, made.findings
    model = made.process("p")
    return with_plain_ad_hocs(model) if chance.randrange(2) else model
