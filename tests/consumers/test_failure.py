"""The table of exceptions: every one has a row, and the gravest decides."""

import inspect

import pytest

from consumers import errors as consumer_errors
from consumers import log as log_errors
from consumers.errors import EngineFaultError, LogMismatchError
from consumers.failure import ACTIONS, Action, action_for, gravest
from consumers.log import LogUnavailableError
from engine import errors as engine_errors
from schemas import errors as schema_errors
from storage import errors as storage_errors
from storage.errors import FenceLostError, StoreUnavailableError

MODULES = (consumer_errors, engine_errors, log_errors, schema_errors, storage_errors)


def concrete_classes() -> list[type[Exception]]:
    """Every exception class of ours that has no subclass of its own."""
    return [
        found
        for module in MODULES
        for _, found in inspect.getmembers(module, inspect.isclass)
        if issubclass(found, Exception)
        and found.__module__ == module.__name__
        and not found.__subclasses__()
    ]


@pytest.mark.parametrize("kind", concrete_classes(), ids=lambda kind: kind.__name__)
def test_every_concrete_exception_has_a_row(kind: type[Exception]) -> None:
    assert kind in ACTIONS


def test_what_is_in_no_row_is_a_bug_of_the_loop_and_backs_off() -> None:
    assert action_for(ZeroDivisionError()) is Action.BACK_OFF


def test_a_subclass_follows_its_class() -> None:
    class WorseError(FenceLostError):
        pass

    assert action_for(WorseError()) is Action.LOAD


def test_of_several_failures_at_once_the_gravest_decides() -> None:
    halting = LogMismatchError("another log")
    failures = [FenceLostError(), halting, StoreUnavailableError(), LogUnavailableError()]

    assert gravest(list(failures)) is halting


def test_one_command_s_fault_never_ends_an_ownership_by_itself() -> None:
    assert action_for(EngineFaultError()) is Action.DEAD_LETTER
