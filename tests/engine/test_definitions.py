"""A partition's table of versions: which is the latest, and what a message starts."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.definitions import Definitions, ProcessVersions, Starts, VersionRef


def ref(version: int) -> VersionRef:
    return VersionRef(version=version, checksum=f"c{version}", semantics=1)


EMPTY = ProcessVersions(id="order")


def test_the_version_activated_last_is_the_latest() -> None:
    versions = EMPTY.activate(ref(1), Starts()).activate(ref(2), Starts())
    assert versions.find(None) == ref(2)
    assert versions.find(1) == ref(1)
    assert versions.find(3) is None
    assert EMPTY.find(None) is None


def test_the_message_starts_of_the_latest_replace_the_older_ones() -> None:
    versions = EMPTY.activate(ref(1), Starts(messages=(("paid", "a"), ("sent", "b"))))
    assert versions.activate(ref(2), Starts(messages=(("paid", "c"),))).message_starts == (
        ("paid", "c"),
    )
    assert versions.activate(ref(2), Starts()).message_starts == ()


def test_activation_is_idempotent() -> None:
    once = EMPTY.activate(ref(1), Starts(messages=(("paid", "a"),))).activate(
        ref(2), Starts(messages=(("paid", "b"),))
    )
    assert once.activate(ref(2), Starts(messages=(("paid", "b"),))) == once
    assert once.activate(ref(1), Starts(messages=(("paid", "a"),))) == once


def test_a_version_that_was_met_runs_and_is_not_the_latest() -> None:
    met = EMPTY.activate(ref(1), Starts(messages=(("paid", "a"),))).meet(ref(2))
    assert met.find(2) == ref(2)
    assert met.find(None) == ref(1)
    assert met.message_starts == (("paid", "a"),)
    assert met.meet(ref(2)) is met
    assert met.meet(ref(1)) is met


def test_activation_makes_a_version_that_was_met_the_latest() -> None:
    met = EMPTY.activate(ref(1), Starts()).meet(ref(2))
    assert met.activate(ref(2), Starts(messages=(("paid", "b"),))) == EMPTY.activate(
        ref(1), Starts()
    ).activate(ref(2), Starts(messages=(("paid", "b"),)))


@given(st.lists(st.integers(1, 5), max_size=4), st.permutations([1, 2, 3, 4, 5]))
def test_early_versions_make_no_difference_once_all_are_activated(
    met: list[int], order: list[int]
) -> None:
    versions = EMPTY
    for version in met:
        versions = versions.meet(ref(version))
    for version in order:
        versions = versions.activate(ref(version), Starts(messages=(("paid", f"start-{version}"),)))
    assert [known.version for known in versions.versions] == [1, 2, 3, 4, 5]
    assert versions.early == ()
    assert versions.message_starts == (("paid", "start-5"),)


def test_a_message_starts_every_process_that_begins_with_its_name() -> None:
    table = (
        Definitions()
        .with_versions(EMPTY.activate(ref(1), Starts(messages=(("paid", "a"), ("sent", "b")))))
        .with_versions(
            ProcessVersions(id="bill").activate(ref(3), Starts(messages=(("paid", "x"),)))
        )
    )
    assert table.message_starts("paid") == (("bill", "x"), ("order", "a"))
    assert table.message_starts("sent") == (("order", "b"),)
    assert table.message_starts("none") == ()


def test_a_version_is_found_by_its_tag_or_by_a_deployment() -> None:
    first = replace(ref(1), deployment=10, tag="old")
    second = replace(ref(2), deployment=20, tag="old")
    third = replace(ref(3), deployment=30)
    table = (
        EMPTY.activate(first, Starts())
        .activate(second, Starts())
        .activate(third, Starts())
        .meet(ref(4))
    )
    assert table.tagged("old") is second
    assert table.tagged("new") is None
    found = [table.deployed_with(deployment) for deployment in (9, 10, 29, 30, 99, 0)]
    assert found == [None, first, second, third, third, None]


def test_a_table_is_replaced_and_never_changed() -> None:
    before = Definitions().with_versions(EMPTY.activate(ref(1), Starts(messages=(("paid", "a"),))))
    assert before.message_starts("paid") == (("order", "a"),)
    after = before.with_versions(EMPTY.activate(ref(2), Starts()))
    assert before.find("order") == ref(1)
    assert before.message_starts("paid") == (("order", "a"),)
    assert after.find("order") == ref(2)
    assert after.message_starts("paid") == ()
    assert after.find("order", 1) is None
    assert after.find("unknown") is None
    assert after.get("unknown") is None
