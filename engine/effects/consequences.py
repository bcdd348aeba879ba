"""What the transition under way has caused outside so far: records, sends, timers, in order."""

from typing import Any

from engine import commands as c
from engine import records as r
from engine import state as s
from engine.model.elements import AnyElement, ProcessModel
from engine.outcome import Context, Send, TimerChange


class Consequences:
    """Collects what the events of one transition cause, numbered from `Context.index`.

    Effects stay without digest until the transition is over: see `engine/history.py`. `carried`
    counts the characters of the variables that work, inside and outside of the engine, is given.
    """

    __slots__ = (
        "carried",
        "context",
        "index",
        "model",
        "publications",
        "sends",
        "state",
        "steps",
        "timers",
    )

    def __init__(self, context: Context, model: ProcessModel, state: s.ProcessInstance) -> None:
        self.context = context
        self.model = model
        self.state = state
        self.index = context.index
        self.publications: list[r.Publication] = []
        self.sends: list[Send] = []
        self.timers: list[TimerChange] = []
        self.steps = 0
        self.carried = 0

    def handle(self, number: int) -> str:
        """The id of the element instance, job, task or incident with this number."""
        return f"{self.state.instance_id}:{number}"

    def element(self, owner: int) -> AnyElement:
        """The element of a living element instance that is not the process itself."""
        return self.model.element(self.state.elements[owner].element_id)

    def publish(
        self, topic: r.Topic, key: str, record: r.PublishedRecord, *, suffix: str | None = None
    ) -> None:
        """Add a record; those of the instance's own log go where its commands are."""
        follows_commands = topic in {r.Topic.EFFECTS, r.Topic.HISTORY}
        self.publications.append(
            r.Publication(
                topic=topic,
                key=key,
                record=record,
                index=self.index,
                partition=self.context.partition if follows_commands else None,
                suffix=suffix,
                traceparent=self.context.traceparent,
            )
        )
        self.index += 1

    def effect(self, kind: str, owner: int | None = None, **group: Any) -> None:
        """Add an effect; `owner` is the element instance that it is about, `group` its details."""
        context, state = self.context, self.state
        start = state.start
        effect = r.Effect(
            id=f"{context.partition}-{context.offset}-{self.index}",
            type=kind,
            partition=context.partition,
            offset=context.offset,
            index=self.index,
            time=context.now,
            instance_id=state.instance_id,
            root_id=start.root_id,
            process_id=start.process_id,
            version=start.version,
            business_key=start.business_key,
            element_id=None if owner is None else state.elements[owner].element_id,
            element_instance_id=None if owner is None else self.handle(owner),
            sequence=state.sequence + 1,
            digest="",
            causation=context.command_id,
            actor=context.actor,
            **group,
        )
        self.publish(r.Topic.EFFECTS, start.root_id, effect)

    def set_timer(self, timer: int, due_ms: int | None) -> None:
        self.timers.append(TimerChange(address=self.state.instance_id, timer=timer, due_ms=due_ms))

    def send(self, command: c.AnyCommand, *, through_log: bool = False) -> None:
        self.sends.append(Send(command=command, through_log=through_log))
