"""`show`, `list` and `tasks` of an engine on the in-memory twins, over its HTTP."""

import asyncio
import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest

from consumers.cli.looking import Waiting, waiting_detail
from consumers.http import HttpServer, Readiness
from tests.support.command_line import CommandLine, Done
from tests.support.memory_engine import MemoryEngine, memory_engine
from tests.support.models import (
    ad_hoc,
    bpmn,
    catch,
    chain,
    end,
    message,
    message_event,
    process,
    script_task,
    start,
    user_task,
)

MODEL = bpmn(
    process(
        "order",
        start("begin"),
        user_task("approve", name="Approve\x85it", assignee="ada", candidate_groups="a,b"),
        catch("paid", message_event("Paid")),
        script_task("compute", "=amount * 2", result="double"),
        script_task("divide", "=assert(double, double > 100)", result="never"),
        end("done"),
        chain("begin", "approve", "paid", "compute", "divide", "done"),
    ),
    process("case", ad_hoc("work", user_task("call"), user_task("visit"), sequential=True)),
    message("Paid", "paid", key="=number"),
)
SHOWN = {
    *("id", "process_id", "version", "business_key", "state"),
    *("waiting", "variables", "incidents", "revision"),
}


class Looking:
    """An engine that has the model, and the command line that asks it."""

    def __init__(self, engine: MemoryEngine, address: str) -> None:
        self._engine = engine
        self._torpor = CommandLine({"TORPOR_HTTP": address})

    async def command(self, kind: str, **fields: Any) -> None:
        self._engine.command(kind, **fields)
        await self._engine.settle()

    async def start(self, instance_id: str, **fields: Any) -> None:
        variables = {"number": instance_id, "amount": 12}
        fields = {"process_id": "order", "variables": variables, **fields}
        await self.command("StartInstance", instance_id=instance_id, **fields)

    async def torpor(self, *arguments: str, code: int = 0) -> Done:
        return await asyncio.to_thread(self._torpor, *arguments, code=code)

    async def complete(self, instance_id: str) -> None:
        tasks = (await self.torpor("tasks", "--json")).json()["items"]
        (task,) = [each["task_id"] for each in tasks if each["instance_id"] == instance_id]
        await self.command("CompleteTask", task_id=task, variables={})


@pytest.fixture
async def looking() -> AsyncIterator[Looking]:
    async with memory_engine(partitions=2) as engine:
        server = HttpServer(engine.lookup, engine.metrics, lambda: Readiness(ready=True))
        found = Looking(engine, await server.start("127.0.0.1", 0))
        resource = {"name": "order.bpmn", "content": base64.b64encode(MODEL).decode()}
        await found.command("DeployResources", resources=[resource])
        yield found
        await server.close()


async def test_an_instance_is_shown_with_what_it_waits_for(looking: Looking) -> None:
    await looking.start("order-1", business_key="k-1")
    done = await looking.torpor("show", "order-1")
    head, waiting, variables = done.out.split("\n\n")
    assert head.splitlines()[:4] == [
        "instance      order-1",
        "process       order version 1",
        "business key  k-1",
        "state         RUNNING",
    ]
    assert waiting.splitlines()[1].split()[:2] == ["USER_TASK", "approve"]
    assert variables.splitlines() == [
        "VARIABLE  VALUE",
        'number    "order-1"',
        "amount    12",
    ]


async def test_a_running_instance_as_json_has_the_fields_of_the_wire(looking: Looking) -> None:
    await looking.start("order-1", business_key="k-1")
    found = (await looking.torpor("show", "order-1", "--json")).json()
    assert set(found) >= SHOWN
    (waiting,) = found["waiting"]
    assert set(waiting) == {"element", "id", "kind", "since", "assignee", "change"}
    assert (waiting["element"], waiting["kind"]) == ("approve", "USER_TASK")
    assert found["variables"] == {"number": "order-1", "amount": 12}
    assert (found["state"], found["incidents"], found["revision"]) == ("RUNNING", [], 1)


async def test_what_a_message_needs_to_arrive_is_shown(looking: Looking) -> None:
    await looking.start("order-1")
    await looking.complete("order-1")
    head, row = (await looking.torpor("show", "order-1")).out.split("\n\n")[1].splitlines()
    assert head.split()[-1] == "DETAIL"
    assert row.split()[:2] == ["MESSAGE", "paid"]
    assert row.endswith('  paid, key "order-1"')


async def test_the_help_of_list_names_no_state_that_nothing_leads_to(looking: Looking) -> None:
    assert "SUSPENDED" not in (await looking.torpor("list", "--help")).out
    assert (await looking.torpor("list", "--state", "suspended")).out.startswith("no running")


def test_each_kind_of_waiting_is_said_in_words() -> None:
    common: dict[str, Any] = {"element": "e", "id": "i:1", "since": 0}
    job = Waiting(kind="RETRY", **common, type="pay", attempt=2, retries_left=1, retry_at=0)
    listener = Waiting(kind="JOB", **common, type="log", attempt=1, listens_to="start", iteration=3)
    for waiting, said in (
        (job, "pay, attempt 2, retries left 1, next try 1970-01-01 00:00:00Z"),
        (listener, "log, listener at start, attempt 1, iteration 3"),
        (Waiting(kind="TIMER", **common, due_at=0), "due 1970-01-01 00:00:00Z"),
        (
            Waiting(kind="TIMER", **common, due_at=0, repetitions=2),
            "due 1970-01-01 00:00:00Z, repetitions left 2",
        ),
        (
            Waiting(kind="TIMER", **common, due_at=0, repetitions=None),
            "due 1970-01-01 00:00:00Z, repeats for ever",
        ),
        (Waiting(kind="SIGNAL", **common, name="alarm"), "alarm"),
        (Waiting(kind="CONDITION", **common, condition="a > 1"), "a > 1"),
        (Waiting(kind="CALL", **common, called="i:c"), "called instance i:c"),
        (
            Waiting(kind="USER_TASK", **common, assignee="ada", change="completing"),
            "assigned to ada, completing: a listener has yet to answer",
        ),
        (Waiting(kind="JOIN", **common), ""),
    ):
        assert waiting_detail(waiting) == said


async def test_an_ad_hoc_sub_process_is_shown_with_what_can_be_activated(looking: Looking) -> None:
    await looking.start("case-1", process_id="case")
    (waiting,) = (await looking.torpor("show", "case-1", "--json")).json()["waiting"]
    assert (waiting["element"], waiting["kind"]) == ("work", "AD_HOC")
    assert waiting["offers"] == ["call", "visit"]
    offered = (await looking.torpor("show", "case-1")).out.split("\n\n")[2]
    assert [line.split() for line in offered.splitlines()[1:]] == [
        ["call", "work", waiting["id"]],
        ["visit", "work", waiting["id"]],
    ]
    await looking.command(
        "ActivateActivities", element_instance_id=waiting["id"], element_ids=["visit"]
    )
    found = (await looking.torpor("show", "case-1", "--json")).json()["waiting"]
    assert [(each["kind"], each.get("offers")) for each in found] == [
        ("USER_TASK", None),
        ("AD_HOC", []),  # it runs one at a time
    ]


async def test_numbers_keep_their_digits(looking: Looking) -> None:
    await looking.start("order-1", variables={"number": 123456789012345678901234567890})
    await looking.command(
        "SetVariables", instance_id="order-1", variables='{"exact": 0.1234567890123456789012}'
    )
    for arguments in (("show", "order-1"), ("show", "order-1", "--json")):
        shown = (await looking.torpor(*arguments)).out
        assert "123456789012345678901234567890" in shown
        assert "0.1234567890123456789012" in shown


async def test_an_incident_is_shown_once_with_what_happened(looking: Looking) -> None:
    await looking.start("order-1")
    await looking.complete("order-1")
    await looking.command("PublishMessage", name="paid", correlation_key="order-1", ttl_ms=0)
    found = (await looking.torpor("show", "order-1", "--json")).json()
    (incident,) = found["incidents"]
    assert set(incident) == {"id", "kind", "element", "message"}
    assert (incident["kind"], incident["element"]) == ("EXPRESSION_FAILED", "divide")
    assert [each["kind"] for each in found["waiting"]] == ["INCIDENT"]
    shown = (await looking.torpor("show", "order-1")).out
    assert shown.count(incident["id"]) == 1
    assert incident["message"] in shown


async def test_incidents_are_listed_and_counted_as_long_as_they_are_open(looking: Looking) -> None:
    assert (await looking.torpor("incidents")).out == "no open incidents\n"
    for name in ("order-1", "order-2", "order-3"):
        await looking.start(name)
    for name in ("order-1", "order-2"):
        await looking.complete(name)
        await looking.command("PublishMessage", name="paid", correlation_key=name)
    found = (await looking.torpor("incidents", "--json")).json()["items"]
    assert sorted(each["instance_id"] for each in found) == ["order-1", "order-2"]
    assert {(each["element"], each["kind"]) for each in found} == {("divide", "EXPRESSION_FAILED")}
    head, *rows = (await looking.torpor("incidents", "--process", "order")).out.splitlines()
    assert head.split()[:3] == ["INCIDENT", "PROCESS", "ELEMENT"]
    assert sorted(row.split()[0] for row in rows) == sorted(each["id"] for each in found)
    assert (await looking.torpor("incidents", "--process", "x")).out == (
        "no open incidents like that\n"
    )
    listed = (await looking.torpor("list", "--json")).json()["items"]
    counts = {each["id"]: each["open_incidents"] for each in listed}
    assert counts == {"order-1": 1, "order-2": 1, "order-3": 0}
    await looking.command("TerminateInstance", instance_id="order-1")
    (left,) = (await looking.torpor("incidents", "--json")).json()["items"]
    await looking.command("SetVariables", instance_id="order-2", variables={"double": 200})
    await looking.command("ResolveIncident", incident_id=left["id"])
    assert (await looking.torpor("incidents", "--json")).json()["items"] == []


async def test_of_an_instance_that_has_ended_its_end_is_shown(looking: Looking) -> None:
    await looking.start("order-1")
    await looking.command("TerminateInstance", instance_id="order-1", reason="enough")
    found = (await looking.torpor("show", "order-1", "--json")).json()
    assert set(found) >= SHOWN
    assert found["state"] == "TERMINATED"
    assert found["variables"] is None
    assert 0 < found["started_at"] <= found["ended_at"]
    shown = (await looking.torpor("show", "order-1")).out.splitlines()
    assert shown[2] == "state         TERMINATED"
    assert shown[3].startswith("started       20")
    assert shown[4].startswith("ended         20")
    assert shown[5:] == ["its effects   torpor effects --instance order-1 --json"]


async def test_an_instance_that_is_not_there_is_said_so(looking: Looking) -> None:
    for instance_id in ("order-1", "a b/ü?", "\udcff"):
        done = await looking.torpor("show", instance_id, code=1)
        assert done.err.startswith("torpor: there is no instance ")
        assert done.out == ""


async def test_lists_are_empty_before_anything_is_started(looking: Looking) -> None:
    nothing: dict[str, Any] = {"items": [], "cursor": None}
    assert (await looking.torpor("list")).out == "no running instances\n"
    assert (await looking.torpor("list", "--json")).json() == nothing
    assert (await looking.torpor("tasks")).out == "no open tasks\n"
    assert (await looking.torpor("tasks", "--json")).json() == nothing
    assert (await looking.torpor("tasks", "--group", "x")).out == "no open tasks like that\n"


async def test_instances_are_listed_page_by_page(looking: Looking) -> None:
    names = [f"order-{number}" for number in range(5)]
    for name in names:
        await looking.start(name)
    seen: list[str] = []
    arguments = ["list", "--limit", "2", "--json"]
    page = (await looking.torpor(*arguments)).json()
    while page["cursor"]:
        assert len(page["items"]) == 2
        seen += [each["id"] for each in page["items"]]
        page = (await looking.torpor(*arguments, "--cursor", page["cursor"])).json()
    seen += [each["id"] for each in page["items"]]
    assert sorted(seen) == names
    done = await looking.torpor("list", "--limit", "2")
    assert len(done.out.splitlines()) == 3
    assert done.err.startswith("there are more: --cursor ")


async def test_filters_choose_what_is_listed(looking: Looking) -> None:
    await looking.start("order-1", business_key="k-1")
    await looking.start("order-2")

    async def listed(*arguments: str) -> list[str]:
        page = (await looking.torpor("list", "--json", *arguments)).json()
        return sorted(each["id"] for each in page["items"])

    assert await listed("--process", "order") == ["order-1", "order-2"]
    assert await listed("--process", "ordr") == []
    assert await listed("--business-key", "k-1") == ["order-1"]
    assert await listed("--state", "running") == ["order-1", "order-2"]
    assert await listed("--state", "SUSPENDED") == []
    assert (await looking.torpor("list", "--cursor", "?", code=2)).err.endswith("is no cursor\n")


async def test_tasks_are_listed_with_who_may_do_them(looking: Looking) -> None:
    await looking.start("order-1")
    await looking.start("order-2")
    await looking.complete("order-2")
    (task,) = (await looking.torpor("tasks", "--assignee", "ada", "--json")).json()["items"]
    assert (task["instance_id"], task["candidate_groups"]) == ("order-1", ["a", "b"])
    assert (await looking.torpor("tasks", "--group", "b", "--json")).json()["items"] == [task]
    assert (await looking.torpor("tasks", "--process", "x", "--json")).json()["items"] == []
    assert (await looking.torpor("tasks", "--assignee", "bob")).out == "no open tasks like that\n"
    head, row = (await looking.torpor("tasks")).out.splitlines()
    assert head.split() == [
        *("TASK", "NAME", "PROCESS", "ASSIGNEE", "GROUPS", "CREATED", "DUE"),
        "CHANGE",
    ]
    assert row.startswith(f"{task['task_id']}  Approve\\x85it  order    ada       a, b ")


async def test_definitions_are_listed_with_their_versions_and_files(looking: Looking) -> None:
    listed = (await looking.torpor("definitions")).out.splitlines()
    assert [line.split() for line in listed[1:]] == [
        ["process", "case", "1"],
        ["process", "order", "1"],
    ]
    found = (await looking.torpor("definitions", "order", "--json")).json()
    (order,) = found["items"]
    assert (order["kind"], order["process_id"]) == ("process", "order")
    (version,) = order["versions"]
    versions = (await looking.torpor("definitions", "order")).out.splitlines()
    assert versions[1].split() == ["process", "order", "1", version["checksum"]]
    file = await looking.torpor("definitions", "order", "--version", "1")
    assert file.out == MODEL.decode().rstrip("\n") + "\n"


async def test_definitions_that_are_not_there_are_said_so(looking: Looking) -> None:
    none = (await looking.torpor("definitions", "--kind", "decision")).out
    assert none == "no decision is deployed\n"
    done = await looking.torpor("definitions", "ordr", code=1)
    assert done.err == "torpor: no process or decision ordr is deployed\n"
    done = await looking.torpor("definitions", "order", "--version", "9", code=1)
    assert done.err == "torpor: there is no version 9 of the process order\n"
    assert "name its ID" in (await looking.torpor("definitions", "--version", "1", code=2)).err
