"""The index of signals without a store: what stands in it follows from the documents alone."""

from collections.abc import Iterable

from engine.outcome import AggregateState
from engine.partition import ReadSignals
from storage.signals import signal_entries


def signal_waits(
    states: Iterable[AggregateState | None], request: ReadSignals
) -> tuple[tuple[int, str], ...]:
    """The answer to `ReadSignals`."""
    entries = sorted(entry for state in states for entry in signal_entries(request.name, state))
    behind = (-1, "") if request.after_since is None else (request.after_since, request.after_wait)
    found = [entry for entry in entries if behind < entry and entry[0] < request.before]
    return tuple(found[: request.limit])
