"""Ad-hoc sub-processes of Flowable, which end by a condition or when they are told."""

from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    chain,
    start,
    tag,
)
from tests.support.vendor_models import vendor_model


def pool(*parts: str, condition: str | None = None, ordering: str | None = None) -> str:
    """An ad-hoc sub-process of Flowable."""
    until = "" if condition is None else tag("completionCondition", condition)
    return tag("adHocSubProcess", *parts, until, id="pool", ordering=ordering)


def test_an_ad_hoc_sub_process_of_flowable_completes_by_its_condition(scenario: Scenario) -> None:
    run = scenario(
        vendor_model(
            start("s"),
            pool(
                tag("userTask", id="one", **{"flowable:assignee": "kermit"}),
                tag("userTask", id="two"),
                condition="${completed}",
            ),
            chain("s", "pool"),
            platform=None,
        )
    )
    run.start("p", variables='{"completed": false}')
    run.activate("pool", "one", "two")
    run.complete_task("two")
    assert run.active() == ["pool", "one"]
    run.complete_task("one", '{"completed": true}')
    assert run.path() == ["s", "two", "one", "pool", "p"]
    run.assert_nothing_left()


def test_an_ad_hoc_sub_process_of_flowable_without_a_condition_stays(scenario: Scenario) -> None:
    run = scenario(
        vendor_model(
            start("s"),
            pool(tag("userTask", id="one", **{"flowable:assignee": "kermit"})),
            chain("s", "pool"),
            platform=None,
        )
    )
    run.start("p")
    run.activate("pool", "one")
    run.complete_task("one")
    assert run.active() == ["pool"]
    run.activate("pool")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()
