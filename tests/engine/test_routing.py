"""Addresses, ids and partitions: what every client library in every language computes the same."""

from typing import get_args
from urllib.parse import unquote

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.routing import (
    DEPLOYMENTS,
    PARTITION_TABLE,
    address_of,
    check_address,
    check_instance_id,
    check_new_instance_id,
    is_instance,
    kafka_key,
    message_address,
    murmur2,
    partition_of,
    root_of,
    split_handle,
)


@pytest.mark.parametrize(
    ("key", "hashed"),
    [  # of Apache Kafka's UtilsTest.testMurmur2
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_murmur2_is_that_of_kafkas_own_clients(key: bytes, hashed: int) -> None:
    assert murmur2(key) == hashed & 0xFFFFFFFF


def test_aiokafka_chooses_the_same_partitions() -> None:
    partitioner = pytest.importorskip("aiokafka.partitioner").DefaultPartitioner()
    for n in range(300):
        key = f"clé-{n}"
        chosen = partitioner(key.encode(), list(range(48)), list(range(48)))
        assert partition_of(key, 48) == chosen


def test_a_call_tree_shares_the_partition_of_its_root() -> None:
    assert root_of("a-1~65540~7") == "a-1"
    assert kafka_key("a-1~65540~7") == "a-1"
    assert kafka_key("message:a~b:c") == "message:a~b:c"


@pytest.mark.parametrize("instance_id", ["a", "A.b_c-9", "x" * 100, "a~1", "a~65540~7"])
def test_ids_of_instances_are_known(instance_id: str) -> None:
    assert check_instance_id(instance_id) == instance_id
    assert check_address(instance_id) == instance_id
    assert is_instance(instance_id)


@pytest.mark.parametrize(
    "instance_id",
    [
        "",
        "x" * 101,
        "a:b",
        "a b",
        "a/b",
        "ä",
        "a~",
        "a~b",
        "~1",
        "a\n",
        DEPLOYMENTS,
        PARTITION_TABLE,
    ],
)
def test_what_is_no_id_of_an_instance_is_told(instance_id: str) -> None:
    with pytest.raises(ValueError, match="expected an instance id"):
        check_instance_id(instance_id)


def test_clients_choose_no_id_of_a_called_instance() -> None:
    with pytest.raises(ValueError, match="without '~'"):
        check_new_instance_id("a~1")


@pytest.mark.parametrize("address", [DEPLOYMENTS, "message:paid:", "message:a%3Ab:c", "i-1"])
def test_addresses_of_aggregates_are_known(address: str) -> None:
    assert check_address(address) == address


@pytest.mark.parametrize("address", [PARTITION_TABLE, "signal:x", "message:a", "message:a:b:c", ""])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        check_address(address)


@pytest.mark.parametrize(
    ("name", "key"), [("paid", "o-1"), ("a:b", "c:d"), ("", ""), ("päid ✓", "50%"), ("a/b", "~")]
)
def test_message_addresses_keep_name_and_key_apart(name: str, key: str) -> None:
    address = message_address(name, key)
    assert [unquote(part) for part in address.split(":")] == ["message", name, key]
    assert not is_instance(address)


def test_handles_begin_with_the_id_of_their_instance() -> None:
    assert split_handle("a~65540:65541") == ("a~65540", 65541)


@pytest.mark.parametrize("handle", ["", "a", "a:", ":1", "a:x", "a:-1", "a:¹", "a:1 "])
def test_what_is_no_handle_is_told(handle: str) -> None:
    with pytest.raises(ValueError, match="is not an id of the form"):
        split_handle(handle)


PLAIN = {
    "instance_id": "i-1",
    "process_id": "p",
    "job_id": "i-1:7",
    "task_id": "i-1:7",
    "incident_id": "i-1:7",
    "element_instance_id": "i-1:7",
    "name": "paid",
    "correlation_key": "k",
    "address": "i-1",
    "child_id": "i-1~7",
    "parent_id": "i-1",
    "start_element": "begin",
    "resources": (),
    "checksum": "c",
    "state": "COMPLETED",
    "code": "E",
    "kind": "ENGINE_FAULT",
    "message": 1,
    "key": "k",
    "holder": "i-1",
}
EXPECTED = {
    c.DeployResources: DEPLOYMENTS,
    c.VersionActivated: DEPLOYMENTS,
    c.ActivateVersion: PARTITION_TABLE,
    c.DeliverSignal: PARTITION_TABLE,
    c.BroadcastSignal: "signal:paid",
    c.EvaluateConditions: DEPLOYMENTS,
    c.PublishMessage: "message:paid:k",
    c.OpenSubscription: "message:paid:k",
    c.CloseSubscription: "message:paid:k",
    c.SettleMessage: "message:paid:k",
    c.MessageStartSettled: "message:paid:k",
    c.ReleaseMessageKey: "message:paid:k",
    c.EndConversation: "conversation:p:k",
}


@pytest.mark.parametrize("kind", get_args(c.AnyCommand))
def test_every_command_has_an_address(kind: type[c.Command]) -> None:
    fields = {name: PLAIN.get(name, 1) for name in kind.__struct_fields__}
    command = kind(**fields)
    assert address_of(command) == EXPECTED.get(kind, "i-1")  # type: ignore[arg-type]  # of the union


def test_a_start_that_has_no_holder_yet_goes_to_its_conversation() -> None:
    start = c.StartBySignal(
        instance_id="i-1", process_id="p", version=1, start_element="s", variables="{}"
    )
    assert address_of(start) == "i-1"
    asked = replace(start, conversation="a:b")
    assert address_of(asked) == "conversation:p:a%3Ab"
    assert address_of(replace(asked, holder="i-2")) == "i-2"
