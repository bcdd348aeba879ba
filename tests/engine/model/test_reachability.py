"""From where a join can be reached without passing it: bit n stands for its n-th incoming flow."""

from engine.model.elements import ProcessModel
from engine.model.reachability import joins_of, reach_of
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    end,
    exclusive,
    flow,
    inclusive,
    link_event,
    parallel,
    start,
    sub_process,
    task,
    throw,
    timer,
)


def reached(model: ProcessModel, join: str) -> dict[str, set[str]]:
    """For each element that reaches the join at all: the flows by which it does."""
    element = model.element(join)
    found = reach_of(model, element.index).from_element
    return {
        model.elements[index].id: {
            model.flows[flow].id for bit, flow in enumerate(element.incoming) if mask >> bit & 1
        }
        for index, mask in found.items()
    }


def test_each_branch_reaches_its_own_flow_and_the_fork_both() -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        task("a"),
        task("b"),
        inclusive("join"),
        end("e"),
        chain("s", "fork", "a", "join", "e"),
        chain("fork", "b", "join"),
    )
    both = {"a-join", "b-join"}
    assert reached(model, "join") == {"s": both, "fork": both, "a": {"a-join"}, "b": {"b-join"}}


def test_a_way_through_the_join_does_not_count() -> None:
    model = _loop()
    found = reached(model, "join")
    assert found["s"] == {"s-join"}
    assert found["work"] == {"check-join"}
    assert found["join"] == {"check-join"}  # what it has just let go may come around
    assert "e" not in found


def _loop() -> ProcessModel:
    return compiled(
        start("s"),
        inclusive("join"),
        task("work"),
        inclusive("check"),
        end("e"),
        chain("s", "join", "work", "check", "join"),
        chain("check", "e"),
    )


def test_all_of_a_circle_reaches_what_any_of_it_does() -> None:
    model = compiled(
        start("s"),
        exclusive("one"),
        task("two"),
        inclusive("three"),
        inclusive("join"),
        task("other"),
        end("e"),
        chain("s", "one", "two", "three", "one"),
        chain("three", "join", "e"),
        chain("three", "other", "join"),
    )
    found = reached(model, "join")
    both = {"three-join", "other-join"}
    assert [found[name] for name in ("s", "one", "two", "three")] == [both] * 4
    assert found["other"] == {"other-join"}


def test_boundary_events_and_links_lead_on_as_flows_do() -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        task("a"),
        task("b"),
        boundary("late", "b", timer(duration="PT1H")),
        throw("jump", link_event("L")),
        catch("land", link_event("L")),
        inclusive("join"),
        end("e"),
        chain("s", "fork", "a", "join", "e"),
        chain("fork", "b"),
        chain("late", "jump"),
        chain("land", "join"),
    )
    found = reached(model, "join")
    assert found["b"] == found["late"] == found["jump"] == found["land"] == {"land-join"}


def test_no_way_crosses_the_border_of_a_sub_process() -> None:
    model = compiled(
        start("s"),
        sub_process(
            "sub",
            start("is"),
            parallel("fork"),
            inclusive("join"),
            end("ie"),
            chain("is", "fork", "join", "ie"),
            chain("fork", "t", "join"),
            task("t"),
        ),
        end("e"),
        chain("s", "sub", "e"),
    )
    assert set(reached(model, "join")) == {"is", "fork", "t"}


def test_it_is_computed_once_for_each_join() -> None:
    model = _loop()
    join = model.element("join").index
    assert reach_of(model, join) is reach_of(model, join)


def test_a_chain_of_thousands_does_not_grow_the_stack() -> None:
    names = [f"t{number}" for number in range(4_000)]
    model = compiled(
        start("s"),
        *(task(name) for name in names),
        inclusive("join"),
        end("e"),
        chain("s", *names, "join", "e"),
        chain(names[0], "join"),
    )
    found = reached(model, "join")
    assert found["s"] == {"t3999-join", "t0-join"}
    assert found["t3999"] == {"t3999-join"}


def test_a_join_is_held_up_by_what_can_reach_it_however_it_does() -> None:
    model = _loop()
    joins = joins_of(model)
    assert [model.elements[index].id for index in joins.indexes] == ["join"]
    assert set(joins.from_element) == {"s", "join", "work", "check"}
    assert set(joins.at_flow) == {"s-join", "check-join"}


def test_each_join_has_a_bit_and_what_lies_behind_it_none() -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        *(task(name) for name in "abc"),
        *(inclusive(name) for name in ("first", "second")),
        end("e"),
        chain("s", "fork", "a", "first", "c", "second", "e"),
        chain("fork", "b", "first"),
        flow("fork", "second"),
    )
    joins = joins_of(model)
    assert joins.from_element == {
        "s": 0b11,
        "fork": 0b11,
        "a": 0b11,
        "b": 0b11,
        "first": 0b11,
        "c": 0b10,
        "second": 0b10,
    }
