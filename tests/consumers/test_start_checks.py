"""Each thing that is wrong with a server is said, refused or warned of; a good one is silent."""

from typing import Any

import pytest
from msgspec.structs import replace

from consumers.kafka_topics import TopicFound, planned_topics, replicas_for
from consumers.namespace import NamespaceRecord
from consumers.start_checks import (
    KafkaFacts,
    Problem,
    Severity,
    StartError,
    check_kafka,
    check_namespace,
    check_redis,
)
from storage.redis_facts import RedisFacts
from tests.support.sealing import sealed

RECORD = NamespaceRecord(partitions=8, epochs=sealed(8))
GOOD_REDIS = RedisFacts(
    address="r:6379",
    product="redis",
    version=(7, 0, 15),
    role="master",
    is_cluster=False,
    eviction_policy="noeviction",
    memory_used=10,
    memory_max=100,
    appends=True,
    snapshots=False,
    replicas=0,
)


def good_kafka(brokers: int = 3) -> KafkaFacts:
    """Topics as `init` makes them."""
    topics = {
        plan.name: TopicFound(
            name=plan.name,
            partitions=plan.partitions,
            replicas=replicas_for(brokers),
            settings=plan.settings,
        )
        for plan in planned_topics("shop", RECORD.partitions, brokers)
    }
    return KafkaFacts(brokers=brokers, topics=topics)


def changed(
    topic: str, *, brokers: int = 3, settings: dict[str, str] | None = None, **fields: Any
) -> KafkaFacts:
    facts = good_kafka(brokers)
    found = replace(facts.topics[topic], **fields)
    if settings is not None:
        found = replace(found, settings={**(found.settings or {}), **settings})
    return KafkaFacts(brokers=brokers, topics={**facts.topics, topic: found})


def the_only(problems: list[Problem]) -> Problem:
    (problem,) = problems
    assert problem.remedy
    return problem


@pytest.mark.parametrize("brokers", [1, 2, 3, 5])
def test_good_servers_have_no_problem(brokers: int) -> None:
    assert check_redis([GOOD_REDIS]) == []
    assert check_kafka("shop", RECORD, good_kafka(brokers)) == []
    assert check_namespace("shop", RECORD) == []


def test_a_namespace_that_is_not_registered_is_refused_with_the_command_to_run() -> None:
    problem = the_only(check_namespace("shop", None))
    assert problem.severity is Severity.ERROR
    assert "torpor init --namespace shop" in problem.remedy


def test_a_namespace_whose_sends_are_not_sealed_is_served_with_a_warning() -> None:
    problem = the_only(check_namespace("shop", NamespaceRecord(partitions=8, format=1)))
    assert problem.severity is Severity.WARNING
    assert "torpor upgrade --namespace shop" in problem.remedy


@pytest.mark.parametrize(
    ("fields", "severity", "word"),
    [
        ({"version": (6, 0, 9)}, Severity.ERROR, "6.0.9"),
        ({"role": "slave"}, Severity.ERROR, "slave"),
        ({"eviction_policy": "allkeys-lru"}, Severity.ERROR, "allkeys-lru"),
        ({"eviction_policy": None}, Severity.WARNING, "eviction"),
        ({"appends": False}, Severity.ERROR, "persist"),
        ({"appends": False, "snapshots": True}, Severity.WARNING, "snapshots"),
        ({"appends": False, "snapshots": None}, Severity.WARNING, "append-only"),
        ({"memory_used": 95}, Severity.WARNING, "95 %"),
    ],
)
def test_what_is_wrong_with_redis_is_said(
    fields: dict[str, Any], severity: Severity, word: str
) -> None:
    problem = the_only(check_redis([replace(GOOD_REDIS, **fields)]))
    assert problem.severity is severity
    assert word in problem.problem
    assert "r:6379" in problem.subject


@pytest.mark.parametrize(
    ("facts", "severity", "word"),
    [
        (changed("shop.commands", partitions=9), Severity.ERROR, "9 partitions"),
        (changed("shop.effects", partitions=1), Severity.ERROR, "1 partitions"),
        (changed("shop.commands", replicas=1), Severity.WARNING, "replicas"),
        (
            changed("shop.commands", settings={"message.timestamp.type": "CreateTime"}),
            Severity.ERROR,
            "clocks",
        ),
        (
            changed("shop.commands", settings={"cleanup.policy": "compact,delete"}),
            Severity.ERROR,
            "compacted",
        ),
        (
            changed("shop.commands", settings={"retention.ms": "3600000"}),
            Severity.WARNING,
            "1 hours",
        ),
        (
            changed("shop.effects", settings={"max.message.bytes": "1048588"}),
            Severity.WARNING,
            "1048588",
        ),
        (
            changed("shop.effects", settings={"min.insync.replicas": "1"}),
            Severity.WARNING,
            "min.insync",
        ),
        (
            changed("shop.commands", settings={"unclean.leader.election.enable": "true"}),
            Severity.ERROR,
            "unclean",
        ),
        (
            changed(
                "shop.commands", brokers=1, settings={"unclean.leader.election.enable": "true"}
            ),
            Severity.WARNING,
            "unclean",
        ),
    ],
)
def test_what_is_wrong_with_a_topic_is_said(
    facts: KafkaFacts, severity: Severity, word: str
) -> None:
    problem = the_only(check_kafka("shop", RECORD, facts))
    assert problem.severity is severity
    assert word in problem.problem
    assert problem.subject.startswith("topic shop.")


def test_a_topic_that_is_missing_is_refused() -> None:
    facts = good_kafka()
    topics = {name: found for name, found in facts.topics.items() if name != "shop.tasks"}
    problem = the_only(check_kafka("shop", RECORD, KafkaFacts(brokers=3, topics=topics)))
    assert problem.severity is Severity.ERROR
    assert problem.subject == "topic shop.tasks"


def test_brokers_that_do_not_tell_settings_are_warned_of_once() -> None:
    facts = good_kafka()
    silent = {name: replace(found, settings=None) for name, found in facts.topics.items()}
    problem = the_only(check_kafka("shop", RECORD, KafkaFacts(brokers=1, topics=silent)))
    assert problem.severity is Severity.WARNING


def test_a_refused_start_tells_its_errors() -> None:
    problems = check_redis([replace(GOOD_REDIS, role="slave", memory_used=99)])
    error = StartError(problems)
    assert len(error.problems) == 2
    assert "slave" in str(error)
    assert "99 %" not in str(error)
