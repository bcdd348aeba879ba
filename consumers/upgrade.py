"""`torpor upgrade`: a namespace as the newest version has it, with a secret, or with another one.

Engines read the secrets when they start, and from one offset of the log on another secret counts.
So no engine runs meanwhile: what each has sent lies below that offset, and what waits in an outbox
is sealed by whoever publishes it later.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import msgspec
from msgspec.structs import replace

from consumers.config import Config
from consumers.kafka_reader import ends_of
from consumers.kafka_topics import GroupMember, KafkaTopics
from consumers.namespace import (
    FORMAT,
    NamespaceError,
    NamespaceRecord,
    engines_of,
    read_namespace,
    write_epochs,
)
from consumers.secret_file import SecretSource, later, read_secrets, write_secrets
from consumers.sole_member import joined
from engine.records import Topic
from schemas.seals import Epoch, new_epoch, trusting_until
from schemas.topics import topic_name
from storage.ports import Store
from storage.redis_store import connect_store

WAITS_S = (0, 12)
"""Before each look at who is in the group. The embedded broker lets one that was killed a moment
ago take part in a join; not in another after its session."""


class Upgraded(msgspec.Struct, frozen=True, kw_only=True):
    """What `upgrade` changed and what it found as it is to be, as sentences' objects."""

    namespace: str
    format: int
    changed: tuple[str, ...]
    found: tuple[str, ...]


async def upgrade(
    config: Config,
    *,
    rotate: bool = False,
    secrets: SecretSource = SecretSource(),  # noqa: B008 - frozen
    force: bool = False,
) -> Upgraded:
    """Seal what engines send, from now on, or with `rotate` seal it with another secret.

    With `force` nobody looks whether engines run: commands of one that does are refused later.
    Raises NamespaceError, LogUnavailableError, StoreUnavailableError.
    """
    store = await connect_store(config.redis, config.namespace)
    try:
        return await _Upgrade(config, store, secrets, force=force).run(rotate=rotate)
    finally:
        await store.close()


class _Upgrade:
    def __init__(self, config: Config, store: Store, secrets: SecretSource, *, force: bool) -> None:
        self._config = config
        self._store = store
        self._secrets = secrets
        self._force = force
        self._changed: list[str] = []
        self._found: list[str] = []

    async def run(self, *, rotate: bool) -> Upgraded:
        namespace, file = self._config.namespace, self._secrets.file
        record = await read_namespace(self._store, namespace)
        if record is None:
            raise NamespaceError(
                f"namespace {namespace} is not registered in this Redis. Run: torpor init"
                f" --namespace {namespace}"
            )
        kept = read_secrets(file, namespace, record.partitions)
        epochs = record.epochs if self._secrets.trust_log else later(record.epochs, kept)
        if rotate or self._secrets.trust_log or not epochs or epochs != record.epochs:
            epochs = await self._change(record, epochs, rotate=rotate)
        else:
            self._found.append("secrets that seal what engines send")
        if file is not None:
            is_written = write_secrets(file, namespace, replace(record, epochs=epochs))
            (self._changed if is_written else self._found).append(f"a copy of them in {file}")
        return Upgraded(
            namespace=namespace,
            format=FORMAT,
            changed=tuple(self._changed),
            found=tuple(self._found),
        )

    async def _change(
        self, record: NamespaceRecord, epochs: tuple[Epoch, ...], *, rotate: bool
    ) -> tuple[Epoch, ...]:
        """Write other secrets while no engine runs. Raises NamespaceError, LogUnavailableError."""
        namespace = self._config.namespace
        async with self._no_engine(record.partitions):
            epochs = await self._next(record, epochs, rotate=rotate)
            after = replace(record, epochs=epochs, format=FORMAT)
            if not await write_epochs(self._store, record, after):
                raise NamespaceError(f"namespace {namespace} was changed by another at this moment")
        return epochs

    @contextlib.asynccontextmanager
    async def _no_engine(self, partitions: int) -> AsyncIterator[None]:
        """Nobody serves the namespace meanwhile. Raises NamespaceError, LogUnavailableError."""
        if self._force:
            yield
            return
        group = engines_of(self._config.namespace)
        others: tuple[GroupMember, ...] = ()
        async with KafkaTopics(self._config.kafka) as topics:
            for wait_s in WAITS_S:
                await asyncio.sleep(wait_s)
                if not await topics.members(group):
                    yield
                    if await topics.members(group):
                        raise self._started()
                    return
                async with joined(self._config, topics, partitions) as sole:
                    others = await sole.others()
                    if not others:
                        yield
                        if not await sole.is_alone():
                            raise self._started()
                        return
        raise NamespaceError(
            f"engines of namespace {self._config.namespace} are running"
            f" ({'; '.join(map(str, others))}): stop all of them, and try again. Commands wait in"
            " the log"
        )

    def _started(self) -> NamespaceError:
        return NamespaceError(
            f"an engine of namespace {self._config.namespace} was started at this moment and may"
            " know only the former secrets: stop it at once, then start all"
        )

    async def _next(
        self, record: NamespaceRecord, epochs: tuple[Epoch, ...], *, rotate: bool
    ) -> tuple[Epoch, ...]:
        """The secrets as they are to be. Raises LogUnavailableError."""
        commands = topic_name(self._config.namespace, Topic.COMMANDS)
        ends = await ends_of(self._config.kafka, commands, record.partitions)
        if self._secrets.trust_log or not epochs:
            self._changed.append("a secret that seals what engines send; what was sent is trusted")
            return trusting_until(ends)
        if epochs != record.epochs:
            self._changed.append("secrets that Redis had lost")
        if rotate:
            self._changed.append("another secret that seals what engines send")
            return (*epochs, new_epoch(ends))
        return epochs
