"""Running the jobs of one type: slots, the circuit breaker, the handler, the answer.

Each (job id, attempt) is handled once by this process, however often its record is read; whoever
reads it again waits for the same answer.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from torpor_client.answers import Answer, Result, completed, failed, rejected
from torpor_client.breaker import CircuitBreaker
from torpor_client.channel import Channel, Submitted
from torpor_client.errors import (
    BpmnError,
    JobFailure,
    KafkaUnavailableError,
    RejectedError,
    ReplyTimeoutError,
    ServiceUnavailable,
)
from torpor_client.ids import answer_id
from torpor_client.records import Job
from torpor_client.routing import root_of

log = logging.getLogger("torpor_client")

JobKey: TypeAlias = tuple[str, int]

KNOWN_MAX = 10_000
"""Answered jobs that are remembered, and canceled ones."""

RETRY_S = 0.5
WATCH_GRACE_S = 2.0
UNUSABLE = frozenset({"INVALID_ARGUMENT", "TOO_LARGE", "UNSUPPORTED", "UNAUTHORIZED"})
"""Rejections that say that the answer is at fault, and that the job still waits for one."""


class JobRunner:
    """One job type of one worker. `room` tells its readers when they may take more jobs."""

    def __init__(
        self,
        channel: Channel,
        handler: Callable[[Job], Awaitable[Result]],
        concurrency: int,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        self._channel = channel
        self._handler = handler
        self._breaker = breaker or CircuitBreaker()
        self._slots = asyncio.Semaphore(concurrency)
        self._concurrency = concurrency
        self._running = 0
        self._known: OrderedDict[JobKey, asyncio.Task[None]] = OrderedDict()
        self._canceled: OrderedDict[JobKey, None] = OrderedDict()
        self._watching: set[asyncio.Task[None]] = set()
        self._has_room = asyncio.Event()
        self._probe_at: asyncio.TimerHandle | None = None
        self._look_for_room()

    async def room(self) -> int:
        """Wait until jobs may be taken; how many. While the circuit breaker is open: one for a
        probe once the pause is over, unless there are jobs at hand to be the probe."""
        while True:
            await self._has_room.wait()
            if self._has_room.is_set():  # nobody was quicker
                return 1 if self._breaker.is_open else self._concurrency - self._running

    def submit(self, job: Job) -> asyncio.Task[None]:
        """Handle a job. The task ends when its answer is in the log, or it needs none."""
        known = self._known.get(job.key)
        if known is not None and not _is_broken(known):
            return known
        task = asyncio.create_task(self._run(job))
        self._running += 1
        self._look_for_room()
        task.add_done_callback(self._ended)
        self._known[job.key] = task
        while len(self._known) > KNOWN_MAX and next(iter(self._known.values())).done():
            self._known.popitem(last=False)
        return task

    def cancel(self, key: JobKey) -> None:
        """The engine withdrew a job: it is not begun any more; one that runs is let run."""
        self._canceled[key] = None
        if len(self._canceled) > KNOWN_MAX:
            self._canceled.popitem(last=False)

    async def close(self) -> None:
        """Give up the jobs that still run; hear for a moment what becomes of the last answers."""
        if self._probe_at is not None:
            self._probe_at.cancel()
        if self._watching:
            await asyncio.wait(self._watching, timeout=WATCH_GRACE_S)
        tasks = [task for task in (*self._known.values(), *self._watching) if not task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, _: asyncio.Task[None]) -> None:
        self._running -= 1
        self._look_for_room()

    def _look_for_room(self) -> None:
        if self._running < self._concurrency and not self._breaker.is_open:
            self._has_room.set()
            return
        self._has_room.clear()
        if not self._running:
            self._look_for_a_probe()

    def _look_for_a_probe(self) -> None:
        """No job is left that could close the circuit breaker: take one when its pause is over."""
        if self._probe_at is not None:
            self._probe_at.cancel()
        wait_s = self._breaker.wait_s(_now())
        self._probe_at = asyncio.get_running_loop().call_later(wait_s, self._take_a_probe)

    def _take_a_probe(self) -> None:
        if not self._running:
            self._has_room.set()

    # --- one job ---

    async def _run(self, job: Job) -> None:
        async with self._slots:
            answer = await self._handle(job)
            if answer is None:
                return
            submitted = await self._answer(job, answer)
        watching = asyncio.create_task(self._watch(job, answer, submitted))
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)

    async def _handle(self, job: Job) -> Answer | None:
        """The answer to a job; None when it was canceled before it could be tried."""
        while job.key not in self._canceled:
            wait_s = self._breaker.wait_s(_now())
            if wait_s > 0:
                await asyncio.sleep(wait_s)
                continue
            answer = await self._try(job)
            self._look_for_room()
            if answer is not None:
                return answer
        return None

    async def _try(self, job: Job) -> Answer | None:
        """The answer; None when the job is to be tried again."""
        self._breaker.begin()
        try:
            answer = completed(job, await self._handler(job))
        except ServiceUnavailable as error:
            log.warning("jobs of type %s wait: %s", job.type, error, extra=_about(job))
            self._breaker.unavailable(_now())
            return None
        except (BpmnError, JobFailure) as error:
            answer = failed(job, error)
        except BaseException as error:
            if _is_an_end(error):
                raise
            self._breaker.failed(_now())
            log.exception("the job %s failed", job.job_id, extra=_about(job))
            return failed(job, error)
        self._breaker.succeeded()
        return answer

    async def _answer(self, job: Job, answer: Answer, suffix: str = "") -> Submitted:
        """Publish the answer, for as long as it takes: its offset is not committed before."""
        command_id = answer_id(job.job_id, job.attempt, suffix)
        key = root_of(job.instance_id)
        while True:
            try:
                return await self._channel.submit(answer.kind, key, answer.fields, command_id)
            except KafkaUnavailableError as error:
                log.warning("the job %s cannot be answered yet: %s", job.job_id, error)
                await asyncio.sleep(RETRY_S)
            except ValueError as error:  # larger than Kafka takes
                answer = failed(job, error)

    async def _watch(self, job: Job, answer: Answer, submitted: Submitted) -> None:
        """An answer that the engine cannot use would leave the job waiting for ever: fail it."""
        try:
            await submitted.reply()
        except ReplyTimeoutError:
            log.debug("no reply yet to the answer to %s", job.job_id)
        except RejectedError as error:
            if error.code in UNUSABLE and answer.kind != "FailJob":
                log.error("the job %s fails: %s", job.job_id, error, extra=_about(job))  # noqa: TRY400 - nothing of ours broke
                await self._answer(job, rejected(job, error.code, error.detail), "/rejected")
            else:
                log.info("the answer to %s came to nothing: %s", job.job_id, error)


def _is_an_end(error: BaseException) -> bool:
    """Whether this task is to end. A handler also raises cancellations of what it awaits."""
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, GeneratorExit | KeyboardInterrupt | SystemExit)


def _is_broken(task: asyncio.Task[None]) -> bool:
    """It ended without an answer: by cancellation, or by an error of this library."""
    return task.done() and (task.cancelled() or task.exception() is not None)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _about(job: Job) -> dict[str, object]:
    """What structured logs show."""
    return {"job_id": job.job_id, "attempt": job.attempt, "instance_id": job.instance_id}
