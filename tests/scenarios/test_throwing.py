"""Message throw and end events, and links."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.findings import codes
from tests.support.models import (
    catch,
    chain,
    compiled,
    compiled_resource,
    end,
    exclusive,
    extension,
    extensions,
    flow,
    inclusive,
    link_event,
    message,
    message_event,
    parallel,
    resource,
    script_task,
    service_task,
    start,
    sub_process,
    tag,
    task,
    throw,
    user_task,
)
from tests.support.runner import subscriptions

PAID = message("paid", "payment", key="=order")


def test_a_thrown_message_meets_who_waits_for_its_name_and_key(scenario: Scenario) -> None:
    waiting = compiled(
        PAID, start("s"), catch("wait", message_event("paid")), end("e"), chain("s", "wait", "e"),
        process_id="waiting",
    )  # fmt: skip
    throwing = compiled(
        PAID, start("s"), throw("pay", message_event("paid")), end("e"), chain("s", "pay", "e")
    )
    run = scenario(waiting, throwing)
    run.start("waiting", "w", '{"order": 7}')
    run.start("waiting", "v", '{"order": 8}')
    run.start("p", variables='{"order": 7, "amount": 5}')
    assert run.state("w") is InstanceState.COMPLETED
    assert run.state("v") is InstanceState.RUNNING
    assert run.result("w") == '{"order":7,"amount":5}'
    (thrown,) = run.effects("MessageThrown")
    assert thrown.message is not None
    assert (thrown.message.name, thrown.message.correlation_key) == ("payment", "7")
    assert thrown.element_id == "pay"
    assert run.path() == ["s", "pay", "e", "p"]


def test_inputs_choose_what_a_thrown_message_carries(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            PAID,
            start("s"),
            end("pay", message_event("paid"), inputs={"sum": "=amount * 2"}),
            chain("s", "pay"),
        )
    )
    run.start("p", variables='{"order": 7, "amount": 5}')
    (thrown,) = run.effects("MessageThrown")
    assert thrown.variables == '{"sum":10}'
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_thrown_message_starts_a_process(scenario: Scenario) -> None:
    started = compiled(
        PAID, start("s", message_event("paid")), user_task("look"), chain("s", "look"),
        process_id="started",
    )  # fmt: skip
    throwing = compiled(PAID, start("s"), end("pay", message_event("paid")), chain("s", "pay"))
    run = scenario(started, throwing)
    run.start("p", variables='{"order": 7}')
    assert run.task("look").variables == '{"order":7}'


@pytest.mark.parametrize("ttl", ["PT1H", '="PT1H"', "=wait", '=duration("PT1H")'])
def test_a_thrown_message_waits_as_long_as_its_event_says(scenario: Scenario, ttl: str) -> None:
    publish = extensions(extension("publishMessage", correlationKey='="k"', timeToLive=ttl))
    run = scenario(
        compiled(
            message("paid", "payment", key="=order"),
            start("s"),
            tag("intermediateThrowEvent", publish, message_event("paid"), id="pay"),
            service_task("work"),
            catch("wait", message_event("paid")),
            chain("s", "pay", "work", "wait"),
        )
    )
    run.start("p", variables='{"order": "k", "wait": "PT60M"}')
    run.elapse(3_000_000)
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED
    run.elapse(3_600_000)
    run.assert_nothing_left()


@pytest.mark.parametrize(
    ("attributes", "taken"),
    [
        ({"messageId": "once"}, 1),
        ({"messageId": "=order"}, 1),
        ({"messageId": "=null", "timeToLive": "=null"}, 2),
        ({"messageId": "=string(n)"}, 2),
    ],
)
def test_a_thrown_message_with_an_id_is_taken_in_once(
    scenario: Scenario, attributes: dict[str, str], taken: int
) -> None:
    publish = extensions(extension("publishMessage", correlationKey='="k"', **attributes))
    throwing = tag("intermediateThrowEvent", publish, message_event("paid"), id="pay")
    started = compiled(
        PAID, start("s", message_event("paid")), task("look"), chain("s", "look"),
        process_id="started",
    )  # fmt: skip
    run = scenario(started, compiled(PAID, start("s"), throwing, chain("s", "pay")))
    run.start("p", "a", variables='{"order": 7, "n": 1}')
    run.start("p", "b", variables='{"order": 7, "n": 2}')
    assert len(run.effects("MessageThrown")) == 2
    assert (
        len([each for each in run.effects("InstanceStarted") if each.process_id == "started"])
        == taken
    )


@pytest.mark.parametrize("attributes", [{"timeToLive": "=1"}, {"messageId": "=[]"}])
def test_an_id_or_a_time_to_live_of_no_use_is_an_incident(
    scenario: Scenario, attributes: dict[str, str]
) -> None:
    publish = extensions(extension("publishMessage", correlationKey='="k"', **attributes))
    throwing = tag("intermediateThrowEvent", publish, message_event("paid"), id="pay")
    run = scenario(compiled(PAID, start("s"), throwing, chain("s", "pay")))
    run.start("p")
    assert run.incident().kind == "EXPRESSION_FAILED"
    assert run.effects("MessageThrown") == []


def test_a_worker_throws_where_the_dialect_says_so(scenario: Scenario) -> None:
    task = extensions(extension("taskDefinition", type="send-it"))
    run = scenario(
        compiled(
            PAID,
            start("s"),
            tag("intermediateThrowEvent", task, message_event("paid"), id="pay"),
            tag("endEvent", task, message_event("paid"), id="e"),
            chain("s", "pay", "e"),
        )
    )
    run.start("p")
    assert run.active() == ["pay"]
    run.complete("send-it", '{"sent": true}')
    assert run.active() == ["e"]
    run.complete("send-it")
    assert run.result() == '{"sent":true}'
    assert run.effects("MessageThrown") == []
    run.assert_nothing_left()


def test_a_key_that_is_null_is_an_incident_and_nothing_is_thrown(scenario: Scenario) -> None:
    run = scenario(
        compiled(PAID, start("s"), throw("pay", message_event("paid")), chain("s", "pay"))
    )
    run.start("p")
    assert run.incident().kind == "EXPRESSION_FAILED"
    assert run.effects("MessageThrown") == []
    run.resolve(variables='{"order": 7}')
    assert len(run.effects("MessageThrown")) == 1
    assert run.state() is InstanceState.COMPLETED


def test_a_process_that_starts_itself_by_what_it_throws_goes_on_and_on(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            message("again", "again"),
            start("s", message_event("again")),
            script_task("count", "=n + 1", result="n"),
            exclusive("more", default="no"),
            end("once", message_event("again")),
            end("e"),
            chain("s", "count", "more"),
            flow("more", "once", condition="=n < 20"),
            flow("more", "e", flow_id="no"),
        )
    )
    run.accept(c.PublishMessage(name="again", variables='{"n": 0}'))
    assert len(run.effects("InstanceCompleted")) == 20
    assert subscriptions(run) == []
    run.assert_nothing_left()


def test_a_link_jumps_inside_its_scope(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            throw("out", link_event("A")),
            catch("in", link_event("A")),
            sub_process(
                "sub",
                start("i"),
                throw("iout", link_event("A")),
                catch("iin", link_event("A")),
                end("ie"),
                chain("i", "iout"),
                chain("iin", "ie"),
            ),
            end("e"),
            chain("s", "out"),
            chain("in", "sub", "e"),
        )
    )
    run.start("p")
    assert run.path() == ["s", "out", "in", "i", "iout", "iin", "ie", "sub", "e", "p"]
    run.assert_nothing_left()


def test_many_throws_lead_to_one_catch_once_each(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            throw("one", link_event("A")),
            throw("two", link_event("A")),
            catch("in", link_event("A")),
            service_task("work"),
            chain("s", "fork", "one"),
            chain("fork", "two"),
            chain("in", "work"),
        )
    )
    run.start("p")
    assert len(run.jobs("work")) == 2
    run.complete("work")
    run.complete("work")
    assert run.path().count("in") == 2
    run.assert_nothing_left()


def test_a_link_may_close_a_loop(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            catch("again", link_event("A")),
            script_task("count", "=n + 1", result="n"),
            exclusive("more", default="no"),
            throw("back", link_event("A")),
            end("e"),
            flow("s", "count"),
            flow("again", "count"),
            flow("count", "more"),
            flow("more", "back", condition="=n < 50"),
            flow("more", "e", flow_id="no"),
        )
    )
    run.start("p", variables='{"n": 0}')
    assert run.result() == '{"n":50}'


def test_an_inclusive_join_waits_for_what_comes_through_a_link(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            service_task("slow"),
            throw("out", link_event("A")),
            catch("in", link_event("A")),
            task("quick"),
            inclusive("join"),
            end("e"),
            chain("s", "fork", "slow", "out"),
            chain("in", "join"),
            chain("fork", "quick", "join", "e"),
        )
    )
    run.start("p")
    assert run.path() == ["s", "fork", "quick"]
    run.complete("slow")
    assert run.path()[-4:] == ["in", "join", "e", "p"]
    run.assert_nothing_left()


def test_a_link_leads_to_one_catch_event_and_has_no_other_flows() -> None:
    nowhere = resource(start("s"), throw("out", link_event("A")), chain("s", "out"))
    assert codes(nowhere) == [("link-target", "out")]
    twice = resource(
        start("s"), throw("out", link_event("A")), chain("s", "out"),
        catch("x", link_event("A")), catch("y", link_event("A")),
    )  # fmt: skip
    assert codes(twice) == [("link-target", "out")]
    drawn = resource(
        start("s"), throw("out", link_event("A")), catch("in", link_event("A")), end("e"),
        chain("s", "out", "e"), flow("s", "in"),
    )  # fmt: skip
    assert sorted(codes(drawn)) == [("link-flow", "in"), ("link-flow", "out")]


def test_an_unused_link_is_told_of() -> None:
    made = resource(start("s"), catch("in", link_event("A")))
    assert codes(made) == [("unreachable", "in")]
    assert made.deployable
    assert compiled_resource(b"").findings
