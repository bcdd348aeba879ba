"""Decisions are deployed as processes are: versions by content, activation everywhere."""

import json
from typing import Any

from engine import commands as c
from engine.aggregates import DeploymentsState
from engine.definitions import VersionRef
from engine.partition import RecordOutcome
from engine.records import Reply, ReplyStatus
from engine.routing import DEPLOYMENTS
from engine.state import ProcessInstance
from tests.support.decisions import decision, dmn, literal, tag
from tests.support.models import bpmn, chain, decision_task, process, start, user_task
from tests.support.partitions import REPLY, Partitions, id_on, sent

CALLER = bpmn(
    process(
        "caller",
        start("s"),
        decision_task("decide", "Rate", result="rate"),
        user_task("ask"),
        chain("s", "decide", "ask"),
    )
)


def rate(number: int) -> bytes:
    return dmn(decision("Rate", literal(str(number))))


IMPORTING = dmn(
    tag("import", name="lib", namespace="urn:lib"),
    decision(
        "Rate",
        literal("lib.Base * 2"),
        tag("informationRequirement", tag("requiredDecision", href="urn:lib#Base")),
    ),
)


def library(number: int) -> bytes:
    return dmn(decision("Base", literal(str(number))), namespace="urn:lib")


def deploy(world: Partitions, *contents: bytes) -> RecordOutcome:
    resources = tuple(
        c.Resource(name=f"{number}.xml", content=content) for number, content in enumerate(contents)
    )
    return world.send(c.DeployResources(resources=resources), reply=REPLY)


def result(reply: Reply) -> dict[str, Any]:
    assert reply.result is not None
    found: dict[str, Any] = json.loads(reply.result)
    return found


def deployed(world: Partitions) -> list[tuple[str, str, int, bool]]:
    """What the last answer says."""
    found = result(world.replies()[-1])["deployed"]
    return [(each["kind"], each["id"], each["version"], each["new"]) for each in found]


def variables(world: Partitions, number: int) -> dict[str, str]:
    """Those of a caller that is started on a partition."""
    instance_id = id_on(number, prefix=f"i{world[number].offset}")
    world.send(c.StartInstance(process_id="caller", instance_id=instance_id))
    state = world[number].states[instance_id]
    assert isinstance(state, ProcessInstance)
    return state.variables.get(state.root, {})


def test_a_decision_is_the_latest_on_every_partition_when_it_is_answered() -> None:
    world = Partitions()
    deploy(world, rate(1))
    assert result(world.replies()[0]) == {
        "deployed": [{"kind": "decision", "id": "Rate", "version": 1, "new": True}],
        "findings": [],
    }
    (checksum,) = world.deployments.contents.resources
    ref = VersionRef(version=1, checksum=checksum, semantics=1, deployment=1 << 16)
    for partition in world.all:
        known = partition.definitions.decision("Rate")
        assert known is not None
        assert known.versions == (ref,)
        assert partition.definitions.get("Rate") is None


def test_other_content_is_the_next_version_and_the_same_content_the_same() -> None:
    world = Partitions()
    answers = []
    for content in (rate(1), rate(2), rate(2), rate(1)):
        deploy(world, content)
        answers.append(deployed(world))
    assert answers == [
        [("decision", "Rate", 1, True)],
        [("decision", "Rate", 2, True)],
        [("decision", "Rate", 2, False)],
        [("decision", "Rate", 3, True)],
    ]
    assert len(world.deployments.contents.resources) == 2


def test_every_partition_evaluates_what_was_deployed() -> None:
    world = Partitions()
    deploy(world, CALLER, rate(7))
    assert [variables(world, number) for number in range(4)] == [{"rate": "7"}] * 4
    deploy(world, rate(8))
    assert [variables(world, number) for number in range(4)] == [{"rate": "8"}] * 4


def test_decisions_are_activated_before_what_may_call_them() -> None:
    world = Partitions()
    resources = tuple(
        c.Resource(name=name, content=content)
        for name, content in (("caller.bpmn", CALLER), ("rate.dmn", rate(1)))
    )
    outcome = world.deployments.take(c.DeployResources(resources=resources), reply=REPLY)
    told = [each.command for each in sent(outcome)]
    kinds = [each.kind for each in told if isinstance(each, c.ActivateVersion)]
    assert kinds == ["decision"] * 3 + ["process"] * 3


def test_a_process_and_a_decision_of_one_id_are_waited_for_apart() -> None:
    world = Partitions()
    twin = bpmn(process("Rate", start("s")))
    deploy(world, twin, rate(1))
    assert deployed(world) == [("process", "Rate", 1, True), ("decision", "Rate", 1, True)]
    state = world.deployments.states[DEPLOYMENTS]
    assert isinstance(state, DeploymentsState)
    assert state.pending == ()
    assert [reply.status for reply in world.replies()] == [ReplyStatus.ACCEPTED]


def test_what_is_imported_is_stored_and_found_again() -> None:
    world = Partitions()
    deploy(world, CALLER, IMPORTING, library(21))
    assert variables(world, 0) == {"rate": "42"}


def test_a_change_of_what_is_imported_is_a_new_version_of_what_imports_it() -> None:
    world = Partitions()
    deploy(world, CALLER, IMPORTING, library(21))
    deploy(world, IMPORTING, library(21))
    assert deployed(world) == [("decision", "Rate", 1, False), ("decision", "Base", 1, False)]
    deploy(world, IMPORTING, library(4))
    assert deployed(world) == [("decision", "Rate", 2, True), ("decision", "Base", 2, True)]
    assert variables(world, 0) == {"rate": "8"}


def test_what_imports_is_not_changed_by_a_deployment_without_it() -> None:
    world = Partitions()
    deploy(world, CALLER, IMPORTING, library(21))
    deploy(world, library(4))
    assert variables(world, 0) == {"rate": "42"}


def test_an_effect_tells_of_each_new_version() -> None:
    world = Partitions()
    deploy(world, CALLER, rate(1))
    told = [
        (effect.instance_id, effect.process_id, effect.element_id, effect.version)
        for effect in world.effects("ResourcesDeployed")
    ]
    assert told == [("caller", "caller", None, 1), ("Rate", "", "Rate", 1)]


def test_an_error_in_one_file_deploys_none() -> None:
    world = Partitions()
    deploy(world, CALLER, dmn(decision("Rate", literal("1 +"))))
    (reply,) = world.replies()
    assert (reply.status, reply.code) == (ReplyStatus.REJECTED, "INVALID_MODEL")
    (finding,) = [each for each in result(reply)["findings"] if each["severity"] == "error"]
    assert (finding["file"], finding["element"], finding["code"]) == (
        "1.xml",
        "Rate",
        "expression-syntax",
    )
    assert finding["line"] == 1
    assert world.deployments.contents.resources == {}


def test_what_is_called_and_was_never_deployed_is_warned_of() -> None:
    world = Partitions()
    deploy(world, CALLER)
    (finding,) = result(world.replies()[0])["findings"]
    assert (finding["severity"], finding["code"], finding["element"]) == (
        "warning",
        "unknown-decision",
        "decide",
    )
    deploy(world, rate(1))
    deploy(world, CALLER + b"\n")
    assert result(world.replies()[2])["findings"] == []
