"""The deployments aggregate: versions by content, activation everywhere, timer starts."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import DeploymentsState
from engine.definitions import VersionRef
from engine.deployments import apply_deployments
from engine.outcome import Outcome, TimerChange
from engine.partition import RecordOutcome
from engine.records import Reply, ReplyAddress, ReplyStatus, SendNumber, SentCommand, Topic
from engine.rejections import Rejection, RejectionCode
from engine.routing import DEPLOYMENTS
from engine.settings import Settings
from engine.state import ProcessInstance
from tests.support.contexts import HOUR, NOW, context
from tests.support.models import (
    bpmn,
    chain,
    end,
    message,
    message_event,
    process,
    start,
    timer,
    together,
    user_task,
)
from tests.support.partitions import REPLY, Partitions, replies, sent

MINUTE = 60_000
OTHER_REPLY = ReplyAddress(topic="test.replies", partition=0, correlation_id=b"other")


def model(process_id: str = "ask", *, task: str = "approve", trigger: str = "") -> bytes:
    """A process that waits at a user task; another `task` makes it another content."""
    return bpmn(
        process(
            process_id,
            start("begin", trigger),
            user_task(task),
            end("done"),
            chain("begin", task, "done"),
        ),
        message("Placed", "placed"),
    )


def several_triggers() -> bytes:
    """A process that needs a message and a timer to start."""
    begin = start("begin", message_event("Placed") + timer(cycle="R/PT1H"))
    return bpmn(
        process("ask", together(begin)),
        message("Placed", "placed"),
    )


def resources(*contents: bytes) -> c.DeployResources:
    return c.DeployResources(
        resources=tuple(
            c.Resource(name=f"{n}.bpmn", content=content) for n, content in enumerate(contents)
        )
    )


def deploy(world: Partitions, *contents: bytes, **fields: Any) -> RecordOutcome:
    return world.send(resources(*contents), **{"reply": REPLY, **fields})


def result(reply: Reply) -> dict[str, Any]:
    assert reply.result is not None
    found: dict[str, Any] = json.loads(reply.result)
    return found


def deployed(reply: Reply) -> list[tuple[str, int, bool]]:
    return [(each["id"], each["version"], each["new"]) for each in result(reply)["deployed"]]


def state_of(world: Partitions) -> DeploymentsState:
    state = world.deployments.states[DEPLOYMENTS]
    assert isinstance(state, DeploymentsState)
    return state


def activation_on(*partitions: int) -> Callable[[SentCommand], bool]:
    """Whether a send is for the table of one of these partitions."""
    return lambda send: (
        isinstance(send.command, c.ActivateVersion) and send.command.partition in partitions
    )


def arrive(world: Partitions, held: list[SentCommand]) -> None:
    """Bring what was held back to where it belongs, and let all that follows happen."""
    for send in held:
        assert isinstance(send.command, c.ActivateVersion)
        world[send.command.partition].take_sent(send)
    world.settle()


class TestVersions:
    def test_a_version_is_the_latest_on_every_partition_when_the_deployment_is_answered(
        self,
    ) -> None:
        world = Partitions()
        deploy(world, model())
        (reply,) = world.replies()
        assert reply.status is ReplyStatus.ACCEPTED
        assert result(reply) == {
            "deployed": [{"kind": "process", "id": "ask", "version": 1, "new": True}],
            "findings": [],
        }
        (checksum,) = world.deployments.contents.resources
        ref = VersionRef(version=1, checksum=checksum, semantics=1, deployment=1 << 16)
        assert [partition.definitions.find("ask") for partition in world.all] == [ref] * 4
        assert state_of(world).pending == ()
        assert world.deployments.timers == {}

    def test_other_content_is_the_next_version_and_the_same_content_the_same(self) -> None:
        world = Partitions()
        for content in (model(), model(task="b"), model(task="b"), model()):
            deploy(world, content)
        assert [deployed(reply) for reply in world.replies()] == [
            [("ask", 1, True)],
            [("ask", 2, True)],
            [("ask", 2, False)],
            [("ask", 3, True)],
        ]
        assert len(world.deployments.contents.resources) == 2

    def test_the_content_is_what_was_inflated(self) -> None:
        world = Partitions()
        deploy(world, gzip.compress(model()))
        deploy(world, model())
        assert [deployed(reply)[0][2] for reply in world.replies()] == [True, False]
        assert list(world.deployments.contents.resources.values()) == [model()]

    def test_each_process_of_a_deployment_has_its_own_versions(self) -> None:
        world = Partitions()
        deploy(world, model("a"))
        deploy(world, model("a"), model("b"))
        assert deployed(world.replies()[1]) == [("a", 1, False), ("b", 1, True)]

    def test_content_is_stored_apart_from_the_state(self) -> None:
        world = Partitions()
        deploy(world, model())
        assert len(msgspec.msgpack.encode(state_of(world))) < 200

    def test_known_content_is_answered_at_once_and_sent_to_nobody(self) -> None:
        world = Partitions()
        deploy(world, model())
        before = state_of(world)
        outcome = world.deployments.take(resources(model()), reply=REPLY, command_id="c-2")
        assert sent(outcome) == []
        (reply,) = replies(outcome)
        assert (reply.status, deployed(reply)) == (ReplyStatus.ACCEPTED, [("ask", 1, False)])
        assert state_of(world) == before
        assert outcome.contents == []


class TestActivation:
    def test_every_partition_is_told_the_local_one_in_the_same_record(self) -> None:
        world = Partitions()
        outcome = world.deployments.take(resources(model()), reply=REPLY)
        told = [command.command for command in sent(outcome)]
        others = [partition.number for partition in world.all if partition is not world.deployments]
        assert [each.partition for each in told if isinstance(each, c.ActivateVersion)] == others
        assert world.deployments.definitions.find("ask") is not None
        assert replies(outcome) == []

    def test_the_answer_waits_for_the_last_partition(self) -> None:
        world = Partitions()
        world.deployments.take(resources(model()), reply=REPLY)
        held = world.settle(unless=activation_on(3))
        assert world.replies() == []
        assert world.effects("ResourcesDeployed") == []
        arrive(world, held)
        assert [reply.status for reply in world.replies()] == [ReplyStatus.ACCEPTED]

    def test_the_reply_goes_where_the_deployment_asked(self) -> None:
        world = Partitions()
        deploy(world, model(), command_id="c-1")
        (publication,) = [
            publication
            for publication in world.deployments.published
            if publication.topic is Topic.REPLIES
        ]
        assert (publication.reply, publication.partition) == (REPLY, REPLY.partition)
        assert publication.key == "c-1"
        assert isinstance(publication.record, Reply)
        assert publication.record.command_id == "c-1"

    def test_the_answer_for_one_version_does_not_stand_for_another(self) -> None:
        world = Partitions()
        world.deployments.take(resources(model()), reply=REPLY)
        first = world.settle(unless=activation_on(3))
        world.deployments.take(resources(model(task="b")), reply=REPLY)
        second = world.settle(unless=activation_on(3))
        arrive(world, first)
        assert [deployed(reply) for reply in world.replies()] == [[("ask", 1, True)]]
        arrive(world, second)
        assert deployed(world.replies()[1]) == [("ask", 2, True)]

    def test_a_version_that_is_activated_again_is_answered_and_not_written(self) -> None:
        world = Partitions()
        world.deployments.take(resources(model()), reply=REPLY)
        (activation,) = world.settle(unless=activation_on(3))
        world[3].take(
            activation.command,
            source_partition=0,
            number=SendNumber(generation=1, offset=1, index=0),
        )
        again = world[3].take(
            activation.command,
            source_partition=0,
            number=SendNumber(generation=1, offset=2, index=0),
        )
        assert again.versions == []
        assert [type(each.command) for each in sent(again)] == [c.VersionActivated]

    def test_an_answer_that_comes_twice_changes_nothing(self) -> None:
        world = Partitions()
        deploy(world, model())
        state = state_of(world)
        again = c.VersionActivated(deployment=0, process_id="ask", version=1, partition=3)
        assert apply_deployments(context(), state, again) == Outcome(state=state)
        assert apply_deployments(context(), None, again) == Outcome(state=None)

    def test_what_has_not_answered_in_time_is_named_and_goes_on(self) -> None:
        world = Partitions()
        world.deployments.take(resources(model()), reply=REPLY, command_id="c-1")
        held = world.settle(unless=activation_on(1, 3))
        world.set_time(NOW + Settings().activation_wait_ms)
        assert len(world.deployments.due()) == 1
        world.deployments.take(world.deployments.due()[0])
        (reply,) = world.replies()
        assert (reply.status, deployed(reply)) == (ReplyStatus.ACCEPTED, [("ask", 1, True)])
        assert "partitions 1, 3" in (reply.detail or "")
        assert world.deployments.timers == {}
        arrive(world, held)
        assert len(world.replies()) == 1
        assert [effect.process_id for effect in world.effects("ResourcesDeployed")] == ["ask"]
        assert state_of(world).pending == ()

    def test_the_wait_does_not_end_early(self) -> None:
        world = Partitions()
        world.deployments.take(resources(model()), reply=REPLY)
        (((address, number), due),) = world.deployments.timers.items()
        assert (address, due) == (DEPLOYMENTS, NOW + Settings().activation_wait_ms)
        before = state_of(world)
        world.deployments.take(c.FireTimer(address=address, timer=number, due_ms=due))
        assert state_of(world) is before
        assert world.replies() == []

    def test_one_effect_tells_of_each_new_version_and_the_digest_is_chained(self) -> None:
        world = Partitions()
        deploy(world, model("a"), command_id="c-1", actor="mia", traceparent="00-1-2-01")
        deploy(world, model("a"), model("b"), model("c"))
        effects = world.effects("ResourcesDeployed")
        assert [(each.process_id, each.version) for each in effects] == [
            ("a", 1),
            ("b", 1),
            ("c", 1),
        ]
        first = effects[0]
        assert (first.instance_id, first.root_id) == ("a", DEPLOYMENTS)
        assert (first.causation, first.actor) == ("c-1", "mia")
        assert first.id == f"{first.partition}-{first.offset}-{first.index}"
        assert first.partition == world.deployments.number
        assert len({each.digest for each in effects}) == 3
        assert state_of(world).digest == effects[-1].digest
        assert [each.sequence for each in effects] == sorted(each.sequence for each in effects)
        published = [
            publication
            for publication in world.deployments.published
            if publication.record in effects
        ]
        assert {(each.topic, each.key, each.partition) for each in published} == {
            (Topic.EFFECTS, DEPLOYMENTS, world.deployments.number)
        }
        assert published[0].traceparent == "00-1-2-01"

    def test_a_partition_alone_answers_within_the_record(self) -> None:
        world = Partitions(1)
        outcome = world.deployments.take(resources(model()), reply=REPLY)
        assert [reply.status for reply in replies(outcome)] == [ReplyStatus.ACCEPTED]
        indexes = [publication.index for publication in outcome.publications]
        assert indexes == list(range(len(indexes)))

    def test_message_starts_of_the_latest_replace_the_older_ones(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=message_event("Placed")))
        assert world[0].definitions.message_starts("placed") == (("ask", "begin"),)
        deploy(world, model(task="b"))
        assert world[0].definitions.message_starts("placed") == ()

    def test_what_belongs_to_one_instance_is_known_to_every_partition(self) -> None:
        world = Partitions()
        deploy(world, several_triggers())
        table = world[0].definitions
        assert table.message_starts("placed") == (("ask", "begin"),)
        assert table.conversation("ask", "begin", "7") == "7"
        deploy(world, model(trigger=message_event("Placed")))
        assert world[0].definitions.conversation("ask", "begin", "7") is None


class TestRepetition:
    def begun(self) -> tuple[Partitions, list[SentCommand]]:
        """A deployment that partition 3 has not activated yet."""
        world = Partitions()
        world.deployments.take(resources(model()), reply=REPLY, command_id="c-1")
        held = world.settle(unless=activation_on(3))
        return world, held

    def test_a_repeated_command_waits_for_the_answer_of_the_first(self) -> None:
        world, held = self.begun()
        again = world.deployments.take(resources(model()), reply=OTHER_REPLY, command_id="c-1")
        assert again.publications == []
        arrive(world, held)
        first, second = world.replies()
        assert (first.status, second.status) == (ReplyStatus.ACCEPTED, ReplyStatus.DUPLICATE)
        assert first.result == second.result
        addresses = [each.reply for each in world.deployments.published if each.reply is not None]
        assert addresses == [REPLY, OTHER_REPLY]

    def test_a_repeated_command_is_told_who_has_not_answered_in_time(self) -> None:
        world, _ = self.begun()
        world.deployments.take(resources(model()), reply=OTHER_REPLY, command_id="c-1")
        world.set_time(NOW + Settings().activation_wait_ms)
        world.deployments.take(world.deployments.due()[0])
        assert ["partitions 3" in (reply.detail or "") for reply in world.replies()] == [True, True]
        late = world.deployments.take(resources(model()), reply=OTHER_REPLY, command_id="c-1")
        (reply,) = replies(late)
        assert (reply.status, deployed(reply)) == (ReplyStatus.DUPLICATE, [("ask", 1, True)])

    def test_a_repeated_command_gets_the_first_result_when_all_is_over(self) -> None:
        world = Partitions()
        deploy(world, model(), command_id="c-1")
        deploy(world, model(task="b"), command_id="c-2")
        before = state_of(world)
        again = world.deployments.take(resources(model()), reply=OTHER_REPLY, command_id="c-1")
        (reply,) = replies(again)
        assert (reply.status, deployed(reply)) == (ReplyStatus.DUPLICATE, [("ask", 1, True)])
        assert state_of(world) is before

    def test_a_repetition_that_nobody_waits_for_changes_nothing(self) -> None:
        world, _ = self.begun()
        before = state_of(world)
        world.deployments.take(resources(model()), command_id="c-1")
        assert state_of(world) is before

    def test_too_many_repetitions_are_answered_at_once(self) -> None:
        world, _ = self.begun()
        answered = [
            replies(world.deployments.take(resources(model()), reply=OTHER_REPLY, command_id="c-1"))
            for _ in range(20)
        ]
        assert [len(each) for each in answered] == [0] * 16 + [1] * 4

    def test_known_content_that_is_still_being_activated_is_answered_when_it_is(self) -> None:
        world, held = self.begun()
        outcome = world.deployments.take(resources(model()), reply=OTHER_REPLY, command_id="c-2")
        assert outcome.publications == []
        arrive(world, held)
        first, second = world.replies()
        assert (first.command_id, deployed(first)) == ("c-1", [("ask", 1, True)])
        assert (second.command_id, deployed(second)) == ("c-2", [("ask", 1, False)])
        assert second.status is ReplyStatus.ACCEPTED
        assert len(world.effects("ResourcesDeployed")) == 1


class TestBadInput:
    def refused(self, *contents: bytes, settings: Settings | None = None) -> Rejection:
        found = apply_deployments(context(settings=settings), None, resources(*contents))
        assert isinstance(found, Rejection)
        return found

    def test_all_findings_of_all_resources_are_told_together(self) -> None:
        bad = bpmn(process("bad", start("begin"), end("done"), chain("begin", "nowhere")))
        refused = self.refused(bad, model(), b"<no-xml")
        assert refused.code is RejectionCode.INVALID_MODEL
        assert "0.bpmn" in refused.detail
        assert refused.result is not None
        findings = json.loads(refused.result)["findings"]
        errors = [finding for finding in findings if finding["severity"] == "error"]
        assert {finding["file"] for finding in errors} == {"0.bpmn", "2.bpmn"}
        assert set(errors[0]) == {
            "severity",
            "file",
            "element",
            "name",
            "line",
            "code",
            "message",
        }
        assert any(finding["line"] for finding in errors)
        assert f"({len(errors)} errors in all)" in refused.detail

    def test_nothing_is_deployed_when_one_resource_is_bad(self) -> None:
        world = Partitions()
        outcome = world.deployments.take(resources(model(), b"<no-xml"), reply=REPLY)
        (reply,) = replies(outcome)
        assert (reply.status, reply.code) == (ReplyStatus.REJECTED, RejectionCode.INVALID_MODEL)
        assert reply.result is not None
        assert (outcome.states, outcome.contents, sent(outcome)) == ({}, [], [])

    def test_two_resources_may_not_define_the_same_process(self) -> None:
        refused = self.refused(model(), model(task="b"))
        assert refused.code is RejectionCode.INVALID_MODEL
        assert "ask" in refused.detail

    def test_warnings_are_told_with_what_was_deployed(self) -> None:
        world = Partitions()
        two = bpmn(
            process("ask", start("begin"), end("done"), chain("begin", "done")),
            process("sketch", start("b2"), executable=False),
        )
        deploy(world, two)
        (reply,) = world.replies()
        assert deployed(reply) == [("ask", 1, True)]
        assert [finding["severity"] for finding in result(reply)["findings"]] == ["warning"]

    def test_a_model_beyond_the_limit_is_too_large(self) -> None:
        limit = len(model()) - 1
        for content in (model(), gzip.compress(model())):
            refused = self.refused(content, settings=Settings(model_bytes_max=limit))
            assert refused.code is RejectionCode.TOO_LARGE

    def test_all_models_together_have_a_limit_too(self) -> None:
        contents = [model(f"p{n}") for n in range(5)]
        settings = Settings(model_bytes_max=len(contents[0]) + 10)
        assert self.refused(*contents, settings=settings).code is RejectionCode.TOO_LARGE

    def test_no_resources_and_two_of_one_name_are_refused(self) -> None:
        assert self.refused().code is RejectionCode.INVALID_ARGUMENT
        twice = c.DeployResources(resources=(c.Resource(name="a", content=model("a")),) * 2)
        refused = apply_deployments(context(), None, twice)
        assert isinstance(refused, Rejection)
        assert refused.code is RejectionCode.INVALID_ARGUMENT


class TestTimerStarts:
    def started(self, world: Partitions, process_id: str = "ask") -> list[ProcessInstance]:
        return [
            state
            for partition in world.all
            for state in partition.states.values()
            if isinstance(state, ProcessInstance) and state.start.process_id == process_id
        ]

    def dues(self, world: Partitions) -> list[int]:
        return sorted(
            due for (address, _), due in world.deployments.timers.items() if address == DEPLOYMENTS
        )

    def test_a_duration_starts_one_instance_when_it_is_due(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(duration="PT1H")))
        assert self.dues(world) == [NOW + HOUR]
        world.set_time(NOW + HOUR - 1)
        world.fire_due()
        assert self.started(world) == []
        world.set_time(NOW + HOUR)
        world.fire_due()
        (instance,) = self.started(world)
        assert instance.start.version == 1
        assert self.dues(world) == []
        assert state_of(world).timer_starts == ()

    def test_a_cycle_starts_as_often_as_it_says(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(cycle="R3/PT10M")))
        for n in range(1, 6):
            world.set_time(NOW + n * 10 * MINUTE)
            world.fire_due()
            assert len(self.started(world)) == min(n, 3)
        assert self.dues(world) == []
        ids = {instance.instance_id for instance in self.started(world)}
        assert len(ids) == 3

    def test_cron_of_camunda_7_counts_weekdays_as_quartz_does_whenever_it_fires(self) -> None:
        # NOW is Tuesday, 14 November 2023, 22:13:20 UTC. 4 is Wednesday for Quartz.
        content = model(trigger=timer(cycle="0 13 22 ? * 4"))
        platform = b' xmlns:m="http://camunda.org/schema/modeler/1.0"'
        platform += b' m:executionPlatform="Camunda Platform" id="definitions"'
        for_quartz = content.replace(b' id="definitions"', platform)
        assert for_quartz != content
        world = Partitions()
        deploy(world, for_quartz)
        first = NOW + 24 * HOUR - 20_000
        for week in range(3):
            assert self.dues(world) == [first + week * 7 * 24 * HOUR]
            world.set_time(first + week * 7 * 24 * HOUR)
            world.fire_due()
        assert len(self.started(world)) == 3

    def test_missed_occurrences_are_one_and_the_next_is_on_the_schedule(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(cycle="R/PT10M")))
        world.set_time(NOW + 35 * MINUTE)
        world.fire_due()
        assert len(self.started(world)) == 1
        assert self.dues(world) == [NOW + 40 * MINUTE]

    def test_an_occurrence_is_taken_once(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(cycle="R/PT10M")))
        world.set_time(NOW + 10 * MINUTE)
        (due,) = world.deployments.due()
        world.deployments.take(due)
        world.deployments.take(due)
        world.settle()
        assert len(self.started(world)) == 1

    def test_a_date_that_is_past_is_due_at_once(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(date="2020-01-01T00:00:00Z")))
        world.fire_due()
        assert len(self.started(world)) == 1

    def test_an_expression_is_evaluated_with_the_time_of_the_deployment(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(date='=now() + duration("PT2H")')))
        assert self.dues(world) == [NOW + 2 * HOUR]

    def test_a_newer_version_replaces_the_starts_of_the_older(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(duration="PT1H")))
        deploy(world, model(task="b", trigger=timer(duration="PT2H")))
        assert self.dues(world) == [NOW + 2 * HOUR]
        deploy(world, model(task="c"))
        assert self.dues(world) == []
        assert state_of(world).timer_starts == ()

    def test_known_content_leaves_armed_starts_as_they_are(self) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(duration="PT1H")))
        world.set_time(NOW + MINUTE)
        deploy(world, model(trigger=timer(duration="PT1H")))
        assert self.dues(world) == [NOW + HOUR]

    def test_the_starts_of_other_processes_stay(self) -> None:
        world = Partitions()
        deploy(world, model("a", trigger=timer(duration="PT1H")))
        deploy(world, model("b", trigger=timer(duration="PT2H")))
        assert self.dues(world) == [NOW + HOUR, NOW + 2 * HOUR]

    def test_a_timer_that_is_not_known_is_removed(self) -> None:
        outcome = apply_deployments(
            context(), None, c.FireTimer(address=DEPLOYMENTS, timer=9, due_ms=NOW)
        )
        assert outcome == Outcome(
            state=None, timers=(TimerChange(address=DEPLOYMENTS, timer=9, due_ms=None),)
        )

    @pytest.mark.parametrize("field", ["offset", "partition", "step", "namespace"])
    def test_the_instance_is_named_by_the_position_of_its_firing(self, field: str) -> None:
        world = Partitions()
        deploy(world, model(trigger=timer(duration="PT1H")))
        (start_it,) = state_of(world).timer_starts
        fire = c.FireTimer(address=DEPLOYMENTS, timer=start_it.timer, due_ms=NOW + HOUR)
        at = context(now=NOW + HOUR, offset=70)
        elsewhere = replace(at, **{field: "other" if field == "namespace" else 71})
        commands = [
            apply_deployments(where, state_of(world), fire) for where in (at, at, elsewhere)
        ]
        ids = [
            send.command.instance_id
            for outcome in commands
            if isinstance(outcome, Outcome)
            for send in outcome.sends
            if isinstance(send.command, c.StartByTimer)
        ]
        assert ids[0] == ids[1]
        assert ids[0] != ids[2]

    def test_a_timer_that_is_one_of_several_triggers_starts_by_its_conversation(self) -> None:
        world = Partitions()
        deploy(world, several_triggers())
        (start_it,) = state_of(world).timer_starts
        assert (start_it.part, start_it.joint) == (1, True)
        fire = c.FireTimer(address=DEPLOYMENTS, timer=start_it.timer, due_ms=start_it.due_ms)
        outcome = apply_deployments(context(now=NOW + HOUR), state_of(world), fire)
        assert isinstance(outcome, Outcome)
        (send,) = outcome.sends
        assert isinstance(send.command, c.StartByTimer)
        found = (send.command.part, send.command.due_ms, send.command.conversation)
        assert found == (1, start_it.due_ms, "")
