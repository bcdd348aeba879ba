"""A member owns what it is given, looks at all fences at once, and lets go at once."""

import asyncio

from consumers.member import Member
from consumers.memory_log import MemoryMembership
from consumers.partition import Condition
from consumers.services import Limits
from storage.errors import StoreUnavailableError
from storage.ports import Fence
from tests.support.owner_bench import COMMANDS, OwnerBench
from tests.support.virtual_time import in_virtual_time

PARTITIONS = 4


class Members:
    """A member of a group, and the group's coordinator."""

    def __init__(self) -> None:
        self.bench = OwnerBench(partitions=PARTITIONS, limits=Limits(idle_ms=5_000))
        self.member = Member(self.bench.services)
        self.membership = MemoryMembership(self.bench.log)

    async def open(self) -> "Members":
        await self.bench.initialise(PARTITIONS)
        await self.membership.join(self.member)
        self.running = asyncio.create_task(self.member.run())
        return self

    async def give(self, *partitions: int) -> None:
        await self.membership.give(partitions)
        await self.bench.until("all serve", self.all_serve)

    def all_serve(self) -> bool:
        found = self.member.partitions.values()
        return all(each.condition is Condition.SERVING for each in found)

    async def close(self) -> None:
        self.running.cancel()
        await self.member.close()


@in_virtual_time
async def test_a_member_serves_what_it_is_given() -> None:
    members = await Members().open()

    await members.give(2, 0)

    assert list(members.member.partitions) == [0, 2]
    conditions = {each.condition for each in members.member.partitions.values()}
    assert conditions == {Condition.SERVING}
    await members.close()


@in_virtual_time
async def test_what_is_taken_away_is_no_longer_touched() -> None:
    members = await Members().open()
    await members.give(0, 1)

    await members.membership.take([0])
    for partition in (0, 1):
        members.bench.broker.topics[COMMANDS][partition].leave_gap(0)
    commits = len(members.bench.store.commits)
    members.bench.command("StartInstance", process_id="none")
    await asyncio.sleep(60)

    assert list(members.member.partitions) == [1]
    assert len(members.bench.store.commits) == commits
    await members.close()


@in_virtual_time
async def test_a_partition_may_come_back() -> None:
    members = await Members().open()
    await members.give(0)
    await members.membership.take([0])

    await members.give(0)
    members.bench.command("StartInstance", process_id="none")

    await members.bench.until("it is applied", lambda: members.bench.fence.next_offset == 1)
    await members.close()


@in_virtual_time
async def test_all_fences_are_looked_at_in_one_call_every_few_seconds() -> None:
    members = await Members().open()
    asked: list[list[int]] = []
    fences = members.bench.store.fences

    async def count(partitions: list[int]) -> list[Fence | None]:
        asked.append(list(partitions))
        return await fences(partitions)

    members.bench.store.fences = count  # type: ignore[method-assign, assignment]  # looks are counted
    await members.give(0, 1, 3)
    asked.clear()

    await asyncio.sleep(60)

    assert asked == [[0, 1, 3]] * 12
    await members.close()


@in_virtual_time
async def test_a_store_that_lost_its_tail_is_noticed_although_nobody_sends_anything() -> None:
    members = await Members().open()
    await members.give(0)
    before = members.bench.store.keyspace.snapshot()
    members.bench.command("StartInstance", process_id="none")
    await members.bench.until("it is applied", lambda: members.bench.fence.next_offset == 1)
    await members.bench.until("the outbox is empty", lambda: members.bench.outbox == 0)

    members.bench.store.keyspace.restore(before)

    await members.bench.until(
        "it is applied again", lambda: members.bench.fence.next_offset == 1, 10
    )
    await members.close()


@in_virtual_time
async def test_a_store_that_does_not_answer_a_look_ends_no_ownership() -> None:
    members = await Members().open()
    await members.give(0)

    async def fail(partitions: list[int]) -> list[Fence | None]:
        raise StoreUnavailableError("no answer")

    members.bench.store.fences = fail  # type: ignore[method-assign, assignment]  # a store that fails
    await asyncio.sleep(60)

    assert members.all_serve()
    assert not members.running.done()
    await members.close()


@in_virtual_time
async def test_positions_are_reported_for_lag_monitoring() -> None:
    members = await Members().open()
    await members.give(0, 1)
    members.bench.command("StartInstance", process_id="none")
    await members.bench.until("it is applied", lambda: members.bench.fence.next_offset == 1)

    await asyncio.sleep(10)

    assert members.bench.log.reported == {0: 1, 1: 0}
    await members.close()


@in_virtual_time
async def test_one_halted_partition_makes_the_member_unready_and_stops_no_other() -> None:
    members = await Members().open()
    members.bench.store.keyspace.delete("{shop:1}:fence")
    await members.membership.give([0, 1])
    members.bench.command("StartInstance", process_id="none")

    await members.bench.until("the other goes on", lambda: members.bench.fence.next_offset == 1)

    assert not members.all_serve()
    assert members.member.partitions[1].condition is Condition.HALTED
    await members.close()


@in_virtual_time
async def test_a_partition_that_ended_by_itself_is_begun_anew_when_it_is_given_again() -> None:
    members = await Members().open()
    await members.give(0)
    members.bench.log.revoke(0)
    partition = members.member.partitions[0]
    await members.bench.until("it ends", lambda: partition.condition is Condition.ENDED)

    await members.give(0)

    assert members.member.partitions[0] is not partition
    await members.close()
