"""The record loop, on plain dictionaries: what one record of the log does to a partition."""

import pytest

from engine import commands as c
from engine.definitions import Definitions, ProcessVersions, VersionRef
from engine.errors import InvariantError
from engine.partition import InvalidCommand, RecordOutcome, Stimulus, transaction
from engine.records import Reply, ReplyStatus, SendNumber, Topic
from engine.rejections import RejectionCode
from engine.routing import message_address
from engine.state import ProcessInstance
from scenarios.contents import Contents
from tests.support.contexts import HOUR, NOW
from tests.support.models import bpmn, chain, end, message, process, receive_task, start, user_task
from tests.support.partitions import (
    REPLY,
    Partition,
    Partitions,
    id_on,
    key_on,
    replies,
    sent,
)

ORDER = bpmn(
    process(
        "order",
        start("begin"),
        receive_task("wait", "Paid"),
        end("done"),
        chain("begin", "wait", "done"),
    ),
    message("Paid", "paid", key="=key"),
)
ASK = bpmn(
    process(
        "ask", start("begin"), user_task("approve"), end("done"), chain("begin", "approve", "done")
    )
)


def deployed(*contents: bytes, partitions: int = 4) -> Partitions:
    """Partitions on which these files are deployed."""
    world = Partitions(partitions)
    resources = tuple(
        c.Resource(name=f"{n}.bpmn", content=content) for n, content in enumerate(contents)
    )
    world.send(c.DeployResources(resources=resources))
    return world


def number(offset: int, index: int = 0, generation: int = 1) -> SendNumber:
    return SendNumber(generation=generation, offset=offset, index=index)


def opened(instance_id: str, key: str) -> c.OpenSubscription:
    return c.OpenSubscription(
        name="paid",
        correlation_key=key,
        instance_id=instance_id,
        process_id="order",
        subscription=7,
        interrupting=True,
    )


def nothing_happened(outcome: RecordOutcome) -> bool:
    return not (outcome.states or outcome.publications or outcome.timers or outcome.applied)


class TestSends:
    @pytest.mark.parametrize(
        ("last", "comes", "taken"),
        [
            (None, number(3), True),
            (number(3), number(4), True),
            (number(3, 1), number(3, 2), True),
            (number(9, 9), number(1, generation=2), True),
            (number(3), number(3), False),
            (number(3, 2), number(3, 1), False),
            (number(1, generation=2), number(9, generation=1), False),
        ],
    )
    def test_a_send_is_taken_once_by_its_number(
        self,
        last: SendNumber | None,
        comes: SendNumber,
        taken: bool,  # noqa: FBT001 - a column of the table above
    ) -> None:
        partition = Partitions()[1]
        if last is not None:
            partition.sources[3] = last
        key = key_on(1, "paid")
        outcome = partition.take(opened("i-1", key), source_partition=3, number=comes)
        assert nothing_happened(outcome) is not taken
        assert partition.sources[3] == (comes if taken else last)

    def test_the_numbers_of_one_source_say_nothing_of_another(self) -> None:
        partition = Partitions()[1]
        key = key_on(1, "paid")
        partition.take(opened("i-1", key), source_partition=3, number=number(9))
        outcome = partition.take(opened("i-2", key), source_partition=2, number=number(1))
        assert not nothing_happened(outcome)
        assert partition.sources == {3: number(9), 2: number(1)}

    def test_a_copy_moves_the_time_of_the_partition_like_any_record(self) -> None:
        partition = Partitions()[1]
        key = key_on(1, "paid")
        partition.take(opened("i-1", key), source_partition=3, number=number(9))
        copy = partition.take(
            opened("i-1", key), source_partition=3, number=number(9), timestamp_ms=NOW + 5
        )
        assert copy.now == NOW + 5
        assert nothing_happened(copy)

    def test_a_send_of_a_clients_kind_of_command_does_not_meet_the_window(self) -> None:
        """Thrown messages carry the id of what caused them, and one cause may throw two."""
        partition = Partitions()[1]
        key = key_on(1, "paid")
        publish = c.PublishMessage(name="paid", correlation_key=key, ttl_ms=HOUR)
        for index in range(2):
            outcome = partition.take(
                publish,
                source_partition=3,
                number=number(9, index),
                command_id="cause",
                reply=REPLY,
            )
            assert list(outcome.states) == [message_address("paid", key)]
            assert outcome.applied is None
            assert outcome.publications == []

    def test_sends_are_numbered_by_position_and_carry_what_caused_them(self) -> None:
        world = deployed(ORDER)
        instance_id = id_on(0)
        outcome = world[0].take(
            c.StartInstance(
                process_id="order",
                instance_id=instance_id,
                variables=f'{{"key":"{key_on(2, "paid")}"}}',
            ),
            command_id="cause",
            actor="mia",
            reply=REPLY,
            traceparent="00-1-2-01",
        )
        (publication,) = [each for each in outcome.publications if each.topic is Topic.COMMANDS]
        (send,) = sent(outcome)
        assert isinstance(send.command, c.OpenSubscription)
        assert send.number == number(world[0].offset, publication.index)
        assert (send.source_partition, send.command_id) == (0, "cause")
        assert (send.actor, send.traceparent) == ("mia", "00-1-2-01")
        assert (send.forwarded, send.reply) == (False, None)
        assert publication.partition == 2
        assert publication.key == message_address("paid", key_on(2, "paid"))
        indexes = [each.index for each in outcome.publications]
        assert indexes == list(range(len(indexes)))


class TestRouting:
    def test_a_misrouted_command_is_forwarded_once_with_its_id_and_its_reply(self) -> None:
        world = deployed(ASK)
        instance_id = id_on(2)
        command = c.StartInstance(process_id="ask", instance_id=instance_id)
        outcome = world[1].take(command, command_id="c-1", actor="mia", reply=REPLY)
        (forwarded,) = sent(outcome)
        assert outcome.publications[0].partition == 2
        assert (forwarded.command, forwarded.command_id) == (command, "c-1")
        assert (forwarded.forwarded, forwarded.reply, forwarded.actor) == (True, REPLY, "mia")
        assert outcome.applied is None
        assert outcome.states == {}
        arrived = world[2].take_sent(forwarded)
        assert [reply.status for reply in replies(arrived)] == [ReplyStatus.ACCEPTED]
        assert arrived.applied is not None
        assert arrived.applied[0] == "c-1"
        assert isinstance(world[2].states[instance_id], ProcessInstance)

    def test_a_copy_of_a_forwarded_command_changes_nothing(self) -> None:
        world = deployed(ASK)
        command = c.StartInstance(process_id="ask", instance_id=id_on(2))
        (forwarded,) = sent(world[1].take(command, command_id="c-1", reply=REPLY))
        world[2].take_sent(forwarded)
        assert nothing_happened(world[2].take_sent(forwarded))

    def test_a_command_that_is_still_on_the_wrong_partition_is_not_forwarded_again(self) -> None:
        world = deployed(ASK)
        command = c.StartInstance(process_id="ask", instance_id=id_on(2))
        (forwarded,) = sent(world[1].take(command, command_id="c-1", reply=REPLY))
        outcome = world[3].take_sent(forwarded)
        assert sent(outcome) == []
        assert outcome.rejection is not None
        assert outcome.rejection.code is RejectionCode.INVALID_ARGUMENT
        assert "partition 2" in outcome.rejection.detail

    def test_a_start_that_names_no_instance_gets_an_id_that_stays(self) -> None:
        world = deployed(ASK)
        ids = [
            started_id(
                world[0].would_do(
                    Stimulus(
                        offset=offset,
                        timestamp_ms=NOW,
                        command=c.StartInstance(process_id="ask"),
                        command_id=command_id,
                    )
                )
            )
            for offset, command_id in (
                (50, "c-1"),
                (51, "c-1"),
                (52, "c-2"),
                (53, None),
                (53, None),
                (54, None),
            )
        ]
        assert ids[0] == ids[1]
        assert ids[3] == ids[4]
        assert len(set(ids)) == 4

    def test_the_id_that_was_given_to_a_start_travels_with_it(self) -> None:
        world = deployed(ASK)
        starts = [
            world[0].take(c.StartInstance(process_id="ask"), command_id=f"c-{n}", reply=REPLY)
            for n in range(20)
        ]
        world.settle()
        chosen = {started_id(outcome) for outcome in starts}
        answered = {reply.instance_id for reply in world.replies()}
        assert answered == chosen
        assert len(chosen) == 20

    @pytest.mark.parametrize(
        "command",
        [
            c.StartInstance(process_id="ask", instance_id="a:b"),
            c.StartInstance(process_id="ask", instance_id="deployments"),
            c.StartInstance(process_id="ask", instance_id="partition"),
            c.StartInstance(process_id="ask", instance_id="a~1"),
            c.StartInstance(process_id="ask", instance_id=""),
            c.CompleteJob(job_id="message:paid:1", attempt=1),
            c.CompleteTask(task_id="no-number"),
            c.ThrowError(code="E"),
            c.TerminateInstance(instance_id="x" * 101),
        ],
    )
    def test_an_id_that_nothing_can_have_is_refused(self, command: c.AnyCommand) -> None:
        outcome = deployed(ASK)[0].take(command, reply=REPLY)
        (reply,) = replies(outcome)
        assert (reply.status, reply.code) == (ReplyStatus.REJECTED, RejectionCode.INVALID_ARGUMENT)
        assert outcome.states == {}


def started_id(outcome: RecordOutcome) -> str:
    """The instance that a start on any partition is about: started here, or forwarded."""
    if outcome.states:
        return next(iter(outcome.states))
    (forwarded,) = sent(outcome)
    assert isinstance(forwarded.command, c.StartInstance)
    assert forwarded.command.instance_id is not None
    return forwarded.command.instance_id


class TestWindow:
    def test_a_repeated_command_is_answered_with_its_first_outcome(self) -> None:
        world = deployed(ASK)
        command = c.StartInstance(process_id="ask", instance_id=id_on(0))
        first = world[0].take(command, command_id="c-1", reply=REPLY)
        again = world[0].take(command, command_id="c-1", reply=REPLY)
        assert [reply.status for reply in replies(first)] == [ReplyStatus.ACCEPTED]
        (reply,) = replies(again)
        assert (reply.status, reply.instance_id) == (ReplyStatus.DUPLICATE, id_on(0))
        assert again.states == {}
        assert again.applied is None

    def test_the_first_outcome_stands_also_when_it_was_a_rejection(self) -> None:
        world = Partitions()
        command = c.StartInstance(process_id="ask", instance_id=id_on(0))
        world[0].take(command, command_id="c-1", reply=REPLY)
        world.send(c.DeployResources(resources=(c.Resource(name="a.bpmn", content=ASK),)))
        again = world[0].take(command, command_id="c-1", reply=REPLY)
        (reply,) = replies(again)
        assert (reply.status, reply.code) == (ReplyStatus.DUPLICATE, RejectionCode.NOT_FOUND)
        assert again.states == {}

    def test_a_repetition_that_nobody_waits_for_publishes_nothing(self) -> None:
        world = deployed(ASK)
        command = c.StartInstance(process_id="ask", instance_id=id_on(0))
        world[0].take(command, command_id="c-1")
        assert nothing_happened(world[0].take(command, command_id="c-1"))

    def test_commands_without_an_id_are_not_remembered(self) -> None:
        world = deployed(ASK)
        command = c.StartInstance(process_id="ask", instance_id=id_on(0))
        outcome = world[0].take(command, reply=REPLY)
        assert outcome.applied is None
        (reply,) = replies(outcome)
        assert reply.command_id == f"0-{world[0].offset}"


class TestAnswers:
    def test_a_rejection_is_published_and_answered(self) -> None:
        partition = Partitions()[0]
        child = f"{id_on(0)}~65537"
        command = c.TerminateInstance(instance_id=child)
        outcome = partition.take(command, command_id="c-1", reply=REPLY)
        assert outcome.rejection is not None
        rejected, answered = outcome.publications
        assert (rejected.topic, rejected.key, rejected.partition) == (
            Topic.REJECTIONS,
            id_on(0),
            0,
        )
        assert (answered.topic, answered.reply, answered.partition) == (Topic.REPLIES, REPLY, 2)
        assert rejected.record == answered.record
        assert isinstance(rejected.record, Reply)
        assert rejected.record.status is ReplyStatus.REJECTED
        assert rejected.record.instance_id == child

    def test_a_rejection_that_nobody_waits_for_is_published_all_the_same(self) -> None:
        outcome = Partitions()[0].take(c.TerminateInstance(instance_id=id_on(0)))
        assert [each.topic for each in outcome.publications] == [Topic.REJECTIONS]

    def test_a_rejected_message_is_found_under_the_key_of_its_command(self) -> None:
        key = key_on(1, "paid")
        command = c.PublishMessage(name="paid", correlation_key=key, variables="[]")
        outcome = Partitions()[1].take(command)
        assert outcome.publications[0].key == message_address("paid", key)

    @pytest.mark.parametrize(
        "command",
        [
            c.Continue(instance_id="i-1", steps=0),
            c.SettleMessage(
                name="paid",
                correlation_key="k",
                instance_id="i-1",
                subscription=1,
                message=1,
                accepted=True,
            ),
            c.ActivateVersion(
                partition=0, deployment=1, process_id="p", version=1, checksum="", semantics=1
            ),
        ],
    )
    def test_internal_commands_from_outside_are_refused(self, command: c.AnyCommand) -> None:
        outcome = Partitions()[0].take(command, reply=REPLY)
        (reply,) = replies(outcome)
        assert (reply.status, reply.code) == (ReplyStatus.REJECTED, RejectionCode.UNAUTHORIZED)
        assert type(command).__name__ in (reply.detail or "")
        assert outcome.states == {}
        assert outcome.versions == []

    @pytest.mark.parametrize(
        "command",
        [
            c.FireTimer(address="i-1", timer=1, due_ms=NOW),
            c.RaiseIncident(instance_id="i-1", kind="ENGINE_FAULT", message="forged"),
        ],
    )
    def test_a_command_of_the_owner_counts_only_where_it_is_trusted(
        self, command: c.AnyCommand
    ) -> None:
        refused = Partitions()[0].take(command, trusted=False)
        assert refused.rejection is not None
        assert refused.rejection.code is RejectionCode.UNAUTHORIZED
        assert refused.timers == []
        assert Partitions()[0].take(command).rejection is None

    def test_a_source_that_is_no_partition_makes_no_send(self) -> None:
        command = c.Continue(instance_id="i-1", steps=0)
        outcome = Partitions()[0].take(command, source_partition=4, number=number(1))
        assert outcome.rejection is not None
        assert outcome.rejection.code is RejectionCode.UNAUTHORIZED
        assert outcome.source is None

    def test_a_timer_is_fired_by_the_owner_and_has_no_number(self) -> None:
        key = key_on(1, "paid")
        partition = Partitions()[1]
        partition.take(c.PublishMessage(name="paid", correlation_key=key, ttl_ms=HOUR))
        partition.now += HOUR
        (due,) = partition.due()
        outcome = partition.take(due)
        assert outcome.states == {message_address("paid", key): None}
        assert outcome.publications == []
        assert partition.timers == {}

    @pytest.mark.parametrize("address", ["message:paid", "signal:x", "a:b:c:d", "partition", ""])
    def test_a_timer_of_nothing_is_refused(self, address: str) -> None:
        outcome = Partitions()[0].take(c.FireTimer(address=address, timer=1, due_ms=NOW))
        assert outcome.rejection is not None
        assert outcome.rejection.code is RejectionCode.INVALID_ARGUMENT

    def test_what_is_no_command_is_refused_with_what_was_found(self) -> None:
        outcome = Partitions()[0].take(
            InvalidCommand(detail="expected variables, found 3"), command_id="c-1", reply=REPLY
        )
        (reply,) = replies(outcome)
        assert (reply.code, reply.detail) == (
            RejectionCode.INVALID_ARGUMENT,
            "expected variables, found 3",
        )


class TestLocalSends:
    def test_they_are_applied_in_the_record_that_made_them(self) -> None:
        """On one partition a start, its subscription and the buffered message are one record."""
        world = deployed(ORDER, partitions=1)
        world[0].take(c.PublishMessage(name="paid", correlation_key="k", ttl_ms=HOUR))
        start_it = c.StartInstance(process_id="order", instance_id="i-1", variables='{"key":"k"}')
        outcome = world[0].take(start_it)
        assert sent(outcome) == []
        assert world.effects("InstanceCompleted")[0].instance_id == "i-1"

    def test_they_are_applied_first_in_first_out(self) -> None:
        """All instances are asked before any has settled, in the order in which they waited."""
        world = deployed(ORDER, ORDER.replace(b'"order"', b'"bill"'), partitions=1)
        for process_id in ("order", "bill", "order"):
            world[0].take(
                c.StartInstance(
                    process_id=process_id,
                    instance_id=f"{process_id}-{world[0].offset}",
                    variables='{"key":"k"}',
                )
            )
        for _ in range(2):
            world[0].take(c.PublishMessage(name="paid", correlation_key="k"))
        completed = [effect.process_id for effect in world.effects("InstanceCompleted")]
        assert completed == ["order", "bill", "order"]

    def test_later_commands_of_a_record_see_what_earlier_ones_changed(self) -> None:
        world = deployed(ORDER, partitions=1)
        world[0].take(
            c.StartInstance(process_id="order", instance_id="i-1", variables='{"key":"k"}')
        )
        outcome = world[0].take(c.PublishMessage(name="paid", correlation_key="k"))
        assert outcome.states[message_address("paid", "k")] is None
        assert len(outcome.states) == 2

    def test_they_may_be_made_to_travel_through_the_log_one_record_each(self) -> None:
        world = deployed(ORDER, partitions=1)
        world[0].sends_through_log = True
        world.send(c.StartInstance(process_id="order", instance_id="i-1", variables='{"key":"k"}'))
        outcome = world[0].take(c.PublishMessage(name="paid", correlation_key="k"))
        (send,) = sent(outcome)
        assert list(outcome.states) == [message_address("paid", "k")]
        assert (send.source_partition, world.effects("InstanceCompleted")) == (0, [])
        world.settle()
        assert len(world.effects("InstanceCompleted")) == 1

    def test_a_command_that_fails_leaves_nothing_of_its_local_sends(self) -> None:
        world = deployed(ORDER, partitions=1)
        world[0].take(
            c.StartInstance(process_id="order", instance_id="i-1", variables='{"key":"k"}')
        )
        world[0].contents = Contents()
        before = (dict(world[0].states), dict(world[0].timers), len(world[0].published))
        with pytest.raises(KeyError):
            world[0].take(c.PublishMessage(name="paid", correlation_key="k"))
        assert before == (world[0].states, world[0].timers, len(world[0].published))

    def test_a_record_that_would_never_end_is_a_bug_that_shows(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        world = deployed(ORDER, partitions=1)
        start_it = c.StartInstance(process_id="order", instance_id="i", variables='{"key":"k"}')
        monkeypatch.setattr(transaction, "LOCAL_COMMANDS_MAX", 2)
        world[0].take(start_it)  # two commands: the start, and the opened subscription
        with pytest.raises(InvariantError, match=r"more than 2 commands; next: .'Settle"):
            world[0].take(c.PublishMessage(name="paid", correlation_key="k"))


class TestTime:
    def test_now_never_goes_back(self) -> None:
        partition = Partitions()[0]
        command = c.TerminateInstance(instance_id=id_on(0))
        assert partition.take(command, timestamp_ms=NOW + 7).now == NOW + 7
        assert partition.take(command, timestamp_ms=NOW + 3).now == NOW + 7


class TestVersionsAheadOfTheirActivation:
    def start_it(self, partition: Partition, version: int, checksum: str) -> RecordOutcome:
        return partition.take(
            c.StartByTimer(
                instance_id=id_on(partition.number),
                process_id="ask",
                version=version,
                start_element="begin",
                checksum=checksum,
                semantics=1,
            ),
            source_partition=3,
            number=number(9),
        )

    def test_a_start_from_elsewhere_runs_before_its_version_is_activated_here(self) -> None:
        world = deployed(ASK)
        late = Partitions()[0]
        late.contents = world[0].contents
        (checksum,) = late.contents.resources
        outcome = self.start_it(late, 1, checksum)
        state = late.states[id_on(0)]
        assert isinstance(state, ProcessInstance)
        assert state.start.version == 1
        assert outcome.versions == [
            ProcessVersions(
                id="ask",
                early=(VersionRef(version=1, checksum=checksum, semantics=1),),
            )
        ]

    def test_it_is_not_the_latest_until_then(self) -> None:
        world = deployed(ASK)
        late = Partitions()[0]
        late.contents = world[0].contents
        self.start_it(late, 1, next(iter(late.contents.resources)))
        assert late.definitions.find("ask") is None
        outcome = late.take(c.StartInstance(process_id="ask", instance_id=id_on(0, prefix="j")))
        assert outcome.rejection is not None
        assert outcome.rejection.code is RejectionCode.NOT_FOUND

    def test_a_version_that_is_known_is_not_met_again(self) -> None:
        world = deployed(ASK)
        known = world[0].definitions
        outcome = self.start_it(world[0], 1, "another")
        assert outcome.versions == []
        assert world[0].definitions is known


def test_the_definitions_of_the_log_decide_which_version_starts() -> None:
    """Nothing of a start is read but the partition's own table."""
    world = deployed(ASK)
    world[0].definitions = Definitions()
    outcome = world[0].take(c.StartInstance(process_id="ask", instance_id=id_on(0)))
    assert outcome.rejection is not None
    assert outcome.rejection.code is RejectionCode.NOT_FOUND


def test_a_version_goes_into_the_partitions_table_which_has_no_other_state() -> None:
    partition = Partitions()[2]
    command = c.ActivateVersion(
        partition=2, deployment=5, process_id="p", version=1, checksum="c", semantics=1
    )
    outcome = partition.take(command, source_partition=0, number=number(1))
    assert outcome.states == {}
    found = partition.definitions.find("p")
    assert found is not None
    assert (found.version, found.checksum, found.semantics) == (1, "c", 1)
    (answer,) = sent(outcome)
    assert answer.command == c.VersionActivated(
        deployment=5, process_id="p", version=1, partition=2
    )
