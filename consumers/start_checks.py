"""What a process is handed is checked before it owns anything, and said with how to put it right.

Pure functions over what servers say of themselves. An error refuses to start; a warning does not.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from consumers.kafka_topics import (
    HOUR_MS,
    NUMBERED,
    RECORD_BYTES_MAX,
    TopicFound,
    TopicPlan,
    in_sync_for,
    planned_topics,
    replicas_for,
)
from consumers.namespace import NamespaceRecord
from engine.records import Topic
from schemas.topics import topic_name
from storage.redis_facts import RedisFacts

REDIS_VERSION_MIN = (6, 2)
MEMORY_SHARE_MAX = 0.9
"""Above it no partition takes commands."""

RETENTION_WARNED_MS = 24 * HOUR_MS


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with what, and how to put it right."""

    severity: Severity
    subject: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.problem}. {self.remedy}"


class StartError(Exception):
    """The process does not start. `problems` has all that was found, warnings too."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        errors = [str(each) for each in self.problems if each.severity is Severity.ERROR]
        super().__init__("\n".join(errors))


class KafkaFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the brokers say. `topics` are those of the namespace that exist."""

    brokers: int
    topics: Mapping[str, TopicFound]


def check_namespace(namespace: str, record: NamespaceRecord | None) -> list[Problem]:
    if record is not None:
        return [] if record.epochs else [_unsealed(namespace)]
    return [
        _error(
            f"namespace {namespace}",
            "it is not registered in this Redis",
            f"Run: torpor init --namespace {namespace}. If it was there before, Redis has lost its"
            " data: restore it first",
        )
    ]


def _unsealed(namespace: str) -> Problem:
    what = "what its engines send is not sealed: whoever may write commands is trusted like them"
    remedy = f"Stop all its engines for a moment and run: torpor upgrade --namespace {namespace}"
    return _warning(f"namespace {namespace}", what, remedy)


# --- Redis ---


def check_redis(servers: Iterable[RedisFacts]) -> list[Problem]:
    return [problem for facts in servers for problem in _check_server(facts)]


def _check_server(facts: RedisFacts) -> list[Problem]:
    name = f"{facts.product} {facts.address}"
    return [
        *_check_version(name, facts),
        *_check_eviction(name, facts),
        *_check_persistence(name, facts),
        *_check_memory(name, facts),
    ]


def _check_version(name: str, facts: RedisFacts) -> list[Problem]:
    problems = []
    if facts.version < REDIS_VERSION_MIN:
        found = ".".join(map(str, facts.version))
        problems.append(_error(name, f"it is version {found}", "Redis 6.2 or Valkey is needed"))
    if facts.role != "master":
        remedy = "Give the address of its master, or of the sentinels"
        problems.append(_error(name, f"its role is {facts.role}", remedy))
    return problems


def _check_eviction(name: str, facts: RedisFacts) -> list[Problem]:
    if facts.eviction_policy == "noeviction":
        return []
    if facts.eviction_policy is None:
        remedy = "See to it that maxmemory-policy is noeviction"
        return [_warning(name, "it does not tell its eviction policy", remedy)]
    return [
        _error(
            name,
            f"its maxmemory-policy is {facts.eviction_policy}: it would delete waiting processes",
            "Set it: CONFIG SET maxmemory-policy noeviction, and in its configuration file",
        )
    ]


def _check_persistence(name: str, facts: RedisFacts) -> list[Problem]:
    if facts.appends:
        return []
    remedy = "Set appendonly yes (CONFIG SET appendonly yes, and in its configuration file)"
    if facts.snapshots is None:
        return [_warning(name, "it has no append-only file, and does not tell more", remedy)]
    if facts.snapshots:
        what = "it only saves snapshots: after a restart, minutes are applied again from the log"
        return [_warning(name, what, remedy)]
    return [_error(name, "it does not persist anything: a restart would lose all", remedy)]


def _check_memory(name: str, facts: RedisFacts) -> list[Problem]:
    if facts.memory_share < MEMORY_SHARE_MAX:
        return []
    share = round(100 * facts.memory_share)
    what = f"{share} % of its memory is used: no commands are taken above 90 %"
    return [_warning(name, what, "Raise maxmemory")]


# --- Kafka ---


def check_kafka(namespace: str, record: NamespaceRecord, facts: KafkaFacts) -> list[Problem]:
    problems: list[Problem] = []
    numbered = {topic_name(namespace, kind) for kind in NUMBERED}
    for plan in planned_topics(namespace, record.partitions, facts.brokers):
        found = facts.topics.get(plan.name)
        if found is None:
            remedy = f"Run: torpor init --namespace {namespace}"
            problems.append(_error(f"topic {plan.name}", "it does not exist", remedy))
            continue
        if plan.name in numbered:
            problems += _check_partitions(plan, found)
        problems += _check_topic(plan, found, facts.brokers)
    return [*problems, *_check_told(namespace, facts)]


def _check_partitions(plan: TopicPlan, found: TopicFound) -> list[Problem]:
    if found.partitions == plan.partitions:
        return []
    what = f"it has {found.partitions} partitions, the namespace was made with {plan.partitions}"
    remedy = (
        "The number cannot change: who owns an instance would change with it. Restore the topic"
    )
    return [_error(f"topic {plan.name}", what, remedy)]


def _check_topic(plan: TopicPlan, found: TopicFound, brokers: int) -> list[Problem]:
    name = f"topic {plan.name}"
    problems: list[Problem] = []
    if found.replicas < replicas_for(brokers):
        what = f"it has {found.replicas} replicas, {brokers} brokers could keep"
        problems.append(
            _warning(name, f"{what} {replicas_for(brokers)}", "Reassign its partitions")
        )
    if found.settings is not None:
        problems += _check_settings(plan, found.settings, found.replicas)
        if plan.name.endswith(f".{Topic.COMMANDS}"):
            problems += _check_commands(name, found.settings)
    return problems


def _check_settings(plan: TopicPlan, settings: Mapping[str, str], replicas: int) -> list[Problem]:
    name = f"topic {plan.name}"
    problems: list[Problem] = []
    if int(settings.get("max.message.bytes", RECORD_BYTES_MAX)) < RECORD_BYTES_MAX:
        found = settings["max.message.bytes"]
        what = f"its max.message.bytes is {found}: larger records become dead letters"
        problems.append(_warning(name, what, _set(plan, "max.message.bytes")))
    if int(settings.get("min.insync.replicas", 1)) < in_sync_for(replicas):
        what = "its min.insync.replicas is 1: what one broker acknowledged alone may be lost"
        problems.append(_warning(name, what, _set(plan, "min.insync.replicas")))
    if settings.get("unclean.leader.election.enable") == "true":
        what = "it elects unclean leaders, which lose acknowledged records"
        make = _error if replicas > 1 else _warning
        problems.append(make(name, what, _set(plan, "unclean.leader.election.enable")))
    return problems


def _check_commands(name: str, settings: Mapping[str, str]) -> list[Problem]:
    problems: list[Problem] = []
    if settings.get("message.timestamp.type") == "CreateTime":
        what = "its timestamps are the senders': their clocks would rule timers"
        remedy = "Set message.timestamp.type=LogAppendTime on it"
        problems.append(_error(name, what, remedy))
    if "compact" in settings.get("cleanup.policy", ""):
        what = "it is compacted: commands that were not applied yet would be deleted"
        problems.append(_error(name, what, "Set cleanup.policy=delete on it"))
    retention_ms = int(settings.get("retention.ms", -1))
    if 0 <= retention_ms < RETENTION_WARNED_MS:
        what = f"it keeps commands for {retention_ms // HOUR_MS} hours only"
        remedy = "Keep them longer than the oldest Redis backup that you would restore"
        problems.append(_warning(name, what, remedy))
    return problems


def _check_told(namespace: str, facts: KafkaFacts) -> list[Problem]:
    """Brokers that do not tell the settings of topics."""
    commands = facts.topics.get(topic_name(namespace, Topic.COMMANDS))
    if commands is None or commands.settings is not None:
        return []
    what = "these brokers do not tell the settings of topics, and may keep the senders' timestamps"
    return [_warning("Kafka", what, "Good for trying things out; for more use Apache Kafka")]


def _set(plan: TopicPlan, setting: str) -> str:
    return f"Set {setting}={plan.settings[setting]} on it"


def _error(subject: str, problem: str, remedy: str) -> Problem:
    return Problem(severity=Severity.ERROR, subject=subject, problem=problem, remedy=remedy)


def _warning(subject: str, problem: str, remedy: str) -> Problem:
    return Problem(severity=Severity.WARNING, subject=subject, problem=problem, remedy=remedy)
