"""What the owner of a partition works with: the ports, the codec and the bounds. One a process."""

import asyncio
import secrets
from collections.abc import Callable

import msgspec

from consumers.clock import Clock
from consumers.log import CommandLog, Publishers
from consumers.metrics import Metrics
from engine.settings import Settings
from schemas.codec import Codec
from storage.batch import Models
from storage.cache import CacheRoom
from storage.ports import Store


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of an owner's work. Bytes are encoded bytes."""

    batch_records_max: int = 500
    commit_bytes_max: int = 16 * 1024 * 1024
    outbox_entries_max: int = 10_000
    outbox_bytes_max: int = 64 * 1024 * 1024
    publish_records_max: int = 500
    publish_bytes_max: int = 1024 * 1024
    timers_chunk: int = 500
    idle_ms: int = 5_000
    trim_idle_ms: int = 500
    backoff_ms_min: int = 100
    backoff_ms_max: int = 5_000
    reply_patience_ms: int = 5_000
    effect_patience_ms: int = 5 * 60 * 1000
    careful_attempts: int = 3
    poison_attempts: int = 6


CACHE_BYTES = 64 * 1024 * 1024
"""Room for documents where nobody configures it."""


def random_name() -> str:
    """The name of a commit: 64 random bits in hex."""
    return secrets.token_hex(8)


class Services(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """`partitions` is what `init` fixed; a log with another number is refused.

    `may_take` says whether new commands may be taken now; no while the store is nearly full.
    `cache_room` is for the documents of all its partitions.
    `alone` is held by the partition that tries a record which may have killed a process before.
    """

    namespace: str
    partitions: int
    store: Store
    log: CommandLog
    publishers: Publishers
    clock: Clock
    codec: Codec
    models: Models
    metrics: Metrics
    settings: Settings = Settings()
    limits: Limits = Limits()
    name_commit: Callable[[], str] = random_name
    cache_room: CacheRoom = msgspec.field(default_factory=lambda: CacheRoom(CACHE_BYTES))
    may_take: Callable[[], bool] = lambda: True
    alone: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
