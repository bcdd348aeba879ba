"""What the loop does about an exception: one table, looked up by class.

LOAD          forget what is in memory, read fence and outbox, go on from there
BACK_OFF      wait a little, longer each time, then load
WAIT          what is needed will come: wait a little, ask again, keep all else
DEAD_LETTER   this record alone is at fault
LEAVE         a newer engine wrote this: give up the partition, go unready
HALT          going on could lose or double: stop the partition, loudly, go unready
END           the partition is no longer ours
"""

from collections.abc import Mapping
from enum import StrEnum

from consumers.errors import (
    EngineFaultError,
    LogMismatchError,
    NotInitialisedError,
    RecordTooLargeError,
)
from consumers.log import (
    LogInterruptedError,
    LogUnavailableError,
    NotAssignedError,
    PublishFailedError,
    PublishRefusedError,
)
from engine.errors import DecisionUnreadError, DefinitionError, InvariantError
from schemas.errors import (
    CorruptDocumentError,
    NewerDocumentError,
    NewerRecordError,
    UndecodableRecordError,
)
from storage.errors import (
    ContentMissingError,
    FenceLostError,
    PartitionHaltedError,
    StoreUnavailableError,
)


class Action(StrEnum):
    """From the mildest to the gravest: of several failures at once, the gravest decides."""

    WAIT = "wait"
    DEAD_LETTER = "dead-letter"
    LOAD = "load"
    BACK_OFF = "back off"
    END = "end"
    LEAVE = "leave"
    HALT = "halt"


ACTIONS: Mapping[type[Exception], Action] = {
    ContentMissingError: Action.WAIT,
    CorruptDocumentError: Action.DEAD_LETTER,
    DecisionUnreadError: Action.DEAD_LETTER,
    DefinitionError: Action.DEAD_LETTER,
    EngineFaultError: Action.DEAD_LETTER,
    InvariantError: Action.DEAD_LETTER,
    RecordTooLargeError: Action.DEAD_LETTER,
    UndecodableRecordError: Action.DEAD_LETTER,
    FenceLostError: Action.LOAD,
    LogInterruptedError: Action.LOAD,
    LogUnavailableError: Action.BACK_OFF,
    PublishFailedError: Action.BACK_OFF,
    PublishRefusedError: Action.BACK_OFF,
    StoreUnavailableError: Action.BACK_OFF,
    NotAssignedError: Action.END,
    NewerDocumentError: Action.LEAVE,
    NewerRecordError: Action.LEAVE,
    LogMismatchError: Action.HALT,
    NotInitialisedError: Action.HALT,
    PartitionHaltedError: Action.HALT,
}

_ORDER = list(Action)


def action_for(error: BaseException) -> Action:
    """What to do; an exception that is not in the table is a bug of the loop: back off, load."""
    for kind in type(error).__mro__:
        if kind in ACTIONS:
            return ACTIONS[kind]
    return Action.BACK_OFF


def gravest(errors: list[BaseException]) -> BaseException:
    """Of several failures at once the one that decides."""
    return max(errors, key=lambda error: _ORDER.index(action_for(error)))
