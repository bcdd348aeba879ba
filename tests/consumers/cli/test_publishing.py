"""What is said of a command that was accepted."""

from consumers.cli.client import Answer
from consumers.cli.publishing import said


def test_what_is_done_is_said_so_and_what_waits_is_asked_for() -> None:
    for result, sentence in (
        (None, "done"),
        ({"offered_to": []}, "done"),
        (
            {"change": "assigning"},
            "asked for, assigning i:7: a listener has yet to answer (torpor show i)",
        ),
        (
            {"change": "terminating"},
            "asked for, terminating i:7: listeners have yet to answer, or called instances to end"
            " (torpor show i)",
        ),
    ):
        answer = Answer(command_id="c", status="ACCEPTED", result=result)
        assert said(answer, "done", "i:7") == sentence
