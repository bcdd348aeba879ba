"""What one record of the log does to a partition: routing, duplicates, local sends, numbering.

`transact` is a generator that asks for what it must know (`Read...`) and is sent the answer, so it
does no I/O and the same code runs on Redis, on the in-memory twin and in tests. It yields reads
only; nothing it has done is visible before it returns a `RecordOutcome`, so a command that fails
is undone alone, together with its local sends.
"""

from engine.partition.stimulus import (
    AppliedCommand,
    Driver,
    InvalidCommand,
    PartitionInfo,
    Read,
    ReadCommand,
    ReadDecisions,
    ReadDefinitions,
    ReadModel,
    ReadSignals,
    ReadSource,
    ReadState,
    RecordOutcome,
    Stimulus,
)
from engine.partition.transaction import transact

__all__ = [
    "AppliedCommand",
    "Driver",
    "InvalidCommand",
    "PartitionInfo",
    "Read",
    "ReadCommand",
    "ReadDecisions",
    "ReadDefinitions",
    "ReadModel",
    "ReadSignals",
    "ReadSource",
    "ReadState",
    "RecordOutcome",
    "Stimulus",
    "transact",
]
