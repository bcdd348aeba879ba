"""History alone gives a document back, at any transition, digest and all."""

import msgspec
import pytest

from engine import commands as c
from engine.instances.evolve.fold import fold
from engine.settings import Settings
from engine.state import ProcessInstance, Tombstone
from tests.support.models import chain, compiled, service_task, start, user_task
from tests.support.runner import Runner

MODEL = compiled(start("s"), service_task("work"), user_task("t"), chain("s", "work", "t"))
DAY = 24 * 3_600_000


def test_each_state_is_the_fold_of_the_history_up_to_it() -> None:
    run = Runner(MODEL)
    run.start("p", variables='{"n": 1}')
    first = run.living()
    run.complete("work", '{"n": 2}')
    second = run.living()
    run.complete_task("t")
    history = run.history["a"]
    assert fold(history[:1], DAY) == first
    assert fold(history[:2], DAY) == second
    assert fold(history, DAY) == run.document()
    assert isinstance(run.document(), Tombstone)
    encode = msgspec.msgpack.encode
    assert encode(fold(history[:2], DAY)) == encode(second)


def test_a_long_transition_in_parts_folds_to_the_same_document() -> None:
    settings = Settings(transition_bytes_max=600)
    run = Runner(MODEL, settings=settings)
    run.start("p", variables='{"a": "' + "x" * 500 + '", "n": 1}')
    history = run.history["a"]
    assert len(history) > 1
    assert {part.parts for part in history} == {len(history)}
    assert [part.part for part in history] == list(range(1, len(history) + 1))
    assert fold(history, DAY) == run.living()
    assert run.living().revision == 1


def test_copies_of_a_part_change_nothing() -> None:
    run = Runner(MODEL)
    run.start("p")
    run.complete("work")
    history = run.history["a"]
    assert fold([*history, history[0], history[-1]], DAY) == run.living()


def test_a_second_life_begins_anew() -> None:
    run = Runner(MODEL, settings=Settings(tombstone_ms=0))
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    run.start("p")
    document = fold(run.history["a"], 0)
    assert isinstance(document, ProcessInstance)
    assert document == run.living()
    assert document.revision == 1


def test_a_history_that_does_not_begin_with_its_start_is_refused() -> None:
    run = Runner(MODEL)
    run.start("p")
    run.complete("work")
    with pytest.raises(ValueError, match="does not begin with its start"):
        fold(run.history["a"][1:], DAY)
    assert fold([], DAY) is None
