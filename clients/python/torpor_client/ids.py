"""Ids that a client makes: UUIDs of version 7, and of version 5 where a repetition must agree."""

import secrets
import time
from uuid import UUID, uuid5

_STARTS = UUID("3c1b7c7e-5f0e-5d11-9a3a-746f72706f72")
_ANSWERS = UUID("0b1c7b1e-3c0f-5a53-8f0a-746f72706f72")


def new_id() -> str:
    """A UUID of version 7: 48 bits of time, then chance. Sorts by time of creation."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (2**48 - 1)) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    return str(UUID(int=value & ~(0b11 << 62) | 0b10 << 62))


def started_by(command_id: str) -> str:
    """The id of the instance that a start without one begins: always the same for one command."""
    try:
        return str(UUID(command_id))
    except ValueError:
        return str(uuid5(_STARTS, command_id))


def answer_id(job_id: str, attempt: int, suffix: str = "") -> str:
    """The command id of the answer to a job: the same from every worker that had the attempt."""
    return str(uuid5(_ANSWERS, f"{job_id}/{attempt}{suffix}"))
