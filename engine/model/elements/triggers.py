"""Triggers (eventDefinitions): what an event waits for or does, whatever its position."""

from typing import Final, TypeAlias

import msgspec

from engine.expressions import Expression
from engine.model.elements.data import Text


class NoneTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="none"):
    pass


class MessageTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="message"):
    """`correlation_key` None: thrown without a key, or `begins`.

    `begins`: it starts an instance, whatever its key; one that waits for it has the key by which it
    was started. A message that is thrown waits to be taken for `ttl_ms`, or for the duration that
    `ttl` gives; with a `message_id` another one of this id is not taken in meanwhile.
    `keeps_content`: what it brings is the event's own, for its output mappings to choose.
    """

    name: Text
    correlation_key: Expression | None = None
    ttl_ms: int = 0
    begins: bool = False
    ttl: Expression | None = None
    message_id: Text | None = None
    keeps_content: bool = False


class TimerTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="timer"):
    """Exactly one of the three is set."""

    date: Text | None = None
    duration: Text | None = None
    cycle: Text | None = None


class ErrorTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="error"):
    """`code` None catches every error. An end event throws the code, and the message."""

    code: Text | None = None
    code_variable: str | None = None
    message_variable: str | None = None
    message: Text | None = None


class EscalationTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="escalation"):
    """`code` None catches every escalation. Throw and end events throw the code."""

    code: Text | None = None
    code_variable: str | None = None


class SignalTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="signal"):
    name: Text


class ChangeFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which changes of variables count: of these `names` (none: of any), to a variable that is
    `created`, or that is there and gets another value (`updated`).
    """

    names: tuple[str, ...] = ()
    created: bool = True
    updated: bool = True


class ConditionTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="conditional"):
    """Occurs when the condition becomes true, or is true when the event begins to wait.

    `filter`: it is asked only after changes that this admits; one that starts a process, only if a
    variable of these names is given.
    """

    condition: Expression
    filter: ChangeFilter | None = None


class LinkTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="link"):
    """`target` is the index of the catch event to which a throw event jumps, in the same scope."""

    name: str
    target: int | None = None


class TerminateTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="terminate"):
    pass


class CompensateTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="compensate"):
    """`activity` is the id of the one to compensate, None: all of the scope.

    `wait`: the event waits for the handlers. At a boundary event both mean nothing.
    """

    activity: str | None = None
    wait: bool = True


class CancelTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="cancel"):
    pass


class MultipleTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="multiple"):
    """Any of these occurs, or with `parallel` all of them; one that throws throws each in turn."""

    triggers: tuple["Trigger", ...]
    parallel: bool = False


Trigger: TypeAlias = (
    NoneTrigger
    | MessageTrigger
    | TimerTrigger
    | ErrorTrigger
    | EscalationTrigger
    | SignalTrigger
    | ConditionTrigger
    | LinkTrigger
    | TerminateTrigger
    | CompensateTrigger
    | CancelTrigger
    | MultipleTrigger
)


def parts_of(trigger: Trigger) -> tuple[Trigger, ...]:
    """The triggers of which one consists: itself, unless it is several."""
    return trigger.triggers if isinstance(trigger, MultipleTrigger) else (trigger,)


ENDINGS: Final = (ErrorTrigger, CancelTrigger, TerminateTrigger)
"""What ends, where it is thrown, more than the event that throws it."""


def leaves_at_once(trigger: Trigger) -> bool:
    """Whether an event that throws it is over with that: it ends its scope, or jumps elsewhere."""
    return any(isinstance(part, (*ENDINGS, LinkTrigger)) for part in parts_of(trigger))


def needs_all(trigger: Trigger) -> bool:
    """Whether it has several parts that must all occur."""
    return isinstance(trigger, MultipleTrigger) and trigger.parallel
