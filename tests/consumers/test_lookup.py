"""Queries of a whole engine on the in-memory twins, as HTTP answers them."""

import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from consumers.lookup import (
    START,
    BadCursorError,
    InstanceFilter,
    TaskFilter,
    decode_cursor,
)
from engine.definitions import DefinitionKind
from engine.routing import partition_of
from schemas.errors import CorruptDocumentError
from storage.keys import PartitionKeys
from tests.support.memory_engine import NAMESPACE, MemoryEngine, memory_engine
from tests.support.models import (
    bpmn,
    catch,
    chain,
    end,
    flow,
    message,
    message_event,
    parallel,
    process,
    service_task,
    start,
    timer,
    user_task,
)

ORDER = bpmn(
    process(
        "order",
        start("begin"),
        parallel("fork"),
        user_task("approve", candidate_groups="sales"),
        service_task("pay", type="payment"),
        catch("paid", message_event("Paid")),
        catch("pause", timer(duration="PT1H")),
        parallel("join"),
        end("done"),
        chain("begin", "fork", "approve", "join", "done"),
        chain("fork", "pay", "join"),
        chain("fork", "paid", "join"),
        chain("fork", "pause", "join"),
        flow("fork", "join"),
    ),
    message("Paid", "payment-received", key="=orderId"),
)


def plain(value: Any) -> Any:
    """As a client sees it."""
    return json.loads(msgspec.json.encode(value))


@pytest.fixture
async def engine() -> AsyncIterator[MemoryEngine]:
    """Two processes deployed: `order`, and `other` in two versions."""
    async with memory_engine(job_types=["payment"]) as engine:
        other = bpmn(process("other", start("s"), user_task("t"), end("e"), chain("s", "t", "e")))
        for name, content in (("o.bpmn", ORDER), ("p.bpmn", other), ("p.bpmn", other + b"\n")):
            resource = {"name": name, "content": base64.b64encode(content).decode()}
            engine.command("DeployResources", resources=[resource])
            await engine.settle()
        yield engine


async def start_order(engine: MemoryEngine, instance_id: str, **fields: Any) -> None:
    variables = {"orderId": instance_id, "amount": 12}
    engine.command(
        "StartInstance",
        process_id="order",
        instance_id=instance_id,
        variables=variables,
        **fields,
    )
    await engine.settle()


async def test_an_instance_shows_all_that_it_waits_for(engine: MemoryEngine) -> None:
    await start_order(engine, "o-1", business_key="bk-1")
    shown = plain(await engine.lookup.instance("o-1"))
    waiting = {each["element"]: each for each in shown["waiting"]}
    assert {name: each["kind"] for name, each in waiting.items()} == {
        "approve": "USER_TASK",
        "pay": "JOB",
        "paid": "MESSAGE",
        "pause": "TIMER",
        "join": "JOIN",
    }
    assert all(each["id"].startswith("o-1:") for each in shown["waiting"])
    assert waiting["approve"]["since"] == shown["started_at"]
    assert waiting["join"]["since"] is None
    assert shown["variables"] == {"orderId": "o-1", "amount": 12}
    assert shown["incidents"] == []
    assert (shown["process_id"], shown["version"]) == ("order", 1)
    assert (shown["business_key"], shown["state"]) == ("bk-1", "RUNNING")
    assert shown["revision"] >= 1


async def test_numbers_keep_all_their_digits(engine: MemoryEngine) -> None:
    await start_order(engine, "o-1")
    variables = '{"exact": 0.1000000000000000055511151231257827, "big": 123456789012345678901}'
    engine.command("SetVariables", instance_id="o-1", variables=variables, local=False)
    await engine.settle()
    text = msgspec.json.encode(await engine.lookup.instance("o-1"))
    assert b"0.1000000000000000055511151231257827" in text
    assert b"123456789012345678901" in text


async def test_an_ended_instance_shows_how_and_when(engine: MemoryEngine) -> None:
    await start_order(engine, "o-1")
    engine.command("TerminateInstance", instance_id="o-1", reason="test")
    await engine.settle()
    shown = plain(await engine.lookup.instance("o-1"))
    assert shown["state"] == "TERMINATED"
    assert shown["ended_at"] > 1_700_000_000_000
    assert shown["variables"] is None
    assert shown["waiting"] == []
    assert await engine.lookup.instances(InstanceFilter()) == {"items": [], "cursor": None}
    assert await engine.lookup.tasks(TaskFilter()) == {"items": [], "cursor": None}


async def test_a_failed_job_shows_its_retry_then_its_incident(engine: MemoryEngine) -> None:
    await start_order(engine, "o-1")
    job = next(
        each["id"]
        for each in plain(await engine.lookup.instance("o-1"))["waiting"]
        if each["kind"] == "JOB"
    )
    engine.command(
        "FailJob", job_id=job, attempt=1, message="busy", retries=1, backoff_ms=3_600_000
    )
    await engine.settle()
    shown = plain(await engine.lookup.instance("o-1"))
    (retry,) = [each for each in shown["waiting"] if each["kind"] == "RETRY"]
    assert (retry["type"], retry["attempt"], retry["retries_left"]) == ("payment", 1, 1)
    assert retry["retry_at"] > retry["since"]
    await start_order(engine, "o-2")
    job = next(
        each["id"]
        for each in plain(await engine.lookup.instance("o-2"))["waiting"]
        if each["kind"] == "JOB"
    )
    engine.command("FailJob", job_id=job, attempt=1, message="broken", retries=0)
    await engine.settle()
    shown = plain(await engine.lookup.instance("o-2"))
    (incident,) = shown["incidents"]
    assert incident["kind"] == "JOB_RETRIES_EXHAUSTED"
    assert incident["element"] == "pay"
    assert "broken" in incident["message"]
    kinds = {each["kind"] for each in shown["waiting"] if each["element"] == "pay"}
    assert kinds == {"INCIDENT"}  # the job waits for nobody but whoever resolves it


@pytest.mark.parametrize("instance_id", ["none", "deployments", "partition", "message:a:b", "a:1"])
async def test_what_is_no_instance_is_not_found(engine: MemoryEngine, instance_id: str) -> None:
    assert await engine.lookup.instance(instance_id) is None


async def test_instances_are_listed_page_by_page_each_once(engine: MemoryEngine) -> None:
    for number in range(25):
        await start_order(engine, f"o-{number}", business_key=f"bk-{number % 2}")
    seen: list[str] = []
    cursor = START
    for _ in range(20):
        page = await engine.lookup.instances(InstanceFilter(process_id="order"), cursor, limit=4)
        assert len(page["items"]) <= 4
        seen += [item["id"] for item in page["items"]]
        if page["cursor"] is None:
            break
        cursor = decode_cursor(page["cursor"])
    assert sorted(seen) == sorted(f"o-{number}" for number in range(25))
    odd = await engine.lookup.instances(InstanceFilter(process_id="order", business_key="bk-1"))
    assert len(odd["items"]) == 12
    assert {item["business_key"] for item in odd["items"]} == {"bk-1"}
    for nothing in (
        InstanceFilter(process_id="other"),
        InstanceFilter(state="SUSPENDED"),
        InstanceFilter(process_id="other", business_key="bk-1"),
    ):
        assert await engine.lookup.instances(nothing) == {"items": [], "cursor": None}
    running = await engine.lookup.instances(InstanceFilter(state="RUNNING"), limit=500)
    assert len(running["items"]) == 25


async def test_a_document_that_cannot_be_read_does_not_hide_the_others(
    engine: MemoryEngine,
) -> None:
    for number in range(3):
        await start_order(engine, f"o-{number}")
    partition = partition_of("o-1", engine.partitions)
    key = PartitionKeys(NAMESPACE, partition).state("o-1")
    engine.store.keyspace.set(key, b"\xc1 no document")
    listed = await engine.lookup.instances(InstanceFilter(process_id="order"))
    assert {item["id"] for item in listed["items"]} == {"o-0", "o-2"}
    assert (await engine.lookup.tasks(TaskFilter(process_id="order")))["cursor"] is None
    with pytest.raises(CorruptDocumentError):
        await engine.lookup.instance("o-1")


async def test_tasks_are_listed_with_what_a_person_needs(engine: MemoryEngine) -> None:
    for number in range(7):
        await start_order(engine, f"o-{number}", business_key="bk")
    engine.command("StartInstance", process_id="other", instance_id="p-1", variables={"x": 1})
    await engine.settle()
    everything = plain(await engine.lookup.tasks(TaskFilter(), limit=500))["items"]
    assert len(everything) == 8
    sales = plain(await engine.lookup.tasks(TaskFilter(group="sales"), limit=500))["items"]
    assert {item["instance_id"] for item in sales} == {f"o-{number}" for number in range(7)}
    first = next(item for item in sales if item["instance_id"] == "o-3")
    assert first["element_id"] == "approve"
    assert first["candidate_groups"] == ["sales"]
    assert first["variables"] == {"orderId": "o-3", "amount": 12}
    assert first["business_key"] == "bk"
    assert first["created_at"] > 1_700_000_000_000
    (other,) = plain(await engine.lookup.tasks(TaskFilter(process_id="other")))["items"]
    assert (other["version"], other["assignee"]) == (2, None)
    assert (await engine.lookup.tasks(TaskFilter(assignee="nobody")))["items"] == []
    engine.command("CompleteTask", task_id=first["task_id"], variables={})
    await engine.settle()
    assert len((await engine.lookup.tasks(TaskFilter(group="sales"), limit=500))["items"]) == 6


async def test_a_task_is_listed_once_it_is_created_with_the_change_under_way(
    engine: MemoryEngine,
) -> None:
    heard = user_task("t", listeners={"creating": "payment", "assigning": "payment"})
    content = bpmn(process("heard", start("s"), heard, end("e"), chain("s", "t", "e")))
    resource = {"name": "h.bpmn", "content": base64.b64encode(content).decode()}
    engine.command("DeployResources", resources=[resource])
    await engine.settle()
    engine.command("StartInstance", process_id="heard", instance_id="h-1")
    await engine.settle()
    wanted = TaskFilter(process_id="heard")
    assert (await engine.lookup.tasks(wanted))["items"] == []
    await answer_listener(engine)
    (task,) = plain(await engine.lookup.tasks(wanted))["items"]
    assert task["change"] is None
    engine.command("ClaimTask", task_id=task["task_id"], user="ann")
    await engine.settle()
    (task,) = plain(await engine.lookup.tasks(wanted))["items"]
    assert (task["assignee"], task["change"]) == (None, "assigning")
    await answer_listener(engine)
    (task,) = plain(await engine.lookup.tasks(TaskFilter(assignee="ann")))["items"]
    assert (task["assignee"], task["change"]) == ("ann", None)


async def answer_listener(engine: MemoryEngine) -> None:
    shown = plain(await engine.lookup.instance("h-1"))
    (job,) = [each for each in shown["waiting"] if each["kind"] == "JOB"]
    engine.command("CompleteJob", job_id=job["id"], attempt=1)
    await engine.settle()


async def test_definitions_are_listed_and_read(engine: MemoryEngine) -> None:
    found = plain(await engine.lookup.definitions())
    assert found["cursor"] is None
    versions = {
        item["process_id"]: [each["version"] for each in item["versions"]]
        for item in found["items"]
    }
    assert versions == {"order": [1], "other": [1, 2]}
    resource = await engine.lookup.definition(DefinitionKind.PROCESS, "order", 1)
    assert resource is not None
    assert resource["resource"].encode() == ORDER
    assert await engine.lookup.definition(DefinitionKind.PROCESS, "order", 2) is None
    assert await engine.lookup.definition(DefinitionKind.PROCESS, "none", 1) is None


@pytest.mark.parametrize(
    "text",
    [
        *("x", "!!", "WzEsMl0", "W10"),
        *(base64.b64encode(each).decode() for each in (b"[-1,0,0]", b"[0,0,9223372036854775808]")),
    ],
)
def test_a_cursor_that_nobody_gave_is_refused(text: str) -> None:
    with pytest.raises(BadCursorError):
        decode_cursor(text)
