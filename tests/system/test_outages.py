"""A server is away: no progress, no loss, unready; it goes on by itself when the server is back."""

from tests.support.engines import Engine
from tests.support.load import MODEL, Load
from tests.support.servers import StartRedis
from tests.support.waiting import eventually
from tests.system.conftest import StartSystem


async def is_unready(engine: Engine, reason: str) -> None:
    async def says_so() -> bool:
        status, body = await engine.get("/readyz")
        return status == 503 and reason in body

    await eventually(f"engine {engine.name} is unready for {reason}", says_so, seconds=30)


async def test_an_engine_without_redis_is_unready_and_goes_on_by_itself_when_it_is_back(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    """Killed twice: under load, when a commit finds out, and idle, when only a look can."""
    redis = await private_redis()
    system = await start_system(redis.url)
    engine = await system.engine()
    await system.deploy(MODEL)
    load = Load(system)
    async with load.running():
        await load.goes_on()
        redis.kill()
        await is_unready(engine, "Redis")
        await redis.start()
        await engine.serves(system.partitions)
        await load.goes_on()
    await load.check()
    redis.kill()
    await is_unready(engine, "Redis")
    # Commands wait in the log.
    sent = await system.wire.send("StartInstance", process_id="order", instance_id="late")
    await redis.start()
    await system.wire.reply_to(sent.command_id)
    await engine.serves(system.partitions)
    await system.effect("JobCreated", "late")
    await system.drained()
    await system.check_replay((await private_redis()).url)
