"""What a record of the command topic is: a command, a rejection, a dead letter, or too new."""

import io
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import commands as c
from engine.partition import InvalidCommand, Stimulus
from engine.records import DeadLetter, ReplyAddress, SendNumber
from engine.rejections import RejectionCode
from schemas.catalogue import catalogue, read_schema
from schemas.codec import Codec
from schemas.command_reader import COMMAND_BYTES_MAX
from schemas.errors import NewerRecordError, UndecodableRecordError
from tests.schemas.records import Found
from tests.support.sealing import sealed

CODEC = Codec("shop")
ENGINE = (("torpor-source", b"2"), ("torpor-number", b"1:40:3"))


def text(**members: Any) -> bytes:
    return json.dumps(members).encode()


def avro(name: str, **fields: Any) -> bytes:
    """A command as a client in any language writes it."""
    schema = catalogue().current[name]
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema.parsed, fields)
    return b"\xc3\x01" + schema.fingerprint + stream.getvalue()


def read(value: bytes | None, headers: Iterable[tuple[str, bytes]] = ()) -> Stimulus:
    return CODEC.decode_command(Found(value=value, headers=tuple(headers)))


def refusal(value: bytes, headers: Iterable[tuple[str, bytes]] = ()) -> str:
    """Why a record is rejected."""
    command = read(value, headers).command
    assert isinstance(command, InvalidCommand)
    return command.detail


# --- commands ---


def test_bare_json_without_headers_or_key_is_a_command() -> None:
    value = (
        b'{"type":"StartInstance","process_id":"order","command_id":"c1","variables":{"a":1.10}}\n'
    )
    stimulus = CODEC.decode_command(Found(value=value + b"\n", offset=41, timestamp_ms=7))
    start = c.StartInstance(process_id="order", variables='{"a":1.1}')
    assert stimulus == Stimulus(offset=41, timestamp_ms=7, command=start, command_id="c1")


def test_variables_of_a_json_command_may_be_their_text() -> None:
    value = text(type="CompleteJob", job_id="i:1", attempt=1, variables='{ "a" : [1.0] }')
    assert read(value).command == c.CompleteJob(job_id="i:1", attempt=1, variables='{"a":[1]}')


@pytest.mark.parametrize("result", ['{ "a" : [1.0] }', {"a": [1.0]}])
def test_the_result_of_a_json_command_may_be_an_object_or_its_text(result: object) -> None:
    value = text(type="CompleteJob", job_id="i:1", attempt=1, result=result)
    assert read(value).command == c.CompleteJob(job_id="i:1", attempt=1, result='{"a":[1]}')


def test_numbers_in_variables_stay_exact() -> None:
    number = "0.1000000000000000055511151231257827021181583404541015625"
    value = b'{"type":"CompleteTask","task_id":"i:1","variables":{"n":%s}}' % number.encode()
    assert read(value).command == c.CompleteTask(task_id="i:1", variables=f'{{"n":{number}}}')


def test_header_names_the_type_when_the_json_does_not() -> None:
    headers = [("ce_type", b"torpor.command.TerminateInstance"), ("ce_id", b"c2")]
    stimulus = read(text(instance_id="i"), headers)
    assert stimulus.command == c.TerminateInstance(instance_id="i")
    assert stimulus.command_id == "c2"


def test_json_null_is_an_absent_field() -> None:
    value = text(type="FailJob", job_id="i:1", attempt=1, variables=None, retries=None)
    assert read(value).command == c.FailJob(job_id="i:1", attempt=1)


def test_resource_in_json_is_base64() -> None:
    value = text(type="DeployResources", resources=[{"name": "a.bpmn", "content": "AP8="}])
    resource = c.Resource(name="a.bpmn", content=b"\x00\xff")
    assert read(value).command == c.DeployResources(resources=(resource,))


def test_headers_ask_for_a_reply() -> None:
    headers = [
        ("reply-to", b"shop.replies.desk"),
        ("reply-partition", b"5"),
        ("correlation-id", b"\xff\x00"),
        ("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ]
    stimulus = read(avro("TerminateInstance", instance_id="i", actor="ada"), headers)
    assert stimulus.reply == ReplyAddress(
        topic="shop.replies.desk", partition=5, correlation_id=b"\xff\x00"
    )
    assert stimulus.actor == "ada"
    assert stimulus.traceparent == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_command_id_in_the_body_counts_before_that_in_the_header() -> None:
    value = avro("TerminateInstance", instance_id="i", command_id="body")
    assert read(value, [("ce_id", b"header")]).command_id == "body"


def test_engine_headers_carry_source_and_number() -> None:
    value = avro("Continue", instance_id="i", steps=1)
    stimulus = read(value, [*ENGINE, ("torpor-forwarded", b"1")])
    assert stimulus.source_partition == 2
    assert stimulus.number == SendNumber(generation=1, offset=40, index=3)
    assert stimulus.forwarded


def test_forwarded_without_a_number_is_a_clients_own_header() -> None:
    stimulus = read(text(type="CompleteTask", task_id="i:1"), [("torpor-forwarded", b"1")])
    assert not stimulus.forwarded


def test_record_of_an_older_writer_is_read_with_its_own_schema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schema = json.loads(catalogue().current["CompleteJob"].text)
    schema["fields"] = [field for field in schema["fields"] if field["name"] != "token"]
    older = read_schema(json.dumps(schema))
    monkeypatch.setitem(catalogue().known, older.fingerprint, older)
    new = avro("CompleteJob", job_id="i:1", attempt=1)
    value = new[:2] + older.fingerprint + new[10:-1]
    assert read(value).command == c.CompleteJob(job_id="i:1", attempt=1)


# --- rejected, and answered ---


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        (text(type="CompleteJob", job_id="i:1"), "missing required field `attempt`"),
        (text(type="CompleteJob", job_id="i:1", attempt="1"), "Expected `int`, got `str`"),
        (text(type="CompleteJob", job_id="i:1", attempt=1.5), "Expected `int`"),
        (text(type="CompleteJob", job_id="i:1", attempt=2**63), "attempt is beyond 64 bits"),
        (text(type="CompleteJob", job_id=7, attempt=1), "Expected `str`, got `int`"),
        (text(type="StartInstance", process_id="p", varables={}), "no field 'varables'"),
        (text(type="StartInstance", process_id="p", variables=[1]), "not a JSON object"),
        (text(type="StartInstance", process_id="p", variables="[1]"), "not a JSON object"),
        (text(type="StartInstance", process_id="p", variables="{"), "not valid JSON"),
        (text(type="StartInstance", process_id="p", variables=7), "not a JSON object"),
        (text(type="CompleteJob", job_id="i:1", attempt=1, result=[1]), "result is not a JSON"),
        (text(type="StartInstance", process_id="p", actor=7), "actor must be a string"),
        (text(type="StartInstance", process_id="p", command_id=""), "1 to 100 characters"),
        (text(type="StartInstance", process_id="p", command_id="x" * 101), "1 to 100 characters"),
        (text(type="DeployResources", resources=[{"name": "a", "content": "%"}]), "base64"),
        (avro("StartInstance", process_id="p", variables="[1]"), "not a JSON object"),
        (avro("StartInstance", process_id="p", variables='{"a":1e99999}'), "out of range"),
        (avro("StartInstance", process_id="p", command_id="x" * 101), "1 to 100 characters"),
        (text(type="StartInstance", process_id="p", variables='{"a":NaN}'), "not valid JSON"),
    ],
)
def test_wrong_fields_are_rejected_with_a_sentence(value: bytes, detail: str) -> None:
    assert detail in refusal(value)


@pytest.mark.parametrize(
    ("name", "header", "detail"),
    [
        ("reply-to", b"shop.commands", "must name shop.replies or shop.replies.*"),
        ("reply-to", b"\xff", "not UTF-8"),
        ("ce_id", b"", "1 to 100 characters"),
        ("ce_id", b"x" * 101, "1 to 100 characters"),
        ("torpor-number", b"1:2:3", "come together"),
        ("torpor-source", b"-1", "decimal number"),
        ("ce_type", b"torpor.command.CompleteJob", "the body 'TerminateInstance'"),
    ],
)
def test_wrong_headers_are_rejected_with_a_sentence(name: str, header: bytes, detail: str) -> None:
    assert detail in refusal(text(type="TerminateInstance", instance_id="i"), [(name, header)])


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("reply-partition", b"x"),
        ("reply-partition", b"2147483648"),
        ("correlation-id", b"x" * 1_001),
    ],
)
def test_wrong_reply_address_is_rejected_without_a_reply(name: str, header: bytes) -> None:
    value = text(type="TerminateInstance", instance_id="i")
    stimulus = read(value, [("reply-to", b"shop.replies"), ("ce_id", b"c1"), (name, header)])
    assert isinstance(stimulus.command, InvalidCommand)
    assert (stimulus.command_id, stimulus.reply) == ("c1", None)


@pytest.mark.parametrize(
    "value",
    [
        text(type="CompleteJob", job_id="i:1", command_id="c1"),
        text(type="CompleteJob", command_id="c1", oddity=1),
        avro("StartInstance", process_id="p", variables="[]", command_id="c1"),
    ],
)
def test_rejection_knows_who_asked_and_where_they_wait(value: bytes) -> None:
    headers = [("reply-to", b"shop.replies"), ("correlation-id", b"7")]
    stimulus = CODEC.decode_command(Found(value=value, headers=tuple(headers), offset=5))
    assert isinstance(stimulus.command, InvalidCommand)
    assert stimulus.command_id == "c1"
    assert stimulus.reply == ReplyAddress(topic="shop.replies", correlation_id=b"7")
    assert stimulus.offset == 5


def test_a_record_that_a_dead_letter_could_not_hold_is_rejected_as_too_large() -> None:
    headers = (("ce_id", b"c1"), ("reply-to", b"shop.replies"))
    stimulus = read(b"\x07" * COMMAND_BYTES_MAX, headers)
    assert isinstance(stimulus.command, InvalidCommand)
    assert stimulus.command.code is RejectionCode.TOO_LARGE
    assert (stimulus.command_id, stimulus.reply) == ("c1", ReplyAddress(topic="shop.replies"))


@pytest.mark.parametrize("part", ["key", "header"])
def test_keys_and_headers_count_for_the_size_of_a_record(part: str) -> None:
    many = b"k" * COMMAND_BYTES_MAX
    found = Found(
        value=text(type="StartInstance", process_id="order"),
        key=many if part == "key" else None,
        headers=() if part == "key" else (("x", many),),
    )
    command = CODEC.decode_command(found).command
    assert isinstance(command, InvalidCommand)
    assert command.code is RejectionCode.TOO_LARGE


def test_what_every_record_would_repeat_is_short() -> None:
    start = {"type": "StartInstance", "process_id": "order"}
    assert "1001" in refusal(text(**start, actor="a" * 1_001))
    assert read(text(**start), [("traceparent", b"0" * 1_000)]).traceparent is None
    assert read(text(**start), [("traceparent", b"00-a-b-01")]).traceparent == "00-a-b-01"


def test_broken_json_whose_header_names_the_type_is_rejected() -> None:
    headers = [("ce_type", b"torpor.command.StartInstance")]
    assert "no JSON object" in refusal(b'{"process_id":', headers)


# --- dead letters ---

TRUNCATED = avro("CompleteJob", job_id="i:1", attempt=1, variables="{}")[:-6]
DEEP = b'{"type":' + b"[" * 200_000 + b"]" * 200_000 + b"}"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no value"),
        (b"", "nothing: no frame known"),
        (b"hello", "6865: no frame known"),
        (b"[1]", "no frame known"),
        (b'"StartInstance"', "no frame known"),
        (b"\xc3\x01\x00\x01", "ends within its frame"),
        (b"\xc3\x01" + b"\x00" * 20, "No schema has the fingerprint"),
        (TRUNCATED, "no CompleteJob"),
        (avro("CompleteTask", task_id="i:1") + b"\x00", "1 bytes follow"),
        (b"\x00\x00\x00\x00\x07abc", "No schema has the registry's id 7"),
        (b"\x00\x00", "ends within its frame"),
        (avro("Reply", command_id="c", status="ACCEPTED"), "which is no command"),
        (text(process_id="order"), "names no type"),
        (text(type=7), "names no type"),
        (text(type="Explode"), "No command has the type 'Explode'"),
        (b'{"type":"StartInstance"', "no JSON object"),
        (b'{"type":"StartInstance","process_id":"\xff"', "no JSON object"),
        (DEEP, "no JSON object"),
        (b'{"type":"StartInstance","process_id":"p","variables":{"a":NaN}}', "no JSON object"),
    ],
)
def test_what_nobody_can_take_is_a_dead_letter(value: bytes | None, reason: str) -> None:
    found = Found(value=value, key=b"k", partition=2, offset=9, headers=(("ce_type", b"strange"),))
    with pytest.raises(UndecodableRecordError, match=r"shop\.commands, partition 2, offset 9") as e:
        CODEC.decode_command(found)
    assert reason in e.value.dead_letter.reason
    assert e.value.dead_letter == DeadLetter(
        value=value,
        key=b"k",
        reason=e.value.dead_letter.reason,
        topic="shop.commands",
        partition=2,
        offset=9,
        headers=(("ce_type", b"strange"),),
    )


def test_dead_letter_knows_who_waits_for_an_answer() -> None:
    with pytest.raises(UndecodableRecordError) as caught:
        read(b"junk", [("reply-to", b"shop.replies"), ("ce_id", b"c1")])
    assert caught.value.reply == ReplyAddress(topic="shop.replies")
    assert caught.value.command_id == "c1"


def test_every_prefix_of_a_command_is_a_dead_letter_or_a_command() -> None:
    whole = avro("FailJob", job_id="i:1", attempt=300, message="no", backoff_ms=5_000)
    for end in range(len(whole)):
        with pytest.raises(UndecodableRecordError):
            read(whole[:end])


# --- from a newer engine ---


@pytest.mark.parametrize(
    "value",
    [
        text(type="Hibernate", instance_id="i"),
        text(type="Continue", instance_id="i", steps=1, gear=2),
        b"\xc3\x01" + b"\x00" * 20,
    ],
)
def test_what_an_engine_sent_and_this_one_does_not_know_is_newer(value: bytes) -> None:
    with pytest.raises(NewerRecordError):
        read(value, ENGINE)


def test_truncated_record_of_an_engine_is_a_dead_letter() -> None:
    with pytest.raises(UndecodableRecordError):
        read(TRUNCATED, ENGINE)


# --- whatever comes ---


@given(
    st.one_of(
        st.binary(max_size=40),
        st.binary(max_size=40).map(lambda rest: b"{" + rest),
        st.tuples(st.sampled_from(sorted(catalogue().known)), st.binary(max_size=60)).map(
            lambda parts: b"\xc3\x01" + b"".join(parts)
        ),
    ),
    st.lists(
        st.tuples(
            st.sampled_from(["ce_id", "ce_type", "reply-to", "torpor-number", "torpor-source"]),
            st.binary(max_size=12),
        ),
        max_size=3,
    ),
)
def test_any_bytes_are_one_of_the_four(value: bytes, headers: list[tuple[str, bytes]]) -> None:
    with suppress(UndecodableRecordError, NewerRecordError):
        assert isinstance(read(value, headers), Stimulus)


# --- what has no valid seal ---

SEALED = Codec("shop", epochs=sealed(4))


def test_engine_headers_without_a_seal_are_passed_over_whatever_they_hold() -> None:
    value = text(type="TerminateInstance", instance_id="i")
    forged = [*ENGINE, ("torpor-forwarded", b"1"), ("ce_id", b"c-1")]
    for headers in (forged, [*forged, ("torpor-number", b"no number")], forged[1:]):
        stimulus = SEALED.decode_command(Found(value=value, headers=tuple(headers)))
        assert stimulus.command == c.TerminateInstance(instance_id="i")
        assert (stimulus.number, stimulus.source_partition) == (None, None)
        assert (stimulus.trusted, stimulus.forwarded) == (False, False)
        assert stimulus.command_id == "c-1"


def test_an_unknown_command_is_of_a_newer_engine_only_under_its_seal() -> None:
    unknown = Found(value=text(type="Levitate"), key=b"k", headers=ENGINE)
    with pytest.raises(UndecodableRecordError):
        SEALED.decode_command(unknown)
    seal = SEALED.seals.header(3, b"k", unknown.value, ENGINE)
    with pytest.raises(NewerRecordError):
        SEALED.decode_command(Found(value=unknown.value, key=b"k", headers=ENGINE + seal))


def test_a_seal_does_not_make_a_send_too_large() -> None:
    """The engine has measured it before."""
    room = COMMAND_BYTES_MAX - sum(len(name) + len(value) for name, value in ENGINE)
    body = text(type="CloseSubscription", name="", correlation_key="", subscription=1)
    value = body[:-1] + b',"instance_id":"' + b"i" * (room - len(body) - 17) + b'"}'
    seal = SEALED.seals.header(3, None, value, ENGINE)
    stimulus = SEALED.decode_command(Found(value=value, headers=ENGINE + seal))
    assert isinstance(stimulus.command, c.CloseSubscription)
    seal = SEALED.seals.header(3, None, value + b" ", ENGINE)
    larger = Found(value=value + b" ", headers=ENGINE + seal)
    assert isinstance(SEALED.decode_command(larger).command, InvalidCommand)
