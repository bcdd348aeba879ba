"""A copy of a namespace's secrets outside of Redis, for the day on which Redis has lost them.

They are never in Kafka: whoever may write commands is often allowed to read all topics of the
namespace, too. So a log alone is not enough to build a lost Redis anew; a log and this file are.
"""

import os
from pathlib import Path

import msgspec

from consumers.namespace import NamespaceError, NamespaceRecord
from schemas.frames import Frame
from schemas.seals import Epoch


class SecretSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where secrets come from that Redis has not. `file` is read, and written when they change.

    `trust_log`: without them, all that the log holds now counts as genuine.
    """

    file: Path | None = None
    trust_log: bool = False


class KeptSecrets(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds, as JSON. Files of earlier versions have the secrets only; the others
    are None then."""

    namespace: str
    epochs: tuple[Epoch, ...]
    partitions: int | None = None
    frame: Frame | None = None
    zone: str | None = None


def read_kept(file: Path | None, namespace: str) -> KeptSecrets | None:
    """What a file keeps of a namespace; None when there is no file. Raises NamespaceError."""
    if file is None or not file.exists():
        return None
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=KeptSecrets)
    except (OSError, msgspec.MsgspecError) as error:
        raise NamespaceError(f"{file} cannot be read as secrets: {error}") from error
    if kept.namespace != namespace:
        raise NamespaceError(f"{file} has the secrets of namespace {kept.namespace}")
    return kept


def read_secrets(file: Path | None, namespace: str, partitions: int) -> tuple[Epoch, ...]:
    """The secrets in a file; none when there is no file. Raises NamespaceError."""
    kept = read_kept(file, namespace)
    if kept is None:
        return ()
    if any(len(epoch.since) != partitions for epoch in kept.epochs):
        raise NamespaceError(
            f"{file} has the secrets of a namespace with another number of partitions than"
            f" {partitions}: give the former number with --partitions"
        )
    return kept.epochs


def write_secrets(file: Path, namespace: str, record: NamespaceRecord) -> bool:
    """Keep secrets, and what a restored namespace must have again, in a file that only its owner
    reads; False: it had them. Raises NamespaceError.

    Written whole and then renamed: an interruption leaves the former ones.
    """
    kept = KeptSecrets(
        namespace=namespace,
        epochs=record.epochs,
        partitions=record.partitions,
        frame=record.frame,
        zone=record.zone,
    )
    content = msgspec.json.encode(kept) + b"\n"
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        if file.exists() and file.read_bytes() == content:
            return False
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(descriptor)
        partial.replace(file)
    except OSError as error:
        raise NamespaceError(f"{file} cannot be written: {error}") from error
    return True


def later(stored: tuple[Epoch, ...], kept: tuple[Epoch, ...]) -> tuple[Epoch, ...]:
    """Those of the two that go on where the others end. Raises NamespaceError."""
    longer, shorter = (kept, stored) if len(kept) > len(stored) else (stored, kept)
    if longer[: len(shorter)] != shorter:
        raise NamespaceError(
            "the secrets in the file are not those in Redis: it is an old copy, from before"
            " --trust-log, or of another namespace of this name. Move it away, if Redis is right"
        )
    return longer
