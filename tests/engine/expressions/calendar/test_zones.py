"""Zone rules come from the pinned package, and reach beyond the years of datetime."""

import datetime
import importlib.resources
import zoneinfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expressions.calendar import zones

NAMES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]


@settings(deadline=None)
@given(st.integers(-2_000_000_000, 4_000_000_000), st.sampled_from(NAMES))
def test_offsets_agree_with_zoneinfo(epoch_s: int, name: str) -> None:
    resource = importlib.resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with resource.open("rb") as file:
        zone = zoneinfo.ZoneInfo.from_file(file)
    offset = datetime.datetime.fromtimestamp(epoch_s, zone).utcoffset()
    assert offset is not None
    assert zones.offset_of_instant(name, epoch_s) == offset.total_seconds()


def test_the_far_future_follows_the_last_rule() -> None:
    summer = 365 * 24 * 3600 * 400_000_000  # about the year 400 million
    assert zones.offset_of_instant("Europe/Berlin", summer) in (3600, 7200)
    assert zones.offset_of_local("Europe/Berlin", -(10**11), 0) == 3208  # local mean time


@pytest.mark.parametrize("name", ["", "Nowhere", "../zones", "europe/berlin", "/etc/localtime"])
def test_only_names_of_the_package_are_zones(name: str) -> None:
    assert not zones.is_zone(name)
    with pytest.raises(KeyError):
        zones.offset_of_instant(name, 0)
