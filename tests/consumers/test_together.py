"""Tasks that run and end together: which failure comes out, and that all are waited for."""

import asyncio

import pytest

from consumers.together import Together
from tests.support.virtual_time import in_virtual_time


class Recorder:
    """Tasks that say when they began and how they ended."""

    def __init__(self) -> None:
        self.said: list[str] = []

    async def sleep(self, name: str, after_s: float = 0.0) -> None:
        try:
            await asyncio.sleep(1_000)
        except asyncio.CancelledError:
            await asyncio.sleep(after_s)
            self.said.append(f"{name} ended")
            raise

    async def fail(self, error: Exception, after_s: float) -> None:
        await asyncio.sleep(after_s)
        raise error


@in_virtual_time
async def test_the_first_failure_ends_all_and_waits_for_them() -> None:
    recorder, together = Recorder(), Together()
    together.start(recorder.sleep("one", after_s=5))
    together.start(recorder.fail(ValueError("first"), 1))

    with pytest.raises(ExceptionGroup) as caught:
        await together.run()

    assert [str(error) for error in caught.value.exceptions] == ["first"]
    assert recorder.said == ["one ended"]


@in_virtual_time
async def test_a_failure_while_ending_is_told_too() -> None:
    recorder, together = Recorder(), Together()

    async def fail_when_cancelled() -> None:
        try:
            await asyncio.sleep(1_000)
        except asyncio.CancelledError:
            raise ValueError("second") from None

    together.start(fail_when_cancelled())
    together.start(recorder.fail(ValueError("first"), 1))

    with pytest.raises(ExceptionGroup) as caught:
        await together.run()

    assert [str(error) for error in caught.value.exceptions] == ["first", "second"]


@in_virtual_time
async def test_a_cancellation_comes_out_as_one_also_when_a_task_fails_meanwhile() -> None:
    recorder, together = Recorder(), Together()
    together.start(recorder.sleep("one", after_s=5))
    together.start(recorder.fail(ValueError("first"), 1))
    running = asyncio.create_task(together.run())
    await asyncio.sleep(2)

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert recorder.said == ["one ended"]


@in_virtual_time
async def test_a_cancellation_ends_all_and_waits_for_them() -> None:
    recorder, together = Recorder(), Together()
    together.start(recorder.sleep("one", after_s=5))
    together.start(recorder.sleep("two"))
    running = asyncio.create_task(together.run())
    await asyncio.sleep(1)

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert sorted(recorder.said) == ["one ended", "two ended"]


@in_virtual_time
async def test_a_task_that_simply_ends_ends_nobody_else() -> None:
    recorder, together = Recorder(), Together()
    together.start(asyncio.sleep(1))
    together.start(recorder.fail(ValueError("late"), 50))
    before = asyncio.get_running_loop().time()

    with pytest.raises(ExceptionGroup):
        await together.run()

    assert asyncio.get_running_loop().time() - before == 50


@in_virtual_time
async def test_nothing_begins_any_more_once_the_end_has_begun() -> None:
    recorder, together = Recorder(), Together()
    together.start(recorder.fail(ValueError("first"), 1))
    with pytest.raises(ExceptionGroup):
        await together.run()

    together.start(recorder.sleep("late"))
    await asyncio.sleep(1)

    assert recorder.said == []
