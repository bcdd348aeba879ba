"""Apache Kafka of Maven's jars: its settings, and what is said where it cannot be had."""

from pathlib import Path

import pytest

from consumers.dev import apache_kafka
from consumers.dev.docker_servers import broker_settings
from consumers.dev.errors import UnavailableError


def read_settings(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_one_broker_replicates_nothing(tmp_path: Path) -> None:
    settings = read_settings(apache_kafka.write_settings(tmp_path, 0, [(1001, 1002)]))
    assert settings["node.id"] == "1"
    assert settings["controller.quorum.voters"] == "1@127.0.0.1:1002"
    assert settings["advertised.listeners"] == "PLAINTEXT://127.0.0.1:1001"
    assert settings["offsets.topic.replication.factor"] == "1"
    assert settings["min.insync.replicas"] == "1"
    assert settings["auto.create.topics.enable"] == "false"


def test_three_brokers_replicate_and_listen_on_loopback_only(tmp_path: Path) -> None:
    ports = [(1001, 1002), (1003, 1004), (1005, 1006)]
    settings = read_settings(apache_kafka.write_settings(tmp_path, 1, ports))
    assert settings["node.id"] == "2"
    voters = "1@127.0.0.1:1002,2@127.0.0.1:1004,3@127.0.0.1:1006"
    assert settings["controller.quorum.voters"] == voters
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:1003,CONTROLLER://127.0.0.1:1004"
    assert settings["default.replication.factor"] == "3"
    assert settings["min.insync.replicas"] == "2"
    assert settings["transaction.state.log.min.isr"] == "2"


def test_a_container_has_the_same_common_settings() -> None:
    settings = broker_settings("localhost", 1001)
    assert settings["group.initial.rebalance.delay.ms"] == "0"
    assert settings["advertised.listeners"] == "PLAINTEXT://localhost:1001"


def test_what_maven_says_is_the_reason_and_nothing_half_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text(f"#!/bin/sh\n/bin/mkdir -p {tmp_path}/cache/4.0.$$\necho offline\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", str(maven.parent))
    with pytest.raises(UnavailableError, match="Maven could not resolve its jars:\noffline"):
        apache_kafka.resolve_jars(tmp_path / "cache" / "4.0")
    assert not (tmp_path / "cache" / "4.0").exists()


def test_without_a_checkout_there_is_no_pom(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="in a checkout"):
        apache_kafka.kafka_version(tmp_path / "pom.xml")
