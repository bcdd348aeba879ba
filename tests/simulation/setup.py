"""What all runs have in common: the namespace, its topics, its settings."""

from engine.settings import Settings
from schemas.codec import Codec
from storage.ports import Fence
from tests.support.sealing import sealed

NAMESPACE = "sim"
PARTITIONS = 3
COMMANDS = f"{NAMESPACE}.commands"
REPLIES = f"{NAMESPACE}.replies"
TASKS = f"{NAMESPACE}.tasks"
EFFECTS = f"{NAMESPACE}.effects"
JOB_TYPES = ("charge", "pack", "inform")

TOPICS = {
    COMMANDS: PARTITIONS,
    EFFECTS: PARTITIONS,
    f"{NAMESPACE}.history": PARTITIONS,
    f"{NAMESPACE}.rejections": PARTITIONS,
    REPLIES: 1,
    TASKS: 2,
    f"{NAMESPACE}.dead-letters": 1,
    f"{NAMESPACE}.jobs": 1,
    **{f"{NAMESPACE}.jobs.{job_type}": 2 for job_type in JOB_TYPES},
}

EPOCHS = sealed(PARTITIONS)

SETTINGS = Settings(
    message_id_ms_min=20_000,
    command_window=4,
    activation_wait_ms=5_000,
    steps_per_command_max=20,
    fan_out_chunk=1,
)
"""Short times and small windows: a run shall see them end."""


def first_fence() -> Fence:
    """What `init` writes."""
    return Fence(
        generation=1,
        next_offset=0,
        now_ms=0,
        stamp_timestamp_ms=None,
        stamp_crc=None,
        commit="0" * 16,
    )


def new_codec() -> Codec:
    """As every engine has it."""
    return Codec(NAMESPACE, epochs=EPOCHS)
