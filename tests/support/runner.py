"""Simulations for tests in code: models without a deployment, and short ways to say what happens.

    runner = Runner(compiled(process("order", ...)))
    runner.send(StartInstance(process_id="order", instance_id="a"))
    runner.complete("payment", '{"paid": true}')
    runner.elapse(3_600_000)
    assert runner.state("a") is InstanceState.COMPLETED

`checked.py` says what must hold at every moment, `scenarios/simulation.py` how records run, and in
which variants.
"""

from itertools import count
from typing import Any

from engine import commands as c
from engine import events as e
from engine import records as r
from engine.aggregates import MessageState
from engine.decisions import CompiledDecisions, Invocable
from engine.definitions import DecisionVersions, ProcessVersions, VersionRef
from engine.deployments.files import compile_files
from engine.deployments.starts import starts_of
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.outcome import Content
from engine.settings import SEMANTICS, Settings
from engine.state import AdHocWait, IncidentWait, ProcessInstance, Tombstone
from scenarios import looking
from scenarios.contents import Contents
from scenarios.simulation import VARIANTS, Partition, Variant
from schemas import snapshot
from tests.support.checked import CheckedSimulation

__all__ = ["START_MS", "VARIANTS", "Partition", "Runner", "Variant", "subscriptions"]

START_MS = 1_700_000_000_000


class Runner(CheckedSimulation):
    """See the module. `publications` are all that was published, in order, copies not counted."""

    def __init__(
        self,
        *models: ProcessModel,
        variant: Variant = VARIANTS[0],
        settings: Settings | None = None,
        contents: Contents | None = None,
    ) -> None:
        super().__init__(now=START_MS, variant=variant, settings=settings, contents=contents)
        self.posting = False
        """Whether accepted commands are only put on the log, so that they meet others there."""
        self.sent: list[tuple[c.AnyCommand, str]] = []
        """The commands of clients that were accepted, with their ids."""
        self._offset = count(1)
        self._deployments = count(1)
        for model in models:
            self.deploy(model)

    # --- what a scenario does ---

    def deploy(self, model: ProcessModel) -> int:
        """Add the next version of a process to every partition's table: one deployment."""
        known = self.partitions[0].definitions.get(model.process_id)
        version = 1 if known is None else known.versions[-1].version + 1
        ref = VersionRef(
            version=version,
            checksum=f"{model.process_id}-{version}",
            semantics=model.semantics,
            deployment=next(self._deployments),
            tag=model.version_tag,
        )
        self.contents.add_process(ref.checksum, model)
        for partition in self.partitions:
            before = partition.definitions.get(model.process_id) or ProcessVersions(
                id=model.process_id
            )
            after = before.activate(ref, starts_of(model))
            partition.definitions = partition.definitions.with_versions(after)
        return version

    def deploy_decisions(self, *contents: bytes) -> None:
        """Add the next version of each decision of these files: one deployment."""
        number = next(self._deployments)
        resources = [
            c.Resource(name=str(position), content=content)
            for position, content in enumerate(contents)
        ]
        for file in compile_files(resources, self.settings):
            assert isinstance(file, CompiledDecisions)
            assert file.deployable, file.findings
            self.contents.add(Content(checksum=file.checksum, resource=file.content))
            for decision in file.model.invocables:
                self._deploy_decision(decision, file, number)

    def _deploy_decision(
        self, decision: Invocable, file: CompiledDecisions, deployment: int
    ) -> None:
        known = self.partitions[0].definitions.decision(decision.id)
        ref = VersionRef(
            version=1 if known is None else known.versions[-1].version + 1,
            checksum=file.checksum,
            semantics=SEMANTICS,
            deployment=deployment,
            tag=decision.version_tag,
            imports=file.imports,
        )
        after = (known or DecisionVersions(id=decision.id)).activate(ref)
        for partition in self.partitions:
            partition.definitions = partition.definitions.with_versions(after)

    def internal(self, command: c.AnyCommand) -> None:
        """Send a command as another partition of the engine does, and run all that follows."""
        number = r.SendNumber(generation=0, offset=next(self._offset), index=0)
        target = self._partition_for(command)
        self._append(target, command, number=number, source_partition=0)
        self.settle()

    def start(self, process_id: str, instance_id: str = "a", variables: str = "{}") -> None:
        reply = self.send(
            c.StartInstance(process_id=process_id, instance_id=instance_id, variables=variables)
        )
        assert reply is not None
        assert reply.status is r.ReplyStatus.ACCEPTED, reply

    def complete(self, job_type: str, variables: str = "{}") -> None:
        """Complete the oldest open job of a type."""
        job = self.job(job_type)
        self.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt, variables=variables))

    def complete_task(self, element_id: str, variables: str = "{}") -> None:
        self.accept(c.CompleteTask(task_id=self.task(element_id).task_id, variables=variables))

    def activate(self, ad_hoc: str, *element_ids: str) -> None:
        """Choose activities of the oldest ad-hoc sub-process of this name; none: complete it."""
        self.accept(
            c.ActivateActivities(
                element_instance_id=self.offer(ad_hoc),
                element_ids=element_ids,
                complete=not element_ids,
            )
        )

    def offer(self, ad_hoc: str, instance_id: str = "a") -> str:
        """The id of the oldest ad-hoc sub-process of this name that offers activities."""
        elements = self.living(instance_id).elements
        owners = [wait.owner for wait in self.waits(AdHocWait, instance_id)]
        found = [owner for owner in owners if elements[owner].element_id == ad_hoc]
        assert found, f"no {ad_hoc} offers activities"
        return f"{instance_id}:{found[0]}"

    def post(self, command: c.AnyCommand) -> None:
        """Put a command on the log, behind whatever is there; `settle` applies it."""
        self._append(self._partition_for(command), command, command_id=self.new_command_id())

    def accept(self, command: c.AnyCommand) -> None:
        if self.posting:
            self.post(command)
            return
        command_id = self.new_command_id()
        reply = self.send(command, command_id=command_id)
        assert reply is not None
        assert reply.status is r.ReplyStatus.ACCEPTED, reply
        self.sent.append((command, command_id))

    def reject(self, command: c.AnyCommand, *, command_id: str | None = None) -> tuple[str, str]:
        """Send a command that must be rejected; give the code and the detail."""
        reply = self.send(command, command_id=command_id)
        assert reply is not None
        assert reply.status is r.ReplyStatus.REJECTED, reply
        return reply.code or "", reply.detail or ""

    def elapse(self, duration_ms: int) -> None:
        if self.posting:
            self.sleep(duration_ms)
        else:
            super().elapse(duration_ms)

    def sleep(self, duration_ms: int) -> None:
        """Let time pass while no engine runs; then all that is due fires."""
        self.now += duration_ms
        self.fire_due()

    def fire_due(self) -> None:
        if self.posting:
            self._append_due()
        else:
            super().fire_due()

    # --- what a scenario looks at ---

    def state(self, instance_id: str = "a") -> InstanceState | None:
        state = self.document(instance_id)
        return None if state is None else state.state

    def document(self, instance_id: str = "a") -> ProcessInstance | Tombstone | None:
        return super().document(instance_id)

    def living(self, instance_id: str = "a") -> ProcessInstance:
        state = self.document(instance_id)
        assert isinstance(state, ProcessInstance), state
        return state

    def waits(self, kind: type[Any], instance_id: str = "a") -> list[Any]:
        """The waits of a kind, as they were armed."""
        return [wait for wait in self.living(instance_id).waits.values() if isinstance(wait, kind)]

    def waiting(self, instance_id: str = "a") -> list[tuple[str, str]]:
        """(element id, kind of wait) of all that an instance waits for, as it was armed."""
        return looking.waiting(self.living(instance_id))

    def active(self, instance_id: str = "a") -> list[str]:
        """The ids of the living elements, the process's own aside, as they were activated."""
        return looking.active(self.living(instance_id))

    def variables(self, instance_id: str = "a", scope: int | None = None) -> dict[str, str]:
        state = self.living(instance_id)
        return state.variables.get(scope or state.root, {})

    def incident(self, instance_id: str = "a") -> IncidentWait:
        incidents = self.waits(IncidentWait, instance_id)
        assert len(incidents) == 1, incidents
        found = incidents[0]
        assert isinstance(found, IncidentWait)
        return found

    def resolve(self, instance_id: str = "a", **fields: Any) -> None:
        key = self.incident(instance_id).key
        self.accept(c.ResolveIncident(incident_id=f"{instance_id}:{key}", **fields))

    def records(self, topic: r.Topic) -> list[Any]:
        return looking.records(self, topic)

    def effects(self, kind: str | None = None) -> list[r.Effect]:
        effects: list[r.Effect] = self.records(r.Topic.EFFECTS)
        return [effect for effect in effects if kind is None or effect.type == kind]

    def result(self, instance_id: str = "a") -> str | None:
        """The variables with which an instance completed."""
        ended = [e for e in self.effects("InstanceCompleted") if e.instance_id == instance_id]
        assert len(ended) == 1, ended
        return ended[0].variables

    def jobs(self, job_type: str | None = None) -> list[r.Job]:
        """The jobs that are open at workers."""
        return looking.open_jobs(self, job_type)

    def job(self, job_type: str) -> r.Job:
        jobs = self.jobs(job_type)
        assert jobs, f"no open job of type {job_type}"
        return jobs[0]

    def tasks(self) -> list[r.Task]:
        """What a compacted topic of tasks holds."""
        return list(self.published_tasks.values())

    def task(self, element_id: str) -> r.Task:
        found = [task for task in self.tasks() if task.element_id == element_id]
        assert found, f"no open task {element_id}"
        return found[0]

    def model(self, state: ProcessInstance) -> ProcessModel:
        """What an instance runs."""
        start = state.start
        ref = self.partitions[0].definitions.find(start.process_id, start.version)
        assert ref is not None
        return self.contents.process(ref.checksum, start.process_id, ref.semantics)

    def path(self, instance_id: str = "a") -> list[str]:
        """The ids of the elements that completed, in order."""
        return looking.completed(self.events(instance_id))

    def events(self, instance_id: str = "a") -> list[e.AnyEvent]:
        """The whole history of an instance."""
        return looking.events(self, instance_id)

    # --- what must hold when all is quiet ---

    def assert_replays(self) -> None:
        """The whole log, applied anew, gives the same documents, timers and publications."""
        again = Runner(variant=self.variant, settings=self.settings, contents=self.contents)
        for partition, before in zip(again.partitions, self.partitions, strict=True):
            partition.definitions = before.definitions
        for number, stimulus in self.taken:
            again._apply(number, again.partitions[number], stimulus)
        for partition, before in zip(again.partitions, self.partitions, strict=True):
            assert _encoded(partition) == _encoded(before)
            assert partition.timers == before.timers
        assert again.publications == self.publications

    def assert_nothing_left(self) -> None:
        """No timer, subscription, living instance or open task is left anywhere."""
        for partition in self.partitions:
            assert partition.timers == {}
            left = {
                address: state
                for address, state in partition.states.items()
                if not isinstance(state, Tombstone)
            }
            assert left == {}
        assert self.tasks() == []


def _encoded(partition: Partition) -> dict[str, bytes]:
    return {address: snapshot.encode(state) for address, state in partition.states.items()}


def subscriptions(runner: Runner) -> list[tuple[str, str]]:
    """(name, key) of every message aggregate that somebody waits at."""
    return [
        (state.name, state.correlation_key)
        for partition in runner.partitions
        for address, state in partition.states.items()
        if isinstance(state, MessageState) and state.subscriptions
    ]
