"""Parked instances outlive every engine: a fresh one goes on where they slept."""

from engine.state import ProcessInstance, TaskWait
from tests.support.models import bpmn, chain, end, process, script_task, start, user_task
from tests.support.servers import StartRedis
from tests.system.conftest import StartSystem

APPROVAL = bpmn(
    process(
        "approval",
        start("begin"),
        script_task("rate", "=amount * 1.1", result="gross"),
        user_task("approve"),
        script_task("sum", '=string(gross) + " " + decision', result="verdict"),
        user_task("file"),
        end("done"),
        chain("begin", "rate", "approve", "sum", "file", "done"),
    )
)


async def test_an_instance_parked_on_a_user_task_survives_the_killing_of_every_engine(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    engines = [await system.engine(), system.new_engine()]
    engines[1].start()
    await engines[1].serves(1)
    await system.deploy(APPROVAL)
    await system.wire.accepted(
        "StartInstance",
        process_id="approval",
        instance_id="a",
        business_key="B-7",
        variables={"amount": 740.10, "note": "zwölf"},
    )
    task = await system.effect("TaskCreated", "a")
    await system.drained()
    parked = system.stored.documents()
    for engine in engines:
        engine.kill()

    fresh = await system.engine()
    assert system.stored.documents() == parked, "nothing moves by being looked after again"
    assert task.task is not None
    await system.wire.accepted(
        "CompleteTask", task_id=task.task.task_id, variables={"decision": "yes"}
    )
    following = await system.effect("TaskCreated", "a", number=2)
    assert following.element_id == "file"
    await system.drained()
    instance = system.stored.instance("a")
    assert isinstance(instance, ProcessInstance)
    assert instance.variables[instance.root] == {
        "amount": "740.1",
        "note": '"zwölf"',
        "gross": "814.11",
        "decision": '"yes"',
        "verdict": '"814.11 yes"',
    }
    completed = await system.effect("TaskCompleted", "a")
    assert completed.element_instance_id == task.element_instance_id
    (wait,) = instance.waits.values()
    assert isinstance(wait, TaskWait)

    assert following.task is not None
    await system.wire.accepted("CompleteTask", task_id=following.task.task_id)
    await system.effect("InstanceCompleted", "a")
    await system.drained()
    assert system.stored.running() == []
    assert await fresh.total("torpor_engine_faults_total") == 0
    assert len(await system.checked_effects()) == len(system.effects)
