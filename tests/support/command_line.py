"""The command line in a test: run a command, look at its end, its output and its errors.

    done = torpor("lint", "order.bpmn")
    assert done.code == 0
    assert done.out == "order.bpmn: ok\\n"

In this process, so that it costs no start; what a process of its own shows (imports, signals) is
tested in one. Variables of the caller's environment are not seen.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

import msgspec
from click.testing import CliRunner

from consumers.cli.main import main


class Done(msgspec.Struct, frozen=True):
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one line of JSON that it printed."""
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        """What it printed, a JSON value a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class CommandLine:
    """Commands with the same variables of the environment."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self.variables = dict(variables or {})

    def __call__(self, *arguments: str, code: int | None = 0, text: str | None = None) -> Done:
        """Run `torpor ARGUMENTS`; `text` is its standard input. It must end with `code`."""
        others = {name: None for name in os.environ if name.startswith("TORPOR_")}
        runner = CliRunner(env={**others, **self.variables})
        result = runner.invoke(main, list(arguments), input=text, prog_name="torpor")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        done = Done(result.exit_code, result.stdout, result.stderr)
        assert code in {None, done.code}, f"{arguments}: {done}"
        return done


torpor = CommandLine()
"""The command line without any variables."""
