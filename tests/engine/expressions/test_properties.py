"""What follows a dot."""

import pytest

from engine.expressions import Environment
from engine.expressions.properties import get_property
from engine.values import Value
from tests.engine.expressions.evaluating import shown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('[@"2026-11-29".year, @"2026-11-29".month, @"2026-11-29".day]', "[2026, 11, 29]"),
        ('@"2026-11-29".weekday', "7"),
        ('[@"2026-11-29".hour, @"2026-11-29".second]', "[0, 0]"),
        ('@"2026-11-29".time offset', "PT0S"),
        ('@"2026-11-29".timezone', "null"),
        ('[@"10:20:30.5".hour, @"10:20:30.5".minute, @"10:20:30.5".second]', "[10, 20, 30.5]"),
        ('@"10:20:30-05:00".time offset', "-PT5H"),
        ('@"10:20:30".time offset', "null"),
        ('@"10:20:30@Europe/Berlin".timezone', '"Europe/Berlin"'),
        ('@"2026-07-01T10:20:30@Europe/Berlin".time offset', "PT2H"),
        ('@"2026-07-01T10:20:30".weekday', "3"),
        ('@"-P1DT2H3M4.5S".days', "-1"),
        ('@"-P1DT2H3M4.5S".hours', "-2"),
        ('@"-P1DT2H3M4.5S".minutes', "-3"),
        ('@"-P1DT2H3M4.5S".seconds', "-4.5"),
        ('[@"-P14M".years, @"-P14M".months]', "[-1, -2]"),
        ('@"P1D".years', "null"),
        ("[1..5).start", "1"),
        ("[1..5).end included", "false"),
        ("(< 5).start", "null"),
        ("{a: 1}.a", "1"),
        ("[{a: 1}, {b: 2}, 3].a", "[1, null, null]"),
        ('"text".length', "null"),
        ("null.a", "null"),
    ],
)
def test_properties(text: str, written: str) -> None:
    assert shown(text) == written


def test_no_property_leads_into_the_interpreter() -> None:
    values: list[Value] = [1, "a", [], {}, None]
    for value in values:
        for name in ("__class__", "__dict__", "real", "append", "keys"):
            assert get_property(value, name, Environment()) in (None, [])
