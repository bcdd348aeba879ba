"""The indexes for queries, as functions of the documents."""

from engine.lifecycle import InstanceState
from engine.state import IncidentWait
from storage.indexes import IndexChanges, index_entries
from storage.ports import SortedAdd, SortedRemove
from tests.support.partition_states import KEYS, instance, task, tombstone


def incident(key: int) -> IncidentWait:
    return IncidentWait(
        key=key,
        owner=6,
        kind="EXPRESSION_FAILED",
        message="odd",
        step="ACTIVATE",
        since_ms=1_000 + key,
    )


def test_a_running_instance_is_found_by_process_and_business_key() -> None:
    entries = index_entries(KEYS, instance(business_key="b-7"))

    assert entries == {
        (KEYS.instances, "i-1"): 5,
        (KEYS.instances_of_process("order"), "i-1"): 5,
        (KEYS.instances_of_business_key("b-7"), "i-1"): 5,
    }


def test_an_open_task_is_found_by_assignee_and_by_each_of_its_groups() -> None:
    entries = index_entries(KEYS, instance(waits=(task(7, assignee="ada", groups=("x", "y")),)))

    for key in (KEYS.tasks, KEYS.tasks_of_assignee("ada"), KEYS.tasks_of_group("y")):
        assert entries[key, "i-1:7"] == 1_007
    assert entries[KEYS.tasks_of_group("x"), "i-1:7"] == 1_007


def test_an_open_incident_is_found_until_it_is_resolved() -> None:
    stuck = instance(waits=(incident(9),))
    assert index_entries(KEYS, stuck)[KEYS.incidents, "i-1:9"] == 1_009
    changes = IndexChanges(KEYS)

    changes.change(stuck, instance())

    assert list(changes.operations()) == [SortedRemove(KEYS.incidents, ("i-1:9",))]


def test_suspended_instances_are_listed_and_ended_ones_are_not() -> None:
    assert index_entries(KEYS, instance(state=InstanceState.SUSPENDED))
    assert index_entries(KEYS, instance(state=InstanceState.COMPLETED)) == {}
    assert index_entries(KEYS, tombstone()) == {}
    assert index_entries(KEYS, None) == {}


def test_only_what_differs_is_written() -> None:
    before = instance(waits=(task(7, assignee="ada"), task(8)))
    after = instance(waits=(task(7, assignee="bob"), task(8)))
    changes = IndexChanges(KEYS)

    changes.change(before, after)

    assert list(changes.operations()) == [
        SortedRemove(KEYS.tasks_of_assignee("ada"), ("i-1:7",)),
        SortedAdd(KEYS.tasks_of_assignee("bob"), {"i-1:7": 1_007}),
    ]


def test_a_second_life_within_one_batch_moves_its_score() -> None:
    changes = IndexChanges(KEYS)

    changes.change(instance(), instance(offset=9))

    assert list(changes.operations()) == [
        SortedAdd(KEYS.instances, {"i-1": 9}),
        SortedAdd(KEYS.instances_of_process("order"), {"i-1": 9}),
    ]


def test_the_changes_of_many_documents_travel_together() -> None:
    changes = IndexChanges(KEYS)

    changes.change(None, instance())
    changes.change(None, instance(instance_id="i-2"))
    changes.change(instance(instance_id="i-3"), tombstone("i-3"))

    removals = [each for each in changes.operations() if isinstance(each, SortedRemove)]
    additions = [each for each in changes.operations() if isinstance(each, SortedAdd)]
    assert [each.members for each in removals] == [("i-3",), ("i-3",)]
    assert [each.members for each in additions] == [{"i-1": 5, "i-2": 5}, {"i-1": 5, "i-2": 5}]
