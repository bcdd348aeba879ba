"""Parts of transitions, and digests that show another content or another past."""

from msgspec.structs import replace

from engine.events import AnyEvent, FlowTaken, VariablesSet
from engine.history import chain, encode, seal, split
from engine.records import Effect

FLOWS: list[AnyEvent] = [FlowTaken(flow_id=f"flow-{number}", scope=1) for number in range(100)]


def test_a_short_transition_is_one_part() -> None:
    (part,) = split(FLOWS, 100_000)
    assert part.events == tuple(FLOWS)
    assert part.encoded == encode(part.events)


def test_a_long_transition_is_cut_below_the_limit_and_keeps_its_order() -> None:
    parts = split(FLOWS, 1_000)
    assert len(parts) > 3
    assert [event for part in parts for event in part.events] == FLOWS
    # an array's own head takes up to five bytes more
    assert all(len(part.encoded) <= 1_000 + 5 for part in parts)


def test_an_event_heavier_than_the_limit_is_a_part_of_its_own() -> None:
    heavy = VariablesSet(scope=1, variables={"x": "1" * 5_000})
    parts = split([*FLOWS[:3], heavy, *FLOWS[3:6]], 1_000)
    assert [len(part.events) for part in parts] == [3, 1, 3]


def test_digests_depend_on_the_past_and_on_the_content() -> None:
    first, second = encode(tuple(FLOWS[:1])), encode(tuple(FLOWS[1:2]))
    assert chain("", first) == chain("", first)
    assert chain("", first) != chain("", second)
    assert chain(chain("", first), second) != chain(chain("", second), first)


def effect() -> Effect:
    return Effect(
        id="0-1-0",
        type="InstanceStarted",
        partition=0,
        offset=1,
        index=0,
        time=5,
        instance_id="a",
        root_id="a",
        process_id="p",
        version=1,
        sequence=1,
        digest="",
        causation="c",
    )


def test_an_effect_is_sealed_by_its_content_and_its_transition() -> None:
    sealed = seal(effect(), "0123")
    assert replace(sealed, digest="") == effect()
    assert sealed.digest == seal(effect(), "0123").digest
    assert sealed.digest != seal(effect(), "0124").digest
    assert sealed.digest != seal(replace(effect(), version=2), "0123").digest
