"""Contexts for commands on aggregates: what the record loop would hand to `apply`."""

from engine.definitions import Definitions, ProcessVersions, VersionRef
from engine.outcome import Context
from engine.settings import Settings

NOW = 1_700_000_000_000
"""An instant of the log, in UTC epoch milliseconds."""

HOUR = 3_600_000


def context(
    *,
    now: int = NOW,
    offset: int = 1,
    step: int = 0,
    partition: int = 0,
    partitions: int = 4,
    definitions: Definitions | None = None,
    settings: Settings | None = None,
) -> Context:
    """A context at a position of the log; everything else is plain."""
    return Context(
        namespace="test",
        now=now,
        partition=partition,
        offset=offset,
        index=0,
        step=step,
        partitions=partitions,
        command_id=f"{partition}-{offset}",
        definitions=definitions or Definitions(),
        settings=settings or Settings(),
    )


def started_by(name: str, *process_ids: str, version: int = 1) -> Definitions:
    """A table in which these processes have a message start event `begin` for `name`."""
    return Definitions(
        {
            process_id: ProcessVersions(
                id=process_id,
                versions=(VersionRef(version=version, checksum="c0ffee", semantics=1),),
                message_starts=((name, "begin"),),
            )
            for process_id in process_ids
        }
    )
