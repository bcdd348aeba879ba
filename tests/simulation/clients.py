"""The outside world of a run: who starts, answers jobs and tasks, and publishes messages.

Clients are patient: what does not happen they ask for again, under a new command id, until every
instance has ended. Copies of their commands arrive, too, sometimes much later.
"""

import asyncio
import base64
import json
from random import Random
from typing import Any

from consumers.log import Headers, OutgoingRecord
from engine.records import Effect, Job, Reply, ReplyStatus, Task
from engine.routing import message_address, partition_of, root_of, signal_address
from tests.simulation import models
from tests.simulation.brokers import SimulatedBroker
from tests.simulation.loop import WORLD, SeededLoop
from tests.simulation.setup import (
    COMMANDS,
    EFFECTS,
    NAMESPACE,
    PARTITIONS,
    REPLIES,
    TASKS,
    new_codec,
)

BUSY_S = 40.0
"""How long new instances are started."""

ENDED = ("InstanceCompleted", "InstanceTerminated", "InstanceFailed")


class Clients:
    """Everybody who is not the engine."""

    def __init__(self, loop: SeededLoop, broker: SimulatedBroker, random: Random) -> None:
        self._loop = loop
        self._broker = broker
        self._random = random
        self._codec = new_codec()
        self._commands = 0
        self._read: dict[tuple[str, int], int] = {}
        self._seen: set[tuple[str, int]] = set()
        self._answered: dict[str, Reply] = {}
        self.started: dict[str, str] = {}
        self.ended: dict[str, str] = {}
        self.gathered: set[str] = set()
        self.gatherings = 0
        self.is_done = False
        broker.watchers.append(self._notice)

    async def run(self) -> None:
        await self._deploy(models.FIRST)
        random = self._random
        tasks = [
            self._loop.spawn(WORLD, self._start(f"{kind}-{number}", kind))
            for kind in ("order", "fulfil", "waiting", "alarmed")
            for number in range(random.randint(1, 3))
        ]
        tasks.append(self._loop.spawn(WORLD, self._greet()))
        tasks.append(self._loop.spawn(WORLD, self._gather()))
        tasks.append(self._loop.spawn(WORLD, self._meddle()))
        tasks.append(self._loop.spawn(WORLD, self._broadcast()))
        if random.random() < 0.5:
            await asyncio.sleep(random.random() * BUSY_S)
            await self._deploy(models.SECOND)
        for task in tasks:
            await task
        self.is_done = True

    @property
    def missing(self) -> list[str]:
        """The instances that were started and have not ended."""
        return sorted(set(self.started) - set(self.ended))

    # --- what clients do ---

    async def _deploy(self, files: dict[str, bytes]) -> None:
        resources = [
            {"name": name, "content": base64.b64encode(content).decode()}
            for name, content in files.items()
        ]
        while True:
            command_id = self._publish("deployments", type="DeployResources", resources=resources)
            for _ in range(20):
                await asyncio.sleep(0.5)
                reply = self._answered.get(command_id)
                if reply is not None and reply.status == ReplyStatus.REJECTED:
                    raise AssertionError(f"the deployment was refused: {reply.detail}")
                if reply is not None and reply.detail is None:
                    return  # else some partition has yet to activate it: ask again

    async def _start(self, instance_id: str, process_id: str) -> None:
        await asyncio.sleep(self._random.random() * BUSY_S)
        self.started[instance_id] = process_id
        variables = {"key": instance_id, "group": "clerks", "big": "x" * self._random.randrange(50)}
        if self._random.random() < 0.2:
            variables["big"] *= 500
        self._publish(
            instance_id,
            type="StartInstance",
            process_id=process_id,
            instance_id=instance_id,
            business_key=f"business-{process_id}",
            variables=variables,
        )
        if process_id == "waiting":
            await self._inform(instance_id)
        elif process_id == "alarmed":
            await self._alarm(instance_id)

    async def _alarm(self, instance_id: str) -> None:
        """Broadcasts are not kept: those who wait later need another."""
        while instance_id not in self.ended:
            await asyncio.sleep(3 + self._random.random() * 12)
            self._publish(signal_address("alarm"), type="BroadcastSignal", name="alarm")

    async def _inform(self, instance_id: str) -> None:
        number = 0
        while instance_id not in self.ended:
            for name in ("paid", "shipped"):
                self._publish(
                    message_address(name, instance_id),
                    type="PublishMessage",
                    name=name,
                    correlation_key=instance_id,
                    message_id=f"{instance_id}-{number}",
                    ttl_ms=self._random.choice((0, 5_000, 15_000)),
                    variables={"amount": number},
                )
                await asyncio.sleep(self._random.random() * 2)
            number += 1
            await asyncio.sleep(5 + self._random.random() * 10)

    async def _greet(self) -> None:
        for number in range(self._random.randint(0, 3)):
            await asyncio.sleep(self._random.random() * 10)
            key = self._random.choice(("", "anna"))
            self._publish(
                message_address("greet", key),
                type="PublishMessage",
                name="greet",
                correlation_key=key,
                message_id=f"greet-{number}",
                ttl_ms=10_000,
            )

    async def _gather(self) -> None:
        """Two messages that belong to one instance, almost at once, whichever comes first."""
        for number in range(self._random.randint(0, 3)):
            await asyncio.sleep(self._random.random() * 10)
            self.gatherings += 1
            for name in self._random.sample(("ordered", "billed"), 2):
                key = f"gathering-{number}"
                self._publish(
                    message_address(name, key),
                    type="PublishMessage",
                    name=name,
                    correlation_key=key,
                    message_id=name,
                    ttl_ms=600_000,
                )
                await asyncio.sleep(self._random.choice((0.0, 0.0, 1.0)) * self._random.random())

    async def _broadcast(self) -> None:
        for _ in range(self._random.randint(0, 4)):
            await asyncio.sleep(self._random.random() * 8)
            self._publish(signal_address("closing"), type="BroadcastSignal", name="closing")

    async def _meddle(self) -> None:
        """Variables set from outside, instances terminated, commands for nobody, and rubbish."""
        for _ in range(self._random.randint(0, 8)):
            await asyncio.sleep(self._random.random() * 6)
            instance_id = self._random.choice([*self.started, "nobody"])
            kind = self._random.randrange(4)
            if kind == 0:
                self._publish(
                    instance_id,
                    type="SetVariables",
                    instance_id=instance_id,
                    variables={"note": self._random.randrange(100)},
                )
            elif kind == 1:
                self._publish(instance_id, type="TerminateInstance", instance_id=instance_id)
            elif kind == 2:
                self._publish(instance_id, type="StartInstance", process_id="unknown")
            else:
                self._append(b"rubbish", b"\x07no record", self._random.randrange(PARTITIONS))

    async def _answer_job(self, job: Job) -> None:
        await asyncio.sleep(self._random.random() * 3)
        chance = self._random.random()
        answer: dict[str, Any] = {"type": "CompleteJob", "variables": {"by": job.type}}
        if job.attempt == 1 and chance < 0.2:
            answer = {"type": "FailJob", "message": "busy", "backoff_ms": 700}
        elif job.type == models.CHARGE and chance > 0.85:
            answer = {"type": "ThrowError", "code": "declined"}
        self._publish(job.root_id, job_id=job.job_id, attempt=job.attempt, **answer)

    async def _complete_task(self, task: Task) -> None:
        await asyncio.sleep(self._random.random() * 8)
        self._publish(task.root_id, type="CompleteTask", task_id=task.task_id)

    # --- what they see ---

    def _notice(self, topic: str, partition: int) -> None:
        if topic in (EFFECTS, REPLIES, TASKS) or topic.startswith(f"{NAMESPACE}.jobs."):
            source = self._broker.topics[topic][partition]
            position = self._read.get((topic, partition), 0)
            for record in source.records(position):
                self._read[topic, partition] = record.offset + 1
                if record.value is not None:
                    self._take(topic, record.value)

    def _take(self, topic: str, value: bytes) -> None:
        if topic == EFFECTS:
            effect = self._codec.decode_published(value, Effect)
            if effect.type == "InstanceStarted" and effect.process_id == "gathering":
                self.gathered.add(effect.instance_id)
            if effect.type in ENDED:
                self.ended[effect.instance_id] = effect.type
        elif topic == REPLIES:
            reply = self._codec.decode_published(value, Reply)
            self._answered.setdefault(reply.command_id, reply)
        elif topic == TASKS:
            task = self._codec.decode_published(value, Task)
            if self._is_new(task.task_id, 0):
                self._loop.spawn(WORLD, self._complete_task(task))
        else:
            job = self._codec.decode_published(value, Job)
            if not job.canceled and self._is_new(job.job_id, job.attempt):
                self._loop.spawn(WORLD, self._answer_job(job))

    def _is_new(self, name: str, number: int) -> bool:
        is_new = (name, number) not in self._seen
        self._seen.add((name, number))
        return is_new

    # --- how they publish ---

    def _publish(self, address: str, **command: Any) -> str:
        """Publish a command, mostly to the right partition, sometimes more than once."""
        self._commands += 1
        command_id = f"command-{self._commands}"
        value = json.dumps({"command_id": command_id, **command}).encode()
        key = address if ":" in address else root_of(address)
        partition = partition_of(key, PARTITIONS)
        if self._random.random() < 0.1:
            partition = self._random.randrange(PARTITIONS)
        headers: Headers = (("reply-to", REPLIES.encode()),)
        self._append(key.encode(), value, partition, headers)
        while self._random.random() < 0.2:
            copy = self._append_later(key.encode(), value, partition, headers)
            self._loop.spawn(WORLD, copy)
        return command_id

    async def _append_later(
        self, key: bytes, value: bytes, partition: int, headers: Headers
    ) -> None:
        await asyncio.sleep(self._random.choice((0.0, 1.0, 10.0)) * self._random.random())
        self._append(key, value, partition, headers)

    def _append(self, key: bytes, value: bytes, partition: int, headers: Headers = ()) -> None:
        record = OutgoingRecord(
            topic=COMMANDS, key=key, value=value, partition=partition, headers=headers
        )
        self._broker.append(record)
