"""Executables inside installed wheels: what runs is what the lock file hashed, or nothing."""

import base64
import hashlib
import importlib.metadata
import os
from pathlib import Path

from consumers.dev.errors import UnavailableError


def installed_version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        raise UnavailableError(f"{distribution} is not installed") from None


def verified_file(distribution: str, name: str) -> Path:
    """An executable of an installed wheel, as published: its SHA-256 is the one in RECORD.

    Never looked up on PATH.
    Raises UnavailableError when there is none for this machine, or when it was changed.
    """
    files = importlib.metadata.files(distribution) or []
    entry = next((file for file in files if file.as_posix() == name), None)
    if entry is None or not (path := Path(os.fspath(entry.locate()))).is_file():
        raise UnavailableError(f"{distribution} has no {name} for this machine, or has it no more")
    if entry.hash is None or entry.hash.mode != "sha256":
        raise UnavailableError(f"{distribution} records no SHA-256 of {name}: not run")
    with path.open("rb") as binary:
        digest = hashlib.file_digest(binary, "sha256").digest()
    # RECORD has the digest in URL-safe Base64 without padding (PEP 376, PEP 427).
    if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != entry.hash.value:
        raise UnavailableError(f"{path} is not the file that {distribution} published: not run")
    if not os.access(path, os.X_OK):
        raise UnavailableError(f"{path} is not executable: reinstall {distribution}")
    return path
