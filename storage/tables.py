"""The small tables of a partition that its owner keeps whole in memory.

Definitions (which version is the latest, by the log's order), the last send number taken from each
source partition, and where the window of command ids stands.
"""

from collections.abc import Sequence

import msgspec

from engine.definitions import Definitions, ProcessVersions
from engine.records import SendNumber
from schemas.snapshot import decode, encode
from storage.keys import PartitionKeys
from storage.ports import Answer, Get, HashGetAll, StoreRead
from storage.window import WindowPosition


class Tables(msgspec.Struct, frozen=True, kw_only=True):
    """All of them, as of one fence."""

    definitions: Definitions
    sources: dict[int, SendNumber]
    window: WindowPosition


def table_reads(keys: PartitionKeys) -> tuple[StoreRead, ...]:
    """What to read; the answers go to `decode_tables`."""
    return HashGetAll(keys.definitions), HashGetAll(keys.sources), Get(keys.window)


def decode_tables(answers: Sequence[Answer]) -> Tables:
    """Raises DocumentError."""
    definitions, sources, window = answers
    assert isinstance(definitions, dict)
    assert isinstance(sources, dict)
    assert window is None or isinstance(window, bytes)
    versions = {name: decode(value, ProcessVersions) for name, value in sorted(definitions.items())}
    return Tables(
        definitions=Definitions(versions),
        sources={int(name): decode(value, SendNumber) for name, value in sources.items()},
        window=WindowPosition.decode(window),
    )


def versions_fields(versions: dict[str, ProcessVersions]) -> dict[str, bytes]:
    """The fields of the hash of definitions."""
    return {process_id: encode(each) for process_id, each in versions.items()}


def sources_fields(sources: dict[int, SendNumber]) -> dict[str, bytes]:
    """The fields of the hash of sources."""
    return {str(partition): encode(number) for partition, number in sources.items()}
