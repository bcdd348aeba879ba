"""Message ids are remembered as in a dictionary, however many they are."""

from hypothesis import given
from hypothesis import strategies as st

from engine.correlation.message_ids import (
    MessageIds,
    forget,
    last_instant,
    remember,
    weight,
)
from engine.ordered import Ordered
from engine.pages import WIDE

STEPS = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 200), st.integers(0, 3)))


def many(count: int) -> MessageIds:
    ids: MessageIds = {}
    for number in range(count):
        ids = remember(ids, f"m{number}", 1_000 + number, epoch=number)
    return ids


def assert_like(ids: MessageIds, expected: dict[str, int]) -> None:
    assert list(ids.items()) == list(expected.items())
    assert isinstance(ids, Ordered) == (len(expected) > WIDE)
    assert weight(ids) == sum(map(len, expected))
    if expected:
        assert last_instant(ids) == max(expected.values())


@given(st.integers(0, 2 * WIDE), STEPS)
def test_they_are_what_was_remembered_and_is_not_over(
    first: int, steps: list[tuple[int, int, int]]
) -> None:
    ids, expected, now = many(first), {f"m{n}": 1_000 + n for n in range(first)}, 0
    for position, (name, lasts, passes) in enumerate(steps, start=1_000):
        now += passes * 50
        before, kept = ids, dict(ids.items())
        ids = forget(ids, now, position)
        expected = {key: until for key, until in expected.items() if until > now}
        if f"n{name}" not in ids:
            ids = remember(ids, f"n{name}", now + lasts, position)
            expected[f"n{name}"] = now + lasts
        assert_like(ids, expected)
        assert dict(before.items()) == kept, "what came in stays as it was"


def test_where_none_is_over_nothing_is_copied() -> None:
    for count in (0, 3, 2 * WIDE):
        ids = many(count)
        assert forget(ids, 999, epoch=5_000) is ids


def test_one_more_of_very_many_changes_one_page() -> None:
    before = many(20 * WIDE)
    after = remember(before, "one more", 1, epoch=5_000_000)
    assert isinstance(before, Ordered)
    assert isinstance(after, Ordered)
    assert sum(before.pages.get(n) is not page for n, page in after.pages.items()) == 1
