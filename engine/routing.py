"""Addresses and partitions: which aggregate a command is for, and which partition owns it.

Client libraries in any language compute the same: Java's murmur2 of the Kafka key, made positive,
modulo the number of partitions.
"""

import re
from typing import assert_never
from urllib.parse import quote

from engine import commands as c

DEPLOYMENTS = "deployments"
"""The one address of the deployments aggregate."""

PARTITION_TABLE = "partition"
"""Where commands to a partition itself go (`ActivateVersion`)."""

RESERVED = frozenset({DEPLOYMENTS, PARTITION_TABLE})

_INSTANCE_ID = re.compile(r"[A-Za-z0-9._-]{1,100}(?:~[0-9]+)*", re.ASCII)
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


def is_message(address: str) -> bool:
    """Whether it is that of a message aggregate."""
    return address.startswith("message:")


def message_address(name: str, correlation_key: str) -> str:
    """Both parts are percent-encoded: neither can be taken for the colon between them."""
    return f"message:{quote(name, safe='')}:{quote(correlation_key, safe='')}"


def conversation_address(process_id: str, key: str) -> str:
    return f"conversation:{quote(process_id, safe='')}:{quote(key, safe='')}"


def signal_address(name: str) -> str:
    return f"signal:{quote(name, safe='')}"


def is_instance(address: str) -> bool:
    """Instance ids have no colon and are none of the reserved words."""
    return ":" not in address and address not in RESERVED


def check_instance_id(instance_id: str) -> str:
    """The id itself. Raises ValueError when it is none that an instance can have.

    Ids of called instances (`<parent>~<n>`) pass: commands may name them, clients never choose one.
    """
    if _INSTANCE_ID.fullmatch(instance_id) is None:
        raise ValueError(
            f"expected an instance id of 1 to 100 letters, digits, '.', '_', '-', "
            f"found {instance_id[:120]!r}"
        )
    if instance_id in RESERVED:
        raise ValueError(f"expected an instance id, found the reserved word {instance_id!r}")
    return instance_id


def check_new_instance_id(instance_id: str) -> str:
    """The id itself. Raises ValueError when a client may not choose it for a new instance."""
    if "~" in instance_id:
        raise ValueError(f"expected an instance id without '~', found {instance_id[:120]!r}")
    return check_instance_id(instance_id)


def kafka_key(address: str) -> str:
    """The Kafka key under which records for this address travel."""
    return root_of(address) if is_instance(address) else address


def check_address(address: str) -> str:
    """The address itself. Raises ValueError when no aggregate can have it."""
    if address == DEPLOYMENTS:
        return address
    kind, *parts = address.split(":")
    if parts:
        if kind == "message" and len(parts) == 2:
            return address
        raise ValueError(f"expected the address of an aggregate, found {address[:120]!r}")
    return check_instance_id(address)


def address_of(command: c.AnyCommand) -> str:
    """The address of the aggregate that a command is for.

    Raises ValueError when an id in it is malformed, or a start has no instance id yet.
    """
    if isinstance(command, c.ClientCommand):
        return _address_of_client_command(command)
    return _address_of_internal_command(command)


def _address_of_client_command(command: c.ClientCommand) -> str:
    match command:
        case c.DeployResources() | c.EvaluateConditions():
            return DEPLOYMENTS
        case c.StartInstance():
            if command.instance_id is None:
                raise ValueError("the start has no instance id yet")
            return check_new_instance_id(command.instance_id)
        case c.TerminateInstance() | c.SetVariables():
            return check_instance_id(command.instance_id)
        case c.PublishMessage():
            return message_address(command.name, command.correlation_key)
        case c.BroadcastSignal():
            return signal_address(command.name)
        case _:
            return check_instance_id(split_handle(_handle_of(command))[0])


def _address_of_internal_command(  # noqa: PLR0911 - one case a family
    command: c.InternalCommand,
) -> str:
    match command:
        case c.VersionActivated():
            return DEPLOYMENTS
        case c.ActivateVersion() | c.DeliverSignal():
            return PARTITION_TABLE
        case c.FireTimer():
            return check_address(command.address)
        case c.RaiseIncident():
            return check_instance_id(command.instance_id)
        case (
            c.OpenSubscription()
            | c.CloseSubscription()
            | c.SettleMessage()
            | c.MessageStartSettled()
            | c.ReleaseMessageKey()
        ):
            return message_address(command.name, command.correlation_key)
        case (
            c.Continue()
            | c.StartChild()
            | c.ChildEnded()
            | c.ChildEscalated()
            | c.TerminateChild()
            | c.DeliverMessage()
            | c.TakeSignal()
        ):
            return command.instance_id
        case c.StartByMessage() | c.StartByTimer() | c.StartBySignal() | c.StartByCondition():
            return command.holder or _address_of_start(command)
        case c.EndConversation():
            return conversation_address(command.process_id, command.key)
        case _:
            assert_never(command)


def _address_of_start(command: c.TriggeredStart) -> str:
    """What belongs to a conversation asks there which instance it is for."""
    if command.conversation is None:
        return command.instance_id
    return conversation_address(command.process_id, command.conversation)


def _handle_of(
    command: c.CompleteJob
    | c.FailJob
    | c.ThrowError
    | c.ThrowEscalation
    | c.CompleteTask
    | c.ResolveIncident
    | c.ActivateActivities
    | c.ClaimTask
    | c.AssignTask
    | c.UpdateTask,
) -> str:
    """The id of what the command is about: it begins with its instance's id."""
    match command:
        case c.CompleteJob() | c.FailJob():
            return command.job_id
        case c.ThrowError() | c.ThrowEscalation():
            handle = command.job_id if command.job_id is not None else command.task_id
            if handle is None:
                raise ValueError(f"{type(command).__name__} names neither a job_id nor a task_id")
            return handle
        case c.CompleteTask() | c.ClaimTask() | c.AssignTask() | c.UpdateTask():
            return command.task_id
        case c.ResolveIncident():
            return command.incident_id
        case c.ActivateActivities():
            return command.element_instance_id
        case _:
            assert_never(command)
