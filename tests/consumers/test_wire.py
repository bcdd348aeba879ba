"""Records that an owner writes: numbered, sealed, byte for byte."""

from msgspec.structs import replace

from consumers.log import LogRecord
from consumers.wire import kind_of, outgoing, unnumbered_command
from engine import commands as c
from engine.records import Topic
from schemas.codec import Codec
from schemas.publication_writer import OutboxRecord
from schemas.seals import Seals
from tests.support.sealing import sealed

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


SEALING = Codec("shop", epochs=sealed(4))


def test_what_an_owner_publishes_by_itself_is_sealed() -> None:
    command = c.FireTimer(address="i-1", timer=7, due_ms=123)

    sent = unnumbered_command(SEALING.seals, 3, command)

    record = LogRecord(
        partition=3, offset=9, timestamp_ms=1, key=sent.key, value=sent.value, headers=sent.headers
    )
    assert SEALING.decode_command(record).trusted
    assert not SEALING.decode_command(replace(record, headers=())).trusted


def test_a_send_is_sealed_when_it_is_published_and_nothing_else_is() -> None:
    """So what waits in an outbox since before there was a secret, or under another, is sealed."""
    headers = (("torpor-source", b"1"), ("torpor-number", b"1:2:3"))
    entry = OutboxRecord(topic="shop.commands", key=b"k", partition=2, headers=headers, value=b"{}")

    sent = outgoing(entry, SEALING.seals)

    assert [name for name, _ in sent.headers] == ["torpor-source", "torpor-number", "torpor-seal"]
    record = LogRecord(
        partition=2, offset=9, timestamp_ms=1, key=b"k", value=b"{}", headers=sent.headers
    )
    assert SEALING.seals.is_trusted(record)
    effect = replace(entry, topic="shop.effects")
    assert outgoing(effect, SEALING.seals).headers == headers


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
