"""Running jobs without Kafka: room for more, the circuit breaker, what handlers may raise."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from torpor_client.answers import JobResult, Result, completed
from torpor_client.breaker import FAILURES_MAX, CircuitBreaker
from torpor_client.channel import Channel, ClientOptions, Submitted
from torpor_client.connection import Connection
from torpor_client.job_runner import JobRunner
from torpor_client.records import Job, Reply
from torpor_client.worker import Worker

DEADLINE_S = 5.0
PAUSE_S = 0.01


class Answers(Channel):
    """A channel whose engine takes every answer."""

    def __init__(self) -> None:
        super().__init__(Connection(bootstrap_servers="nowhere:1"), "shop", ClientOptions())
        self.kinds: list[str] = []

    async def submit(
        self, kind: str, key: str, fields: Mapping[str, Any], command_id: str | None = None
    ) -> Submitted:
        self.kinds.append(kind)
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        reply.set_result(Reply(command_id=command_id or "", status="ACCEPTED"))
        return Submitted(command_id or "", reply, DEADLINE_S)


def job(number: int) -> Job:
    return Job(
        job_id=f"i:{number}",
        attempt=1,
        type="charge",
        instance_id="i",
        root_id="i",
        process_id="order",
        version=1,
        element_id="charge",
        headers={},
        variables={},
        retries_left=3,
        created_at=0,
    )


def test_a_handler_may_return_what_the_job_asks_to_decide() -> None:
    decided = JobResult({"activateElements": [{"elementId": "search"}]}, {"n": 1})
    assert completed(job(1), decided).fields == {
        "job_id": "i:1",
        "attempt": 1,
        "token": None,
        "variables": '{"n":1}',
        "result": '{"activateElements":[{"elementId":"search"}]}',
    }
    assert completed(job(1), {"n": 1}).fields["result"] is None


def runner_of(handler: Callable[[Job], Awaitable[Result]], answers: Answers) -> JobRunner:
    return JobRunner(answers, handler, 1, CircuitBreaker(PAUSE_S, PAUSE_S))


async def fail(job: Job) -> None:
    raise OSError("the bank is away")


async def test_after_the_pause_there_is_room_for_a_probe_when_no_job_is_left_to_be_one() -> None:
    answers = Answers()
    runner = runner_of(fail, answers)
    async with asyncio.timeout(DEADLINE_S):
        for number in range(FAILURES_MAX):
            await runner.room()
            await runner.submit(job(number))
        for number in range(FAILURES_MAX, FAILURES_MAX + 3):  # probes that fail, one at a time
            assert await runner.room() == 1
            await runner.submit(job(number))
    assert answers.kinds == ["FailJob"] * (FAILURES_MAX + 3)
    await runner.close()


async def test_a_cancellation_that_is_not_the_jobs_own_fails_its_attempt() -> None:
    async def handle(job: Job) -> None:
        other = asyncio.create_task(asyncio.sleep(DEADLINE_S))
        other.cancel()
        await other

    answers = Answers()
    runner = runner_of(handle, answers)
    async with asyncio.timeout(DEADLINE_S):
        await runner.submit(job(1))
    assert answers.kinds == ["FailJob"]


async def test_an_exception_beside_the_common_ones_fails_the_attempt() -> None:
    class Odd(BaseException):
        pass

    async def handle(job: Job) -> None:
        raise Odd

    answers = Answers()
    runner = runner_of(handle, answers)
    async with asyncio.timeout(DEADLINE_S):
        await runner.submit(job(1))
    assert answers.kinds == ["FailJob"]


async def test_a_job_that_is_given_up_is_not_answered() -> None:
    begun = asyncio.Event()

    async def handle(job: Job) -> None:
        begun.set()
        await asyncio.Event().wait()

    answers = Answers()
    runner = runner_of(handle, answers)
    async with asyncio.timeout(DEADLINE_S):
        task = runner.submit(job(1))
        await begun.wait()
        await runner.close()
    assert task.cancelled()
    assert answers.kinds == []


async def test_a_plain_function_that_exhausts_an_iterator_raises_too() -> None:
    worker = Worker("nowhere:1", "shop")

    @worker.job("charge")
    def charge(job: Job) -> Any:
        return next(iter([]))

    (registered,) = worker._types.values()
    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(RuntimeError, match="StopIteration"):
            await registered.handler(job(1))
