"""Keys: their hash tags, and the members that are made of several parts."""

from engine.routing import DEPLOYMENTS
from storage.keys import (
    PartitionKeys,
    deployments_partition,
    partition_of_key,
    split_timer_member,
    timer_member,
)

KEYS = PartitionKeys("shop", 3)


def test_every_key_of_a_partition_carries_its_hash_tag() -> None:
    made = [
        KEYS.fence,
        KEYS.outbox,
        KEYS.timers,
        KEYS.state("i-1"),
        KEYS.state("message:paid:4711"),
        KEYS.parts("i-1"),
        KEYS.content("abc"),
        KEYS.window_half(1),
        KEYS.instances_of_business_key("{odd}"),
        KEYS.tasks_of_group("clerks"),
        KEYS.attempts("00"),
    ]

    assert {partition_of_key("shop", key) for key in made} == {3}
    assert all(key.startswith("{shop:3}:") for key in made)


def test_instances_and_other_aggregates_do_not_share_keys() -> None:
    assert KEYS.state("deployments") == "{shop:3}:aggregate:deployments"
    assert KEYS.state("order-1") == "{shop:3}:instance:order-1"
    assert len({KEYS.state(DEPLOYMENTS), KEYS.definitions, KEYS.instances, KEYS.tasks}) == 4


def test_a_timer_member_names_address_and_timer_also_where_the_address_has_colons() -> None:
    member = timer_member("message:paid:47%3A11", 17)

    assert split_timer_member(member) == ("message:paid:47%3A11", 17)


def test_contents_are_kept_by_the_partition_that_owns_deployments() -> None:
    assert 0 <= deployments_partition(48) < 48
    assert deployments_partition(1) == 0


def test_a_key_of_the_namespace_itself_belongs_to_no_partition() -> None:
    assert partition_of_key("shop", "shop:namespace") is None
