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
from tests.support.waiting import POLL_S, until

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
    """Keeps `at_once` instances alive, each led to its end, until it is told to finish."""

    def __init__(self, system: System, *, at_once: int = 10) -> None:
        self.ids: list[str] = []
        self._system = system
        self._at_once = at_once
        self._is_finishing = False
        self._seen = 0
        self._ended: set[str] = set()

    @property
    def ended(self) -> int:
        """How many instances have ended."""
        return len(self._ended)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Load"]:
        """Run it beside the block, whose end finishes it: it starts none, and the last ends."""
        task = asyncio.create_task(self._run())
        try:
            yield self
            self._is_finishing = True
            await until("the load is done", task.done)
            await task
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def goes_on(self, count: int = 10) -> None:
        """Wait until so many more instances have ended."""
        enough = self.ended + count
        await until(f"{enough} instances have ended", lambda: self.ended >= enough)

    async def check(self) -> None:
        """When all is quiet: every instance started and ended once, and called one other."""
        await self._system.drained()
        effects = await self._system.checked_effects()
        for kind in ("InstanceStarted", "InstanceCompleted"):
            found = counted(effects, kind)
            assert set(found.values()) == {1}, kind
            assert sorted(id_ for id_ in found if "~" not in id_) == sorted(self.ids), kind
            assert sorted(root_of(id_) for id_ in found if "~" in id_) == sorted(self.ids), kind
        assert self._system.stored.running() == []

    async def _run(self) -> None:
        while not self._is_finishing or self.ended < len(self.ids):
            while not self._is_finishing and len(self.ids) - self.ended < self._at_once:
                await self._start(f"o-{len(self.ids)}")
            effects = self._system.effects[self._seen :]
            self._seen += len(effects)
            for effect in effects:
                await self._answer(effect)
            if not effects:
                await asyncio.sleep(POLL_S)

    async def _start(self, instance_id: str) -> None:
        self.ids.append(instance_id)
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
