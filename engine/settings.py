"""The namespace's limits and expiries. Part of what decides, so only the log changes them."""

import msgspec

SEMANTICS = 1
"""The version of the execution rules that new deployments are compiled under."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes are bytes of UTF-8, durations milliseconds."""

    zone: str = "UTC"
    expression_steps_max: int = 20_000
    variables_bytes_max: int = 512 * 1024
    model_bytes_max: int = 4 * 1024 * 1024
    transition_bytes_max: int = 256 * 1024
    steps_per_command_max: int = 1_000
    steps_max: int = 100_000
    terminations_per_command_max: int = 500
    call_depth_max: int = 50
    fan_out_chunk: int = 500
    tombstone_ms: int = 24 * 3600 * 1000
    message_id_ms_min: int = 3600 * 1000
    message_buffer_bytes_max: int = 4 * 1024 * 1024
    command_window: int = 4_096
    activation_wait_ms: int = 10_000
