"""Decisions through a whole engine on the in-memory twins: deployed, evaluated, listed."""

import base64
import json
from typing import Any

import msgspec

from engine.definitions import DefinitionKind
from tests.support.decisions import decision, dmn, input_data, literal, needs, table, tag
from tests.support.memory_engine import MemoryEngine, memory_engine
from tests.support.models import bpmn, chain, decision_task, process, start, user_task

CALLER = bpmn(
    process(
        "caller",
        start("s"),
        decision_task("decide", "Rate", result="rate"),
        user_task("ask"),
        chain("s", "decide", "ask"),
    )
)
RATE = dmn(
    input_data("amount"),
    decision(
        "Rate",
        table(["amount"], ["rate"], [["< 100", "0.1"], [">= 100", "0.25"]]),
        needs("(amount)"),
    ),
)
IMPORTING = dmn(
    tag("import", name="lib", namespace="urn:lib"),
    decision(
        "Rate",
        literal("lib.Base * 2"),
        tag("informationRequirement", tag("requiredDecision", href="urn:lib#Base")),
    ),
)
LIBRARY = dmn(decision("Base", literal("21")), namespace="urn:lib")


async def deploy(engine: MemoryEngine, *contents: bytes) -> None:
    resources = [
        {"name": f"{number}.xml", "content": base64.b64encode(content).decode()}
        for number, content in enumerate(contents)
    ]
    engine.command("DeployResources", resources=resources)
    await engine.settle()


async def start_caller(engine: MemoryEngine, instance_id: str) -> Any:
    """The instance as it is shown."""
    engine.command(
        "StartInstance", process_id="caller", instance_id=instance_id, variables={"amount": 100}
    )
    await engine.settle()
    return json.loads(msgspec.json.encode(await engine.lookup.instance(instance_id)))


async def test_a_decision_is_deployed_and_evaluated_on_every_partition() -> None:
    async with memory_engine() as engine:
        await deploy(engine, CALLER, RATE)
        shown = [await start_caller(engine, f"i-{number}") for number in range(9)]
    assert [each["variables"]["rate"] for each in shown] == [0.25] * 9


async def test_the_next_owner_of_a_partition_knows_its_decisions() -> None:
    async with memory_engine() as engine:
        await deploy(engine, CALLER, IMPORTING, LIBRARY)
        await engine.membership.give(())
        await engine.membership.give(range(engine.partitions))
        shown = await start_caller(engine, "i")
    assert shown["variables"]["rate"] == 42


async def test_an_unknown_decision_is_repaired_by_deploying_it() -> None:
    async with memory_engine() as engine:
        await deploy(engine, CALLER)
        (incident,) = (await start_caller(engine, "i"))["incidents"]
        assert (incident["kind"], incident["element"]) == ("DECISION_FAILED", "decide")
        await deploy(engine, RATE)
        engine.command("ResolveIncident", incident_id=incident["id"])
        await engine.settle()
        shown = json.loads(msgspec.json.encode(await engine.lookup.instance("i")))
    assert shown["incidents"] == []
    assert shown["variables"]["rate"] == 0.25


async def test_decisions_are_listed_beside_processes_and_their_files_given_back() -> None:
    async with memory_engine() as engine:
        await deploy(engine, CALLER, RATE)
        listed = (await engine.lookup.definitions())["items"]
        found = await engine.lookup.definition(DefinitionKind.DECISION, "Rate", 1)
        other = await engine.lookup.definition(DefinitionKind.PROCESS, "Rate", 1)
    assert [(each["kind"], each.get("process_id"), each.get("decision_id")) for each in listed] == [
        ("process", "caller", None),
        ("decision", None, "Rate"),
    ]
    assert found is not None
    assert found["resource"].encode() == RATE
    assert other is None
