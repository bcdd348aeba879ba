"""From what the engine publishes to records of Kafka, and back."""

import json

import pytest

from engine import commands as c
from engine.records import (
    DeadLetter,
    Job,
    Publication,
    PublishedRecord,
    Reply,
    ReplyAddress,
    ReplyStatus,
    SendNumber,
    SentCommand,
    Topic,
)
from schemas.codec import Codec
from schemas.frames import Frame, FrameError
from schemas.publication_writer import OutboxRecord
from tests.schemas.records import Found
from tests.schemas.samples import COMMANDS, EFFECT, ORDER, PUBLISHED, name_of

CODEC = Codec("shop")
JOB = next(record for record in PUBLISHED if isinstance(record, Job))


def publish(topic: Topic, record: PublishedRecord, **fields: object) -> OutboxRecord:
    """Publish as the third record that the command at partition 3, offset 4711 caused."""
    known = {"topic": topic, "key": ORDER, "record": record, "index": 2, **fields}
    return CODEC.encode_publication(Publication(**known), 3, 4_711)  # type: ignore[arg-type] # by name


def header(record: OutboxRecord, name: str) -> bytes | None:
    return dict(record.headers).get(name)


def test_effect_is_a_cloud_event_on_its_partition() -> None:
    record = publish(Topic.EFFECTS, EFFECT, partition=3, traceparent="00-a-b-01")
    assert (record.topic, record.key, record.partition) == ("shop.effects", ORDER.encode(), 3)
    assert record.headers == (
        ("ce_specversion", b"1.0"),
        ("ce_id", b"3-4711-2"),
        ("ce_source", b"/torpor/shop"),
        ("ce_type", b"torpor.effect.JobCreated"),
        ("content-type", b"application/avro"),
        ("ce_subject", ORDER.encode()),
        ("traceparent", b"00-a-b-01"),
    )


def test_same_publication_becomes_the_same_bytes() -> None:
    assert publish(Topic.EFFECTS, EFFECT) == publish(Topic.EFFECTS, EFFECT)


@pytest.mark.parametrize("record", PUBLISHED, ids=name_of)
@pytest.mark.parametrize("frame", [Frame.SINGLE_OBJECT, Frame.JSON])
def test_published_record_is_read_back(record: PublishedRecord, frame: Frame) -> None:
    codec = Codec("shop", frame)
    publication = Publication(topic=Topic.EFFECTS, key="k", record=record, index=0)
    value = codec.encode_publication(publication, 0, 0).value
    assert value is not None
    assert Codec("shop").decode_published(value, type(record)) == record  # type: ignore[type-var] # PUBLISHED


def test_event_type_says_what_it_is() -> None:
    found = [header(publish(Topic.EFFECTS, record), "ce_type") for record in PUBLISHED]
    assert found == [
        b"torpor.effect.JobCreated",
        b"torpor.job.charge-card",
        b"torpor.task.created",
        b"torpor.reply.REJECTED",
        b"torpor.history.StartInstance",
    ]


def test_job_goes_to_the_topic_of_its_type() -> None:
    record = publish(Topic.JOBS, JOB, suffix="io.camunda:email:1")
    assert record.topic == "shop.jobs.io.camunda--3aemail--3a1"
    assert record.partition is None
    assert header(record, "job-type") is None


def test_job_of_a_type_known_only_at_run_time_names_it_in_a_header() -> None:
    record = publish(Topic.JOBS, JOB)
    assert record.topic == "shop.jobs"
    assert header(record, "job-type") == b"charge-card"


def test_job_type_that_fits_no_topic_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 to 200 characters"):
        publish(Topic.JOBS, JOB, suffix="t" * 201)


def test_task_that_is_over_becomes_a_tombstone() -> None:
    record = publish(Topic.TASKS, None, key="i:7")
    assert (record.topic, record.key, record.value) == ("shop.tasks", b"i:7", None)


REPLY = Reply(command_id="c1", status=ReplyStatus.ACCEPTED)


def test_reply_goes_where_it_was_asked_for() -> None:
    address = ReplyAddress(topic="shop.replies.desk", partition=5, correlation_id=b"\xff")
    record = publish(Topic.REPLIES, REPLY, partition=5, reply=address)
    assert (record.topic, record.partition) == ("shop.replies.desk", 5)
    assert header(record, "correlation-id") == b"\xff"
    assert header(record, "ce_subject") is None


def test_rejection_carries_no_correlation_of_the_reply() -> None:
    address = ReplyAddress(topic="shop.replies", correlation_id=b"1")
    record = publish(Topic.REJECTIONS, REPLY, partition=3, reply=address)
    assert record.topic == "shop.rejections"
    assert header(record, "correlation-id") is None


@pytest.mark.parametrize("frame", [Frame.SINGLE_OBJECT, Frame.JSON])
@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_sent_command_is_read_as_the_engines_own(command: c.AnyCommand, frame: Frame) -> None:
    sent = SentCommand(
        command=command,
        command_id="c1",
        source_partition=3,
        number=SendNumber(generation=1, offset=4_711, index=2),
        actor="ada",
        reply=ReplyAddress(topic="shop.replies", partition=1, correlation_id=b"7"),
        forwarded=True,
        traceparent="00-a-b-01",
    )
    publication = Publication(
        topic=Topic.COMMANDS, key=ORDER, record=sent, index=2, traceparent=sent.traceparent
    )
    record = Codec("shop", frame).encode_publication(publication, 3, 4_711)
    assert header(record, "ce_id") == b"c1"
    assert header(record, "ce_type") == f"torpor.command.{name_of(command)}".encode()
    stimulus = CODEC.decode_command(Found(value=record.value, headers=record.headers))
    assert stimulus.command == command
    assert (stimulus.command_id, stimulus.actor) == ("c1", "ada")
    assert (stimulus.source_partition, stimulus.number) == (3, sent.number)
    assert stimulus.forwarded
    assert stimulus.reply == sent.reply
    assert stimulus.traceparent == sent.traceparent


def test_dead_letter_is_the_bytes_as_found_with_the_reason() -> None:
    letter = DeadLetter(
        value=b"\x01junk",
        key=b"k",
        reason="no frame",
        topic="shop.commands",
        partition=2,
        offset=9,
        headers=(("ce_type", b"x"), ("reason", b"forged")),
    )
    record = publish(Topic.DEAD_LETTERS, letter, key="k")
    assert (record.topic, record.value) == ("shop.dead-letters", b"\x01junk")
    assert record.headers == (
        ("ce_type", b"x"),
        ("reason", b"no frame"),
        ("topic", b"shop.commands"),
        ("partition", b"2"),
        ("offset", b"9"),
    )


def test_json_frame_has_the_fields_of_the_wire() -> None:
    codec = Codec("shop", Frame.JSON)
    publication = Publication(topic=Topic.EFFECTS, key="k", record=EFFECT, index=0)
    record = codec.encode_publication(publication, 0, 0)
    assert record.value is not None
    members = json.loads(record.value)
    assert list(members) == list(type(EFFECT).__struct_fields__)
    assert members["job"] == {"job_id": f"{ORDER}:65542", "attempt": 1, "type": "charge-card"}
    assert header(record, "content-type") == b"application/json"


@pytest.mark.parametrize("value", [b"{}", b"{", b"", b"\xc3\x01", b'{"id":1}'])
def test_bytes_that_are_no_effect_are_refused(value: bytes) -> None:
    with pytest.raises(FrameError):
        CODEC.decode_published(value, type(EFFECT))


def test_record_of_another_kind_is_refused() -> None:
    value = publish(Topic.REPLIES, REPLY).value
    assert value is not None
    with pytest.raises(FrameError, match="a Reply, not a Effect"):
        CODEC.decode_published(value, type(EFFECT))
