"""The list of commands, their options and variables, and what is imported for them."""

import os
import subprocess
import sys

import click
import pytest

from consumers.cli.group import LazyGroup
from consumers.cli.main import SECTIONS, main
from tests.support.command_line import CommandLine, torpor

NAMES = [name for entries in SECTIONS.values() for name in entries]
HEAVY = ("aiokafka", "aiohttp", "fastavro", "redis", "uvloop", "lxml", "rich")
IMPORTED = """
import sys
from consumers.cli.main import main

try:
    main(sys.argv[1:], prog_name="torpor")
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def command(name: str) -> click.Command:
    assert isinstance(main, LazyGroup)
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def imported(*arguments: str) -> set[str]:
    """The heavy packages that a command of a process of its own has imported by its end."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return set(done.stderr.splitlines()[-1].split()) & set(HEAVY)


def test_every_command_of_the_wire_is_there_in_the_order_of_first_use() -> None:
    assert set(NAMES) == {
        *("dev", "init", "run", "deploy", "start", "show", "list", "tasks", "complete"),
        *("message", "signal", "set", "terminate", "resolve", "effects", "lint", "evaluate"),
        *("activate", "test", "job", "task", "definitions", "incidents", "upgrade"),
        "history",
    }
    listed = [line.split()[0] for line in torpor("--help").out.splitlines() if "  " in line[2:]]
    assert [name for name in listed if name in NAMES] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_and_its_own_name(name: str) -> None:
    found = command(name)
    assert found.name == name
    done = torpor(name, "--help")
    assert done.out.startswith(f"Usage: torpor {name} ")
    assert torpor(name, "-h").out == done.out


@pytest.mark.parametrize("name", NAMES)
def test_every_option_says_what_it_is_and_has_a_variable_of_its_own(name: str) -> None:
    options = [each for each in command(name).params if isinstance(each, click.Option)]
    variables = [str(each.envvar) for each in options]
    assert len(set(variables)) == len(options)
    assert all(variable.startswith("TORPOR_") for variable in variables)
    assert all(each.help for each in options)


def test_commands_of_a_group_have_help_and_variables_with_its_name() -> None:
    group = command("job")
    assert isinstance(group, LazyGroup)
    context = click.Context(group)
    names = group.list_commands(context)
    assert names == ["complete", "fail", "throw", "escalate"]
    for name in names:
        assert torpor("job", name, "--help").out.startswith(f"Usage: torpor job {name} ")
        found = group.get_command(context, name)
        assert found is not None
        assert "TORPOR_JOB_" + name.upper() + "_ATTEMPT" in {each.envvar for each in found.params}


def test_commands_on_tasks_have_help_and_say_what_is_missing() -> None:
    group = command("task")
    assert isinstance(group, LazyGroup)
    names = group.list_commands(click.Context(group))
    assert names == ["complete", "claim", "assign", "unassign", "update"]
    for name in names:
        assert torpor("task", name, "--help").out.startswith(f"Usage: torpor task {name} ")
    assert "say what to change" in torpor("task", "update", "i:1", code=2).err
    assert "Missing argument 'USER'" in torpor("task", "claim", "i:1", code=2).err
    late = torpor("task", "update", "i:1", "--due", "tomorrow", code=2).err
    assert "neither 'none' nor an instant" in late
    assert "as `torpor tasks` shows it" in torpor("task", "unassign", "none", code=2).err


def test_options_of_one_command_have_variables_with_its_name() -> None:
    variables = {each.opts[0]: each.envvar for each in command("start").params}
    assert variables["--business-key"] == "TORPOR_START_BUSINESS_KEY"
    assert variables["--id"] == "TORPOR_START_ID"
    assert variables["--kafka"] == "TORPOR_KAFKA"


def test_variables_are_read_and_the_common_ones_named_where_they_are_wrong() -> None:
    done = CommandLine({"TORPOR_LIST_LIMIT": "0"})("list", code=2)
    assert "Invalid value for '--limit'" in done.err
    done = CommandLine({"TORPOR_KAFKA": "nowhere"})("effects", code=2)
    assert "TORPOR_KAFKA" in done.err
    assert "'nowhere' is not HOST:PORT" in done.err


def test_the_version_is_shown() -> None:
    assert torpor("--version").out.startswith("torpor 0.")


def test_a_command_misspelt_is_a_usage_error_with_a_suggestion() -> None:
    assert "Did you mean 'deploy'?" in torpor("deplay", code=2).err
    assert "Missing argument 'ID'" in torpor("show", code=2).err
    assert "No such option '--kafak'" in torpor("start", "--kafak", "x", code=2).err


def test_without_a_command_the_help_is_shown() -> None:
    assert "Commands" not in torpor(code=2).err
    assert "deploy" in torpor(code=2).err


def test_the_list_of_commands_imports_none_of_them() -> None:
    assert imported("--help") == set()
    assert imported("nothing") == set()


def test_commands_import_only_what_they_need(tmp_path_factory: pytest.TempPathFactory) -> None:
    model = tmp_path_factory.mktemp("model") / "empty.bpmn"
    model.write_text("")
    assert imported("lint", "--json", str(model)) == {"lxml"}
    assert imported("show", "--http", "127.0.0.1:1", "x") == set()
    assert imported("tasks", "--help") == set()


def test_a_shell_completes_commands_without_importing_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED],
        env={
            **os.environ,
            "_TORPOR_COMPLETE": "bash_complete",
            "COMP_WORDS": "torpor s",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == ["plain,start", "plain,show", "plain,set", "plain,signal"]
    assert not set(done.stderr.split()) & set(HEAVY)


def test_an_interruption_is_no_rejection(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("consumers.cli.looking.ask", interrupted)
    done = torpor("list", code=130)
    assert (done.out, done.err) == ("", "")
