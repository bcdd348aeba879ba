"""What random processes wait for and throw, and where each may stand without a run that hangs."""

from random import Random
from typing import NamedTuple

from tests.support.models import (
    conditional_event,
    error,
    error_event,
    escalation,
    escalation_event,
    message,
    message_event,
    signal,
    signal_event,
    timer,
    together,
)

MESSAGES = ("news", "other", "third")
"""A boundary event that does not interrupt takes any number of the first, so nobody else waits for
it: of several subscribers in one process a message goes to the first."""
ROOTS = (
    message("m", "news", key='="k"'),
    message("other", "other", key='="k"'),
    message("third", "third", key='="k"'),
    error("low", "LOW"),
    error("high", "HIGH"),
    escalation("late", "LATE"),
    escalation("never", "NEVER"),
    signal("go", "go"),
    message("begin", "begin"),
    message("begin-too", "begin-too"),
)
TRUE_LATER = conditional_event("=level > 3")
"""Nobody but the outside writes `level`, so that it cannot hide in an inner scope."""


class Trigger(NamedTuple):
    """`interrupting`: whether it may interrupt (True), may not (False), or both (None).

    `throws`: it is thrown inside, so a handler that throws the same would begin itself. `ends`: in
    the process itself it would end what is counted. `parallel`: all of its definitions together.
    """

    definition: str
    interrupting: bool | None = None
    throws: bool = False
    parallel: bool = False

    def at(self, event: str) -> str:
        return together(event) if self.parallel else event


TRIGGERS = (
    Trigger(timer(duration="PT5M")),
    Trigger(timer(cycle="R2/PT3M"), interrupting=False),
    Trigger(timer(date="2023-11-14T22:40:00Z")),
    Trigger(message_event("m")),
    Trigger(error_event("low"), interrupting=True),
    Trigger(error_event(), interrupting=True),
    Trigger(signal_event("go")),
    Trigger(TRUE_LATER),
    Trigger(escalation_event("late"), throws=True),
    Trigger(escalation_event(), throws=True),
    Trigger(signal_event("go") + timer(duration="PT7M")),
    Trigger(escalation_event("late") + TRUE_LATER, throws=True),
    Trigger(signal_event("go") + TRUE_LATER, parallel=True),
    Trigger(timer(duration="PT7M") + error_event("high"), interrupting=True),
)

WAITS = (
    Trigger(timer(duration="PT2M")),
    Trigger(message_event("other")),
    Trigger(signal_event("go")),
    Trigger(TRUE_LATER),
    Trigger(timer(duration="PT6M") + signal_event("go")),
    Trigger(signal_event("go") + TRUE_LATER, parallel=True),
)
THROWN = (
    "",
    escalation_event("late"),
    escalation_event("never"),
    signal_event("go"),
    message_event("other"),
    message_event("m"),
    signal_event("go") + escalation_event("never"),
)


def some_triggers(chance: Random) -> list[Trigger]:
    """None, one or two: of several that catch the same, one element may have one only."""
    return chance.sample(_APART[chance.randrange(len(_APART))], chance.randrange(3))


_APART = (
    tuple(each for each in TRIGGERS if not each.throws and "escalation" not in each.definition),
    (TRIGGERS[0], TRIGGERS[3], TRIGGERS[4], TRIGGERS[8], TRIGGERS[9]),
    (TRIGGERS[1], TRIGGERS[5], TRIGGERS[6], TRIGGERS[11]),
    (
        Trigger(signal_event("go") + timer(cycle="R3/PT4M"), interrupting=False, parallel=True),
        Trigger(signal_event("go") + error_event("low"), interrupting=True),
    ),
)
"""Two events of one activity may not catch the same code."""
