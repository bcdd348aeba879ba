"""What every command shares: exit codes, JSON or tables, errors that say how to go on."""

import json
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.table import Table


class ExitCode(IntEnum):
    """What the shell is told. Click itself exits with USAGE."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3


class TorporGroup(click.Group):
    """Lists the commands in the order in which they are added: the order of first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def quiet_libraries() -> None:
    """What aiokafka logs is for operators; here an error is said once, in a sentence of ours."""
    for name in ("aiokafka", "torpor_client", "consumers"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def fail(code: ExitCode, sentence: str) -> NoReturn:
    """Say what is wrong on standard error, and end."""
    click.echo(f"torpor: {sentence}", err=True)
    raise SystemExit(code)


def print_json(value: Any) -> None:
    """One JSON value on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], empty: str) -> None:
    """A table for people; `empty` is the sentence for no rows."""
    if not rows:
        click.echo(empty)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    Console(highlight=False, markup=False).print(table)


def instant(epoch_ms: int | None) -> str:
    """An instant for people: UTC, to the second."""
    if epoch_ms is None:
        return ""
    return datetime.fromtimestamp(epoch_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def json_object(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """Check an option that holds a JSON object; `@FILE` reads it from a file."""
    if text.startswith("@"):
        with click.open_file(text[1:]) as file:
            text = file.read()
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise click.BadParameter("expected a JSON object, as in '{\"amount\": 740}'")
    return text
