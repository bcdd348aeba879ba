"""The log: a line of JSON for each record, and libraries held back."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from consumers.logs import Throttle, set_up_logs


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Where logs go; pytest's own handlers come back afterwards."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    set_up_logs("INFO", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_record_is_a_line_of_json_with_what_was_passed(stream: io.StringIO) -> None:
    extra = {"partition": 3, "instance": "order-1", "command": "3-7", "actor": None}
    logging.getLogger("consumers.x").warning("took %d\nof them", 2, extra=extra)
    (line,) = lines(stream)
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "WARNING",
        "logger": "consumers.x",
        "message": "took 2\nof them",
        "partition": 3,
        "instance": "order-1",
        "command": "3-7",
    }


def test_an_exception_is_part_of_its_line(stream: io.StringIO) -> None:
    try:
        int("odd")
    except ValueError:
        logging.getLogger("consumers.x").exception("failed")
    (line,) = lines(stream)
    assert "ValueError: invalid literal" in line["exception"]


def test_libraries_speak_from_warnings_on(stream: io.StringIO) -> None:
    logging.getLogger("aiokafka.consumer").info("chatter")
    logging.getLogger("aiokafka.consumer").warning("trouble")
    logging.getLogger("consumers.x").debug("detail")
    assert [line["message"] for line in lines(stream)] == ["trouble"]


def test_a_library_that_repeats_itself_is_held_back(stream: io.StringIO) -> None:
    library, ours = logging.getLogger("aiokafka.conn"), logging.getLogger("consumers.x")
    for number in range(50):
        library.error("Unable connect to node with id %s", number)
        ours.warning("ours")
    messages = [line["message"] for line in lines(stream)]
    assert messages.count("ours") == 50
    assert messages.count("Unable connect to node with id 0") == 1
    assert len(messages) == 51


def test_what_was_held_back_is_counted() -> None:
    throttle = Throttle()
    record = logging.makeLogRecord({"name": "aiokafka.conn", "msg": "away", "created": 100.0})
    assert throttle.filter(record)
    for second in range(1, 4):
        record.created = 100.0 + second
        assert not throttle.filter(record)
    record.created = 111.0
    assert throttle.filter(record)
    assert record.__dict__["repeated"] == 3
