"""Embedded sub-processes: a scope of its own, which completes when nothing in it is left."""

from engine.instances.activities import activate
from engine.instances.advance import SCOPE_START, Advance
from engine.instances.data_objects import declare
from engine.instances.elements.handler import Handler
from engine.instances.event_subprocesses import begin_held
from engine.lifecycle import Step
from engine.model.elements import SubProcess


def _activate(advance: Advance, element: SubProcess, key: int) -> Step:
    """Its data objects first, for its inputs may be meant for them."""
    declare(advance, element.data, key)
    return activate(advance, element, key)


def _run(advance: Advance, element: SubProcess, key: int) -> None:
    if element.by_event:
        begin_held(advance, key, element)
    else:
        advance.agenda.append((key, SCOPE_START))


SUB_PROCESS = Handler[SubProcess](first=Step.ACTIVATE, activate=_activate, run=_run)
