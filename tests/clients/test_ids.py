"""Ids that a client makes."""

import time
from uuid import UUID

from torpor_client.ids import answer_id, new_id, started_by


def test_new_ids_are_version_7_and_carry_the_time() -> None:
    before = time.time_ns() // 1_000_000
    found = UUID(new_id())
    after = time.time_ns() // 1_000_000
    assert (found.version, found.variant) == (7, "specified in RFC 4122")
    assert before <= found.int >> 80 <= after


def test_new_ids_differ() -> None:
    assert len({new_id() for _ in range(1_000)}) == 1_000


def test_answer_to_a_job_has_the_same_id_from_every_worker() -> None:
    assert answer_id("i:1", 1) == answer_id("i:1", 1)
    others = {
        answer_id("i:1", 1),
        answer_id("i:1", 2),
        answer_id("i:11", 1),
        answer_id("i:1", 1, "/r"),
    }
    assert len(others) == 4
    assert len(answer_id("i" * 120, 1)) <= 100


def test_start_without_an_instance_id_gets_one_that_follows_from_its_command_id() -> None:
    identity = new_id()
    assert started_by(identity) == identity
    assert started_by("start-7") == started_by("start-7") != started_by("start-8")
    assert UUID(started_by("start/7: ö")).version == 5
