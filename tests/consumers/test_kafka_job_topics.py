"""Topics of job types: named by what is deployed, made before there is a job."""

import logging

import pytest

from consumers.dev.kafka_server import Kafka
from consumers.kafka_connection import KafkaConnection
from consumers.kafka_job_topics import JobTopics, job_topics
from consumers.kafka_topics import KafkaTopics
from consumers.log import PublishRefusedError
from tests.support.models import (
    bpmn,
    chain,
    end,
    extension,
    extensions,
    heard,
    listener,
    process,
    service_task,
    start,
)
from tests.support.waiting import eventually, until

PARTITIONS = 4


def model(*types: str) -> bytes:
    names = [f"task-{number}" for number in range(len(types))]
    tasks = [service_task(name, type=each) for name, each in zip(names, types, strict=True)]
    return bpmn(process("p", start("s"), *tasks, end("e"), chain("s", *names, "e")))


def test_every_static_type_of_every_model_has_its_topic_once() -> None:
    found = job_topics("shop", [model("pay", "ship", "pay"), model("a:b")])
    assert found == ["shop.jobs.pay", "shop.jobs.ship", "shop.jobs.a--3ab"]


def test_types_that_only_an_expression_tells_have_none() -> None:
    assert job_topics("shop", [model('="pay-" + country', "ship")]) == ["shop.jobs.ship"]


def test_types_of_listeners_have_topics_too() -> None:
    hearing = extensions(extension("executionListeners", listener("start", "open")))
    listened = heard(start("s"), end="begun"), heard(end("e"), start="=kind")
    content = bpmn(process("p", hearing, *listened, chain("s", "e")))
    assert job_topics("shop", [content]) == ["shop.jobs.open", "shop.jobs.begun"]


def test_what_is_no_model_names_none() -> None:
    assert job_topics("shop", [b"no model", b""]) == []


async def names(kafka: Kafka) -> set[str]:
    async with KafkaTopics(KafkaConnection(bootstrap=kafka.bootstrap)) as topics:
        return await topics.names()


async def test_topics_of_a_deployment_are_made_in_the_background(
    any_kafka: Kafka, namespace: str
) -> None:
    connection = KafkaConnection(bootstrap=any_kafka.bootstrap)
    topics = JobTopics(connection, namespace, PARTITIONS)
    await topics.create([f"{namespace}.jobs.pay"])
    topics.deployed([model("pay", "ship")])
    wanted = {f"{namespace}.jobs.pay", f"{namespace}.jobs.ship"}

    async def made() -> bool:
        return wanted <= await names(any_kafka)

    await eventually("the topics are made", made)
    async with KafkaTopics(connection) as found:
        (ship,) = (await found.find([f"{namespace}.jobs.ship"])).values()
    assert ship.partitions == PARTITIONS
    topics.close()


async def test_a_topic_that_cannot_be_made_is_refused(kafka: Kafka, namespace: str) -> None:
    topics = JobTopics(KafkaConnection(bootstrap=kafka.bootstrap), namespace, PARTITIONS)
    with pytest.raises(PublishRefusedError, match="cannot be created"):
        await topics.create([f"{namespace}.jobs.no good"])


async def test_a_kafka_that_is_away_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    topics = JobTopics(KafkaConnection(bootstrap="127.0.0.1:1"), "shop", PARTITIONS)
    with caplog.at_level(logging.WARNING, "consumers"):
        topics.deployed([model("pay")])
        await until("it is logged", lambda: "with their first job" in caplog.text)
    topics.close()
