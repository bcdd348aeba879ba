"""Counters and gauges of this process, in Prometheus's text format.

Every metric is listed here with its help text; a name that is not is a bug.
"""

from collections.abc import Mapping

import msgspec

COUNTER = "counter"
GAUGE = "gauge"


class Metric(msgspec.Struct, frozen=True):
    kind: str
    help: str


METRICS: Mapping[str, Metric] = {
    "torpor_commits_total": Metric(COUNTER, "Commits written, also those that only trim."),
    "torpor_dead_letters_total": Metric(COUNTER, "Records dead-lettered, by reason."),
    "torpor_effects_published_total": Metric(COUNTER, "Entries of the outbox acknowledged."),
    "torpor_engine_faults_total": Metric(COUNTER, "Commands that met a bug of the engine."),
    "torpor_fence_offset": Metric(GAUGE, "The next offset to apply, as committed."),
    "torpor_forged_total": Metric(
        COUNTER, "Records with the engine's headers or commands, and no valid seal."
    ),
    "torpor_forwarded_total": Metric(COUNTER, "Commands found on the wrong partition."),
    "torpor_loads_total": Metric(COUNTER, "Loads of a partition, by what led to them."),
    "torpor_outbox_entries": Metric(GAUGE, "Entries in the outbox."),
    "torpor_partition_state": Metric(GAUGE, "1 for the state that a partition is in."),
    "torpor_records_total": Metric(COUNTER, "Records applied and committed."),
    "torpor_refused_sends_total": Metric(COUNTER, "Publications that Kafka refused, by topic."),
    "torpor_replies_dropped_total": Metric(COUNTER, "Replies that nobody took in time."),
    "torpor_store_memory_share": Metric(GAUGE, "Used part of the memory of the fullest Redis."),
    "torpor_timers_fired_total": Metric(COUNTER, "FireTimer commands published."),
}

_Labels = tuple[tuple[str, str], ...]


class Metrics:
    """The values. One object a process; the event loop is its only user."""

    def __init__(self) -> None:
        self._values: dict[str, dict[_Labels, float]] = {name: {} for name in METRICS}

    def count(self, name: str, amount: int = 1, **labels: str | int) -> None:
        """Raise a counter."""
        values = self._values[name]
        key = _key(labels)
        values[key] = values.get(key, 0) + amount

    def set(self, name: str, value: float, **labels: str | int) -> None:
        """Set a gauge."""
        self._values[name][_key(labels)] = value

    def forget(self, partition: int) -> None:
        """Drop the gauges of a partition that is no longer here."""
        label = ("partition", str(partition))
        for name, metric in METRICS.items():
            if metric.kind == GAUGE:
                values = self._values[name]
                self._values[name] = {key: each for key, each in values.items() if label not in key}

    def value(self, name: str, **labels: str | int) -> float:
        """The present value; 0 when nothing was counted."""
        return self._values[name].get(_key(labels), 0)

    def render(self) -> str:
        """All values as Prometheus scrapes them."""
        lines = []
        for name, metric in METRICS.items():
            lines.append(f"# HELP {name} {metric.help}")
            lines.append(f"# TYPE {name} {metric.kind}")
            for labels, value in sorted(self._values[name].items()):
                lines.append(f"{name}{_render_labels(labels)} {_number(value)}")
        return "\n".join(lines) + "\n"


def _key(labels: Mapping[str, str | int]) -> _Labels:
    return tuple(sorted((name, str(value)) for name, value in labels.items()))


def _render_labels(labels: _Labels) -> str:
    if not labels:
        return ""
    inner = ",".join(f'{name}="{_escape(value)}"' for name, value in labels)
    return f"{{{inner}}}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
