"""Conditional start events as they are deployed, and asked by whoever writes the command."""

import json

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import DeploymentsState
from engine.definitions import Definitions, ProcessVersions, Starts, VersionRef
from engine.deployments import apply_deployments
from engine.outcome import Outcome
from engine.records import ReplyStatus
from engine.routing import DEPLOYMENTS
from tests.support.contexts import context
from tests.support.models import (
    bpmn,
    chain,
    compiled,
    conditional_event,
    end,
    process,
    start,
    user_task,
)
from tests.support.partitions import REPLY, Partitions, sent

EVALUATE = c.EvaluateConditions(variables='{"degrees": 31}')
HOT = bpmn(
    process(
        "hot",
        start("s", conditional_event("=degrees > 30")),
        user_task("work"),
        end("e"),
        chain("s", "work", "e"),
    )
)


def deployed() -> Partitions:
    world = Partitions()
    world.send(c.DeployResources(resources=(c.Resource(name="hot.bpmn", content=HOT),)))
    return world


def test_a_deployment_tells_every_partition_of_them() -> None:
    world = deployed()
    assert [
        [known.id for known in partition.definitions.condition_starts()] for partition in world.all
    ] == [["hot"]] * 4


def test_the_command_starts_instances_on_partitions_that_have_not_activated_them_yet() -> None:
    world = Partitions()
    world.deployments.take(c.DeployResources(resources=(c.Resource(name="hot.bpmn", content=HOT),)))
    world.collect()
    activations = list(world.log)
    world.log.clear()
    world.send(EVALUATE, reply=REPLY)
    (reply,) = world.replies()
    (begun,) = json.loads(reply.result or "")["started"]
    (effect,) = world.effects("InstanceStarted")
    assert (effect.instance_id, effect.version) == (begun["instance_id"], 1)
    world.log.extend(activations)
    world.settle()
    assert [partition.definitions.find("hot", 1) is not None for partition in world.all] == [
        True
    ] * 4


def test_from_a_wrong_partition_the_command_is_forwarded() -> None:
    world = deployed()
    wrong = next(each for each in world.all if each is not world.deployments)
    outcome = wrong.take(EVALUATE, command_id="c", reply=REPLY)
    assert [each.forwarded for each in sent(outcome)] == [True]
    world.settle()
    (reply,) = world.replies()
    assert reply.status is ReplyStatus.ACCEPTED
    assert reply.instance_id is None
    assert len(world.effects("InstanceStarted")) == 1


def test_where_nothing_was_deployed_nothing_comes_to_be() -> None:
    world = Partitions()
    world.send(EVALUATE, reply=REPLY)
    (reply,) = world.replies()
    assert json.loads(reply.result or "") == {"started": [], "failed": []}
    assert world.deployments.states.get(DEPLOYMENTS) is None


def test_the_instances_are_named_by_the_position_of_the_command() -> None:
    model = compiled(start("s", conditional_event("=degrees > 30")), process_id="hot")
    ref = VersionRef(version=1, checksum="c", semantics=1)
    known = ProcessVersions(id="hot").activate(ref, Starts(conditions=("s",)))
    at = replace(
        context(offset=70),
        definitions=Definitions({"hot": known}),
        condition_models=(model,),
    )
    outcomes = [
        apply_deployments(where, DeploymentsState(), EVALUATE)
        for where in (at, at, replace(at, offset=71))
    ]
    ids = [
        send.command.instance_id
        for outcome in outcomes
        if isinstance(outcome, Outcome)
        for send in outcome.sends
        if isinstance(send.command, c.StartByCondition)
    ]
    assert ids[0] == ids[1]
    assert ids[0] != ids[2]
