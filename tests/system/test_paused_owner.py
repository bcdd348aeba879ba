"""An owner that is paused past its session and resumed finds the fence gone on without it."""

from tests.support.load import MODEL, Load
from tests.support.redis_gate import RedisGate, Side
from tests.support.servers import StartRedis
from tests.support.waiting import eventually, until
from tests.system.conftest import StartSystem

NULL = b"*-1\r\n"
"""How Redis answers an EXEC whose watched keys have changed."""


async def test_a_paused_owner_that_wakes_up_is_refused_by_the_fence(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    """The paused one has its transaction on the way, so that it certainly comes late."""
    redis = await private_redis()
    system = await start_system(redis.url)
    async with RedisGate(redis.url) as gate:
        paused = await system.engine(gate.url)
        other = system.new_engine()
        other.start()
        await other.serves(2)
        await paused.serves(2)
        await system.deploy(MODEL)
        load = Load(system)
        async with load.running():
            await load.goes_on()
            gate.close(Side.BEFORE_EXEC)
            await gate.reached()
            paused.pause()
            before = system.stored.offsets()
            await other.serves(system.partitions)
            await until(
                "the other has advanced every partition",
                lambda: all(
                    now > then for now, then in zip(system.stored.offsets(), before, strict=True)
                ),
            )
            gate.forward()
            assert NULL in await gate.late_answer()
            paused.resume()
            await eventually(
                "the paused owner has seen that its fence is lost",
                lambda: paused.total("torpor_loads_total", cause="FenceLostError"),
            )
            await paused.serves(1)
            await load.goes_on()
        await load.check()
    await system.check_replay((await private_redis()).url)
