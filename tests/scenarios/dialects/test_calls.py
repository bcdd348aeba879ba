"""Calls in models of Camunda 7: what they pass and take, and the version that they call."""

import pytest

from engine import commands as c
from engine.model.elements import ProcessModel
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled_resource,
    end,
    extensions,
    start,
    tag,
)
from tests.support.vendor_models import (
    external,
    inputs_and_outputs,
    vendor_file,
    vendor_model,
)

CALLED = vendor_model(
    start("s"), external("work", "work"), end("e"), chain("s", "work", "e"), process_id="called"
)


def calling(*content: str) -> str:
    return tag("callActivity", extensions(*content), id="call", calledElement="${'cal'}led")


def test_a_call_passes_what_it_names_and_takes_what_it_names(scenario: Scenario) -> None:
    travels = (
        '<camunda:in source="a" target="b"/><camunda:in sourceExpression="${a + 1}" target="c"/>'
        '<camunda:in source="missing" target="d"/>'
        '<camunda:in businessKey="${execution.processBusinessKey}-1"/>'
        '<camunda:out source="x" target="y"/>'
        '<camunda:out sourceExpression="${x * 10}" target="z"/>'
    )
    run = scenario(
        CALLED, vendor_model(start("s"), calling(travels), end("e"), chain("s", "call", "e"))
    )
    run.accept(
        c.StartInstance(process_id="p", instance_id="a", business_key="order", variables='{"a": 1}')
    )
    job = run.job("work")
    assert (job.variables, job.business_key) == ('{"b":1,"c":2,"d":null}', "order-1")
    run.complete("work", '{"x": 5, "other": true}')
    assert run.result() == '{"a":1,"y":5,"z":50}'
    run.assert_nothing_left()


@pytest.mark.parametrize(
    ("out", "taken"),
    [
        ('<camunda:out source="x" target="y"/>', '{"y":5,"why":"no"}'),
        ('<camunda:out variables="all"/>', '{"x":5,"other":1,"why":"no"}'),
        ("", '{"why":"no"}'),
    ],
)
def test_a_call_takes_what_it_names_even_if_an_error_leaves_it(
    scenario: Scenario, out: str, taken: str
) -> None:
    called = vendor_model(
        start("s"),
        external("first", "first"),
        external("work", "work"),
        chain("s", "first", "work"),
        process_id="called",
    )
    caller = vendor_model(
        start("s"),
        calling(out, inputs_and_outputs({}, {"late": "${nothing}"})),
        boundary("caught", "call", tag("errorEventDefinition")),
        chain("s", "call"),
    )
    run = scenario(called, caller)
    run.start("p")
    run.complete("first", '{"x": 5, "other": 1}')
    job = run.job("work")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=1, code="BAD", variables='{"why": "no"}'))
    assert run.result() == taken
    run.assert_nothing_left()


def test_a_call_passes_and_takes_everything_or_nothing(scenario: Scenario) -> None:
    everything = '<camunda:in variables="all"/><camunda:out variables="all"/>'
    mapped = inputs_and_outputs({}, {"twice": "${x * 2}"})
    for content, passed, result in (
        (everything, '{"a":1}', '{"a":1,"x":5}'),
        (everything + mapped, '{"a":1}', '{"a":1,"x":5,"twice":10}'),
        ("", "{}", '{"a":1}'),
    ):
        run = scenario(
            CALLED, vendor_model(start("s"), calling(content), end("e"), chain("s", "call", "e"))
        )
        run.accept(
            c.StartInstance(process_id="p", instance_id="a", business_key="k", variables='{"a": 1}')
        )
        job = run.job("work")
        assert (job.variables, job.business_key) == (passed, None)
        run.complete("work", '{"x": 5}')
        assert run.result() == result


def test_an_output_that_fails_after_a_call_is_tried_again_without_calling(
    scenario: Scenario,
) -> None:
    out = '<camunda:out sourceExpression="${x * factor}" target="y"/>'
    run = scenario(
        CALLED, vendor_model(start("s"), calling(out), end("e"), chain("s", "call", "e"))
    )
    run.start("p")
    run.complete("work", '{"x": 5}')
    assert "'factor'" in run.incident().message
    run.resolve(variables='{"factor": 3}')
    assert run.result() == '{"factor":3,"y":15}'
    assert run.jobs("work") == []


def test_a_call_bound_to_a_version_runs_that_one(scenario: Scenario) -> None:
    other = vendor_model(
        start("s"), external("new", "new"), end("e"), chain("s", "new", "e"), process_id="called"
    )
    own = {"camunda:calledElementBinding": "version", "camunda:calledElementVersion": "1"}
    node = tag("callActivity", id="call", calledElement="called", **own)
    run = scenario(CALLED, other, vendor_model(start("s"), node, end("e"), chain("s", "call", "e")))
    run.start("p")
    assert run.job("work").version == 1
    assert run.jobs("new") == []


def version_of_called(name: str, tag_text: str | None = None) -> ProcessModel:
    own = {} if tag_text is None else {"camunda:versionTag": tag_text}
    drawn = tag(
        "process",
        start("s"),
        external(name, name),
        end("e"),
        chain("s", name, "e"),
        id="called",
        isExecutable="true",
        **own,
    )
    return compiled_resource(vendor_file(drawn)).process("called")


def test_a_call_bound_to_its_deployment_does_not_see_what_came_later(scenario: Scenario) -> None:
    own = {"camunda:calledElementBinding": "deployment"}
    node = tag("callActivity", id="call", calledElement="called", **own)
    run = scenario(
        CALLED,
        version_of_called("second"),
        vendor_model(start("s"), node, end("e"), chain("s", "call", "e")),
        version_of_called("third"),
    )
    run.start("p")
    assert [job.type for job in run.jobs()] == ["second"]


def test_a_call_bound_to_a_tag_runs_the_latest_version_with_it(scenario: Scenario) -> None:
    own = {"camunda:calledElementBinding": "versionTag", "camunda:calledElementVersionTag": "1"}
    node = tag("callActivity", id="call", calledElement="called", **own)
    caller = vendor_model(start("s"), node, end("e"), chain("s", "call", "e"))
    run = scenario(caller, version_of_called("untagged"))
    run.start("p")
    incident = run.incident()
    assert incident.message == (
        "Expected the process 'called' with the version tag '1' to be deployed, found none"
    )
    for name, its_tag in (("first", "1"), ("second", "1"), ("third", "2")):
        run.deploy(version_of_called(name, its_tag))
    run.resolve()
    assert [job.type for job in run.jobs()] == ["second"]
