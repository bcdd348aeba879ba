"""What is printed: one line a row in pipes, nothing a terminal would obey, numbers whole."""

import os
import pty
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from consumers.cli.output import instant, json_text, plain, print_json, print_table

LONG = "an order of a customer with a rather long name that no terminal has room for"
TABLE = f"""
from consumers.cli.output import print_table

print_table(
    ("TASK", "NAME", "ASSIGNEE"),
    [("order-1:131076", {LONG!r}, None), ("order-2:7", "short", None)],
    folded=("NAME",),
)
"""


def test_rows_are_aligned_and_end_where_their_text_does(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("ID", "NAME", "WHO"), [("a:1", "x", None), ("long:22", None, "ada")])
    assert capsys.readouterr().out.splitlines() == [
        "ID       NAME  WHO",
        "a:1      x",
        "long:22        ada",
    ]


def test_wide_letters_take_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("A", "B"), [("日本", "x"), ("abcd", "y")])
    assert capsys.readouterr().out.splitlines() == ["A     B", "日本  x", "abcd  y"]


def test_into_a_pipe_a_row_is_one_line_however_long(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("A",), [("word " * 200,), ("two\nlines",)])
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_no_rows_are_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("A",), [], empty="no open tasks")
    assert capsys.readouterr().out == "no open tasks\n"


def on_terminal(columns: int, variables: dict[str, str] | None = None) -> list[str]:
    """The lines that the table gives on a terminal of so many columns."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", **(variables or {})}
    with subprocess.Popen(
        [sys.executable, "-c", TABLE], stdout=follower, env=environment, cwd=Path.cwd()
    ) as process:
        os.close(follower)
        output = b""
        while chunk := _read(leader):
            output += chunk
        assert process.wait(30) == 0
    os.close(leader)
    return output.decode().splitlines()


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65_536)
    except OSError:  # Linux: the other end is closed
        return b""


def test_on_a_terminal_long_texts_are_folded_and_ids_are_not() -> None:
    head, *rows = on_terminal(60)
    assert "\x1b[1m" in head
    assert "ASSIGNEE" not in head  # it would be empty
    assert all(len(row) <= 60 for row in rows)
    assert rows[0].startswith("order-1:131076  an order of a customer")
    assert " ".join(row[16:].strip() for row in rows[:-1]) == LONG


def test_a_terminal_too_narrow_still_has_whole_ids_and_words() -> None:
    rows = on_terminal(20)[1:]
    assert rows[0].startswith("order-1:131076  an order of a customer")


def test_a_terminal_without_colours_gets_none() -> None:
    assert not any("\x1b" in line for line in on_terminal(60, {"TERM": "dumb"}))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü 日本 👩‍🚀", "plain ü 日本 👩‍🚀"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("two\nlines\tand\x07a bell", "two\\nlines\\tand\\x07a bell"),
        ("\u202ereversed", "\\u202ereversed"),
        ("\udcff", "\\udcff"),
        (None, ""),
        (7, "7"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_as_an_escape(text: object, shown: str) -> None:
    assert plain(text) == shown


def test_json_keeps_every_digit(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    print_json({"amount": Decimal("12345678901234567890.10"), "name": "ü"})
    expected = '{"amount":12345678901234567890.10,"name":"ü"}\n'
    assert capsysbinary.readouterr().out == expected.encode()
    assert json_text(["ü", "\x1b"]) == '["ü", "\\u001b"]'


def test_instants_are_in_utc_to_the_second() -> None:
    assert instant(1_795_974_709_379) == "2026-11-29 17:51:49Z"
    assert instant(None) == ""
    assert instant(2**60) == "after the year 9999"
