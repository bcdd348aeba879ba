from consumers.log import LogRecord
from consumers.wire import kind_of, outgoing, unnumbered_command
from engine import commands as c
from engine.records import Topic
from schemas.codec import Codec
from schemas.publication_writer import OutboxRecord
from schemas.seals import Seals

SEALS = Seals("shop.commands")


def test_a_command_of_the_owner_is_read_back_as_it_was_and_has_no_number() -> None:
    command = c.FireTimer(address="message:paid:47%3A11", timer=7, due_ms=123)

    sent = unnumbered_command(SEALS, 3, command)

    record = LogRecord(
        partition=3, offset=9, timestamp_ms=1, key=sent.key, value=sent.value, headers=sent.headers
    )
    stimulus = Codec("shop").decode_command(record)
    assert (stimulus.command, stimulus.number) == (command, None)
    assert (sent.topic, sent.partition, sent.key) == (
        "shop.commands",
        3,
        b"message:paid:47%3A11",
    )


def test_an_incident_for_a_called_instance_travels_under_its_root() -> None:
    command = c.RaiseIncident(instance_id="i-1~7", kind="EFFECT_UNDELIVERABLE", message="no")

    assert unnumbered_command(SEALS, 0, command).key == b"i-1"


def test_what_is_published_is_the_entry_byte_for_byte() -> None:
    entry = OutboxRecord(
        topic="shop.effects", key=b"k", partition=2, headers=(("a", b"b"),), value=b"v"
    )

    record = outgoing(entry, SEALS)

    assert (record.topic, record.key, record.partition) == ("shop.effects", b"k", 2)
    assert (record.headers, record.value) == ((("a", b"b"),), b"v")


def test_the_kind_of_a_topic_is_told_by_its_name() -> None:
    assert kind_of("shop", "shop.commands") is Topic.COMMANDS
    assert kind_of("shop", "shop.jobs.commands") is Topic.JOBS
    assert kind_of("shop", "shop.replies.me") is Topic.REPLIES
    assert kind_of("shop", "elsewhere") is Topic.REPLIES
