"""Redis comes back with an older state: what it has lost is applied again from the log."""

from pathlib import Path

from engine.state import Tombstone
from tests.support.load import MODEL, Load
from tests.support.models import (
    bpmn,
    catch,
    chain,
    end,
    process,
    service_task,
    start,
    timer,
    user_task,
)
from tests.support.servers import StartRedis
from tests.support.stored import differences
from tests.support.waiting import until
from tests.system.conftest import StartSystem

SLEEPING = bpmn(
    process(
        "sleeping",
        start("begin"),
        service_task("work"),
        catch("nap", timer(duration="PT12S")),
        user_task("wait"),
        end("done"),
        chain("begin", "work", "nap", "wait", "done"),
    )
)


async def test_a_redis_restarted_from_an_older_snapshot_under_load_is_brought_up_to_date(
    private_redis: StartRedis, start_system: StartSystem, tmp_path: Path
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    engine = await system.engine()
    await system.deploy(MODEL)
    load = Load(system)
    async with load.running():
        await load.goes_on()
        redis.copy_data(tmp_path / "older")
        older = system.stored.offsets()
        await load.goes_on(20)
        ahead = system.stored.offsets()
        assert all(now > then for now, then in zip(ahead, older, strict=True))
        redis.kill()
        redis.replace_data(tmp_path / "older")
        await redis.start()
        # The copy is a little younger than `older`, and engines may already be at work.
        await until(
            "every partition is where it was",
            lambda: all(
                now > then for now, then in zip(system.stored.offsets(), ahead, strict=True)
            ),
        )
        await load.goes_on()
    assert system.subscriber.copies > 0, "what was published for lost transitions came again"
    assert await engine.total("torpor_loads_total", cause="StoreUnavailableError") > 0
    await load.check()
    await system.check_replay((await private_redis()).url)


async def test_a_lost_tail_is_applied_again_when_nobody_sends_a_further_command(
    private_redis: StartRedis, start_system: StartSystem, tmp_path: Path
) -> None:
    """Also a timer that was armed by what was lost still fires: nobody but the engine looks."""
    redis = await private_redis()
    system = await start_system(redis.url)
    await system.engine()
    await system.deploy(SLEEPING)
    ids = [system.id_on(partition) for partition in range(system.partitions)]
    for instance_id in ids:
        await system.wire.accepted(
            "StartInstance", process_id="sleeping", instance_id=instance_id, variables={"n": 1}
        )
    jobs = [await system.effect("JobCreated", instance_id) for instance_id in ids]
    await system.drained()
    redis.copy_data(tmp_path / "older")
    for job in jobs:
        assert job.job is not None
        await system.wire.accepted("CompleteJob", job_id=job.job.job_id, attempt=1)
    await system.wire.accepted("TerminateInstance", instance_id=ids[0])
    await system.drained()
    assert len(system.stored.timers()) == len(ids) - 1
    lost = system.stored.documents()
    told = len(system.effects)

    redis.kill()
    redis.replace_data(tmp_path / "older")
    await redis.start()
    await system.drained()
    assert differences(lost, system.stored.documents()) == {}
    assert len(system.effects) == told
    for instance_id in ids[1:]:
        await system.effect("TaskCreated", instance_id)
    await system.drained()
    assert isinstance(system.stored.instance(ids[0]), Tombstone)
    await system.check_replay((await private_redis()).url)
