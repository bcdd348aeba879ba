"""What every command shares: exit codes, JSON or text, and how an end is said.

Texts of models, users and servers pass through `plain`: nothing that a terminal would obey.
"""

import contextlib
import json
import logging
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any, NoReturn

import click
import msgspec

from engine.expressions import schedule

_ENCODER = msgspec.json.Encoder(decimal_format="number")
_OBEYED = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of characters that a terminal acts upon, that break lines, or that are none."""

_BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that make a text look like another one."""


QUIET = ("aiokafka", "torpor_client", "consumers")


class ExitCode(IntEnum):
    """What the shell is told. Click itself exits with USAGE."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3
    INTERRUPTED = 130


def quiet_libraries() -> None:
    """What aiokafka logs is for operators; here an error is said once, in a sentence of ours."""
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def fail(code: ExitCode, sentence: str) -> NoReturn:
    """Say what is wrong on standard error, and end."""
    click.echo(f"torpor: {sentence}", err=True)
    raise SystemExit(code)


@contextlib.contextmanager
def busy(what: str) -> Iterator[None]:
    """Show people at a terminal that something goes on; it may take many seconds."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - JSON and errors do without rich

    with Console(stderr=True, highlight=False, markup=False).status(what):
        yield


def print_json(value: Any) -> None:
    """One JSON value on one line. Numbers keep their digits, also those of Decimals."""
    print_json_text(_ENCODER.encode(value))


def print_json_text(text: bytes) -> None:
    """A JSON text that an engine made, as it is: UTF-8, whatever the terminal's encoding."""
    click.echo(text)


def plain(value: object) -> str:
    """A text on one line, with escapes for what a terminal would act upon. None is nothing."""
    text = "" if value is None else str(value)
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if unicodedata.category(character) in _OBEYED or character in _BIDIRECTIONAL:
        return character.encode("unicode_escape", "surrogatepass").decode()
    return character


def instant(epoch_ms: int | None) -> str:
    """An instant for people: UTC, to the second. What no calendar here reaches is only late."""
    if epoch_ms is None:
        return ""
    if epoch_ms > schedule.INSTANT_MAX_MS:
        return "after the year 9999"
    return datetime.fromtimestamp(epoch_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


# --- tables ---

FOLDED_WIDTH_MIN = 24
"""A folded column gets no narrower: one word a line is harder to read than a line too long."""


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    empty: str = "",
    folded: Sequence[str] = (),
) -> None:
    """A table for people; `empty` is the sentence for no rows.

    On a terminal the cells of the columns in `folded` are folded as far as it is narrow, and
    columns with nothing in them are left out. Into a pipe each row is one line, with all columns.
    """
    if not rows:
        click.echo(empty)
        return
    cells = [[plain(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_on_terminal(columns, cells, folded)
    else:
        _print_lines([columns, *cells])


def _print_lines(lines: Sequence[Sequence[str]]) -> None:
    from rich.cells import cell_len  # noqa: PLC0415 - JSON and errors do without rich

    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = [
            cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)
        ]
        click.echo("  ".join(padded).rstrip())


def _print_on_terminal(
    columns: Sequence[str], rows: Sequence[Sequence[str]], folded: Sequence[str]
) -> None:
    from rich.cells import cell_len  # noqa: PLC0415 - as above
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.measure import Measurement  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above

    shown = [number for number in range(len(columns)) if any(row[number] for row in rows)]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for number in shown:
        title = columns[number]
        longest = max(map(cell_len, (title, *(row[number] for row in rows))))
        least = min(longest, FOLDED_WIDTH_MIN) if title in folded else longest
        table.add_column(title, overflow="fold", no_wrap=title not in folded, min_width=least)
    for row in rows:
        table.add_row(*(row[number] for number in shown))
    console = Console(highlight=False, markup=False, emoji=False)
    needed = Measurement.get(console, console.options.update(max_width=10_000), table).minimum
    console.width = max(console.width, needed)
    console.print(table)


def json_text(value: Any) -> str:
    """A value for people: JSON, with the letters of every script as they are."""
    return plain(json.dumps(value, ensure_ascii=False))
