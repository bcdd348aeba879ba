"""The position in a partition of the log: sought, continued, lost."""

from consumers.kafka_position import AHEAD_BYTES_MAX, AHEAD_RECORDS_MAX, Position
from consumers.log import LogRecord


def record(offset: int, size: int = 1) -> LogRecord:
    return LogRecord(partition=0, offset=offset, timestamp_ms=1, key=None, value=b"x" * size)


def sought(offset: int = 0) -> Position:
    position = Position()
    position.seek(offset, leader=1)
    return position


def test_a_position_is_unknown_until_it_is_sought() -> None:
    position = Position()
    assert position.lost is not None
    position.add([record(0)], 1)
    assert not position.has_records
    position.seek(5, leader=2)
    assert position.lost is None
    assert position.take(10).start == 5


def test_records_are_taken_in_order_and_each_fetch_continues_the_last() -> None:
    position = sought(3)
    position.add([record(3), record(4)], 5)
    position.add([record(9)], 12)  # offsets have gaps
    first, second, third = position.take(1), position.take(5), position.take(5)
    assert [each.offset for each in first.records] == [3]
    assert [each.offset for each in second.records] == [4, 9]
    assert (first.start, first.end) == (3, 4)
    assert (second.start, second.end) == (4, 12)
    assert (third.start, third.records, third.end) == (12, (), 12)


def test_seeking_drops_what_was_fetched_ahead() -> None:
    position = sought()
    position.add([record(0), record(1)], 2)
    position.seek(0, leader=1)
    assert position.take(10).records == ()
    position.add([record(0)], 1)
    assert [each.offset for each in position.take(10).records] == [0]


def test_a_loss_drops_everything_and_its_first_reason_stands() -> None:
    position = sought()
    position.add([record(0)], 1)
    position.changed.clear()
    position.lose("a new leader")
    position.lose("another reason")
    assert position.lost == "a new leader"
    assert position.changed.is_set()
    assert not position.has_records
    position.add([record(1)], 2)
    assert not position.has_records


def test_what_is_fetched_ahead_is_bounded_in_records_and_bytes() -> None:
    many = sought()
    many.add([record(number) for number in range(AHEAD_RECORDS_MAX)], AHEAD_RECORDS_MAX)
    assert many.is_full
    assert not many.is_low
    many.take(AHEAD_RECORDS_MAX // 2)
    assert not many.is_full
    assert many.is_low
    large = sought()
    large.add([record(0, AHEAD_BYTES_MAX)], 1)
    assert large.is_full
    large.take(1)
    assert large.is_low
