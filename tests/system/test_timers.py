"""Timers keep the instant that they were armed for, whoever is there when it comes."""

import time

from engine.events import TimerClosed
from engine.records import Transition
from tests.support.models import (
    boundary,
    bpmn,
    catch,
    chain,
    end,
    flow,
    process,
    start,
    timer,
    user_task,
)
from tests.support.servers import StartRedis
from tests.support.system import System
from tests.support.waiting import until
from tests.system.conftest import StartSystem

NAPS = 12
AT_ONCE_MS = 5_000
"""A takeover's worth on a busy machine; nothing that waits a duration anew is so quick."""


def napping(duration: str) -> bytes:
    parts = (start("begin"), catch("nap", timer(duration=duration)), end("done"))
    return bpmn(process("napping", *parts, chain("begin", "nap", "done")))


def guarded(process_id: str, duration: str) -> bytes:
    return bpmn(
        process(
            process_id,
            start("begin"),
            user_task("approve"),
            boundary("late", "approve", timer(duration=duration)),
            end("approved"),
            end("escalated"),
            chain("begin", "approve", "approved"),
            flow("late", "escalated"),
        )
    )


def now_ms() -> int:
    return time.time_ns() // 1_000_000


async def fired(system: System) -> dict[str, int]:
    """How often a timer has fired, by instance, as history says: each transition counts once."""
    records = {found.header("ce_id"): found for found in await system.wire.read("history")}
    counts: dict[str, int] = {}
    for found in records.values():
        transition = system.wire.decode(found, Transition)
        for event in transition.events:
            if isinstance(event, TimerClosed) and event.fired:
                counts[transition.instance_id] = counts.get(transition.instance_id, 0) + 1
    return counts


async def test_timers_that_come_due_while_every_engine_is_down_fire_once_and_at_once(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    engine = await system.engine()
    await system.deploy(napping("PT4S"))
    ids = [f"nap-{number}" for number in range(NAPS)]
    for instance_id in ids:
        await system.wire.accepted("StartInstance", process_id="napping", instance_id=instance_id)
    await system.drained()
    timers = system.stored.timers()
    engine.kill()
    assert [found.address for found in timers] == ids
    assert system.found("InstanceCompleted") == []

    last = timers[-1].due_ms
    await until("all timers are due", lambda: now_ms() > last)
    assert system.stored.timers() == timers
    await system.engine()
    served_ms = now_ms()
    for instance_id in ids:
        completed = await system.effect("InstanceCompleted", instance_id)
        assert completed.time < served_ms + AT_ONCE_MS
    await system.drained()
    assert system.stored.timers() == []
    assert await fired(system) == dict.fromkeys(ids, 1)
    assert len(system.found("InstanceCompleted")) == NAPS
    await system.checked_effects()


async def test_a_boundary_timer_keeps_its_recorded_deadline_over_ten_restarts(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    """Each owner rehydrates and rewrites the instances; one deadline falls among the restarts."""
    redis = await private_redis()
    system = await start_system(redis.url)
    engine = await system.engine()
    await system.deploy(guarded("patient", "PT1H"), guarded("hasty", "PT20S"))
    for name in ("patient", "hasty"):
        await system.wire.accepted("StartInstance", process_id=name, instance_id=name)
    await system.drained()
    recorded = {found.address: found for found in system.stored.timers()}
    assert sorted(recorded) == ["hasty", "patient"]
    assert 3_500_000 < recorded["patient"].due_ms - now_ms() <= 3_600_000

    for restart in range(10):
        if restart % 3:
            await engine.stop()
        else:
            engine.kill()
        engine = await system.engine()
        await system.wire.accepted(
            "SetVariables", instance_id="patient", variables={"restart": restart}
        )
        await system.wire.ask("SetVariables", instance_id="hasty", variables={"restart": restart})
        timers = {found.address: found for found in system.stored.timers()}
        assert timers.pop("patient") == recorded["patient"]
        assert timers in ({}, {"hasty": recorded["hasty"]})

    due_ms = recorded["hasty"].due_ms
    completed = await system.effect("InstanceCompleted", "hasty")
    assert due_ms <= completed.time < due_ms + AT_ONCE_MS
    assert await fired(system) == {"hasty": 1}
    assert [effect.instance_id for effect in system.found("TaskCanceled")] == ["hasty"]
    task = (await system.effect("TaskCreated", "patient")).task
    assert task is not None
    await system.wire.accepted("CompleteTask", task_id=task.task_id)
    await system.drained()
    assert system.stored.timers() == []
    await system.checked_effects()
