"""The worker against real Kafka: handlers, their answers, and what is committed when."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from msgspec.structs import replace

from consumers.dev.kafka_server import Kafka
from engine import commands as c
from engine.partition import Stimulus
from engine.records import Job as WireJob
from engine.records import Publication, Reply, ReplyStatus, Topic
from schemas.publication_writer import OutboxRecord
from tests.clients.scripted_engine import (
    DEADLINE_S,
    JOB,
    ScriptedEngine,
    by_newer,
    newer_schema,
    schema_record,
    scripted_engine,
)
from torpor_client import (
    BpmnError,
    Job,
    JobFailure,
    NamespaceNotFoundError,
    Worker,
    job_reader,
    schema_topic,
)
from torpor_client.answers import MESSAGE_MAX
from torpor_client.errors import ServiceUnavailable
from torpor_client.ids import answer_id


def job(number: int, **changes: Any) -> WireJob:
    return replace(JOB, job_id=f"i:{number}", instance_id="i", root_id="i", **changes)


@asynccontextmanager
async def running(worker: Worker) -> AsyncGenerator[Worker]:
    """A worker that has its partitions."""
    async with asyncio.timeout(60), worker:
        await worker.ready()
        yield worker


async def until(condition: Any) -> None:
    """Wait for a condition, with a deadline."""
    async with asyncio.timeout(DEADLINE_S):
        while not condition():  # noqa: ASYNC110 - what is watched has no event
            await asyncio.sleep(0.01)


def worker_of(engine: ScriptedEngine) -> Worker:
    return Worker(engine.bootstrap, engine.namespace)


async def committed(engine: ScriptedEngine) -> int | None:
    """The offset that the group of the example's type has committed."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=engine.bootstrap, group_id=f"{engine.namespace}.workers.{JOB.type}"
    )
    await consumer.start()
    try:
        topic = TopicPartition(f"{engine.namespace}.jobs.{JOB.type}", 0)
        consumer.assign([topic])
        found: int | None = await consumer.committed(topic)
        return found
    finally:
        await consumer.stop()


# --- answers ---


async def test_what_a_handler_returns_completes_the_job(any_engine: ScriptedEngine) -> None:
    await any_engine.create_job_topic(JOB.type)
    await any_engine.publish_job(job(1, token="t"))
    worker = worker_of(any_engine)
    seen: list[Job] = []

    @worker.job(JOB.type)
    async def charge(job: Job) -> dict[str, Any]:
        seen.append(job)
        return {"receipt": job.variables["amount"] * 2}

    async with running(worker):
        (command,) = await any_engine.until(1)
    assert command == c.CompleteJob(
        job_id="i:1", attempt=1, variables='{"receipt":25.0}'.replace(".0", ""), token="t"
    )
    assert seen[0].key == ("i:1", 1)
    assert seen[0].headers == {"currency": "EUR"}
    (_, stimulus) = any_engine.received[0]
    assert stimulus.command_id == answer_id("i:1", 1)


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (
            BpmnError("NO_CREDIT", "declined", {"limit": 5}),
            c.ThrowError(
                code="NO_CREDIT",
                job_id="i:1",
                attempt=1,
                message="declined",
                variables='{"limit":5}',
            ),
        ),
        (
            JobFailure("later", retries=2, backoff_ms=100, variables={"n": 1}),
            c.FailJob(
                job_id="i:1",
                attempt=1,
                message="later",
                retries=2,
                backoff_ms=100,
                variables='{"n":1}',
            ),
        ),
        (
            RuntimeError("boom"),
            c.FailJob(job_id="i:1", attempt=1, message="RuntimeError: boom"),
        ),
        (
            RuntimeError("x" * 9_000),
            c.FailJob(
                job_id="i:1", attempt=1, message=("RuntimeError: " + "x" * 9_000)[:MESSAGE_MAX]
            ),
        ),
        (
            BpmnError("E", variables={"n": float("nan")}),
            c.FailJob(job_id="i:1", attempt=1, message="ValueError: nan is not a JSON number"),
        ),
    ],
    ids=["bpmn-error", "failure", "exception", "long-text", "variables-no-json"],
)
async def test_what_a_handler_raises_is_the_answer(
    engine: ScriptedEngine, error: Exception, answer: c.AnyCommand
) -> None:
    await engine.create_job_topic(JOB.type)
    await engine.publish_job(job(1))
    worker = worker_of(engine)

    @worker.job(JOB.type)
    async def refuse(_: Job) -> None:
        raise error

    async with running(worker):
        assert await engine.until(1) == [answer]


async def test_result_that_is_no_json_fails_the_job(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    await engine.publish_job(job(1))
    worker = worker_of(engine)

    @worker.job(JOB.type)
    async def odd(_: Job) -> dict[str, Any]:
        return {"a": object()}

    async with running(worker):
        (command,) = await engine.until(1)
    assert isinstance(command, c.FailJob)
    assert command.message.startswith("TypeError")


async def test_plain_functions_run_in_threads_as_many_as_asked_for(
    engine: ScriptedEngine,
) -> None:
    await engine.create_job_topic(JOB.type)
    for number in range(12):
        await engine.publish_job(job(number))
    worker = worker_of(engine)
    all_at_once = threading.Barrier(12, timeout=DEADLINE_S)

    @worker.job(JOB.type, concurrency=12)
    def blocking(_: Job) -> dict[str, Any]:
        return {"rank": all_at_once.wait()}

    async with running(worker):
        commands = await engine.until(12)
    assert {type(command) for command in commands} == {c.CompleteJob}


async def test_answer_that_the_engine_cannot_use_fails_the_job(engine: ScriptedEngine) -> None:
    def too_large(stimulus: Stimulus) -> Reply:
        is_completion = isinstance(stimulus.command, c.CompleteJob)
        return Reply(
            command_id=stimulus.command_id or "",
            status=ReplyStatus.REJECTED if is_completion else ReplyStatus.ACCEPTED,
            code="TOO_LARGE" if is_completion else None,
            detail="variables over 512 KB",
        )

    engine.script = too_large
    await engine.create_job_topic(JOB.type)
    await engine.publish_job(job(1))
    worker = worker_of(engine)

    @worker.job(JOB.type)
    async def wordy(_: Job) -> None:
        pass

    async with running(worker):
        _, failure = await engine.until(2)
    message = "The answer was rejected: TOO_LARGE: variables over 512 KB"
    assert failure == c.FailJob(job_id="i:1", attempt=1, message=message)
    first, second = (stimulus.command_id for _, stimulus in engine.received)
    assert first != second


async def test_stale_answer_comes_to_nothing(engine: ScriptedEngine) -> None:
    engine.script = lambda stimulus: Reply(
        command_id=stimulus.command_id or "", status=ReplyStatus.REJECTED, code="STALE_ATTEMPT"
    )
    await engine.create_job_topic(JOB.type)
    await engine.publish_job(job(1))
    await engine.publish_job(job(2))
    worker = worker_of(engine)

    @worker.job(JOB.type, concurrency=1)
    async def late(_: Job) -> None:
        pass

    async with running(worker):
        await engine.until(2)
    assert [type(command) for command in engine.commands] == [c.CompleteJob, c.CompleteJob]


# --- which jobs ---


async def test_canceled_job_is_skipped(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    for each in (job(1), job(2), job(1, canceled=True), job(3)):
        await engine.publish_job(each)
    worker = worker_of(engine)

    @worker.job(JOB.type)
    async def charge(_: Job) -> None:
        pass

    async with running(worker):
        await engine.until(2)
        await until_committed(engine, 4)
    assert sorted(each.job_id for each in engine.commands if isinstance(each, c.CompleteJob)) == [
        "i:2",
        "i:3",
    ]


async def test_job_of_a_newer_engine_is_kept_until_its_schema_is_known(
    engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_reader, "SCHEMA_POLL_S", 0.05)
    monkeypatch.setattr(schema_topic, "LOOK_AGAIN_S", 0.05)
    await engine.create_job_topic(JOB.type)
    newer = newer_schema("Job")
    await engine.publish_job(job(1))
    await engine.send(by_newer(newer, as_published(engine, job(2))))
    await engine.publish_job(job(3))
    worker = worker_of(engine)

    @worker.job(JOB.type)
    async def charge(_: Job) -> None:
        pass

    async with running(worker):
        await engine.until(2)
        await until_committed(engine, 1)
        await engine.send(schema_record(engine, newer))
        await engine.until(3)
        await until_committed(engine, 3)
    completed = [each.job_id for each in engine.commands if isinstance(each, c.CompleteJob)]
    assert sorted(completed[:2]) == ["i:1", "i:3"]
    assert completed[2] == "i:2"


def as_published(engine: ScriptedEngine, found: WireJob) -> OutboxRecord:
    publication = Publication(
        topic=Topic.JOBS, key=found.root_id, record=found, index=0, suffix=found.type
    )
    return engine.codec.encode_publication(publication, 0, 0)


async def until_committed(engine: ScriptedEngine, offset: int) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while await committed(engine) != offset:  # noqa: ASYNC110 - Kafka tells nobody
            await asyncio.sleep(0.05)


async def test_second_copy_of_a_job_is_not_handled_again(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    for each in (job(1), job(1), job(1, attempt=2)):
        await engine.publish_job(each)
    worker = worker_of(engine)
    handled: list[tuple[str, int]] = []

    @worker.job(JOB.type)
    async def charge(job: Job) -> None:
        handled.append(job.key)

    async with running(worker):
        await engine.until(2)
        await until_committed(engine, 3)
    assert sorted(handled) == [("i:1", 1), ("i:1", 2)]


async def test_job_of_a_type_known_at_run_time_only_is_taken(engine: ScriptedEngine) -> None:
    await engine.publish_job(job(1, type="other"), suffix=None)
    await engine.publish_job(job(2), suffix=None)
    worker = worker_of(engine)

    @worker.job(JOB.type)
    async def charge(_: Job) -> None:
        pass

    async with running(worker):
        assert await engine.until(1) == [c.CompleteJob(job_id="i:2", attempt=1)]


async def test_topic_may_come_after_the_worker(engine: ScriptedEngine) -> None:
    worker = worker_of(engine)

    @worker.job("io.camunda:email:1")
    async def send(_: Job) -> None:
        pass

    async with running(worker):
        await engine.create_job_topic("io.camunda--3aemail--3a1")
        await engine.publish_job(job(1, type="io.camunda:email:1"), suffix="io.camunda:email:1")
        assert await engine.until(1) == [c.CompleteJob(job_id="i:1", attempt=1)]


async def test_record_that_is_no_job_does_not_stop_the_others(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    topic = f"{engine.namespace}.jobs.{JOB.type}"
    await engine.producer.send_and_wait(topic, b"junk", partition=0)
    await engine.publish_job(job(2))
    worker = worker_of(engine)

    @worker.job(JOB.type)
    async def charge(_: Job) -> None:
        pass

    async with running(worker):
        assert await engine.until(1) == [c.CompleteJob(job_id="i:2", attempt=1)]
        await until_committed(engine, 2)


def test_type_has_one_handler() -> None:
    worker = Worker("localhost:1", "shop")
    worker.job("a")(lambda _: None)
    with pytest.raises(ValueError, match="has a handler already"):
        worker.job("a")
    with pytest.raises(ValueError, match="fits no topic's name"):
        worker.job("")


async def test_worker_without_a_namespace_says_so(kafka: Kafka, namespace: str) -> None:
    with pytest.raises(NamespaceNotFoundError):
        await Worker(kafka.bootstrap, namespace).run()
    with pytest.raises(NamespaceNotFoundError):
        async with Worker(kafka.bootstrap, namespace) as worker:
            await worker.ready()


# --- concurrency ---


async def test_no_more_jobs_run_at_once_than_asked_for(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    for number in range(9):
        await engine.publish_job(job(number))
    worker = worker_of(engine)
    at_once: list[int] = []
    running_now = 0
    go_on = asyncio.Event()

    @worker.job(JOB.type, concurrency=3)
    async def slow(_: Job) -> None:
        nonlocal running_now
        running_now += 1
        at_once.append(running_now)
        await go_on.wait()
        running_now -= 1

    async with running(worker):
        await until(lambda: running_now == 3)
        go_on.set()
        await engine.until(9)
    assert max(at_once) == 3


async def test_types_do_not_wait_for_each_other(engine: ScriptedEngine) -> None:
    await engine.create_job_topic("slow")
    await engine.create_job_topic("quick")
    await engine.publish_job(job(1, type="slow"), suffix="slow")
    await engine.publish_job(job(2, type="quick"), suffix="quick")
    worker = worker_of(engine)
    go_on = asyncio.Event()

    @worker.job("slow", concurrency=1)
    async def slow(_: Job) -> None:
        await go_on.wait()

    @worker.job("quick", concurrency=1)
    async def quick(_: Job) -> None:
        pass

    async with running(worker):
        assert await engine.until(1) == [c.CompleteJob(job_id="i:2", attempt=1)]
        go_on.set()
        await engine.until(2)


# --- offsets ---


async def test_offset_is_committed_only_after_the_answer(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    for number in range(3):
        await engine.publish_job(job(number))
    worker = worker_of(engine)
    go_on = asyncio.Event()

    @worker.job(JOB.type)
    async def charge(job: Job) -> None:
        if job.job_id == "i:1":
            await go_on.wait()

    async with running(worker):
        await engine.until(2)
        await until_committed(engine, 1)
        go_on.set()
        await until_committed(engine, 3)


async def test_worker_that_is_killed_leaves_its_jobs_to_the_next(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    await engine.publish_job(job(1))
    begun = asyncio.Event()
    first = worker_of(engine)

    @first.job(JOB.type)
    async def hang(_: Job) -> None:
        begun.set()
        await asyncio.Event().wait()

    killed = asyncio.create_task(first.run())
    async with asyncio.timeout(DEADLINE_S):
        await begun.wait()
    killed.cancel()
    await asyncio.gather(killed, return_exceptions=True)
    second = worker_of(engine)

    @second.job(JOB.type)
    async def charge(_: Job) -> None:
        pass

    async with running(second):
        assert await engine.until(1) == [c.CompleteJob(job_id="i:1", attempt=1)]


async def test_stop_lets_jobs_under_way_be_answered(engine: ScriptedEngine) -> None:
    await engine.create_job_topic(JOB.type)
    await engine.publish_job(job(1))
    worker = worker_of(engine)
    begun, go_on = asyncio.Event(), asyncio.Event()

    @worker.job(JOB.type)
    async def charge(_: Job) -> None:
        begun.set()
        await go_on.wait()

    async with running(worker):
        await begun.wait()
        worker.stop()
        await engine.publish_job(job(2))
        go_on.set()
    assert engine.commands in ([], [c.CompleteJob(job_id="i:1", attempt=1)])
    assert await engine.until(1) == [c.CompleteJob(job_id="i:1", attempt=1)]
    assert await committed(engine) == 1


async def test_membership_survives_jobs_longer_than_the_session(
    kafka: Kafka, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torpor_client.job_reader.SESSION_MS", 6_000)
    async with scripted_engine(kafka.bootstrap, namespace) as engine:
        await engine.create_job_topic(JOB.type)
        await engine.publish_job(job(1))
        worker = worker_of(engine)
        handled: list[str] = []

        @worker.job(JOB.type, concurrency=1)
        async def long(job: Job) -> None:
            handled.append(job.job_id)
            if job.job_id == "i:1":
                await asyncio.sleep(8)

        async with running(worker):
            await engine.publish_job(job(2))
            await engine.until(2)
            await until_committed(engine, 2)
        assert handled == ["i:1", "i:2"]


async def test_second_worker_takes_over_some_partitions_and_no_job_is_lost(
    engine: ScriptedEngine,
) -> None:
    await engine.create_job_topic(JOB.type, partitions=4)
    first, second = worker_of(engine), worker_of(engine)
    by: dict[str, list[str]] = {"first": [], "second": []}

    @first.job(JOB.type)
    async def one(job: Job) -> None:
        by["first"].append(job.job_id)

    @second.job(JOB.type)
    async def other(job: Job) -> None:
        by["second"].append(job.job_id)

    async def publish(numbers: range) -> None:
        for number in numbers:
            await engine.publish_job(replace(job(number), root_id=f"r{number}"))

    async with running(first):
        await publish(range(20))
        await engine.until(20)
        async with running(second):
            await publish(range(20, 60))
            await engine.until(60)
    answered = {each.job_id for each in engine.commands if isinstance(each, c.CompleteJob)}
    assert answered == {f"i:{number}" for number in range(60)}
    assert by["second"]


# --- the circuit breaker ---


async def test_job_waits_while_its_service_is_away_and_burns_no_attempt(
    engine: ScriptedEngine,
) -> None:
    await engine.create_job_topic(JOB.type)
    for number in range(3):
        await engine.publish_job(job(number))
    worker = worker_of(engine)
    is_away = True
    tries = 0

    @worker.job(JOB.type, concurrency=1)
    async def charge(_: Job) -> None:
        nonlocal is_away, tries
        tries += 1
        if is_away:
            is_away = False
            raise ServiceUnavailable("the bank is closed")

    async with running(worker):
        await engine.until(3)
    assert [type(command) for command in engine.commands] == [c.CompleteJob] * 3
    assert tries == 4
