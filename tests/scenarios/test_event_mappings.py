"""Mappings of events: throw and end events go through their outputs when they complete."""

from tests.scenarios.conftest import Scenario
from tests.support.models import chain, compiled, end, start, throw


def test_a_throw_and_an_end_event_map_in_and_out(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            throw("t", inputs={"x": "=n"}, outputs={"y": "=x + 1"}),
            end("e", inputs={"q": "=y"}, outputs={"z": "=q + 1"}),
            chain("s", "t", "e"),
        )
    )
    run.start("p", variables='{"n":1}')
    assert run.result() == '{"n":1,"y":2,"z":3}'
