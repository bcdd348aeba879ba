"""The worker: handlers by job type.

worker = Worker("localhost:9092", "shop")

@worker.job("charge-card", concurrency=20)
async def charge(job: Job) -> dict[str, Any]:
    return {"receipt": await bank.charge(job.variables["amount"], idempotency_key=job.key)}

await worker.run()
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeAlias

import msgspec

from torpor_client.answers import Result
from torpor_client.client import Client
from torpor_client.job_reader import JobReader
from torpor_client.job_runner import JobRunner
from torpor_client.records import Job
from torpor_client.routing import escape_job_type, topic_of_jobs

log = logging.getLogger("torpor_client")

Handler: TypeAlias = Callable[[Job], Awaitable[Result]] | Callable[[Job], Result]
"""Gets a job and returns the variables that complete it, or a `JobResult`. A plain function runs in
a thread."""

STOP_GRACE_S = 30.0


class JobType(msgspec.Struct, frozen=True, kw_only=True):
    """A registered handler."""

    name: str
    handler: Callable[[Job], Awaitable[Result]]
    concurrency: int


class Worker:
    """Runs handlers for the jobs of one namespace; any number of processes share the work.

    A job may be handled more than once: after a crash, or when partitions move while it runs.
    `Job.key` is the same then. What a handler returns completes the job; BpmnError, JobFailure and
    ServiceUnavailable say otherwise, any other exception fails the attempt.
    """

    def __init__(self, client: Client | str, namespace: str | None = None) -> None:
        """Of a connected client, or of bootstrap servers and a namespace."""
        if isinstance(client, str):
            if namespace is None:
                raise ValueError("give the namespace, too")
            self._own_client: Client | None = Client(client, namespace)
            self._client = self._own_client
        else:
            self._own_client = None
            self._client = client
        self._types: dict[str, JobType] = {}
        self._stopping = asyncio.Event()
        self._begun = asyncio.Event()
        self._readers: list[JobReader] = []
        self._runners: list[JobRunner] = []
        self._threads: list[ThreadPoolExecutor] = []
        self._running: asyncio.Task[None] | None = None

    def job(self, job_type: str, *, concurrency: int = 10) -> Callable[[Handler], Handler]:
        """Register the handler of a job type: at most `concurrency` of its jobs at once.

        Raises ValueError for a type that no topic's name can hold, or that has a handler.
        """
        escape_job_type(job_type)
        if job_type in self._types:
            raise ValueError(f"the job type {job_type!r} has a handler already")

        def register(handler: Handler) -> Handler:
            self._types[job_type] = JobType(
                name=job_type,
                handler=self._awaitable(handler, concurrency),
                concurrency=concurrency,
            )
            return handler

        return register

    async def run(self) -> None:
        """Take jobs until `stop` is called, or this is cancelled.

        Raises NamespaceNotFoundError, KafkaUnavailableError when it cannot begin. Later it waits
        for Kafka as long as it must.
        """
        if self._own_client is not None:
            await self._own_client.connect()
        try:
            async with asyncio.TaskGroup() as group:
                for job_type in self._types.values():
                    self._begin(job_type, group)
                self._begun.set()
                await self._stopping.wait()
                for reader in self._readers:
                    reader.stop(STOP_GRACE_S)
        finally:
            await asyncio.gather(*(runner.close() for runner in self._runners))
            for threads in self._threads:
                threads.shutdown(wait=False, cancel_futures=True)
            if self._own_client is not None:
                await self._own_client.close()

    def stop(self) -> None:
        """Take no more jobs, answer those under way (for STOP_GRACE_S), leave the groups."""
        self._stopping.set()

    async def ready(self) -> None:
        """Wait until every topic that exists is assigned. Raises what `run` raises."""
        begun = asyncio.create_task(self._begin_all())
        running = [self._running] if self._running is not None else []
        await asyncio.wait([begun, *running], return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        for task in running:
            if task.done():
                task.result()

    async def _begin_all(self) -> None:
        await self._begun.wait()
        await asyncio.gather(*(reader.assigned.wait() for reader in self._readers))

    def _awaitable(self, handler: Handler, concurrency: int) -> Callable[[Job], Awaitable[Result]]:
        """The handler itself, or a plain function moved to threads, where it may block."""
        if inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
            getattr(handler, "__call__", None)  # noqa: B004 - of an object that has it as its method
        ):
            return handler  # type: ignore[return-value] # told apart just now
        plain: Any = handler
        threads = ThreadPoolExecutor(concurrency, thread_name_prefix="torpor-job")
        self._threads.append(threads)

        async def in_thread(job: Job) -> Result:
            loop = asyncio.get_running_loop()
            result: Result = await loop.run_in_executor(threads, _call, plain, job)
            return result

        return in_thread

    def _begin(self, job_type: JobType, group: asyncio.TaskGroup) -> None:
        """Two topics: that of the type, and that of jobs whose type is known at run time only."""
        runner = JobRunner(self._client.channel, job_type.handler, job_type.concurrency)
        self._runners.append(runner)
        namespace = self._client.namespace
        escaped = escape_job_type(job_type.name)
        for topic, name in (
            (topic_of_jobs(namespace, job_type.name), f"{namespace}.workers.{escaped}"),
            (f"{namespace}.jobs", f"{namespace}.workers-any.{escaped}"),
        ):
            reader = JobReader(self._client.channel, runner, topic, name, job_type.name)
            self._readers.append(reader)
            group.create_task(reader.run())

    async def __aenter__(self) -> "Worker":
        self._running = asyncio.create_task(self.run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        if self._running is not None:
            await self._running


def _call(handler: Callable[[Job], Result], job: Job) -> Result:
    """Of all exceptions StopIteration alone cannot leave a thread: its future would never end."""
    try:
        return handler(job)
    except StopIteration as error:
        raise RuntimeError("the handler raised StopIteration") from error
