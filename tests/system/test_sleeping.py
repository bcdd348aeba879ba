"""Waiting costs nothing: ten thousand sleeping instances leave engine and Redis as idle as four."""

import time

import msgspec

from tests.support.engines import Engine
from tests.support.models import boundary, bpmn, chain, end, flow, process, start, timer, user_task
from tests.support.servers import StartRedis
from tests.support.system import System
from tests.support.waiting import until
from tests.system.conftest import StartSystem

FEW = 4
MANY = 10_000
WINDOW_S = 6.0

SLEEPY = bpmn(
    process(
        "sleepy",
        start("begin"),
        user_task("wait"),
        boundary("late", "wait", timer(duration="PT12H")),
        end("done"),
        end("over"),
        chain("begin", "wait", "done"),
        flow("late", "over"),
    )
)


class Cost(msgspec.Struct, frozen=True):
    """Of a window of time: the engine's CPU seconds, the commands that Redis carried out."""

    cpu_s: float
    redis_commands: int
    threads: int


async def start_sleepers(system: System, prefix: str, count: int) -> None:
    commands = [
        {"type": "StartInstance", "process_id": "sleepy", "instance_id": f"{prefix}-{number}"}
        for number in range(count)
    ]
    before = len(system.stored.timers())
    await system.wire.send_many(commands)
    await until(
        f"{count} instances more are asleep",
        lambda: len(system.stored.timers()) == before + count,
        seconds=120,
        poll_s=0.5,
    )
    await system.drained()


async def cost_of_waiting(system: System, engine: Engine) -> Cost:
    """What a window in which nothing happens costs."""
    client = system.stored.client
    before = client.info("stats")["total_commands_processed"]
    cpu_s, end_s = engine.cpu_s(), time.monotonic() + WINDOW_S
    await until("the window is over", lambda: time.monotonic() > end_s, WINDOW_S * 2)
    used_s = engine.cpu_s() - cpu_s
    after = client.info("stats")["total_commands_processed"]
    return Cost(used_s, after - before, engine.threads())


async def test_ten_thousand_sleeping_instances_cost_the_engine_and_redis_nothing(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    engine = await system.engine()
    await system.deploy(SLEEPY)
    await start_sleepers(system, "few", FEW)
    few = await cost_of_waiting(system, engine)
    await start_sleepers(system, "many", MANY)
    many = await cost_of_waiting(system, engine)
    # A microsecond an instance and second would already be 0.06 s.
    assert many.cpu_s <= few.cpu_s * 1.5 + 0.05, (few, many)
    assert many.redis_commands <= few.redis_commands + 10, (few, many)
    assert many.threads <= few.threads + 2, (few, many)
    assert len(system.stored.running()) == FEW + MANY
