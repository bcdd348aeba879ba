"""`torpor history`: the path of one instance, from its topic, each transition once."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Any

import click
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from consumers.cli import options
from consumers.cli.client import Where, connected
from consumers.cli.output import ExitCode, busy, fail, instant, json_text, print_json, print_table
from engine.events import ConditionEvaluated, TaskChanged, VariablesSet
from engine.records import Topic, Transition
from schemas.codec import Codec
from schemas.frames import FrameError
from schemas.topics import topic_name
from torpor_client import Client, KafkaUnavailableError, NamespaceNotFoundError, routing
from torpor_client.connection import partition_counts

COLUMNS = ("TIME", "COMMAND", "EVENT", "ELEMENT", "WHAT")
DETAIL_MAX = 300

Row = tuple[str, str, str, str, str]


@click.command()
@click.argument("instance_id", metavar="ID")
@options.stacked(options.kafka, options.namespace, options.timeout, options.as_json)
def history(
    *, instance_id: str, kafka: str, namespace: str, timeout_s: float, as_json: bool
) -> None:
    """Show the path of an instance: every command that changed it, and the events that it led to.

    For as long as history is kept (90 days, unless somebody has changed that). With --json one
    transition a line, with all fields of its events.
    """
    where = Where(kafka=kafka, namespace=namespace, timeout_s=timeout_s)
    with busy(f"reading the history of {instance_id}"):
        found = asyncio.run(_read(where, instance_id))
    if not found:
        fail(
            ExitCode.REFUSED,
            f"there is no history of an instance {instance_id}: it never was, or is not kept any"
            " more",
        )
    if as_json:
        for transition in found:
            print_json(transition)
        return
    print_table(COLUMNS, list(rows(found)), folded=("WHAT",))


async def _read(where: Where, instance_id: str) -> list[Transition]:
    codec = Codec(where.namespace)
    topic = topic_name(where.namespace, Topic.HISTORY)
    root = routing.root_of(instance_id)
    found: list[Transition] = []
    last = (-1, -1)
    async with connected(where) as client:
        async for record in _records(client, topic, root):
            if record.key != root.encode():
                continue
            try:
                transition = codec.decode_published(record.value or b"", Transition)
            except FrameError as error:
                place = f"{topic}, partition {record.partition}, offset {record.offset}"
                fail(ExitCode.REFUSED, f"{place}: {error} Is this version older than the engines?")
            position = (transition.offset, transition.index)
            if position > last:
                last = position
                if transition.instance_id == instance_id:
                    found.append(transition)
    return found


async def _records(client: Client, topic: str, root: str) -> AsyncGenerator[Any]:
    """All records of the partition that has the root's. Raises KafkaUnavailableError."""
    consumer = client.channel.connection.consumer(auto_offset_reset="earliest")
    try:
        await consumer.start()
        counts = await partition_counts(consumer.client, [topic])
        if topic not in counts:
            raise NamespaceNotFoundError(client.namespace, topic)
        owner = TopicPartition(topic, routing.partition_of(root, counts[topic]))
        consumer.assign([owner])
        await consumer.seek_to_beginning(owner)
        end = (await consumer.end_offsets([owner]))[owner]
        while await consumer.position(owner) < end:
            for record in (await consumer.getmany(owner, timeout_ms=500)).get(owner, ()):
                yield record
    except KafkaError as error:
        raise KafkaUnavailableError(f"history cannot be read: {error!r}") from error
    finally:
        await consumer.stop()


# --- for people ---


def rows(transitions: Iterable[Transition]) -> Iterator[Row]:
    """One line an event; time and command stand at the first of each transition."""
    elements: dict[int, str] = {}
    for transition in transitions:
        by = f" by {transition.actor}" if transition.actor else ""
        head = (instant(transition.time), f"{transition.command_type}{by}")
        if transition.part > 1:
            head = ("", "")  # it goes on
        for event in transition.events:
            yield *head, type(event).__name__, _element(event, elements), _detail(event)
            head = ("", "")


def _element(event: Any, elements: dict[int, str]) -> str:
    """The element that an event is about, by the ids and the owners of those before."""
    key, owner = getattr(event, "key", None), getattr(event, "owner", None)
    if isinstance(event, VariablesSet):
        return elements.get(event.scope, "")
    own = getattr(event, "element_id", None)
    found: str = own or elements.get(owner or key or 0, "") or elements.get(key or 0, "")
    if key is not None and found:
        elements[key] = found
    return found


_SAID = (
    *("state", "flow_id", "name", "correlation_key", "type", "kind", "message", "reason"),
    *("error_code", "child_id", "child_state", "decision_id", "element_ids"),
)
"""The fields that say most, in the order in which they are read best."""

_INSTANTS = {"due_ms": "due", "retry_at": "again"}


def _detail(event: Any) -> str:
    if isinstance(event, VariablesSet):
        said = [f"{name}={text}" for name, text in event.variables.items()]
    elif isinstance(event, ConditionEvaluated):
        said = [event.flow_id, f"{event.expression} is {json_text(event.result)}"]
    else:
        said = [_text(found) for name in _SAID if (found := getattr(event, name, None))]
        said += _assigned(event)
        said += [
            f"{word} {instant(found)}"
            for name, word in _INSTANTS.items()
            if (found := getattr(event, name, None))
        ]
    text = ", ".join(said)
    return text if len(text) <= DETAIL_MAX else f"{text[: DETAIL_MAX - 1]}…"


def _assigned(event: Any) -> list[str]:
    """To whom a task is, or is to be, assigned."""
    if not isinstance(event, TaskChanged) or event.details is None:
        return []
    assignee = event.details.assignee
    if event.state in {"assigning", "assigned"}:
        return [f"to {assignee or 'nobody'}"]
    return [f"to {assignee}"] if assignee and event.state == "created" else []


def _text(value: Any) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)
