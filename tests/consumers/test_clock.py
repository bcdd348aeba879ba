"""The broker's clock, as records and acknowledgements tell it."""

import asyncio

from consumers.clock import BrokerClock, SystemClock
from tests.support.virtual_time import VirtualClock, in_virtual_time

HOUR_MS = 3_600_000


@in_virtual_time
async def test_nothing_is_known_before_the_broker_was_heard() -> None:
    clock = BrokerClock(VirtualClock())

    assert clock.earliest_ms() is None
    assert clock.latest_ms() is None


@in_virtual_time
async def test_a_record_tells_how_late_it_is_at_least() -> None:
    clock = BrokerClock(VirtualClock())
    clock.read(1_000_000)
    await asyncio.sleep(2)

    assert clock.earliest_ms() == 1_002_000
    assert clock.latest_ms() is None


@in_virtual_time
async def test_an_older_record_changes_nothing() -> None:
    clock = BrokerClock(VirtualClock())
    clock.read(1_000_000)
    clock.read(900_000)

    assert clock.earliest_ms() == 1_000_000


@in_virtual_time
async def test_an_acknowledgement_tells_the_time_exactly() -> None:
    clock = BrokerClock(VirtualClock())
    clock.read(1_000_000)
    clock.acknowledged(5_000_000)

    assert clock.earliest_ms() == clock.latest_ms() == 5_000_000


@in_virtual_time
async def test_an_acknowledgement_sets_the_clock_back_after_a_change_of_leaders() -> None:
    clock = BrokerClock(VirtualClock())
    clock.acknowledged(5_000_000)
    clock.acknowledged(4_999_000)

    assert clock.latest_ms() == 4_999_000


@in_virtual_time
async def test_the_longer_ago_the_less_is_certain() -> None:
    clock = BrokerClock(VirtualClock())
    clock.acknowledged(1_000_000)
    await asyncio.sleep(3600)

    earliest, latest = clock.earliest_ms(), clock.latest_ms()

    assert earliest is not None
    assert latest is not None
    assert earliest < 1_000_000 + HOUR_MS < latest
    assert latest - earliest == 2 * 360


@in_virtual_time
async def test_a_record_may_show_that_the_clock_is_later_than_thought() -> None:
    clock = BrokerClock(VirtualClock())
    clock.acknowledged(1_000_000)
    clock.read(1_000_500)

    assert clock.earliest_ms() == clock.latest_ms() == 1_000_500


async def test_the_machine_s_clock_goes_on() -> None:
    clock = SystemClock()
    before = clock.monotonic_ms()

    await clock.sleep(5)

    assert clock.monotonic_ms() - before >= 4
