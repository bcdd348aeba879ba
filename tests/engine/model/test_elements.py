"""The tables of the model are whole: every element has a reader, every position its triggers."""

from typing import get_args

from engine.model import elements as e
from engine.model.readers import KINDS, READERS
from engine.model.triggers import TRIGGERS
from engine.model.vocabulary import CONTAINERS, SILENT_IN_NODE, SILENT_IN_PROCESS


def test_the_table_of_readers_has_a_row_for_exactly_the_elements() -> None:
    assert set(READERS) == set(get_args(e.AnyElement))


def test_no_two_elements_have_one_tag() -> None:
    assert len(KINDS) == len(READERS)


def test_no_element_that_runs_is_passed_over_as_graphics() -> None:
    assert not KINDS & (SILENT_IN_PROCESS | SILENT_IN_NODE)
    assert CONTAINERS <= KINDS


def test_every_event_has_the_triggers_that_run_there() -> None:
    assert {tag for tag in KINDS if tag.endswith("Event")} == set(TRIGGERS)
