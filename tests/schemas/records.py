"""Records of the command topic, as a log would hand them over."""

import msgspec


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A record as found; a test names what matters to it."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    partition: int = 3
    offset: int = 0
    timestamp_ms: int = 0
