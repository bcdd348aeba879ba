"""What stands in for a command that cannot be applied: nobody waits for it for ever."""

import pytest
from msgspec.structs import replace

from consumers.errors import EngineFaultError
from consumers.faults import ENGINE_FAULT, failed_command, refused_record, stand_ins
from consumers.log import LogRecord
from engine import commands as c
from engine.outcome import TimerChange
from engine.partition import InvalidCommand, PartitionInfo, Stimulus
from engine.records import (
    DeadLetter,
    Publication,
    Reply,
    ReplyAddress,
    ReplyStatus,
    SendNumber,
    SentCommand,
    Topic,
)
from engine.settings import Settings
from schemas.codec import Codec
from schemas.errors import UndecodableRecordError

INFO = PartitionInfo(
    namespace="shop", partition=1, partitions=4, generation=3, now=500, settings=Settings()
)
RECORD = LogRecord(
    partition=1, offset=9, timestamp_ms=700, key=b"\xff", value=b"value", headers=(("a", b"b"),)
)
REPLY = ReplyAddress(topic="shop.replies", partition=2, correlation_id=b"me")
FAULT = EngineFaultError("KeyError: 'element'")


def stimulus(command: c.AnyCommand | InvalidCommand, **fields: object) -> Stimulus:
    return Stimulus(offset=9, timestamp_ms=700, command=command, **fields)  # type: ignore[arg-type]  # any field


def published(publications: list[Publication], topic: Topic) -> list[Publication]:
    return [each for each in publications if each.topic is topic]


def test_a_failed_command_is_dead_lettered_as_it_was_found_with_its_traceback() -> None:
    outcome = failed_command(RECORD, stimulus(c.CompleteTask(task_id="i-1:3")), INFO, FAULT)

    (publication,) = published(outcome.publications, Topic.DEAD_LETTERS)
    letter = publication.record
    assert isinstance(letter, DeadLetter)
    assert (letter.key, letter.value, letter.headers) == (b"\xff", b"value", (("a", b"b"),))
    assert (letter.topic, letter.partition, letter.offset) == ("shop.commands", 1, 9)
    assert "EngineFaultError: KeyError: 'element'" in letter.reason
    assert outcome.now == 700


def test_its_instance_gets_an_incident_through_the_log() -> None:
    outcome = failed_command(RECORD, stimulus(c.CompleteTask(task_id="i-1:3")), INFO, FAULT)

    (publication,) = published(outcome.publications, Topic.COMMANDS)
    sent = publication.record
    assert isinstance(sent, SentCommand)
    assert sent.command == c.RaiseIncident(
        instance_id="i-1", kind=ENGINE_FAULT, message="KeyError: 'element'"
    )
    assert sent.number == SendNumber(generation=3, offset=9, index=publication.index)
    assert sent.source_partition == 1


def test_whoever_asked_is_told_and_the_id_is_not_remembered() -> None:
    command = stimulus(c.CompleteTask(task_id="i-1:3"), command_id="c-1", reply=REPLY)

    outcome = failed_command(RECORD, command, INFO, FAULT)

    (publication,) = published(outcome.publications, Topic.REPLIES)
    assert isinstance(publication.record, Reply)
    assert (publication.record.command_id, publication.record.status) == (
        "c-1",
        ReplyStatus.REJECTED,
    )
    assert publication.reply == REPLY
    assert outcome.applied is None


def test_a_send_that_failed_counts_as_taken() -> None:
    number = SendNumber(generation=1, offset=4, index=2)

    outcome = failed_command(
        RECORD,
        stimulus(c.Continue(instance_id="i-1", steps=3), number=number, source_partition=2),
        INFO,
        FAULT,
    )

    assert outcome.source == (2, number)


def test_a_timer_whose_firing_fails_leaves_the_index() -> None:
    command = c.FireTimer(address="i-1", timer=4, due_ms=600)

    outcome = failed_command(RECORD, stimulus(command), INFO, FAULT)

    assert outcome.timers == [TimerChange(address="i-1", timer=4, due_ms=None)]


def test_every_publication_has_a_number_of_its_own() -> None:
    message = c.DeliverMessage(
        instance_id="i-1",
        subscription=5,
        message=6,
        name="paid",
        correlation_key="k",
        variables="{}",
    )

    outcome = failed_command(RECORD, stimulus(message, reply=REPLY), INFO, FAULT)

    assert [each.index for each in outcome.publications] == [0, 1, 2, 3]


def test_an_offered_message_is_refused_so_that_it_goes_to_the_next() -> None:
    message = c.DeliverMessage(
        instance_id="i-1",
        subscription=5,
        message=6,
        name="paid",
        correlation_key="k",
        variables="{}",
    )

    settled, incident = stand_ins(message, "why")

    assert isinstance(settled, c.SettleMessage)
    assert (settled.subscription, settled.message, settled.accepted) == (5, 6, False)
    assert isinstance(incident, c.RaiseIncident)


def test_a_start_by_message_that_fails_frees_the_message() -> None:
    start = c.StartByMessage(
        instance_id="i-1",
        process_id="p",
        version=1,
        start_element="s",
        name="paid",
        correlation_key="k",
        message=6,
        variables="{}",
    )

    (settled,) = stand_ins(start, "why")

    assert isinstance(settled, c.MessageStartSettled)
    assert not settled.accepted


def test_a_start_that_fails_leaves_its_conversation() -> None:
    ended = c.EndConversation(process_id="p", key="k", instance_id="i-1")
    start = c.StartBySignal(
        instance_id="i-1", process_id="p", version=1, start_element="s", variables="{}"
    )
    message = c.StartByMessage(
        instance_id="i-1",
        process_id="p",
        version=1,
        start_element="s",
        name="paid",
        correlation_key="k",
        message=6,
        variables="{}",
        conversation="k",
    )

    assert stand_ins(start, "why") == ()
    assert stand_ins(replace(start, conversation="k"), "why") == (ended,)
    assert stand_ins(message, "why")[0] == ended


def test_a_child_that_cannot_be_started_is_an_incident_of_its_parent() -> None:
    start = c.StartChild(
        instance_id="i-1~4", process_id="p", version=1, parent_id="i-1", parent_element=4, depth=1
    )

    (incident,) = stand_ins(start, "why")

    assert isinstance(incident, c.RaiseIncident)
    assert incident.instance_id == "i-1"


@pytest.mark.parametrize(
    "command",
    [
        c.StartInstance(process_id="p", instance_id="i-1"),
        c.RaiseIncident(instance_id="i-1", kind="K", message="m"),
        c.PublishMessage(name="paid"),
        c.CompleteTask(task_id="no handle"),
    ],
)
def test_nothing_stands_in_where_nobody_waits_or_an_incident_failed(
    command: c.AnyCommand,
) -> None:
    assert stand_ins(command, "why") == ()


def test_a_record_that_is_no_command_is_dead_lettered_and_its_sender_told() -> None:
    record = LogRecord(
        partition=1,
        offset=9,
        timestamp_ms=400,
        key=b"k",
        value=b"\x07",
        headers=(("reply-to", b"shop.replies"), ("ce_id", b"c-1")),
    )
    with pytest.raises(UndecodableRecordError) as caught:
        Codec("shop").decode_command(record)

    outcome = refused_record(record, caught.value, INFO)

    letter, reply = outcome.publications
    assert isinstance(letter.record, DeadLetter)
    assert isinstance(reply.record, Reply)
    assert (reply.record.command_id, reply.record.status) == ("c-1", ReplyStatus.REJECTED)
    assert outcome.now == 500


def test_what_an_exception_quotes_can_always_be_published() -> None:
    command = stimulus(c.CompleteTask(task_id="i-1:3"), command_id="c-1", reply=REPLY)

    outcome = failed_command(RECORD, command, INFO, EngineFaultError("half a pair: \ud83d"))

    for publication in outcome.publications:
        Codec("shop").encode_publication(publication, 1, 9)
