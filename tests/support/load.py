"""A load: many instances of one process, each led to its end by answering what it publishes.

The process waits in every way there is: for a job, for a message and a user task at once, and for a
called process that has a job of its own. Message and instance live on different partitions mostly,
so commands travel between partitions, too.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from engine.records import Effect
from engine.routing import root_of
from tests.support.models import (
    bpmn,
    call_activity,
    catch,
    chain,
    end,
    flow,
    message,
    message_event,
    parallel,
    process,
    script_task,
    service_task,
    start,
    user_task,
)
from tests.support.published import counted
from tests.support.system import System
from tests.support.waiting import until

MODEL = bpmn(
    process(
        "order",
        start("begin"),
        service_task("pick"),
        parallel("fork"),
        user_task("approve"),
        catch("paid", message_event("Paid"), outputs={"receipt": "=receipt"}),
        parallel("join"),
        call_activity("deliver", "delivery"),
        script_task("sum", "=picked + shipped", result="total"),
        end("done"),
        chain("begin", "pick", "fork", "approve", "join", "deliver", "sum", "done"),
        flow("fork", "paid"),
        flow("paid", "join"),
    ),
    process(
        "delivery", start("go"), service_task("ship"), end("gone"), chain("go", "ship", "gone")
    ),
    message("Paid", "paid", key="=order"),
)


class Load:
    """Starts `count` instances, at most `at_once` of them alive, and answers their effects."""

    def __init__(self, system: System, count: int, *, at_once: int = 20, prefix: str = "o") -> None:
        self.ids = [f"{prefix}-{number}" for number in range(count)]
        self._system = system
        self._at_once = at_once
        self._started = 0
        self._seen = 0
        self._ended: set[str] = set()

    @property
    def ended(self) -> int:
        """How many instances have ended."""
        return len(self._ended)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Load"]:
        """Run it beside the block. The block's end does not wait for the load's."""
        task = asyncio.create_task(self._run())
        try:
            yield self
            if task.done():
                await task
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def has_ended(self, count: int, seconds: float = 60) -> None:
        """Wait until so many instances have ended."""
        await until(f"{count} instances have ended", lambda: self.ended >= count, seconds)

    async def finished(self, seconds: float = 90) -> None:
        """Wait until all have."""
        await until("the load is done", lambda: self.ended == len(self.ids), seconds)

    async def check(self, system: System) -> None:
        """When all is quiet: every instance started and ended once, and called one other."""
        await system.drained()
        effects = await system.checked_effects()
        for kind in ("InstanceStarted", "InstanceCompleted"):
            found = counted(effects, kind)
            assert set(found.values()) == {1}, kind
            assert sorted(id_ for id_ in found if "~" not in id_) == sorted(self.ids), kind
            assert sorted(root_of(id_) for id_ in found if "~" in id_) == sorted(self.ids), kind
        assert system.stored.running() == []

    async def _run(self) -> None:
        while True:
            while self._started < len(self.ids) and self._started - self.ended < self._at_once:
                await self._start(self.ids[self._started])
                self._started += 1
            effects = self._system.effects[self._seen :]
            self._seen += len(effects)
            for effect in effects:
                await self._answer(effect)
            if not effects:
                await asyncio.sleep(0.01)

    async def _start(self, instance_id: str) -> None:
        variables = {"order": instance_id}
        await self._send(
            "StartInstance", process_id="order", instance_id=instance_id, variables=variables
        )
        await self._send(
            "PublishMessage",
            name="paid",
            correlation_key=instance_id,
            ttl_ms=3_600_000,
            variables={"receipt": f"r-{instance_id}"},
        )

    async def _answer(self, effect: Effect) -> None:
        if effect.root_id not in self.ids:
            return
        if effect.type == "JobCreated" and effect.job is not None:
            variables = {"picked": 1} if effect.element_id == "pick" else {"shipped": 2}
            await self._send(
                "CompleteJob",
                job_id=effect.job.job_id,
                attempt=effect.job.attempt,
                variables=variables,
            )
        elif effect.type == "TaskCreated" and effect.task is not None:
            await self._send("CompleteTask", task_id=effect.task.task_id, variables={"ok": True})
        elif effect.type == "InstanceCompleted" and effect.instance_id == effect.root_id:
            self._ended.add(effect.instance_id)

    async def _send(self, command: str, **fields: Any) -> None:
        await self._system.wire.send(command, **fields)
