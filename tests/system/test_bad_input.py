"""Whatever comes in, it gets the answer that the wire names, and the next record is processed.

One engine for all of them. Each case puts something bad on a partition and something good behind
it, at once, so that both lie in one batch mostly.
"""

import gzip
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from consumers.dev.kafka_server import Kafka
from engine import commands as c
from engine import records as r
from engine.rejections import RejectionCode
from schemas.frames import AvroFrames, Frame
from schemas.publication_writer import OutboxRecord
from tests.support.models import (
    bpmn,
    catch,
    chain,
    end,
    exclusive,
    flow,
    message_event,
    process,
    service_task,
    start,
    tag,
    user_task,
)
from tests.support.servers import redis_starter
from tests.support.system import System
from tests.support.waiting import until
from tests.support.wire import Found, Headers, Sent

pytestmark = pytest.mark.asyncio(loop_scope="module")

PARTITION = 1
CODES = RejectionCode

GOOD = bpmn(
    process("good", start("begin"), user_task("wait"), end("done"), chain("begin", "wait", "done")),
    process("work", start("go"), service_task("job"), end("gone"), chain("go", "job", "gone")),
)


class Door:
    """The system as its ill-mannered client sees it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.wire = system.wire
        self.letters: list[Found] = []
        self.rejections: list[Found] = []
        self._good = 0

    async def put(self, value: bytes | None, *, key: bytes = b"k", headers: Headers = ()) -> Sent:
        """The bytes as they are, on one partition, with a good record behind them."""
        sent = await self.wire.send_raw(value, partition=PARTITION, key=key, headers=headers)
        await self.next_is_processed(PARTITION)
        return sent

    async def ask(self, body: dict[str, Any]) -> r.Reply:
        """A command by its JSON, a good record behind it, and the answer."""
        fields = {name: value for name, value in body.items() if name != "type"}
        sent = await self.wire.send(body["type"], **fields)
        await self.next_is_processed(sent.partition)
        return await self.wire.reply_to(sent.command_id)

    async def deploy(self, content: bytes) -> tuple[r.Reply, list[dict[str, Any]]]:
        """The answer to a deployment, and the findings in it."""
        reply = await self.ask(self.system.deployment(content))
        found: dict[str, Any] = msgspec.json.decode(reply.result or "{}")
        findings: list[dict[str, Any]] = found.get("findings", [])
        return reply, findings

    async def next_is_processed(self, partition: int) -> None:
        self._good += 1
        instance_id = self.system.id_on(partition, f"good-{self._good}")
        reply = await self.wire.ask(
            "StartInstance", process_id="good", instance_id=instance_id, seconds=20
        )
        assert reply.status == r.ReplyStatus.ACCEPTED

    async def letter(self, sent: Sent) -> Found:
        """The dead letter of a record."""
        place = (self.wire.topic("commands"), f"{sent.partition}", f"{sent.offset}")

        def found() -> list[Found]:
            names = ("topic", "partition", "offset")
            return [one for one in self.letters if tuple(map(one.header, names)) == place]

        await until(f"a dead letter of {place}", found)
        (letter,) = found()
        return letter


@asynccontextmanager
async def opened(bootstrap: str, namespace: str, folder: Path) -> AsyncIterator[Door]:
    async with redis_starter() as start_redis:
        redis = await start_redis()
        async with System(bootstrap, redis.url, namespace, folder) as system:
            door = Door(system)
            async with (
                system.wire.following("dead-letters", door.letters.append),
                system.wire.following("rejections", door.rejections.append),
            ):
                engine = await system.engine()
                await system.deploy(GOOD)
                yield door
                assert await engine.total("torpor_engine_faults_total") == 0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def door(kafka: Kafka, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Door]:
    folder = tmp_path_factory.mktemp("bad-input")
    async with opened(kafka.bootstrap, f"t-{secrets.token_hex(6)}", folder) as found:
        yield found


# --- records that nobody can take ---


def avro() -> bytes:
    command = c.StartInstance(process_id="good", instance_id="x", variables='{"a":1}')
    return AvroFrames(Frame.SINGLE_OBJECT).write_command(command, None, None)


def effect(door: Door) -> bytes:
    (deployed,) = door.system.found("ResourcesDeployed")[:1]
    publication = r.Publication(topic=r.Topic.EFFECTS, key="x", record=deployed, index=0)
    encoded: OutboxRecord = door.wire.codec.encode_publication(publication, 0, 0)
    assert encoded.value is not None
    return encoded.value


UNDECODABLE: dict[str, bytes] = {
    "no frame": b"\xff\xfe\x00garbage",
    "nothing": b"",
    "half a frame": b"\xc3\x01\x00\x01",
    "an unknown schema": b"\xc3\x01" + bytes(range(8)) + b"rest",
    "an unknown id of a registry": b"\x00\x00\x00\x00\x07rest",
    "broken JSON": b'{"type":"StartInst',
    "JSON that names no command": b'{"hello":"world"}',
    "JSON that names an unknown command": b'{"type":"StopTheWorld","command_id":"c-stop"}',
    "JSON nested too deep": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("case", UNDECODABLE)
async def test_an_undecodable_record_becomes_a_dead_letter(door: Door, case: str) -> None:
    sent = await door.put(UNDECODABLE[case])
    letter = await door.letter(sent)
    assert letter.value == UNDECODABLE[case]
    assert letter.key == b"k"
    assert letter.header("reason")
    reply = await door.wire.reply_to(sent.command_id)
    assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, CODES.INVALID_ARGUMENT)


async def test_a_record_with_no_value_becomes_a_dead_letter(door: Door) -> None:
    letter = await door.letter(await door.put(None))
    assert letter.value is None


async def test_a_truncated_record_becomes_a_dead_letter(door: Door) -> None:
    letter = await door.letter(await door.put(avro()[:-3]))
    assert letter.value == avro()[:-3]
    assert "StartInstance" in (letter.header("reason") or "")


async def test_a_record_that_is_no_command_becomes_a_dead_letter(door: Door) -> None:
    letter = await door.letter(await door.put(effect(door)))
    assert "Effect" in (letter.header("reason") or "")


# --- records that name a command and are none ---

INVALID: dict[str, dict[str, Any]] = {
    "a field is missing": {"instance_id": "x"},
    "a field is misspelt": {"process_id": "good", "instance": "x"},
    "a field has another type": {"process_id": 7},
    "variables are a list": {"process_id": "good", "variables": [1]},
    "variables are a text": {"process_id": "good", "variables": "no object"},
    "variables are a number as text": {"process_id": "good", "variables": "1"},
    "variables hold NaN": {"process_id": "good", "variables": '{"a": NaN}'},
    "a command id that is too long": {"process_id": "good", "command_id": "i" * 101},
    "an instance id with a colon": {"process_id": "good", "instance_id": "a:b"},
    "an instance id that is reserved": {"process_id": "good", "instance_id": "deployments"},
    "an instance id of a called one": {"process_id": "good", "instance_id": "a~1"},
}


@pytest.mark.parametrize("case", INVALID)
async def test_an_invalid_command_is_rejected_and_answered(door: Door, case: str) -> None:
    body = {"type": "StartInstance", **INVALID[case]}
    sent = await door.put(msgspec.json.encode(body))
    reply = await door.wire.reply_to(sent.command_id)
    assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, CODES.INVALID_ARGUMENT)
    assert reply.detail
    await until(
        "it is among the rejections",
        lambda: any(
            door.wire.decode(found, r.Reply).command_id == sent.command_id
            for found in door.rejections
        ),
    )


async def test_headers_that_contradict_the_body_are_a_rejection(door: Door) -> None:
    body = msgspec.json.encode({"type": "StartInstance", "process_id": "good"})
    sent = await door.put(body, headers=[("ce_type", b"torpor.command.CompleteJob")])
    reply = await door.wire.reply_to(sent.command_id)
    assert reply.code == CODES.INVALID_ARGUMENT


async def test_an_internal_command_from_outside_is_refused(door: Door) -> None:
    body = {"type": "Continue", "instance_id": "x", "steps": 1}
    sent = await door.put(msgspec.json.encode(body))
    reply = await door.wire.reply_to(sent.command_id)
    assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, CODES.UNAUTHORIZED)


async def test_a_command_on_the_wrong_partition_without_a_key_works(door: Door) -> None:
    wrong = (PARTITION + 1) % door.system.partitions
    body = {"type": "StartInstance", "process_id": "good", "command_id": "astray"}
    instance_id = door.system.id_on(PARTITION, "astray")
    value = msgspec.json.encode({**body, "instance_id": instance_id})
    await door.wire.send_raw(value, partition=wrong)
    reply = await door.wire.reply_to("astray")
    assert (reply.status, reply.instance_id) == (r.ReplyStatus.ACCEPTED, instance_id)


# --- commands about what is not there, or not so ---

ABSENT: dict[str, dict[str, Any]] = {
    "process": {"type": "StartInstance", "process_id": "nothing", "instance_id": "y"},
    "version": {"type": "StartInstance", "process_id": "good", "version": 7, "instance_id": "y"},
    "instance to end": {"type": "TerminateInstance", "instance_id": "nobody"},
    "instance to change": {"type": "SetVariables", "instance_id": "nobody", "variables": {"a": 1}},
    "job": {"type": "CompleteJob", "job_id": "nobody:7", "attempt": 1},
    "failed job": {"type": "FailJob", "job_id": "nobody:7", "attempt": 1},
    "job in error": {"type": "ThrowError", "job_id": "nobody:7", "attempt": 1, "code": "E"},
    "task": {"type": "CompleteTask", "task_id": "nobody:7"},
    "incident": {"type": "ResolveIncident", "incident_id": "nobody:7"},
}


@pytest.mark.parametrize("case", ABSENT)
async def test_a_command_about_what_is_not_there_is_rejected(door: Door, case: str) -> None:
    reply = await door.ask(ABSENT[case])
    assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, CODES.NOT_FOUND)
    assert reply.detail


async def test_what_an_instance_has_not_is_not_found_in_it_either(door: Door) -> None:
    await door.wire.accepted("StartInstance", process_id="good", instance_id="here")
    scope: dict[str, Any] = {"instance_id": "here", "element_instance_id": "here:7"}
    for body in (
        {"type": "CompleteJob", "job_id": "here:7", "attempt": 1},
        {"type": "CompleteTask", "task_id": "here:7"},
        {"type": "ResolveIncident", "incident_id": "here:7"},
        {"type": "SetVariables", **scope, "variables": {"a": 1}},
    ):
        assert (await door.ask(body)).code == CODES.NOT_FOUND, body


async def test_a_handle_that_is_none_is_rejected(door: Door) -> None:
    body = {"type": "CompleteTask", "task_id": "no handle", "command_id": "handle"}
    sent = await door.put(msgspec.json.encode(body))
    reply = await door.wire.reply_to("handle")
    assert reply.code == CODES.INVALID_ARGUMENT, sent


async def test_an_answer_to_a_stale_attempt_is_rejected(door: Door) -> None:
    await door.wire.accepted("StartInstance", process_id="work", instance_id="stale")
    job = (await door.system.effect("JobCreated", "stale")).job
    assert job is not None
    answer = {"job_id": job.job_id, "attempt": 1}
    await door.wire.accepted("FailJob", **answer, message="again", retries=2)
    await door.system.effect("JobCreated", "stale", number=2)
    for body in (
        {"type": "CompleteJob", **answer},
        {"type": "FailJob", **answer},
        {"type": "ThrowError", **answer, "code": "E"},
    ):
        reply = await door.ask(body)
        assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, CODES.STALE_ATTEMPT), body
    await door.wire.accepted("CompleteJob", job_id=job.job_id, attempt=2)
    assert (await door.ask({"type": "CompleteJob", **answer})).code == CODES.NOT_FOUND


async def test_an_instance_that_exists_or_has_ended_is_not_started_again(door: Door) -> None:
    start_again = {"type": "StartInstance", "process_id": "good", "instance_id": "once"}
    assert (await door.ask(start_again)).status == r.ReplyStatus.ACCEPTED
    assert (await door.ask(start_again)).code == CODES.ALREADY_EXISTS
    await door.wire.accepted("TerminateInstance", instance_id="once")
    assert (await door.ask(start_again)).code == CODES.ALREADY_EXISTS
    assert len(door.system.found("InstanceStarted", "once")) == 1


async def test_variables_beyond_the_limit_are_rejected(door: Door) -> None:
    await door.wire.accepted("StartInstance", process_id="good", instance_id="thin")
    much = {"text": "x" * 600_000}
    for body in (
        {"type": "StartInstance", "process_id": "good", "instance_id": "fat", "variables": much},
        {"type": "SetVariables", "instance_id": "thin", "variables": much},
    ):
        assert (await door.ask(body)).code == CODES.TOO_LARGE
    half = {"type": "SetVariables", "instance_id": "thin", "variables": {"one": "x" * 300_000}}
    assert (await door.ask(half)).status == r.ReplyStatus.ACCEPTED
    other = {"type": "SetVariables", "instance_id": "thin", "variables": {"two": "x" * 300_000}}
    assert (await door.ask(other)).code == CODES.TOO_LARGE


# --- models ---

XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'
DTD = b"<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'>"
ENTITIES = b'<!DOCTYPE a [<!ENTITY e "x"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;">]>'

FILES: dict[str, tuple[bytes, str, str]] = {
    "no XML": (b"a process", "bad-xml", CODES.INVALID_MODEL),
    "broken XML": (XML + b"<a><b></a>", "bad-xml", CODES.INVALID_MODEL),
    "no BPMN": (XML + b"<html/>", "not-bpmn", CODES.INVALID_MODEL),
    "a DTD": (
        XML + b"<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a/>",
        "doctype",
        CODES.INVALID_MODEL,
    ),
    "entities": (XML + ENTITIES + b"<a>&f;</a>", "doctype", CODES.INVALID_MODEL),
    "an entity with no DTD": (XML + b"<a>&f;</a>", "bad-xml", CODES.INVALID_MODEL),
    "over 4 MB": (
        gzip.compress(XML + b"<a>" + b"x" * 4_200_000 + b"</a>"),
        "too-large",
        CODES.TOO_LARGE,
    ),
    "nested 200,000 deep": (
        gzip.compress(XML + b"<a>" * 200_000 + b"</a>" * 200_000),
        "too-large",
        CODES.TOO_LARGE,
    ),
    "nested 200,000 deep and not closed": (
        gzip.compress(XML + b"<a>" * 200_000),
        "bad-xml",
        CODES.INVALID_MODEL,
    ),
    "half a gzip": (gzip.compress(GOOD)[:-9], "bad-gzip", CODES.INVALID_MODEL),
}


@pytest.mark.parametrize("case", FILES)
async def test_a_file_that_cannot_be_read_is_rejected_with_a_finding(door: Door, case: str) -> None:
    content, code, rejection = FILES[case]
    reply, findings = await door.deploy(content)
    assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, rejection)
    assert [finding["code"] for finding in findings] == [code]


async def test_all_that_is_wrong_with_a_model_is_said_at_once_with_element_and_line(
    door: Door,
) -> None:
    wrong = bpmn(
        process(
            "wrong",
            start("begin"),
            exclusive("choose"),
            tag("userTask"),
            tag("choreographyTask", id="odd"),
            catch("await", message_event("Nothing")),
            end("done"),
            flow("begin", "choose"),
            flow("choose", "done", condition="=amount > (", flow_id="broken"),
            flow("choose", "nowhere", flow_id="dangling"),
        )
    )
    reply, findings = await door.deploy(wrong)
    assert (reply.status, reply.code) == (r.ReplyStatus.REJECTED, CODES.INVALID_MODEL)
    errors = {found["code"]: found for found in findings if found["severity"] == "error"}
    assert {
        "missing-id",
        "unsupported-element",
        "dangling-reference",
        "expression-syntax",
    } <= set(errors)
    assert errors["unsupported-element"]["element"] == "odd"
    assert errors["expression-syntax"]["element"] == "broken"
    lines = wrong.decode().splitlines()
    for code, name in (("unsupported-element", 'id="odd"'), ("expression-syntax", 'id="broken"')):
        assert name in lines[errors[code]["line"] - 1], errors[code]
    assert all(found["message"] for found in findings)
    assert "errors in all" in (reply.detail or "")
    unknown = {"type": "StartInstance", "process_id": "wrong", "instance_id": "w"}
    assert (await door.ask(unknown)).code == CODES.NOT_FOUND


async def test_of_several_models_none_is_deployed_when_one_is_wrong(door: Door) -> None:
    fine = bpmn(process("fine", start("begin"), end("done"), chain("begin", "done")))
    reply = await door.ask(door.system.deployment(fine, b"not at all"))
    assert reply.code == CODES.INVALID_MODEL
    body = {"type": "StartInstance", "process_id": "fine", "instance_id": "f"}
    assert (await door.ask(body)).code == CODES.NOT_FOUND
