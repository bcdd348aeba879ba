"""The small tables of a partition that its owner keeps whole in memory.

Definitions (which version is the latest, by the log's order), the last send number taken from each
source partition, and where the window of command ids stands.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from engine.definitions import AnyVersions, DecisionVersions, Definitions, ProcessVersions
from engine.records import SendNumber
from schemas.snapshot import decode, encode
from storage.keys import PartitionKeys
from storage.ports import Answer, Get, HashGetAll, HashPut, StoreRead
from storage.window import WindowPosition


class Tables(msgspec.Struct, frozen=True, kw_only=True):
    """All of them, as of one fence."""

    definitions: Definitions
    sources: dict[int, SendNumber]
    window: WindowPosition


def table_reads(keys: PartitionKeys) -> tuple[StoreRead, ...]:
    """What to read; the answers go to `decode_tables`."""
    return (
        HashGetAll(keys.definitions),
        HashGetAll(keys.decisions),
        HashGetAll(keys.sources),
        Get(keys.window),
    )


def decode_tables(answers: Sequence[Answer]) -> Tables:
    """Raises DocumentError."""
    processes, decisions, sources, window = answers
    assert isinstance(processes, dict)
    assert isinstance(decisions, dict)
    assert isinstance(sources, dict)
    assert window is None or isinstance(window, bytes)
    return Tables(
        definitions=Definitions(
            {name: decode(value, ProcessVersions) for name, value in sorted(processes.items())},
            {name: decode(value, DecisionVersions) for name, value in sorted(decisions.items())},
        ),
        sources={int(name): decode(value, SendNumber) for name, value in sources.items()},
        window=WindowPosition.decode(window),
    )


def versions_puts(keys: PartitionKeys, changed: Iterable[AnyVersions]) -> Iterator[HashPut]:
    """What writes changed versions of processes and decisions."""
    processes: dict[str, bytes] = {}
    decisions: dict[str, bytes] = {}
    for versions in changed:
        fields = decisions if isinstance(versions, DecisionVersions) else processes
        fields[versions.id] = encode(versions)
    if processes:
        yield HashPut(keys.definitions, processes)
    if decisions:
        yield HashPut(keys.decisions, decisions)


def sources_fields(sources: dict[int, SendNumber]) -> dict[str, bytes]:
    """The fields of the hash of sources."""
    return {str(partition): encode(number) for partition, number in sources.items()}
