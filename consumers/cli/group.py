"""Groups of commands. A command is imported when it is used: `torpor --help` stays quick."""

import importlib
import sys
from collections.abc import Mapping
from io import TextIOWrapper
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from consumers.cli.options import name_variables
from consumers.cli.output import ExitCode


class Entry(NamedTuple):
    """Where a command is, `module:attribute`, and what the list of commands says of it."""

    place: str
    help: str


class LazyGroup(click.Group):
    """Lists its commands in sections, in the order given.

    `commands` has a stand-in for each, with its name and what is said of it; `get_command` gives
    the command itself. Variables of options of one command only begin with `prefix`.
    """

    def __init__(
        self,
        *arguments: Any,
        sections: Mapping[str, Mapping[str, Entry]],
        prefix: str = "TORPOR",
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.prefix = prefix
        self.sections = sections
        self._entries = {
            name: entry for entries in sections.values() for name, entry in entries.items()
        }
        for name, entry in self._entries.items():
            self.add_command(click.Command(name, short_help=entry.help))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self._entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        name_variables(command, self.prefix)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self._entries))
        for title, entries in self.sections.items():
            with formatter.section(title):
                rows = [(name.ljust(width), entry.help) for name, entry in entries.items()]
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self._entries if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self._entries[name].help) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> Any:
        """Ctrl-C is no rejection, and needs no words. What the terminal's encoding lacks is shown
        as an escape, and does not end the program."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(ExitCode.INTERRUPTED) from None
