"""Which offsets of a partition may be committed."""

from hypothesis import given
from hypothesis import strategies as st

from torpor_client.offsets import OffsetTracker


def taking(*offsets: int) -> OffsetTracker:
    tracker = OffsetTracker()
    for offset in offsets:
        tracker.take(offset)
    return tracker


def test_nothing_is_committable_before_the_first_is_answered() -> None:
    tracker = taking(5, 6, 8)
    assert tracker.to_commit() is None
    tracker.answer(6)
    assert tracker.to_commit() in (None, 5)


def test_all_before_the_first_unanswered_are_committable_over_gaps() -> None:
    tracker = taking(5, 6, 8)
    tracker.answer(6)
    tracker.answer(5)
    assert tracker.to_commit() in (7, 8)
    tracker.answer(8)
    assert tracker.to_commit() == 9


def test_what_was_committed_is_not_committed_again() -> None:
    tracker = taking(5)
    tracker.answer(5)
    tracker.committed(6)
    assert tracker.to_commit() is None


def test_answer_to_a_record_of_an_earlier_assignment_is_ignored() -> None:
    tracker = taking(5)
    tracker.answer(4)
    assert tracker.to_commit() is None


def test_length_is_what_a_crash_would_repeat() -> None:
    tracker = taking(1, 2, 3, 4)
    tracker.answer(2)
    assert len(tracker) == 4
    tracker.answer(1)
    assert len(tracker) == 2


@given(st.permutations(range(8)), st.integers(0, 8))
def test_no_unanswered_record_is_ever_below_the_committed_offset(
    order: list[int], answered: int
) -> None:
    tracker = taking(*range(8))
    for offset in order[:answered]:
        tracker.answer(offset)
    unanswered = order[answered:]
    expected = min(unanswered, default=8)
    assert (tracker.to_commit() or 0) == (expected if answered else 0)
