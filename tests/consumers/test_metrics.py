"""Metrics as Prometheus reads them."""

import pytest

from consumers.metrics import METRICS, Metrics


def test_a_counter_counts_by_its_labels() -> None:
    metrics = Metrics()
    metrics.count("torpor_records_total", 3, partition=1)
    metrics.count("torpor_records_total", partition=1)
    metrics.count("torpor_records_total", partition=2)

    assert metrics.value("torpor_records_total", partition=1) == 4
    assert metrics.value("torpor_records_total", partition=2) == 1
    assert metrics.value("torpor_records_total", partition=3) == 0


def test_a_metric_that_is_not_listed_is_a_bug() -> None:
    with pytest.raises(KeyError):
        Metrics().count("torpor_surprise_total")


def test_they_are_rendered_as_prometheus_reads_them() -> None:
    metrics = Metrics()
    metrics.set("torpor_fence_offset", 12_345_678_901, partition=0)
    metrics.count("torpor_dead_letters_total", reason='a "bad"\none\\')

    lines = metrics.render().splitlines()

    assert 'torpor_fence_offset{partition="0"} 12345678901' in lines
    assert 'torpor_dead_letters_total{reason="a \\"bad\\"\\none\\\\"} 1' in lines
    assert "# TYPE torpor_fence_offset gauge" in lines
    assert all(f"# HELP {name} {metric.help}" in lines for name, metric in METRICS.items())


def test_a_partition_that_is_gone_takes_its_gauges_with_it_and_leaves_its_counters() -> None:
    metrics = Metrics()
    for partition in (1, 2):
        metrics.set("torpor_outbox_entries", 7, partition=partition)
        metrics.count("torpor_records_total", 5, partition=partition)

    metrics.forget(1)

    assert metrics.value("torpor_outbox_entries", partition=1) == 0
    assert metrics.value("torpor_outbox_entries", partition=2) == 7
    assert metrics.value("torpor_records_total", partition=1) == 5


def test_fractions_are_not_rounded() -> None:
    metrics = Metrics()
    metrics.set("torpor_outbox_entries", 0.25)

    assert "torpor_outbox_entries 0.25" in metrics.render()
