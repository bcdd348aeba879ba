"""Waiting for a condition of something real, with a deadline that says what was waited for."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

Found = TypeVar("Found")

DEADLINE_S = 60.0
POLL_S = 0.05


async def until(
    what: str, is_true: Callable[[], object], seconds: float = DEADLINE_S, poll_s: float = POLL_S
) -> None:
    """Wait until `is_true` says so. Fails with `what`, and with what it said last."""
    deadline = time.monotonic() + seconds
    while not (said := is_true()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what} ({said!r})")
        await asyncio.sleep(poll_s)


async def eventually(
    what: str,
    ask: Callable[[], Awaitable[Found]],
    seconds: float = DEADLINE_S,
    poll_s: float = POLL_S,
) -> Found:
    """Ask until the answer is true; the answer. Fails with `what`, and the last answer."""
    deadline = time.monotonic() + seconds
    while not (answer := await ask()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what} ({answer!r})")
        await asyncio.sleep(poll_s)
    return answer
