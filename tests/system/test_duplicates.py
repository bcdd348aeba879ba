"""Every command comes twice: the copy changes nothing, tells no effect, is answered DUPLICATE."""

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.ids import id_for_command
from engine.records import ReplyStatus
from engine.routing import kafka_key, partition_of
from tests.support.models import (
    boundary,
    bpmn,
    catch,
    chain,
    end,
    error,
    error_event,
    flow,
    message,
    message_event,
    process,
    script_task,
    service_task,
    start,
    user_task,
)
from tests.support.servers import StartRedis
from tests.support.stored import Value, differences
from tests.support.system import System
from tests.support.wire import address_of
from tests.system.conftest import StartSystem

Command = dict[str, Any]

MODEL = bpmn(
    process(
        "claim",
        start("begin"),
        service_task("assess", retries="3"),
        boundary("refused", "assess", error_event("Refused")),
        catch("paid", message_event("Paid")),
        script_task("count", "=paid + 1", result="paid"),
        user_task("close"),
        end("closed"),
        end("rejected"),
        chain("begin", "assess", "paid", "count", "close", "closed"),
        flow("refused", "rejected"),
    ),
    message("Paid", "paid", key="=claim"),
    error("Refused", "REFUSED"),
)
IDS = ("a", "b", "c", "d", "e")


def starts() -> list[Command]:
    named = [
        {
            "type": "StartInstance",
            "process_id": "claim",
            "instance_id": instance_id,
            "variables": {"claim": instance_id},
        }
        for instance_id in IDS
    ]
    # Its instance id is made of its command id.
    nameless = {"type": "StartInstance", "process_id": "claim", "variables": {"claim": "x"}}
    unknown = {"type": "StartInstance", "process_id": "no such process", "instance_id": "n"}
    return [*named, nameless, unknown]


def answers_to_jobs(system: System) -> list[Command]:
    jobs = {effect.instance_id: effect.job for effect in system.found("JobCreated")}
    commands: list[Command] = []
    for instance_id, kind, fields in (
        ("a", "CompleteJob", {"variables": {"sum": 12.50}}),
        ("b", "ThrowError", {"code": "REFUSED"}),
        ("c", "FailJob", {"message": "no", "retries": 2}),
        ("d", "CompleteJob", {}),
        ("e", "CompleteJob", {}),
    ):
        job = jobs[instance_id]
        assert job is not None
        commands.append({"type": kind, "job_id": job.job_id, "attempt": 1, **fields})
    return commands


def messages(_: System) -> list[Command]:
    return [
        {
            "type": "PublishMessage",
            "name": "paid",
            "correlation_key": instance_id,
            "ttl_ms": 60_000,
            "variables": {"paid": 1},
        }
        for instance_id in ("a", "d", "e", "nobody")
    ]


def endings(system: System) -> list[Command]:
    tasks = [effect.task for effect in system.found("TaskCreated")]
    return [
        *({"type": "CompleteTask", "task_id": task.task_id} for task in tasks if task is not None),
        {"type": "SetVariables", "instance_id": "c", "variables": {"more": [1, 2]}},
        {"type": "TerminateInstance", "instance_id": "c", "reason": "enough"},
        {"type": "TerminateInstance", "instance_id": "nobody"},
    ]


class Doubling:
    """Sends each stage of commands, and then the same once more."""

    def __init__(self, system: System) -> None:
        self.system = system

    async def take(self, commands: Sequence[Command], rejected: int = 0) -> None:
        """Wait for the first outcomes; then nothing of the second copies may show but replies.

        The last `rejected` of the commands are those that must be rejected, both times.
        """
        system = self.system
        ids = [system.wire.new_id() for _ in commands]
        await self._send(ids, commands)
        first = [await system.wire.reply_to(command_id) for command_id in ids]
        statuses = [ReplyStatus.ACCEPTED] * len(ids)
        statuses[len(ids) - rejected :] = [ReplyStatus.REJECTED] * rejected
        assert [reply.status for reply in first] == statuses
        await system.drained()
        documents, told = self._documents(), len(system.effects)
        await self._send(ids, commands)
        second = [await system.wire.reply_to(command_id, number=2) for command_id in ids]
        await system.drained()
        assert differences(documents, self._documents()) == {}
        assert len(system.effects) == told
        assert second == [
            msgspec.structs.replace(reply, status=ReplyStatus.DUPLICATE) for reply in first
        ]

    def _documents(self) -> dict[str, Value]:
        """All but the numbers of the last sends taken.

        A misrouted copy is forwarded under a number of its own, which its receiver remembers.
        """
        documents = self.system.stored.documents()
        return {key: value for key, value in documents.items() if not key.endswith("}:sources")}

    async def _send(self, ids: Sequence[str], commands: Sequence[Command]) -> None:
        for command_id, command in zip(ids, commands, strict=True):
            fields = {name: value for name, value in command.items() if name != "type"}
            if command["type"] == "StartInstance" and "instance_id" not in fields:
                await self._send_astray(command_id, command)
            else:
                await self.system.wire.send(command["type"], command_id=command_id, **fields)

    async def _send_astray(self, command_id: str, command: Command) -> None:
        """To a partition that is not the instance's: who sends no id need not know which is."""
        partitions = self.system.partitions
        instance_id = id_for_command(self.system.namespace, command_id)
        wrong = (partition_of(instance_id, partitions) + 1) % partitions
        value = msgspec.json.encode({**command, "command_id": command_id})
        await self.system.wire.send_raw(value, partition=wrong, command_id=command_id)


async def test_each_command_delivered_twice_changes_and_tells_nothing_more(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    await system.engine()
    twice = Doubling(system)
    await twice.take([system.deployment(MODEL)])
    await twice.take(starts(), rejected=1)
    await twice.take(answers_to_jobs(system))
    await twice.take(messages(system))
    await twice.take(endings(system), rejected=1)
    for instance_id in ("a", "d", "e"):
        (completed,) = system.found("InstanceCompleted", instance_id)
        assert msgspec.json.decode(completed.variables or "")["paid"] == 2
    await system.checked_effects()
    await system.check_replay((await private_redis()).url)


async def test_each_command_twice_in_one_batch_changes_and_tells_nothing_more(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    """They lie in the log, each with its copy, before an engine comes: it takes all at once."""
    redis = await private_redis()
    system = await start_system(redis.url)
    engine = await system.engine()
    await system.deploy(MODEL)
    for command in starts()[: len(IDS)]:
        await system.wire.accepted(command.pop("type"), **command)
    await system.drained()
    await engine.stop()
    started = [
        {"type": "StartInstance", "process_id": "claim", "instance_id": f"{n}", "variables": {}}
        for n in range(8)
    ]
    commands = [*answers_to_jobs(system), *started]
    batches: dict[int, list[bytes]] = {}
    ids = []
    for command in commands:
        ids.append(system.wire.new_id())
        partition = partition_of(kafka_key(address_of(command)), system.partitions)
        value = msgspec.json.encode({**command, "command_id": ids[-1]})
        batches.setdefault(partition, []).extend([value, value])
    for partition, values in batches.items():
        await system.wire.send_batch(partition, values)
    await system.engine()
    for command_id in ids:
        replies = [await system.wire.reply_to(command_id, number=number) for number in (1, 2)]
        assert [reply.status for reply in replies] == [ReplyStatus.ACCEPTED, ReplyStatus.DUPLICATE]
    await system.drained()
    assert [len(system.found("InstanceStarted", f"{n}")) for n in range(8)] == [1] * 8
    assert len(system.found("JobCompleted")) == 3
    assert sorted(system.stored.running()) == sorted(
        ["a", "c", "d", "e", *(f"{n}" for n in range(8))]
    )
    await system.check_replay((await private_redis()).url)
