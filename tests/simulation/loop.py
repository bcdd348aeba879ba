"""An asyncio event loop with virtual time and a seeded choice of what runs next.

Every callback belongs to an actor (a context variable that tasks hand down): an owner, or the
world. Actors can be paused, as a process that is stopped, and killed, as one that is gone: what
they would have run next is kept back, or never runs. Time moves only when nobody can run.

One seed is one run: the choice is made among tasks in the order of their creation, so it does not
depend on addresses of objects or on the order in which sets are walked through.
"""

import asyncio
import contextlib
import contextvars
import heapq
import sys
from bisect import insort
from collections import deque
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

WORLD = "world"
ACTOR: contextvars.ContextVar[str] = contextvars.ContextVar("actor", default=WORLD)
_TASK: contextvars.ContextVar[int] = contextvars.ContextVar("task", default=0)


class StuckError(Exception):
    """Nothing can run any more, or more steps were made than a run may have."""


class SeededLoop(asyncio.BaseEventLoop):
    """`before_step` is called before each step, with its number: faults are injected there."""

    def __init__(self, random: Random, steps_max: int) -> None:
        super().__init__()
        self._random = random
        self._steps_max = steps_max
        self._time = 1_000.0
        self._queues: dict[int, deque[asyncio.Handle]] = {}
        self._runnable: list[int] = []
        self._held: dict[str, list[asyncio.Handle]] = {}
        self._later: list[tuple[float, int, int, asyncio.TimerHandle]] = []
        self._count = 0
        self._tasks_made = 0
        self._killed: set[str] = set()
        self._all_tasks: list[asyncio.Task[Any]] = []
        self.steps = 0
        self.before_step: Callable[[int], None] = lambda _: None
        self.set_task_factory(self._make_task)  # type: ignore[arg-type]  # typed for eager tasks, too
        self.set_exception_handler(self._on_exception)
        self.errors: list[dict[str, Any]] = []

    # --- actors ---

    def spawn(self, actor: str, coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """A task of an actor, and all that it begins."""
        context = contextvars.copy_context()
        context.run(ACTOR.set, actor)
        return self.create_task(coroutine, context=context)

    def pause(self, actor: str) -> None:
        self._held.setdefault(actor, [])

    def resume(self, actor: str) -> None:
        for handle in self._held.pop(actor, []):
            self._enqueue(handle)

    def kill(self, actor: str) -> None:
        self._killed.add(actor)
        self._held.pop(actor, None)

    # --- what asyncio asks of a loop ---

    def time(self) -> float:
        return self._time

    def call_soon(  # type: ignore[override]  # the typed one takes more kinds of callbacks
        self, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        if not self.is_closed():
            self._enqueue(handle)
        return handle

    def call_at(  # type: ignore[override]  # the typed one takes more kinds of callbacks
        self, when: float, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._count += 1
        heapq.heappush(self._later, (when, _value(handle, _TASK), self._count, handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled handles are dropped when their time comes."""

    def call_soon_threadsafe(  # type: ignore[override]  # the typed one takes more kinds of callbacks
        self, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        raise NotImplementedError("a simulation has one thread")

    def _run_once(self) -> None:
        """One step: the next callback of one task, whichever the seed says."""
        while not self._runnable:
            self._advance()
        self.steps += 1
        if self.steps > self._steps_max:
            raise StuckError(f"more than {self._steps_max} steps")
        self.before_step(self.steps)
        if not self._runnable:
            return
        index = self._random.randrange(len(self._runnable))
        task = self._runnable[index]
        queue = self._queues[task]
        handle = queue.popleft()
        if not queue:
            del self._queues[task]
            del self._runnable[index]
        self._run(handle)

    def _advance(self) -> None:
        """Let time pass to the next moment at which something can run."""
        if not self._later:
            raise StuckError("nothing can run any more")
        when, _, _, handle = heapq.heappop(self._later)
        self._time = max(self._time, when)
        if not handle.cancelled():
            self._enqueue(handle)

    def _run(self, handle: asyncio.Handle) -> None:
        actor = _value(handle, ACTOR)
        if handle.cancelled() or actor in self._killed:
            return
        if actor in self._held:
            self._held[actor].append(handle)
            return
        handle._run()

    def _enqueue(self, handle: asyncio.Handle) -> None:
        task = _value(handle, _TASK)
        queue = self._queues.get(task)
        if queue is None:
            queue = self._queues[task] = deque()
            insort(self._runnable, task)
        queue.append(handle)

    def _make_task(
        self,
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any],
        context: contextvars.Context | None = None,
    ) -> asyncio.Task[Any]:
        own = (context or contextvars.copy_context()).copy()
        self._tasks_made += 1
        own.run(_TASK.set, self._tasks_made)
        task = asyncio.Task(coroutine, loop=loop, context=own)
        self._all_tasks.append(task)
        return task

    def _on_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.errors.append(context)

    def dispose(self) -> None:
        """Close the loop, and with it what never ended: no finally clause of it counts any more."""
        self.close()
        before, sys.unraisablehook = sys.unraisablehook, lambda _: None
        for task in self._all_tasks:
            for noise in ("_log_destroy_pending", "_log_traceback"):
                setattr(task, noise, False)
            if not task.done():
                with contextlib.suppress(BaseException):
                    task.get_coro().close()
        self._all_tasks.clear()
        sys.unraisablehook = before

    def _process_events(self, event_list: Any) -> None:
        """There are no events from outside."""

    def _write_to_self(self) -> None:
        """There is no selector to wake."""


def _value(handle: asyncio.Handle, variable: contextvars.ContextVar[Any]) -> Any:
    context: contextvars.Context = handle._context  # type: ignore[attr-defined]  # the only way to it
    return context.get(variable, _DEFAULTS[variable])


_DEFAULTS: dict[contextvars.ContextVar[Any], Any] = {ACTOR: WORLD, _TASK: 0}
