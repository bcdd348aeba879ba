"""What Kafka refuses is tried for as long as its kind deserves, then made visible."""

import pytest
from msgspec.structs import replace

from consumers.log import PublishRefusedError
from consumers.services import Limits
from consumers.undeliverable import EFFECT_UNDELIVERABLE, Undeliverable, patience_ms, subject_of
from engine import commands as c
from engine.records import Topic
from schemas.codec import Codec
from schemas.publication_writer import OutboxRecord
from tests.support.owner_bench import COMMANDS, DEAD_LETTERS, OwnerBench
from tests.support.virtual_time import in_virtual_time

LIMITS = Limits(reply_patience_ms=5_000, effect_patience_ms=300_000)
REFUSED = PublishRefusedError("no permission")
JOB = OutboxRecord(
    topic="shop.jobs.pay",
    key=b"i-1",
    partition=None,
    headers=(("ce_subject", b"i-1~7"), ("ce_id", b"0-5-1")),
    value=b"job",
)


def test_sends_and_dead_letters_are_tried_for_ever_the_rest_for_its_time() -> None:
    assert patience_ms(Topic.COMMANDS, LIMITS) is None
    assert patience_ms(Topic.DEAD_LETTERS, LIMITS) is None
    assert patience_ms(Topic.REPLIES, LIMITS) == 5_000
    assert {patience_ms(kind, LIMITS) for kind in (Topic.JOBS, Topic.EFFECTS)} == {300_000}


@pytest.mark.parametrize(
    ("refused_for_ms", "waits_ms"), [(0, 100), (300, 300), (4_000, 4_000), (90_000, 5_000)]
)
@in_virtual_time
async def test_the_waits_grow_with_the_time_and_are_bounded(
    refused_for_ms: int, waits_ms: int
) -> None:
    bench = OwnerBench(limits=LIMITS)
    before = bench.now_ms()

    done = await Undeliverable(bench.services, 0).endure(
        JOB, refused_for_ms, await bench.publishers.open(), REFUSED
    )

    assert (done, bench.now_ms() - before) == (False, waits_ms)


@in_virtual_time
async def test_a_job_is_dead_lettered_and_a_logged_command_raises_an_incident() -> None:
    bench = OwnerBench(limits=LIMITS)

    done = await Undeliverable(bench.services, 0).endure(
        JOB, 300_000, await bench.publishers.open(), REFUSED
    )

    assert done
    (letter,) = bench.topic(DEAD_LETTERS).records()
    headers = dict(letter.headers)
    assert (letter.key, letter.value) == (b"i-1", b"job")
    assert headers["reason"] == b"no permission"
    assert headers["topic"] == b"shop.jobs.pay"
    assert headers["ce_subject"] == b"i-1~7"
    (record,) = bench.topic(COMMANDS).records()
    command = Codec("shop").decode_command(record).command
    assert isinstance(command, c.RaiseIncident)
    assert (command.instance_id, command.kind) == ("i-1~7", EFFECT_UNDELIVERABLE)


@in_virtual_time
async def test_while_there_is_no_topic_for_dead_letters_nothing_is_given_up() -> None:
    bench = OwnerBench(limits=LIMITS)
    del bench.broker.topics[DEAD_LETTERS]

    done = await Undeliverable(bench.services, 0).endure(
        JOB, 300_000, await bench.publishers.open(), REFUSED
    )

    assert not done


@in_virtual_time
async def test_what_is_about_no_instance_raises_no_incident() -> None:
    bench = OwnerBench(limits=LIMITS)
    record = OutboxRecord(topic="shop.tasks", key=b"t", partition=None, headers=(), value=None)

    done = await Undeliverable(bench.services, 0).endure(
        record, 300_000, await bench.publishers.open(), REFUSED
    )

    assert done
    assert [len(bench.topic(name).records()) for name in (DEAD_LETTERS, COMMANDS)] == [1, 0]


@in_virtual_time
async def test_topics_that_clients_name_are_one_label_of_the_metrics() -> None:
    bench = OwnerBench(limits=LIMITS)
    undeliverable = Undeliverable(bench.services, 0)
    for number in range(3):
        reply = replace(JOB, topic=f"shop.replies.mistyped-{number}")
        await undeliverable.endure(reply, 0, await bench.publishers.open(), REFUSED)

    assert bench.metrics.value("torpor_refused_sends_total", topic="shop.replies") == 3
    assert "mistyped" not in bench.metrics.render()


def test_the_subject_is_taken_from_the_header() -> None:
    assert subject_of(JOB) == "i-1~7"
