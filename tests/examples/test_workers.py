"""The workers of the example as a program; that they work is seen beside `torpor dev`."""

import pytest

from examples.workers import main


def test_without_a_kafka_they_end_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TORPOR_KAFKA", "127.0.0.1:1")
    assert main() == 1
    assert capsys.readouterr().err.startswith("Kafka cannot be reached")
