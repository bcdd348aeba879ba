"""Messages and called processes over partitions and crashes: delivered once, called once."""

import asyncio
from typing import Any

import msgspec

from engine.state import ProcessInstance
from tests.support.models import (
    bpmn,
    call_activity,
    catch,
    chain,
    end,
    message,
    message_event,
    process,
    script_task,
    start,
    user_task,
)
from tests.support.redis_gate import RedisGate, Side
from tests.support.servers import StartRedis
from tests.support.system import System
from tests.system.conftest import StartSystem

EACH = 8
"""Instances that are told before, and while, and after they park: on all partitions."""

TWICE = bpmn(
    process(
        "twice",
        start("begin"),
        catch("first", message_event("Paid"), outputs={"first": "=receipt"}),
        catch("second", message_event("Paid"), outputs={"second": "=receipt"}),
        end("done"),
        chain("begin", "first", "second", "done"),
    ),
    message("Paid", "paid", key="=order"),
)

CALLING = bpmn(
    process(
        "parent",
        start("begin"),
        call_activity("call", "child"),
        script_task("count", "=answered + 1", result="answered"),
        user_task("look"),
        end("done"),
        chain("begin", "call", "count", "look", "done"),
    ),
    process("child", start("go"), user_task("answer"), end("gone"), chain("go", "answer", "gone")),
)


class Orders:
    """Instances that wait for two messages of their own, one after the other."""

    def __init__(self, system: System) -> None:
        self.system = system

    async def start(self, order: str) -> None:
        await self.system.wire.send(
            "StartInstance", process_id="twice", instance_id=order, variables={"order": order}
        )

    async def pay(self, order: str, receipt: int, *, ttl_ms: int) -> None:
        await self.system.wire.send(
            "PublishMessage",
            name="paid",
            correlation_key=order,
            message_id=f"{order}-{receipt}",
            ttl_ms=ttl_ms,
            variables={"receipt": receipt},
        )

    async def result(self, order: str) -> dict[str, Any]:
        completed = await self.system.effect("InstanceCompleted", order)
        found: dict[str, Any] = msgspec.json.decode(completed.variables or "{}")
        return found


async def test_messages_published_before_while_and_after_an_instance_parks_are_delivered_once(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    for engine in (system.new_engine(), system.new_engine()):
        engine.start()
    for engine in system.engines:
        await engine.serves(2)
    await system.deploy(TWICE)
    orders = Orders(system)
    before, during, after = (
        [f"{when}-{number}" for number in range(EACH)] for when in ("before", "while", "after")
    )
    for order in (*before, "never"):
        ttl_ms = 0 if order == "never" else 60_000
        await orders.pay(order, 1, ttl_ms=ttl_ms)
        await orders.pay(order, 2, ttl_ms=ttl_ms)
    await system.drained()
    for order in (*before, *after, "never"):
        await orders.start(order)
    for order in during:
        # The second follows the first, or their order would be anybody's guess.
        await asyncio.gather(orders.start(order), orders.pay(order, 1, ttl_ms=60_000))
        await orders.pay(order, 2, ttl_ms=60_000)
    await system.drained()
    for order in after:
        # Two that live for no time at all, the second before the first can be settled.
        await orders.pay(order, 1, ttl_ms=0)
        await orders.pay(order, 2, ttl_ms=0)
    for order in (*before, *during, *after):
        assert await orders.result(order) == {"order": order, "first": 1, "second": 2}
    await system.drained()
    assert system.stored.running() == ["never"], "with no time to live it is now or never"
    assert len(system.found("InstanceCompleted")) == 3 * EACH
    await system.checked_effects()
    await system.check_replay((await private_redis()).url)


async def test_a_parent_and_its_called_child_survive_crashes_and_the_child_is_called_once(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    """Killed right after the call is committed, and right before the child's end is."""
    redis = await private_redis()
    system = await start_system(redis.url)
    async with RedisGate(redis.url) as gate:
        engine = await system.engine(gate.url)
        await system.deploy(CALLING)
        await system.drained()
        gate.close(Side.AFTER_EXEC)
        await system.wire.send(
            "StartInstance", process_id="parent", instance_id="p", variables={"answered": 0}
        )
        await gate.reached()
        engine.kill()
        assert system.found("InstanceStarted") == []
        gate.forward()

        engine = await system.engine(gate.url)
        created = await system.wire.accepted("SetVariables", instance_id="p", variables={"n": 1})
        assert created.instance_id == "p"
        await system.drained()
        (child,) = [name for name in system.stored.running() if name != "p"]
        assert child.startswith("p~")
        task = (await system.effect("TaskCreated", child)).task
        assert task is not None
        gate.close(Side.BEFORE_EXEC)
        done = await system.wire.send("CompleteTask", task_id=task.task_id)
        await gate.reached()
        engine.kill()
    assert system.stored.running() == ["p", child]

    await system.engine()
    await system.wire.reply_to(done.command_id)
    await system.effect("TaskCreated", "p")
    await system.drained()
    assert system.stored.running() == ["p"]
    parent = system.stored.instance("p")
    assert isinstance(parent, ProcessInstance)
    assert parent.variables[parent.root] == {"answered": "1", "n": "1"}
    told = [(effect.type, effect.instance_id) for effect in system.effects]
    for once in ("InstanceStarted", "TaskCreated", "InstanceCompleted"):
        assert told.count((once, child)) == 1
    await system.checked_effects()
    await system.check_replay((await private_redis()).url)
