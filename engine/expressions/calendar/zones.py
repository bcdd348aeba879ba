"""Time zone rules from the pinned tzdata package, never from the host's own zone files.

The standard library prefers the host's files, which differ from host to host: the same command
would then give two results. Nothing is read before the first use of a named zone.
"""

import datetime
import functools
import importlib.resources
import zoneinfo
from typing import Final

from engine.expressions.calendar import civil

SECONDS_PER_DAY: Final = 86_400
_FIRST_YEAR, _LAST_YEAR = 2, 9998  # one year of room for the offset at both ends of datetime


@functools.cache
def _zone_names() -> frozenset[str]:
    listing = importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="ascii")
    return frozenset(listing.split())


def is_zone(name: str) -> bool:
    """Whether tzdata knows a zone of exactly this name."""
    return name in _zone_names()


@functools.cache
def _zone(name: str) -> zoneinfo.ZoneInfo:
    if not is_zone(name):  # also keeps any other path from being opened
        raise KeyError(name)
    resource = importlib.resources.files("tzdata").joinpath("zoneinfo")
    for part in name.split("/"):
        resource = resource.joinpath(part)
    with resource.open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=name)


def _naive(days: int, second: int) -> datetime.datetime:
    """The wall time as a datetime; years out of its reach move by whole 400-year cycles."""
    year, month, day = civil.from_days(days)
    if year < _FIRST_YEAR:
        year = 400 + year % 400
    elif year > _LAST_YEAR:
        year = 9200 + year % 400
    hour, rest = divmod(second, 3600)
    return datetime.datetime(year, month, day, hour, rest // 60, rest % 60)  # noqa: DTZ001 - wall time


def offset_of_local(name: str, days: int, second: int) -> int:
    """Seconds east of UTC for a wall time; the earlier offset where the clock is set back."""
    offset = _naive(days, second).replace(tzinfo=_zone(name)).utcoffset()
    return _seconds(offset)


def offset_of_instant(name: str, epoch_s: int) -> int:
    """Seconds east of UTC at an instant."""
    zone = _zone(name)
    naive = _naive(*divmod(epoch_s, SECONDS_PER_DAY))
    return _seconds(zone.fromutc(naive.replace(tzinfo=zone)).utcoffset())


def _seconds(offset: datetime.timedelta | None) -> int:
    return 0 if offset is None else offset.days * SECONDS_PER_DAY + offset.seconds
