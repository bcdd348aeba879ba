"""Between the store's outbox and the log's records, and the few commands that are in no outbox."""

import msgspec

from consumers.log import OutgoingRecord
from engine import commands as c
from engine.records import Topic
from engine.routing import address_of, kafka_key
from schemas.publication_writer import OutboxRecord
from schemas.seals import Seals


def outgoing(record: OutboxRecord, seals: Seals) -> OutgoingRecord:
    """An entry of the outbox as it is published."""
    headers = record.headers
    if record.topic == seals.topic:
        assert record.partition is not None, "a send names its partition"
        headers += seals.header(record.partition, record.key, record.value, headers)
    return OutgoingRecord(
        topic=record.topic,
        key=record.key,
        value=record.value,
        partition=record.partition,
        headers=headers,
    )


def unnumbered_command(
    seals: Seals, partition: int, command: c.FireTimer | c.RaiseIncident
) -> OutgoingRecord:
    """A command of the owner to its own partition that no command caused.

    It has no number (no position of the log stands behind it), so taking it twice must be
    harmless. JSON, which needs no schema in any frame.
    """
    body = {"type": type(command).__name__, **msgspec.to_builtins(command)}
    key, value = kafka_key(address_of(command)).encode(), msgspec.json.encode(body)
    return OutgoingRecord(
        topic=seals.topic,
        key=key,
        value=value,
        partition=partition,
        headers=seals.header(partition, key, value, ()),
    )


def kind_of(namespace: str, topic: str) -> Topic:
    """What kind of topic a name is; one that is none of ours was asked for as a reply's."""
    name = topic.removeprefix(f"{namespace}.").partition(".")[0]
    try:
        return Topic(name)
    except ValueError:
        return Topic.REPLIES
