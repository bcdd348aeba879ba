"""Addresses and partitions: which aggregate a command is for, and which partition owns it.

Client libraries in any language compute the same: Java's murmur2 of the Kafka key, made positive,
modulo the number of partitions.
"""

from typing import assert_never
from urllib.parse import quote, unquote

from engine import commands as c

DEPLOYMENTS = "deployments"
"""The one address of the deployments aggregate."""

PARTITION_TABLE = "partition"
"""Where commands to a partition itself go (`ActivateVersion`)."""

_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Kafka's murmur2 (seed 0x9747b28c), as an unsigned 32-bit number."""
    length = len(data)
    mixer = 0x5BD1E995
    value = (0x9747B28C ^ length) & _MASK
    for start in range(0, length - 3, 4):
        block = int.from_bytes(data[start : start + 4], "little")
        block = (block * mixer) & _MASK
        block ^= block >> 24
        block = (block * mixer) & _MASK
        value = ((value * mixer) & _MASK) ^ block
    tail = data[length & ~3 :]
    if tail:
        value ^= int.from_bytes(tail, "little")
        value = (value * mixer) & _MASK
    value ^= value >> 13
    value = (value * mixer) & _MASK
    return value ^ (value >> 15)


def partition_of(key: str, partitions: int) -> int:
    """The partition of a Kafka key, as Java's default partitioner chooses it."""
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions


def root_of(instance_id: str) -> str:
    """The root id of a call tree: the part before the first `~`."""
    return instance_id.split("~", 1)[0]


def split_handle(handle: str) -> tuple[str, int]:
    """Split an element instance, job, task or incident id into instance id and number.

    Raises ValueError when the text is no such id.
    """
    instance_id, separator, number = handle.rpartition(":")
    if not separator or not instance_id or not (number.isascii() and number.isdigit()):
        raise ValueError(f"{handle!r} is not an id of the form <instance id>:<number>")
    return instance_id, int(number)


def message_address(name: str, correlation_key: str) -> str:
    return f"message:{quote(name, safe='')}:{quote(correlation_key, safe='')}"


def split_message_address(address: str) -> tuple[str, str]:
    _, name, key = address.split(":")
    return unquote(name), unquote(key)


def is_instance(address: str) -> bool:
    """Instance ids have no colon and are none of the reserved words."""
    return ":" not in address and address not in {DEPLOYMENTS, PARTITION_TABLE}


def kafka_key(address: str) -> str:
    """The Kafka key under which records for this address travel."""
    return root_of(address) if is_instance(address) else address


def address_of(command: c.AnyCommand) -> str:  # noqa: C901, PLR0911 - one case a family
    """The address of the aggregate that a command is for.

    Raises ValueError when an id in it is malformed, or a start has no instance id yet.
    """
    match command:
        case c.DeployResources() | c.VersionActivated():
            return DEPLOYMENTS
        case c.ActivateVersion():
            return PARTITION_TABLE
        case c.StartInstance():
            if command.instance_id is None:
                raise ValueError("the start has no instance id yet")
            return command.instance_id
        case c.CompleteJob() | c.FailJob():
            return split_handle(command.job_id)[0]
        case c.ThrowError():
            handle = command.job_id if command.job_id is not None else command.task_id
            if handle is None:
                raise ValueError("ThrowError names neither a job_id nor a task_id")
            return split_handle(handle)[0]
        case c.CompleteTask():
            return split_handle(command.task_id)[0]
        case c.ResolveIncident():
            return split_handle(command.incident_id)[0]
        case (
            c.PublishMessage()
            | c.OpenSubscription()
            | c.CloseSubscription()
            | c.SettleMessage()
            | c.MessageStartSettled()
            | c.ReleaseMessageKey()
        ):
            return message_address(command.name, command.correlation_key)
        case c.FireTimer():
            return command.address
        case (
            c.TerminateInstance()
            | c.SetVariables()
            | c.Continue()
            | c.StartChild()
            | c.ChildEnded()
            | c.TerminateChild()
            | c.DeliverMessage()
            | c.StartByMessage()
            | c.StartByTimer()
            | c.RaiseIncident()
        ):
            return command.instance_id
        case _:
            assert_never(command)
