"""Scopes: reads walk up, writes find their place, sizes add up."""

from engine import variables as v
from engine.events import InstanceStart
from engine.lifecycle import InstanceState
from engine.state import ElementInstance, ProcessInstance


def instance() -> ProcessInstance:
    """The process 1 around a sub-process 2 around a task 3."""
    return ProcessInstance(
        instance_id="a",
        start=InstanceStart(
            process_id="p",
            version=1,
            root_id="a",
            counter=0,
            start_command_id="c",
            started_at=0,
        ),
        state=InstanceState.RUNNING,
        counter=3,
        sequence=9,
        digest="",
        revision=1,
        elements={
            1: ElementInstance(key=1, element_id="p", scope=None, since_ms=0, open=1),
            2: ElementInstance(key=2, element_id="sub", scope=1, since_ms=0, open=1),
            3: ElementInstance(key=3, element_id="t", scope=2, since_ms=0),
        },
        waits={},
        arrivals={},
        variables={1: {"x": "1", "y": "1"}, 3: {"y": "3", "z": "3"}},
        variables_bytes=8,
    )


def test_inner_variables_cover_outer_ones() -> None:
    assert v.visible(instance(), 3) == {"x": "1", "y": "3", "z": "3"}
    assert v.visible(instance(), 2) == {"x": "1", "y": "1"}
    assert list(v.visible(instance(), 3)) == ["x", "y", "z"]


def test_a_name_is_found_in_the_nearest_scope_that_has_it() -> None:
    state = instance()
    assert v.find(state, 3, "y") == "3"
    assert v.find(state, 2, "y") == "1"
    assert v.find(state, 2, "z") is None
    assert v.find(state, None, "x") is None


def test_a_write_goes_to_the_nearest_scope_that_has_the_name_else_to_the_root() -> None:
    written = v.propagate(instance(), 3, {"x": "9", "y": "9", "z": "9", "new": "9"})
    assert written == {1: {"x": "9", "new": "9"}, 3: {"y": "9", "z": "9"}}
    assert v.propagate(instance(), 2, {"z": "9"}) == {1: {"z": "9"}}


def test_sizes_are_bytes_of_utf8() -> None:
    assert v.size({"name": '"Zoë"'}) == 4 + 6
    assert v.size({}) == 0


def test_growth_counts_what_a_write_adds() -> None:
    state = instance()
    assert v.growth(state, 1, {"x": "100"}) == 2
    assert v.growth(state, 2, {"x": "100"}) == 4
    assert v.growth(state, 1, {"x": "1", "y": '""'}) == 1
