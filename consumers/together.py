"""Tasks that live together and end together.

Not `asyncio.TaskGroup`: when one of its tasks fails while the group's own task is being cancelled,
the group raises the failure and the cancellation is lost. Here a cancellation from outside always
comes out as one: whoever takes a partition away waits for it.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Together:
    """A set of tasks; the first failure ends them all."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], None] = {}
        self._errors: list[Exception] = []
        self._failed = asyncio.Event()
        self._is_over = False

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Begin a task. Once the others are being ended it does not begin any more."""
        if self._is_over:
            coroutine.close()
            return
        task = asyncio.create_task(coroutine)
        self._tasks[task] = None
        task.add_done_callback(self._ended)

    async def run(self) -> None:
        """Until one of the tasks fails or this one is cancelled; then none of them runs any more.

        Raises an ExceptionGroup of what failed.
        """
        try:
            await self._failed.wait()
        finally:
            await self._end()
        raise ExceptionGroup("tasks that run together", self._errors)

    async def _end(self) -> None:
        self._is_over = True
        for task in self._tasks:
            task.cancel()
        is_cancelled = False
        while self._tasks:
            try:
                await asyncio.wait(list(self._tasks))
            except asyncio.CancelledError:
                is_cancelled = True
        if is_cancelled:
            raise asyncio.CancelledError

    def _ended(self, task: asyncio.Task[Any]) -> None:
        del self._tasks[task]
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, Exception):
            self._errors.append(error)
            self._failed.set()
