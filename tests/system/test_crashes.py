"""An owner dies at each point between two records: nothing is lost, nothing doubled.

    before EXEC               nothing happened; the next owner applies the command
    after EXEC, unpublished   the next owner publishes the outbox
    published, untrimmed      effects twice, same ids, same bytes

While nobody owns the partition, one more command comes: what the dead owner left must come first.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.records import Effect
from engine.state import ProcessInstance
from tests.support.engines import Engine
from tests.support.models import (
    bpmn,
    chain,
    end,
    process,
    script_task,
    service_task,
    start,
    user_task,
)
from tests.support.redis_gate import RedisGate, Side
from tests.support.servers import StartRedis
from tests.support.system import System
from tests.system.conftest import StartSystem

PARTITION = 2

COUNTING = bpmn(
    process(
        "counting",
        start("begin"),
        service_task("work"),
        script_task("count", "=counted + 1", result="counted"),
        user_task("look"),
        end("done"),
        chain("begin", "work", "count", "look", "done"),
    )
)


class Parked:
    """An instance that waits for its job, on an engine behind a door, with nothing under way."""

    def __init__(self, system: System, engine: Engine, gate: RedisGate, job: Effect) -> None:
        self.system = system
        self.engine = engine
        self.gate = gate
        self.id = job.instance_id
        self.documents = system.stored.documents()
        self._job = job

    async def complete_job(self) -> None:
        """Publish the command that the owner is going to die with."""
        assert self._job.job is not None
        await self.system.wire.send(
            "CompleteJob", job_id=self._job.job.job_id, attempt=self._job.job.attempt
        )

    async def kill_owner(self) -> None:
        """SIGKILL; then a further command comes to the partition."""
        self.engine.kill()
        await self.system.wire.send(
            "StartInstance",
            process_id="counting",
            instance_id=self.system.id_on(PARTITION, "next"),
            variables={"counted": 0},
        )

    async def goes_on(self, *, copies: int) -> None:
        """A fresh engine takes over: the instance counted once, and everything was told once."""
        system = self.system
        await system.engine()
        await system.effect("JobCreated", system.id_on(PARTITION, "next"))
        task = await system.effect("TaskCreated", self.id)
        await system.drained()
        instance = system.stored.instance(self.id)
        assert isinstance(instance, ProcessInstance)
        assert instance.variables[instance.root]["counted"] == "1"
        assert task.task is not None
        await system.wire.accepted("CompleteTask", task_id=task.task.task_id)
        await system.effect("InstanceCompleted", self.id)
        await system.drained()
        told = [effect.type for effect in system.effects if effect.instance_id == self.id]
        assert told == [
            "InstanceStarted",
            "JobCreated",
            "JobCompleted",
            "TaskCreated",
            "TaskCompleted",
            "InstanceCompleted",
        ]
        assert system.subscriber.copies == copies
        await system.checked_effects()


@asynccontextmanager
async def parked(private_redis: StartRedis, start_system: StartSystem) -> AsyncIterator[Parked]:
    redis = await private_redis()
    system = await start_system(redis.url)
    async with RedisGate(redis.url) as gate:
        engine = await system.engine(gate.url)
        await system.deploy(COUNTING)
        instance_id = system.id_on(PARTITION)
        variables = {"counted": 0}
        await system.wire.accepted(
            "StartInstance", process_id="counting", instance_id=instance_id, variables=variables
        )
        job = await system.effect("JobCreated", instance_id)
        await system.drained()
        yield Parked(system, engine, gate, job)


async def test_an_owner_killed_before_exec_has_changed_nothing(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    async with parked(private_redis, start_system) as this:
        this.gate.close(Side.BEFORE_EXEC)
        await this.complete_job()
        await this.gate.reached()
        await this.kill_owner()
        assert this.system.stored.documents() == this.documents
        await this.goes_on(copies=0)


async def test_what_an_owner_killed_after_exec_did_not_publish_is_published_by_the_next(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    async with parked(private_redis, start_system) as this:
        this.gate.close(Side.AFTER_EXEC)
        await this.complete_job()
        await this.gate.reached()
        await this.kill_owner()
        outbox = [record.topic for record in this.system.stored.outbox()]
        assert outbox.count(this.system.wire.topic("effects")) == 2
        assert this.system.found("JobCompleted") == []
        await this.goes_on(copies=0)


async def test_what_an_owner_published_but_did_not_trim_is_published_again_with_the_same_ids(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    async with parked(private_redis, start_system) as this:
        this.gate.close(Side.AFTER_EXEC)
        await this.complete_job()
        await this.gate.reached()
        this.gate.forward(then=Side.BEFORE_EXEC)
        await this.system.effect("TaskCreated", this.id)
        await this.gate.reached()
        await this.kill_owner()
        outbox = [record.topic for record in this.system.stored.outbox()]
        assert outbox.count(this.system.wire.topic("effects")) == 2
        await this.goes_on(copies=2)


async def test_an_answer_to_exec_that_never_came_is_found_out_by_the_owner_itself(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    """The connection breaks after EXEC; the owner lives, looks at the fence, and publishes."""
    async with parked(private_redis, start_system) as this:
        this.gate.close(Side.AFTER_EXEC)
        await this.complete_job()
        await this.gate.reached()
        this.gate.cut()
        await this.system.effect("TaskCreated", this.id)
        await this.system.drained()
        assert await this.engine.total("torpor_loads_total", cause="StoreUnavailableError") >= 1
        await this.kill_owner()
        await this.goes_on(copies=0)
