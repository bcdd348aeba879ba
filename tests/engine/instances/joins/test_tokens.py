"""What is read of tokens is the same, however wide a document and whatever parts it is kept in."""

from hypothesis import given
from hypothesis import strategies as st

from engine.instances.joins.tokens import flow_parts, map_of, tokens_of
from engine.ordered import Ordered
from engine.pages import Pages, look, parts
from engine.state import ElementInstance
from tests.support.models import (
    chain,
    compiled,
    complex_gateway,
    end,
    flow,
    inclusive,
    parallel,
    start,
    task,
)

MODEL = compiled(
    start("s"),
    parallel("fork"),
    *(task(name) for name in "abcd"),
    inclusive("join"),
    complex_gateway("gate", "=activationCount > 1"),
    end("e"),
    chain("s", "fork", "a", "join", "d", "gate", "e"),
    chain("fork", "b", "join"),
    chain("fork", "c", "gate"),
    flow("fork", "gate", flow_id="direct"),
)
JOIN, GATE = map_of(MODEL).indexes
NAMES = [element.id for element in MODEL.elements]
FLOWS = [each.id for each in MODEL.flows]
PLACES = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(1, 3)), max_size=400)


def elements_at(places: list[tuple[str, int]]) -> dict[int, ElementInstance]:
    return {
        key: ElementInstance(key=key, element_id=name, scope=scope, since_ms=0)
        for key, (name, scope) in enumerate(places, start=4)
    }


@given(PLACES)
def test_element_instances_are_read_page_by_page_as_all_at_once(
    places: list[tuple[str, int]],
) -> None:
    whole = elements_at(places)
    joins, tokens = map_of(MODEL), tokens_of(MODEL, JOIN)
    for scope in (1, 2, 3):
        reached = [
            (look(part, tokens.from_elements).get(scope, 0), look(part, tokens.from_gates))
            for part in joins.near(Pages(whole), scope, 0)
        ]
        mask = 0
        for found, gates in reached:
            mask |= found
            assert not gates, "the join does not lie behind the gateway"
        expected = tokens.from_elements(whole).get(scope, 0)
        assert mask == expected
        assert joins.begun(Pages(whole), scope) == joins.begun(whole, scope)
        assert bool(joins.begun(whole, scope)) == (("gate", scope) in places)


@given(st.dictionaries(st.sampled_from(FLOWS), st.integers(1, 2)))
def test_arrivals_are_read_page_by_page_as_all_at_once(flows: dict[str, int]) -> None:
    joins, tokens = map_of(MODEL), tokens_of(MODEL, GATE)
    paged = Ordered(flows)
    assert joins.waiting_at(paged) == joins.waiting_at(flows)
    assert bool(joins.waiting_at(flows) & 1) == ("a-join" in flows or "b-join" in flows)
    for rule in (tokens.arrived, tokens.from_flows):
        masks = [look(part, rule) for part in flow_parts(paged)]
        assert (masks[0] if masks else 0) == rule(flows)
    assert [*joins.flows_at(paged, 1)] == [
        part for part in flow_parts(paged) if joins.waiting_at(flows) >> 1 & 1
    ]


def test_a_part_that_was_read_is_read_anew_once_it_was_changed() -> None:
    pages = Pages(elements_at([("a", 1)] * 300))
    joins, tokens = map_of(MODEL), tokens_of(MODEL, JOIN)

    def mask() -> int:
        return max(
            (look(part, tokens.from_elements).get(1, 0) for part in joins.near(pages, 1, 0)),
            default=0,
        )

    assert mask() == 0b01
    for key in list(pages):
        del pages[key]
    assert mask() == 0
    pages[7] = ElementInstance(key=7, element_id="b", scope=1, since_ms=0)
    assert mask() == 0b10
    assert len(list(parts(pages))) == 1
