"""Who may write commands forges what engines send. Nothing of it counts, and none in a replay."""

from typing import Any

import msgspec

from engine import records as r
from engine.rejections import RejectionCode
from tests.support.models import (
    bpmn,
    catch,
    chain,
    end,
    message,
    message_event,
    process,
    start,
    user_task,
)
from tests.support.servers import StartRedis
from tests.support.system import System
from tests.support.wire import Found, Headers
from tests.system.conftest import StartSystem

MODEL = bpmn(
    process(
        "order",
        start("begin"),
        catch("paid", message_event("Paid")),
        user_task("close"),
        end("closed"),
        chain("begin", "paid", "close", "closed"),
    ),
    message("Paid", "paid", key="=key"),
)
HUGE = b"9:1099511627776:0"
"""If it counts, every later send of its source is a copy."""

MADE_UP = ("torpor-seal", bytes(range(16)))


def internal_commands(victim: str) -> list[dict[str, Any]]:
    subscription = {"name": "paid", "correlation_key": victim, "instance_id": victim}
    return [
        {"type": "FireTimer", "address": victim, "timer": 1, "due_ms": 0},
        {"type": "RaiseIncident", "instance_id": victim, "kind": "ENGINE_FAULT", "message": "no"},
        {"type": "Continue", "instance_id": victim, "steps": 1},
        {"type": "CloseSubscription", **subscription, "subscription": 65538},
    ]


class Forger:
    """Puts records into the log that say they are the engine's."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.forged = 0

    async def client_commands_with_numbers(self) -> None:
        """From every partition to every partition."""
        value = msgspec.json.encode({"type": "TerminateInstance", "instance_id": "nobody"})
        for target in range(self.system.partitions):
            for source in range(self.system.partitions):
                await self._put(value, target, numbered(source))
                await self._put(value, target, [*numbered(source), MADE_UP])

    async def internal(self, victim: str, partition: int) -> None:
        """Refused whether they have a number, a seal, or nothing."""
        for command in internal_commands(victim):
            value = msgspec.json.encode(command)
            for headers in ([], numbered(partition), [*numbered(partition), MADE_UP]):
                await self.refused(await self._put(value, partition, headers))

    async def altered(self, found: Found, other: Found) -> None:
        """A genuine send with anything in it changed, or asking for a reply."""
        kept = [header for header in found.headers if header[0] != "torpor-seal"]
        seal = [header for header in found.headers if header[0] == "torpor-seal"]
        for value, headers in (
            (found.value, kept),
            (found.value, [*kept, MADE_UP]),
            (found.value, [*found.headers, ("torpor-number", HUGE)]),
            (found.value, [*found.headers, ("torpor-source", b"3")]),
            (found.value, [*found.headers, ("torpor-forwarded", b"1")]),
            (other.value, found.headers),
            (found.value, [*(each for each in other.headers if each not in seal), *seal]),
            (found.value, found.headers),
        ):
            await self._put(value, found.partition, headers, key=found.key)

    async def moved(self, found: Found) -> None:
        """A genuine send on all partitions but its own."""
        for partition in range(self.system.partitions):
            if partition != found.partition:
                await self.system.wire.send_again(found, partition)
                self.forged += 1

    async def _put(
        self, value: bytes | None, partition: int, headers: Headers, key: bytes | None = b"k"
    ) -> str:
        self.forged += 1
        sent = await self.system.wire.send_raw(value, partition=partition, key=key, headers=headers)
        return sent.command_id

    async def refused(self, command_id: str) -> None:
        reply = await self.system.wire.reply_to(command_id)
        assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, RejectionCode.UNAUTHORIZED)


def numbered(source: int) -> list[tuple[str, bytes]]:
    return [("torpor-source", b"%d" % source), ("torpor-number", HUGE)]


async def started(system: System) -> list[str]:
    """An instance on each partition; each waits for a message on whichever partition."""
    ids = [system.id_on(partition) for partition in range(system.partitions)]
    for instance_id in ids:
        await system.wire.accepted(
            "StartInstance",
            process_id="order",
            instance_id=instance_id,
            variables={"key": instance_id},
        )
    await system.drained()
    return ids


async def sends(system: System) -> list[Found]:
    """What told message aggregates on other partitions that somebody waits."""
    name = "torpor.command.OpenSubscription"
    found = [each for each in await system.wire.read("commands") if each.header("ce_type") == name]
    assert all(dict(each.headers).get("torpor-seal") for each in found)
    return found


async def test_what_is_forged_counts_for_nothing_and_a_replay_comes_to_the_same(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    engine = await system.engine()
    await system.deploy(MODEL)
    ids = await started(system)
    first, second, *_ = await sends(system)
    forger = Forger(system)

    await forger.client_commands_with_numbers()
    for partition, victim in enumerate(ids):
        await forger.internal(victim, partition)
    await forger.altered(first, second)
    await forger.moved(first)
    for found in (first, second, first):
        await system.wire.send_again(found, found.partition)  # genuine: dropped as copies
    await system.drained()
    assert await engine.total("torpor_forged_total") == forger.forged

    for instance_id in ids:
        await system.wire.accepted(
            "PublishMessage", name="paid", correlation_key=instance_id, ttl_ms=0
        )
        task = (await system.effect("TaskCreated", instance_id)).task
        assert task is not None
        await system.wire.accepted("CompleteTask", task_id=task.task_id)
        await system.effect("InstanceCompleted", instance_id)
    assert system.found("IncidentRaised") == []
    assert await engine.total("torpor_engine_faults_total") == 0
    secret = msgspec.json.decode(system.secret_file.read_bytes())["epochs"][0]["secret"]
    assert secret not in engine.log()
    await system.drained()
    await system.check_replay((await private_redis()).url)
