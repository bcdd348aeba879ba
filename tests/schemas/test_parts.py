"""The parts of large instances: little is written when little has changed, and all comes back."""

import msgspec
import pytest

from engine import commands as c
from engine.pages import WIDE, Pages
from engine.state import ProcessInstance
from schemas.errors import CorruptDocumentError
from schemas.parts import is_wide, part_changes
from schemas.snapshot import SplitDocument, decode_state, is_split, split
from tests.support.models import (
    chain,
    compensate_event,
    compensation,
    compiled,
    for_compensation,
    looped,
    multi_instance,
    service_task,
    start,
    task,
    throw,
    undone_by_iteration,
)
from tests.support.runner import Runner


def wide(items: int = 1_000) -> Runner:
    """A loop over many items, each with a job at a worker."""
    items_of = f"=for i in 1..{items} return i"
    many = multi_instance(over=items_of, item="item", output="=got", into="all")
    run = Runner(compiled(start("s"), looped(service_task("t"), many), chain("s", "t")))
    run.start("p")
    return run


def whole(instance: ProcessInstance) -> SplitDocument:
    return split(instance, None, stored=0)


def stored(first: SplitDocument, then: SplitDocument) -> dict[str, bytes]:
    """The fields of the hash after both writes."""
    kept = {name: value for name, value in first.put.items() if name not in then.delete}
    return {**kept, **then.put}


def written(parts: SplitDocument) -> int:
    return len(parts.main) + sum(map(len, parts.put.values()))


def test_a_wide_instance_comes_back() -> None:
    run = wide()
    for job in run.jobs()[:3]:
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=1, variables='{"got": "x"}'))
    instance = run.living()
    parts = whole(instance)
    assert is_split(instance)
    assert parts.parts == len(parts.put)
    found = decode_state(parts.main, parts.put)
    assert found == instance
    assert isinstance(found, ProcessInstance)
    assert list(found.elements) == list(instance.elements)
    assert list(found.waits) == list(instance.waits)


def test_an_iteration_that_completes_writes_little() -> None:
    run = wide()
    before = run.living()
    first = whole(before)
    job = run.jobs()[500]
    run.accept(c.CompleteJob(job_id=job.job_id, attempt=1, variables='{"got": "x"}'))
    after = run.living()
    parts = split(after, before, first.parts)
    assert not [name for name in parts.put if name.startswith("items")]
    assert len([name for name in parts.put if name.startswith("outputs")]) == 1
    assert written(parts) * 5 < written(first)
    assert decode_state(parts.main, stored(first, parts)) == after


def undoable(times: int) -> Runner:
    """A loop whose iterations have completed and can be compensated."""
    many = multi_instance(times=str(times))
    run = Runner(
        undone_by_iteration(
            compiled(
                start("s"),
                looped(task("t"), many),
                for_compensation(service_task("un")),
                compensation("t", "un"),
                throw("undo", compensate_event()),
                chain("s", "t", "undo"),
            )
        )
    )
    run.start("p", variables=f'{{"text": "{"x" * 100}"}}')
    return run


def test_what_can_be_compensated_comes_back_in_its_order() -> None:
    instance = undoable(1_000).living()
    parts = whole(instance)
    assert len([name for name in parts.put if name.startswith("ledger")]) == 8
    found = decode_state(parts.main, parts.put)
    assert found == instance
    assert isinstance(found, ProcessInstance)
    assert list(found.ledger[found.root]) == list(instance.ledger[instance.root])


def test_a_handler_that_ends_writes_little_of_the_ledger() -> None:
    run = undoable(1_000)
    before = run.living()
    first = whole(before)
    run.complete("un")
    after = run.living()
    parts = split(after, before, first.parts)
    assert len([name for name in parts.put if name.startswith("ledger")]) <= 1
    assert decode_state(parts.main, stored(first, parts)) == after


def test_pages_that_are_gone_are_deleted() -> None:
    run = wide()
    before = run.living()
    first = whole(before)
    for job in run.jobs()[:200]:
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=1))
    after = run.living()
    parts = split(after, before, first.parts)
    assert parts.delete
    assert all(name.startswith(("elements", "waits")) for name in parts.delete)
    assert decode_state(parts.main, stored(first, parts)) == after


def test_an_instance_is_wide_by_its_content_alone() -> None:
    run = wide(items=140)
    while is_wide(run.living()):
        assert isinstance(run.living().elements, Pages)
        job = run.jobs()[0]
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=1))
    instance = run.living()
    assert len(instance.elements) <= WIDE
    assert isinstance(instance.elements, dict)
    names = [name for name, _, _ in part_changes(None, instance)]
    assert not [name for name in names if name.startswith(("elements", "waits"))]


def test_a_part_that_is_missing_or_damaged_is_corruption() -> None:
    parts = whole(wide().living())
    name = next(name for name in parts.put if name.startswith("waits"))
    for bad in (b"", msgspec.msgpack.encode((1, "part", "text"))):
        with pytest.raises(CorruptDocumentError):
            decode_state(parts.main, {**parts.put, name: bad})
    for fields in ({}, {**parts.put, "more:1": parts.put[name]}):
        with pytest.raises(CorruptDocumentError):
            decode_state(parts.main, fields)
    del parts.put[name]
    with pytest.raises(CorruptDocumentError, match="parts"):
        decode_state(parts.main, parts.put)
