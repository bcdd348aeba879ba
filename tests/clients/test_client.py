"""The client against real Kafka: commands with their replies."""

import asyncio
import gzip
import json
import time
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from consumers.dev.kafka_server import Kafka
from engine import commands as c
from engine.partition import Stimulus
from engine.records import Reply, ReplyStatus
from engine.routing import address_of, kafka_key, partition_of
from schemas.frames import Frame as WireFrame
from tests.clients.scripted_engine import PARTITIONS, ScriptedEngine, effect, scripted_engine
from torpor_client import (
    Client,
    ClientOptions,
    Frame,
    KafkaUnavailableError,
    NamespaceNotFoundError,
    RejectedError,
    ReplyTimeoutError,
    Resource,
)

IMPATIENT = ClientOptions(timeout_s=0.5)


def client_of(engine: ScriptedEngine, options: ClientOptions | None = None) -> Client:
    return Client(engine.bootstrap, engine.namespace, options)


async def test_command_is_answered_by_its_own_reply(any_engine: ScriptedEngine) -> None:
    any_engine.script = lambda stimulus: Reply(
        command_id=stimulus.command_id or "",
        status=ReplyStatus.ACCEPTED,
        instance_id=address_of(stimulus.command),  # type: ignore[arg-type] # the client's are valid
    )
    async with client_of(any_engine) as client:
        replies = await asyncio.gather(*(client.terminate(f"i{n}") for n in range(20)))
    assert [reply.instance_id for reply in replies] == [f"i{n}" for n in range(20)]


RESOURCES = (
    c.Resource(name="order.bpmn", content=gzip.compress(b"<definitions/>", mtime=0)),
    c.Resource(name="b", content=gzip.compress(b"b", mtime=0)),
)
SENT: list[c.AnyCommand] = [
    c.DeployResources(resources=RESOURCES),
    c.StartInstance(process_id="order", instance_id="i3", business_key="B", variables='{"n":1.5}'),
    c.TerminateInstance(instance_id="i", reason="why"),
    c.SetVariables(instance_id="i", element_instance_id="i:2", variables='{"a":1}', local=True),
    c.CompleteTask(task_id="i:7", variables='{"ok":true}'),
    c.CompleteJob(job_id="i:8", attempt=2, variables='{"a":[1]}', token="t"),
    c.CompleteJob(job_id="i:8", attempt=2, result='{"denied":true}'),
    c.FailJob(job_id="i:8", attempt=2, message="no", retries=0, backoff_ms=5, variables="{}"),
    c.ThrowError(code="E", job_id="i:8", attempt=2, message="m"),
    c.ThrowError(code="E", task_id="i:7"),
    c.PublishMessage(name="paid: in full", correlation_key="B/7", message_id="m", ttl_ms=9),
    c.ThrowEscalation(code="L", job_id="i:8", attempt=2, variables='{"a":1}'),
    c.ThrowEscalation(code="L", task_id="i:7"),
    c.BroadcastSignal(name="closing: now", variables='{"a":1}'),
    c.EvaluateConditions(variables='{"a":1}'),
    c.ResolveIncident(incident_id="i:9", retries=1, variables='{"x":null}'),
    c.ActivateActivities(element_instance_id="i:5", element_ids=("one", "two")),
    c.ActivateActivities(element_instance_id="i:5", complete=True),
    c.ClaimTask(task_id="i:7", user="ann"),
    c.AssignTask(task_id="i:7"),
    c.UpdateTask(task_id="i:7", due_at=5, candidate_users=(), clear=("follow_up_at",)),
]
"""What the client sends in the next test."""


async def test_every_command_arrives_with_its_fields_on_its_partition(
    engine: ScriptedEngine, tmp_path: Path
) -> None:
    (tmp_path / "order.bpmn").write_bytes(b"<definitions/>")
    engine.script = lambda stimulus: Reply(
        command_id=stimulus.command_id or "", status=ReplyStatus.ACCEPTED, result='{"deployed":[]}'
    )
    async with client_of(engine, ClientOptions(actor="ada")) as client:
        await client.deploy(tmp_path / "order.bpmn", Resource(name="b", content=b"b"))
        await client.start("order", {"n": Decimal("1.5")}, instance_id="i3", business_key="B")
        await client.terminate("i", "why")
        await client.set_variables("i", {"a": 1}, element_instance_id="i:2", local=True)
        await client.complete_task("i:7", {"ok": True})
        await client.complete_job("i:8", 2, {"a": [1]}, token="t")
        await client.complete_job("i:8", 2, result={"denied": True})
        await client.fail_job("i:8", 2, "no", retries=0, backoff_ms=5, values={})
        await client.throw_error("E", job_id="i:8", attempt=2, message="m")
        await client.throw_error("E", task_id="i:7")
        await client.publish_message("paid: in full", "B/7", {}, ttl_ms=9, message_id="m")
        await client.throw_escalation("L", job_id="i:8", attempt=2, values={"a": 1})
        await client.throw_escalation("L", task_id="i:7")
        await client.broadcast_signal("closing: now", {"a": 1})
        await client.evaluate_conditions({"a": 1})
        await client.resolve_incident("i:9", retries=1, values={"x": None})
        await client.activate_activities("i:5", "one", "two")
        await client.activate_activities("i:5", complete=True)
        await client.claim_task("i:7", "ann")
        await client.assign_task("i:7", None)
        await client.update_task("i:7", due_at=5, candidate_users=[], clear=["follow_up_at"])
    assert await engine.until(len(SENT)) == SENT
    for partition, stimulus in engine.received:
        assert isinstance(stimulus.command, c.ClientCommand)
        assert partition == partition_of(kafka_key(address_of(stimulus.command)), PARTITIONS)
        assert stimulus.actor == "ada"
        assert UUID(stimulus.command_id).version == 7


async def test_json_frame_is_understood_both_ways(kafka: Kafka, namespace: str) -> None:
    async with scripted_engine(kafka.bootstrap, namespace, WireFrame.JSON) as engine:
        async with client_of(engine, ClientOptions(frame=Frame.JSON)) as client:
            started = await client.start("order", {"n": 1}, instance_id="i")
            await client.deploy(Resource(name="a", content=b"\x00"), command_id="d")
        assert started.status == "ACCEPTED"
        start, deployment = engine.commands
    assert start == c.StartInstance(process_id="order", instance_id="i", variables='{"n":1}')
    assert isinstance(deployment, c.DeployResources)


async def test_start_mints_an_instance_id(engine: ScriptedEngine) -> None:
    async with client_of(engine) as client:
        started = await client.start("order")
    (command,) = engine.commands
    assert isinstance(command, c.StartInstance)
    assert command.instance_id == started.instance_id
    assert UUID(started.instance_id).version == 7


async def test_start_repeated_after_a_timeout_names_the_same_instance(
    engine: ScriptedEngine,
) -> None:
    engine.script = lambda _: None
    async with client_of(engine, IMPATIENT) as client:
        with pytest.raises(ReplyTimeoutError) as caught:
            await client.start("order")
        with pytest.raises(ReplyTimeoutError):
            await client.start("order", command_id=caught.value.command_id)
    first, second = engine.received
    assert first[0] == second[0]
    assert first[1].command == second[1].command
    assert first[1].command_id == second[1].command_id


async def test_deployment_is_a_typed_result(engine: ScriptedEngine) -> None:
    found = {
        "deployed": [{"kind": "process", "id": "order", "version": 2, "new": True}],
        "findings": [{"severity": "warning", "code": "c", "message": "m", "line": 3}],
    }
    engine.script = lambda stimulus: Reply(
        command_id=stimulus.command_id or "",
        status=ReplyStatus.ACCEPTED,
        result=json.dumps(found),
    )
    async with client_of(engine) as client:
        deployment = await client.deploy(Resource(name="a", content=b""))
    assert (deployment.deployed[0].id, deployment.deployed[0].version) == ("order", 2)
    assert (deployment.findings[0].severity, deployment.findings[0].line) == ("warning", 3)


def refuse(stimulus: Stimulus) -> Reply:
    return Reply(
        command_id=stimulus.command_id or "",
        status=ReplyStatus.REJECTED,
        code="INVALID_MODEL",
        detail="expected ids, found none",
        result='{"findings":[{"line":7}]}',
    )


async def test_rejection_is_raised_with_code_and_detail(engine: ScriptedEngine) -> None:
    engine.script = refuse
    async with client_of(engine) as client:
        with pytest.raises(RejectedError, match="INVALID_MODEL: expected ids") as caught:
            await client.deploy(Resource(name="a", content=b""), command_id="c1")
    assert (caught.value.code, caught.value.command_id) == ("INVALID_MODEL", "c1")
    assert caught.value.findings == [{"line": 7}]


async def test_duplicate_of_an_accepted_command_is_success(engine: ScriptedEngine) -> None:
    engine.script = lambda stimulus: Reply(
        command_id=stimulus.command_id or "", status=ReplyStatus.DUPLICATE, instance_id="i"
    )
    async with client_of(engine) as client:
        assert (await client.start("order", instance_id="i")).status == "DUPLICATE"


async def test_duplicate_of_a_rejected_command_is_raised(engine: ScriptedEngine) -> None:
    def repeated(stimulus: Stimulus) -> Reply:
        return msgspec.structs.replace(refuse(stimulus), status=ReplyStatus.DUPLICATE)

    engine.script = repeated
    async with client_of(engine) as client:
        with pytest.raises(RejectedError):
            await client.terminate("i")


async def test_late_reply_times_out_and_the_command_can_be_repeated(
    engine: ScriptedEngine,
) -> None:
    engine.script = lambda _: None
    async with client_of(engine, IMPATIENT) as client:
        with pytest.raises(ReplyTimeoutError, match=r"within 0\.5 s") as caught:
            await client.terminate("i")
        await client.submit("TerminateInstance", "i", {"instance_id": "i"}, caught.value.command_id)
    await engine.until(2)
    first, second = (stimulus for _, stimulus in engine.received)
    assert first.command_id == second.command_id == caught.value.command_id
    assert first.command == second.command


async def test_reply_to_somebody_else_is_no_answer(engine: ScriptedEngine) -> None:
    engine.correlation_id = b"somebody else's"
    async with client_of(engine, IMPATIENT) as client:
        with pytest.raises(ReplyTimeoutError):
            await client.terminate("i")


async def test_missing_namespace_is_said_and_not_created(kafka: Kafka, namespace: str) -> None:
    with pytest.raises(NamespaceNotFoundError, match="has `torpor init` been run"):
        await Client(kafka.bootstrap, namespace).connect()
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap)
    await consumer.start()
    try:
        assert f"{namespace}.commands" not in await consumer.topics()
    finally:
        await consumer.stop()


async def test_a_missing_namespace_is_said_within_a_short_time_out(
    kafka: Kafka, namespace: str
) -> None:
    client = Client(kafka.bootstrap, namespace, ClientOptions(timeout_s=3))
    with pytest.raises(NamespaceNotFoundError):
        async with asyncio.timeout(3):
            await client.connect()


async def test_no_broker_is_an_error_of_its_own(namespace: str) -> None:
    with pytest.raises(KafkaUnavailableError, match="cannot be reached"):
        await Client("127.0.0.1:1", namespace).connect()


@pytest.mark.parametrize("handle", ["i", "i:x", ":7", ""])
async def test_handle_that_is_none_is_refused_before_anything_is_sent(
    engine: ScriptedEngine, handle: str
) -> None:
    async with client_of(engine) as client:
        with pytest.raises(ValueError, match="is not an id of the form"):
            await client.complete_task(handle)


async def test_command_larger_than_kafka_takes_is_refused(engine: ScriptedEngine) -> None:
    async with client_of(engine) as client:
        with pytest.raises(ValueError, match="too large"):
            await client.set_variables("i", {"big": "x" * 3_000_000})
        await client.terminate("i")
    assert engine.commands == [c.TerminateInstance(instance_id="i")]


async def test_headers_are_those_of_a_cloud_event(engine: ScriptedEngine) -> None:
    async with client_of(engine) as client:
        await client.terminate("i", command_id="c1")
    partition, _ = engine.received[0]
    consumer = AIOKafkaConsumer(bootstrap_servers=engine.bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    try:
        consumer.assign([TopicPartition(f"{engine.namespace}.commands", partition)])
        headers = dict((await asyncio.wait_for(consumer.getone(), 10)).headers)
    finally:
        await consumer.stop()
    assert headers["ce_specversion"] == b"1.0"
    assert headers["ce_id"] == b"c1"
    assert headers["ce_type"] == b"torpor.command.TerminateInstance"
    assert headers["reply-to"] == f"{engine.namespace}.replies".encode()


# --- waiting for the end ---


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("InstanceCompleted", "COMPLETED"),
        ("InstanceFailed", "FAILED"),
        ("InstanceTerminated", "TERMINATED"),
    ],
)
async def test_completion_is_found_though_it_was_long_ago(
    engine: ScriptedEngine, kind: str, state: str
) -> None:
    mine = instance_of_partition(0)
    await engine.publish_effects(
        effect(1, type=kind, instance_id="other"),
        effect(2, type="InstanceStarted", instance_id=mine),
        effect(3, type=kind, instance_id=mine, variables='{"n":1.5}'),
    )
    async with client_of(engine) as client:
        completion = await client.await_completion(mine, timeout_s=20)
    assert (completion.state, completion.variables) == (state, {"n": Decimal("1.5")})


async def test_completion_is_waited_for_and_times_out(engine: ScriptedEngine) -> None:
    mine = instance_of_partition(0)
    async with client_of(engine) as client:
        with pytest.raises(TimeoutError):
            await client.await_completion(mine, timeout_s=0.5)
        since = int(time.time() * 1000) - 60_000
        waiting = asyncio.create_task(client.await_completion(mine, since=since, timeout_s=20))
        await engine.publish_effects(effect(9, type="InstanceCompleted", instance_id=mine))
        assert (await waiting).state == "COMPLETED"


def instance_of_partition(partition: int) -> str:
    return next(f"i{n}" for n in range(100) if partition_of(f"i{n}", PARTITIONS) == partition)
