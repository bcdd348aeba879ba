"""Where records go: topics, keys and partitions, as the wire has them for every language."""

import re
from urllib.parse import quote

_MASK = 0xFFFFFFFF
_PLAIN = re.compile(r"[A-Za-z0-9._-]+")
_HYPHEN = ord("-")
JOB_TYPE_MAX = 200


def murmur2(data: bytes) -> int:
    """Kafka's murmur2 (seed 0x9747b28c), as an unsigned 32-bit number."""
    mixer = 0x5BD1E995
    value = (0x9747B28C ^ len(data)) & _MASK
    for start in range(0, len(data) - 3, 4):
        block = int.from_bytes(data[start : start + 4], "little")
        block = (block * mixer) & _MASK
        block ^= block >> 24
        block = (block * mixer) & _MASK
        value = ((value * mixer) & _MASK) ^ block
    tail = data[len(data) & ~3 :]
    if tail:
        value = ((value ^ int.from_bytes(tail, "little")) * mixer) & _MASK
    value ^= value >> 13
    value = (value * mixer) & _MASK
    return value ^ (value >> 15)


def partition_of(key: str, partitions: int) -> int:
    """The partition of a key, as Java's default partitioner chooses it."""
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions


def root_of(instance_id: str) -> str:
    """The root id of a call tree: the part before the first `~`."""
    return instance_id.split("~", 1)[0]


def instance_of(handle: str) -> str:
    """The instance id in an element instance, job, task or incident id. Raises ValueError."""
    instance_id, separator, number = handle.rpartition(":")
    if not separator or not instance_id or not number.isdigit():
        raise ValueError(f"{handle!r} is not an id of the form <instance id>:<number>")
    return instance_id


def topic_of_jobs(namespace: str, job_type: str) -> str:
    """The topic of a job type. Raises ValueError for a type that fits no topic's name."""
    return f"{namespace}.jobs.{escape_job_type(job_type)}"


def escape_job_type(job_type: str) -> str:
    """A job type in Kafka's alphabet: every other byte of UTF-8 becomes `--` and two hex digits.

    A hyphen stays unless what follows would make it look like that. Raises ValueError when the
    type is empty or escaped longer than JOB_TYPE_MAX.
    """
    data = job_type.encode()
    parts = []
    for index, byte in enumerate(data):
        keep = _is_plain(byte)
        if byte == _HYPHEN and index + 1 < len(data):
            keep = data[index + 1] != _HYPHEN and _is_plain(data[index + 1])
        parts.append(chr(byte) if keep else f"--{byte:02x}")
    escaped = "".join(parts)
    if not 0 < len(escaped) <= JOB_TYPE_MAX:
        raise ValueError(f"the job type {job_type[:40]!r} fits no topic's name")
    return escaped


def _is_plain(byte: int) -> bool:
    return _PLAIN.fullmatch(chr(byte)) is not None


def signal_address(name: str) -> str:
    """The address from which a signal is broadcast."""
    return f"signal:{quote(name, safe='')}"


def message_address(name: str, correlation_key: str) -> str:
    """The address at which messages with this name and key meet those who wait for them."""
    return f"message:{quote(name, safe='')}:{quote(correlation_key, safe='')}"
