"""Engines come and go under load: every instance ends once, whoever serves it."""

from tests.support.load import MODEL, Load
from tests.support.servers import StartRedis
from tests.support.waiting import eventually
from tests.system.conftest import StartSystem


async def test_every_instance_ends_once_while_one_engine_becomes_three_and_one_again(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    first = await system.engine()
    await system.deploy(MODEL)
    load = Load(system)
    async with load.running():
        await load.goes_on()
        others = [system.new_engine(), system.new_engine()]
        for engine in others:
            engine.start()
        for engine in system.engines:
            await engine.serves(1)

        async def shared() -> bool:
            shares = [await engine.partitions() for engine in system.engines]
            return sorted(number for share in shares for number in share) == [0, 1, 2, 3]

        await eventually("each partition is served by one", shared)
        await load.goes_on()
        await others[0].stop()
        await load.goes_on()
        others[1].kill()
        await first.serves(system.partitions)
        await load.goes_on()
    await load.check()
    await system.check_replay((await private_redis()).url)
