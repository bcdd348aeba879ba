"""The client: commands with their replies, effects without duplicates.

async with Client("localhost:9092", "shop") as client:
    await client.deploy("order.bpmn")
    started = await client.start("order", {"amount": 12})
    completion = await client.await_completion(started.instance_id)
"""

import asyncio
import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from torpor_client import routing, variables
from torpor_client.channel import Channel, ClientOptions, Submitted
from torpor_client.connection import Connection
from torpor_client.effects import EffectOptions, EffectPosition, EffectStream, Start
from torpor_client.errors import TorporError
from torpor_client.ids import new_id, started_by
from torpor_client.records import Completion, Deployment, Reply, Resource, Started

ENDED: Mapping[str, str] = {
    "InstanceCompleted": "COMPLETED",
    "InstanceFailed": "FAILED",
    "InstanceTerminated": "TERMINATED",
}
DEPLOYMENTS = "deployments"


class Client:
    """One namespace, for one event loop. Every command may be repeated with its `command_id`.

    Calls raise RejectedError, ReplyTimeoutError, KafkaUnavailableError, and ValueError for
    arguments that no engine would take. Variables are mappings of JSON values; Decimals stay exact.
    """

    def __init__(
        self, bootstrap_servers: str, namespace: str, options: ClientOptions | None = None
    ) -> None:
        self.namespace = namespace
        self.options = options or ClientOptions()
        connection = Connection(bootstrap_servers=bootstrap_servers, options=self.options.kafka)
        self.channel = Channel(connection, namespace, self.options)

    async def connect(self) -> None:
        """Raises NamespaceNotFoundError, KafkaUnavailableError. `async with` does it."""
        await self.channel.open()

    async def close(self) -> None:
        await self.channel.close()

    async def __aenter__(self) -> "Client":
        await self.connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    # --- any command ---

    async def submit(
        self, kind: str, key: str, fields: Mapping[str, Any], command_id: str | None = None
    ) -> Submitted:
        """Publish any command; returns when all replicas have it, without waiting for the reply.

        `key` is the root id of the instance it is for, or its address. `fields` are the wire's.
        """
        return await self.channel.submit(kind, key, fields, command_id)

    async def _ask(
        self, kind: str, key: str, fields: Mapping[str, Any], command_id: str | None
    ) -> Reply:
        submitted = await self.submit(kind, key, fields, command_id)
        return await submitted.reply()

    # --- the commands ---

    async def deploy(
        self, *files: str | Path | Resource, command_id: str | None = None
    ) -> Deployment:
        """Deploy files: all of them or, when one has an error, none (RejectedError.findings)."""
        resources = [_compressed(each) for each in await asyncio.to_thread(_read_all, files)]
        reply = await self._ask(
            "DeployResources", DEPLOYMENTS, {"resources": resources}, command_id
        )
        return msgspec.json.decode(reply.result or "{}", type=Deployment)

    async def start(  # noqa: PLR0913 - one keyword a field of the command
        self,
        process_id: str,
        values: Mapping[str, Any] | None = None,
        *,
        instance_id: str | None = None,
        business_key: str | None = None,
        version: int | None = None,
        start_element: str | None = None,
        command_id: str | None = None,
    ) -> Started:
        """Start an instance, of the latest version if none is named.

        Without an `instance_id` it gets one that follows from the command id. So a repetition with
        the same `command_id`, that of a ReplyTimeoutError for example, starts no second one.
        """
        command_id = command_id or new_id()
        identity = instance_id or started_by(command_id)
        fields = {
            "process_id": process_id,
            "version": version,
            "instance_id": identity,
            "business_key": business_key,
            "variables": variables.encode(values),
            "start_element": start_element,
        }
        key = routing.root_of(identity)
        reply = await self._ask("StartInstance", key, fields, command_id)
        return Started(instance_id=reply.instance_id or identity, status=reply.status)

    async def terminate(
        self, instance_id: str, reason: str | None = None, *, command_id: str | None = None
    ) -> Reply:
        """End an instance and all that it called."""
        fields = {"instance_id": instance_id, "reason": reason}
        key = routing.root_of(instance_id)
        return await self._ask("TerminateInstance", key, fields, command_id)

    async def set_variables(
        self,
        instance_id: str,
        values: Mapping[str, Any],
        *,
        element_instance_id: str | None = None,
        local: bool = False,
        command_id: str | None = None,
    ) -> Reply:
        """Set variables where they are; `local`: in the scope of the element instance itself."""
        fields = {
            "instance_id": instance_id,
            "element_instance_id": element_instance_id,
            "variables": variables.encode(values),
            "local": local,
        }
        return await self._ask("SetVariables", routing.root_of(instance_id), fields, command_id)

    async def complete_task(
        self,
        task_id: str,
        values: Mapping[str, Any] | None = None,
        *,
        command_id: str | None = None,
    ) -> Reply:
        """Complete a user task."""
        fields = {"task_id": task_id, "variables": variables.encode(values)}
        return await self._ask("CompleteTask", _key_of(task_id), fields, command_id)

    async def claim_task(self, task_id: str, user: str, *, command_id: str | None = None) -> Reply:
        """Take a user task on; refused (INVALID_STATE) while somebody else has it."""
        fields = {"task_id": task_id, "user": user}
        return await self._ask("ClaimTask", _key_of(task_id), fields, command_id)

    async def assign_task(
        self, task_id: str, assignee: str | None, *, command_id: str | None = None
    ) -> Reply:
        """Give a user task to somebody, whoever has it; None: to nobody."""
        fields = {"task_id": task_id, "assignee": assignee}
        return await self._ask("AssignTask", _key_of(task_id), fields, command_id)

    async def update_task(  # noqa: PLR0913 - one keyword a field of the command
        self,
        task_id: str,
        *,
        due_at: int | None = None,
        follow_up_at: int | None = None,
        priority: int | None = None,
        candidate_users: Iterable[str] | None = None,
        candidate_groups: Iterable[str] | None = None,
        clear: Iterable[str] = (),
        command_id: str | None = None,
    ) -> Reply:
        """Change what describes a user task; what is None stays. Dates are epoch milliseconds.

        `clear` takes dates away, by name: `due_at`, `follow_up_at`. Empty lists empty lists.
        """
        fields = {
            "task_id": task_id,
            "due_at": due_at,
            "follow_up_at": follow_up_at,
            "priority": priority,
            "candidate_users": None if candidate_users is None else list(candidate_users),
            "candidate_groups": None if candidate_groups is None else list(candidate_groups),
            "clear": list(clear),
        }
        return await self._ask("UpdateTask", _key_of(task_id), fields, command_id)

    async def complete_job(  # noqa: PLR0913 - one keyword a field of the command
        self,
        job_id: str,
        attempt: int,
        values: Mapping[str, Any] | None = None,
        *,
        result: Mapping[str, Any] | None = None,
        token: str | None = None,
        command_id: str | None = None,
    ) -> Reply:
        """Complete a job, with a `result` where it asks for one. A `Worker` does it by itself."""
        fields = {
            "job_id": job_id,
            "attempt": attempt,
            "variables": variables.encode(values),
            "token": token,
            "result": None if result is None else variables.encode(result),
        }
        return await self._ask("CompleteJob", _key_of(job_id), fields, command_id)

    async def fail_job(  # noqa: PLR0913 - one keyword a field of the command
        self,
        job_id: str,
        attempt: int,
        message: str,
        *,
        retries: int | None = None,
        backoff_ms: int | None = None,
        values: Mapping[str, Any] | None = None,
        token: str | None = None,
        command_id: str | None = None,
    ) -> Reply:
        """Fail an attempt; `retries` None: one less than before, 0: an incident."""
        fields = {
            "job_id": job_id,
            "attempt": attempt,
            "message": message,
            "retries": retries,
            "backoff_ms": backoff_ms,
            "variables": None if values is None else variables.encode(values),
            "token": token,
        }
        return await self._ask("FailJob", _key_of(job_id), fields, command_id)

    async def throw_error(  # noqa: PLR0913 - one keyword a field of the command
        self,
        code: str,
        *,
        job_id: str | None = None,
        task_id: str | None = None,
        attempt: int | None = None,
        message: str | None = None,
        values: Mapping[str, Any] | None = None,
        token: str | None = None,
        command_id: str | None = None,
    ) -> Reply:
        """Throw a BPMN error from a job (with its attempt) or from a user task.

        Raises ValueError when neither is named.
        """
        handle = job_id if job_id is not None else task_id
        if handle is None:
            raise ValueError("give a job_id or a task_id")
        fields = {
            "code": code,
            "job_id": job_id,
            "task_id": task_id,
            "attempt": attempt,
            "message": message,
            "variables": None if values is None else variables.encode(values),
            "token": token,
        }
        return await self._ask("ThrowError", _key_of(handle), fields, command_id)

    async def publish_message(  # noqa: PLR0913 - one keyword a field of the command
        self,
        name: str,
        correlation_key: str = "",
        values: Mapping[str, Any] | None = None,
        *,
        ttl_ms: int = 0,
        message_id: str | None = None,
        instance_id: str | None = None,
        command_id: str | None = None,
    ) -> Reply:
        """Publish a message. `ttl_ms` 0: whoever waits now; else it is buffered for so long.

        `message_id` makes publishing idempotent beyond the window of command ids.
        """
        fields = {
            "name": name,
            "correlation_key": correlation_key,
            "message_id": message_id,
            "ttl_ms": ttl_ms,
            "variables": variables.encode(values),
            "instance_id": instance_id,
        }
        key = routing.message_address(name, correlation_key)
        return await self._ask("PublishMessage", key, fields, command_id)

    async def throw_escalation(  # noqa: PLR0913 - one keyword a field of the command
        self,
        code: str,
        *,
        job_id: str | None = None,
        task_id: str | None = None,
        attempt: int | None = None,
        message: str | None = None,
        values: Mapping[str, Any] | None = None,
        token: str | None = None,
        command_id: str | None = None,
    ) -> Reply:
        """Throw an escalation from a job (with its attempt) or a user task, which stays open."""
        handle = job_id if job_id is not None else task_id
        if handle is None:
            raise ValueError("give a job_id or a task_id")
        fields = {
            "code": code,
            "job_id": job_id,
            "task_id": task_id,
            "attempt": attempt,
            "message": message,
            "variables": None if values is None else variables.encode(values),
            "token": token,
        }
        return await self._ask("ThrowEscalation", _key_of(handle), fields, command_id)

    async def broadcast_signal(
        self,
        name: str,
        values: Mapping[str, Any] | None = None,
        *,
        command_id: str | None = None,
    ) -> Reply:
        """Broadcast a signal to all who wait for it now, and start the processes that it starts."""
        fields = {"name": name, "variables": variables.encode(values)}
        return await self._ask("BroadcastSignal", routing.signal_address(name), fields, command_id)

    async def evaluate_conditions(
        self,
        values: Mapping[str, Any] | None = None,
        *,
        command_id: str | None = None,
    ) -> Reply:
        """Start the processes with a conditional start event whose condition these values fulfil.

        The reply's `result` names the instances started, and the conditions that failed.
        """
        fields = {"variables": variables.encode(values)}
        return await self._ask("EvaluateConditions", DEPLOYMENTS, fields, command_id)

    async def resolve_incident(
        self,
        incident_id: str,
        *,
        retries: int | None = None,
        values: Mapping[str, Any] | None = None,
        command_id: str | None = None,
    ) -> Reply:
        """Retry the step that failed, with new variables or, for a job, with new retries."""
        fields = {
            "incident_id": incident_id,
            "retries": retries,
            "variables": None if values is None else variables.encode(values),
        }
        return await self._ask("ResolveIncident", _key_of(incident_id), fields, command_id)

    async def activate_activities(
        self,
        element_instance_id: str,
        *element_ids: str,
        complete: bool = False,
        command_id: str | None = None,
    ) -> Reply:
        """Begin activities of an ad-hoc sub-process, in this order; or `complete` it, with none."""
        fields = {
            "element_instance_id": element_instance_id,
            "element_ids": list(element_ids),
            "complete": complete,
        }
        key = _key_of(element_instance_id)
        return await self._ask("ActivateActivities", key, fields, command_id)

    # --- effects ---

    def effects(
        self,
        *,
        start: Start = "earliest",
        positions: Iterable[EffectPosition] = (),
        instance_id: str | None = None,
        follow: bool = True,
    ) -> EffectStream:
        """What has happened, each effect once: `async with` it, and iterate.

        Partitions without a position begin at `start`: "earliest", "latest", or an instant in
        epoch milliseconds. With `instance_id` only that instance's. Without `follow` it ends with
        what is there now. See `EffectStream.positions` for going on later.
        """
        options = EffectOptions(
            start=start,
            positions=tuple(positions),
            instance_id=instance_id,
            follow=follow,
            partitions=self.channel.partitions,
        )
        channel = self.channel
        return EffectStream(channel.connection, self.namespace, channel.schemas, options)

    async def await_completion(
        self,
        instance_id: str,
        *,
        since: Start = "earliest",
        timeout_s: float | None = None,
    ) -> Completion:
        """Wait until an instance has ended, also when it did long ago, over any restarts.

        It reads the effects of the instance's partition, from `since` on: an instant in epoch
        milliseconds before the instance was started saves reading what is older. Raises
        TimeoutError, TorporError when its effects end without an end.
        """
        async with (
            asyncio.timeout(timeout_s),
            self.effects(start=since, instance_id=instance_id) as effects,
        ):
            async for effect in effects:
                state = ENDED.get(effect.type)
                if state is not None:
                    return Completion(state=state, effect=effect)
        raise TorporError(f"the effects of {instance_id} ended")


def _key_of(handle: str) -> str:
    """The Kafka key for what an id names. Raises ValueError when it is no such id."""
    return routing.root_of(routing.instance_of(handle))


def _read_all(files: Iterable[str | Path | Resource]) -> list[Resource]:
    return [
        file
        if isinstance(file, Resource)
        else Resource(name=Path(file).name, content=Path(file).read_bytes())
        for file in files
    ]


def _compressed(resource: Resource) -> dict[str, Any]:
    """The same file always as the same bytes: without the time of compression."""
    return {"name": resource.name, "content": gzip.compress(resource.content, mtime=0)}
