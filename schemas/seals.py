"""The seal on what the engine writes into the log of commands: who may write there is no engine.

The header `torpor-seal` is HMAC-SHA256, cut to 16 bytes, over topic, partition, key, value and the
`SEALED` headers of a record, with a secret of the namespace. It is made when a record is published,
so that what waits in an outbox is sealed by whoever publishes it, and checked where a record is
decoded. Without a valid one a record is a client's, whatever its other headers say.

Which secret counts depends on the offset alone, so a log that is read again is judged the same:

    offset    0 ............... since[n] ............... since[n] ...............
    epoch     no secret         a secret                 another secret
              all is trusted    what it sealed counts    what that one sealed counts
"""

import hmac
import secrets
from collections.abc import Sequence
from typing import Protocol

import msgspec

from schemas import headers as h

SEAL_BYTES = 16
SEAL_WEIGHT = len(h.SEAL) + SEAL_BYTES
"""What the header adds to a record."""

SECRET_BYTES = 32
SEALED = (
    h.ID,
    h.TYPE,
    h.SEND_SOURCE,
    h.SEND_NUMBER,
    h.FORWARDED,
    h.REPLY_TO,
    h.REPLY_PARTITION,
    h.CORRELATION_ID,
)
"""The headers of commands that decide something. `traceparent` does not: instrumented producers add
their own."""

_PURPOSE = b"torpor-seal 1"
"""The secret seals nothing but this. Another way to seal has another name."""


class Epoch(msgspec.Struct, frozen=True, kw_only=True):
    """From the offset `since[partition]` on `secret` seals; None: every record is trusted."""

    since: tuple[int, ...]
    secret: bytes | None = None

    def __repr__(self) -> str:
        """Without the secret: logs, tracebacks and failed tests show it to anybody."""
        kind = "trusting" if self.secret is None else "sealed"
        return f"Epoch({kind} since {self.since})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return [("since", self.since)]


def new_epoch(since: Sequence[int]) -> Epoch:
    """An epoch with a new random secret."""
    return Epoch(since=tuple(since), secret=secrets.token_bytes(SECRET_BYTES))


def trusting_until(ends: Sequence[int]) -> tuple[Epoch, ...]:
    """What lies before the offsets `ends` is trusted; from there on a new secret seals."""
    return Epoch(since=(0,) * len(ends)), new_epoch(ends)


class SealedRecord(Protocol):
    """What of a record is sealed, and where it lies."""

    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def key(self) -> bytes | None: ...
    @property
    def value(self) -> bytes | None: ...
    @property
    def headers(self) -> tuple[tuple[str, bytes], ...]: ...


class Seals:
    """Makes and checks the seals of one command topic. No epochs: it trusts, and makes none."""

    def __init__(self, topic: str, epochs: Sequence[Epoch] = ()) -> None:
        self.topic = topic
        self._latest_first = tuple(reversed(epochs))

    def header(
        self, partition: int, key: bytes | None, value: bytes | None, headers: h.Headers
    ) -> tuple[tuple[str, bytes], ...]:
        """The header to add to a record that is to be published on a partition; or none."""
        secret = self._latest_first[0].secret if self._latest_first else None
        if secret is None:
            return ()
        return ((h.SEAL, self._seal(secret, partition, (key, value), dict(headers))),)

    def is_trusted(self, record: SealedRecord) -> bool:
        """Whether a record counts as the engine's if it says that it is."""
        secret = self._secret_at(record.partition, record.offset)
        if secret is None:
            return True
        headers = dict(record.headers)
        seal = headers.get(h.SEAL)
        if seal is None:
            return False
        content = (record.key, record.value)
        return hmac.compare_digest(seal, self._seal(secret, record.partition, content, headers))

    def _secret_at(self, partition: int, offset: int) -> bytes | None:
        for epoch in self._latest_first:
            if epoch.since[partition] <= offset:
                return epoch.secret
        return None

    def _seal(
        self,
        secret: bytes,
        partition: int,
        content: tuple[bytes | None, bytes | None],
        headers: dict[str, bytes],
    ) -> bytes:
        """Each part with its length before it: no two records have one text."""
        parts = [
            _PURPOSE,
            self.topic.encode(),
            b"%d" % partition,
            *content,
            *[headers.get(name) for name in SEALED],
        ]
        text = b"".join([b"-" if part is None else b"%d:%b" % (len(part), part) for part in parts])
        return hmac.digest(secret, text, "sha256")[:SEAL_BYTES]
