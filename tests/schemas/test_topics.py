"""Names of topics and the escaping of job types."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.records import Topic
from schemas.topics import (
    JOB_TYPE_MAX,
    escape_job_type,
    is_namespace,
    is_reply_topic,
    topic_name,
)

TRICKY = st.text(alphabet="a-.:_2dé", min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("job_type", "escaped"),
    [
        ("charge-card", "charge-card"),
        ("emailService", "emailService"),
        ("charge_card.v2", "charge_card.v2"),
        ("io.camunda:email:1", "io.camunda--3aemail--3a1"),
        ("a b", "a--20b"),
        ("é", "--c3--a9"),
        ("a--b", "a--2d-b"),
        ("a-:", "a--2d--3a"),
        ("-", "-"),
    ],
)
def test_job_type_is_escaped_to_kafkas_alphabet_and_back(job_type: str, escaped: str) -> None:
    assert escape_job_type(job_type) == escaped
    assert _unescaped(escaped) == job_type


@given(TRICKY)
def test_every_escaped_job_type_is_read_back(job_type: str) -> None:
    escaped = escape_job_type(job_type)
    assert re.fullmatch(r"[A-Za-z0-9._-]+", escaped)
    assert _unescaped(escaped) == job_type


@given(TRICKY, TRICKY)
def test_no_two_job_types_share_a_topic(one: str, other: str) -> None:
    assert (escape_job_type(one) == escape_job_type(other)) == (one == other)


@pytest.mark.parametrize("job_type", ["", "a" * (JOB_TYPE_MAX + 1), "é" * 51, "\ud800"])
def test_job_type_that_fits_no_topic_is_refused(job_type: str) -> None:
    with pytest.raises(ValueError, match=r"job type|surrogates"):
        escape_job_type(job_type)


def test_longest_job_type_and_namespace_fit_into_a_topic_name() -> None:
    assert len(topic_name("n" * 40, Topic.JOBS, "t" * JOB_TYPE_MAX)) <= 249


@pytest.mark.parametrize(
    ("topic", "allowed"),
    [
        ("shop.replies", True),
        ("shop.replies.desk-7", True),
        ("shop.replies.", True),
        ("shop.repliesx", False),
        ("shop.commands", False),
        ("other.replies", False),
        ("shop.replies.a b", False),
        ("shop.replies." + "x" * 250, False),
    ],
)
def test_replies_go_to_reply_topics_of_the_namespace_only(topic: str, *, allowed: bool) -> None:
    assert is_reply_topic("shop", topic) is allowed


@pytest.mark.parametrize(
    ("text", "valid"),
    [("shop-2", True), ("", False), ("a.b", False), ("Shop", False), ("n" * 41, False)],
)
def test_namespace_has_neither_dots_nor_capitals(text: str, *, valid: bool) -> None:
    assert is_namespace(text) is valid


def _unescaped(suffix: str) -> str:
    """What a client reads off a topic's name."""
    return (
        re.sub(r"--([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), suffix)
        .encode("latin-1")
        .decode()
    )
