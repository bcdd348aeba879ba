"""What is drawn: references that resolve, ids, and what does not run and says so."""

import pytest

from engine.model.compile import CompiledResource
from tests.support.findings import codes, only_finding
from tests.support.models import (
    boundary,
    bpmn,
    chain,
    compiled,
    compiled_resource,
    end,
    error_event,
    exclusive,
    flow,
    process,
    resource,
    service_task,
    start,
    sub_process,
    tag,
    task,
    timer,
)


def around(*parts: str) -> CompiledResource:
    """The parts beside a process that is otherwise in order."""
    return resource(start("s"), *parts)


@pytest.mark.parametrize(
    "kind",
    [
        "callChoreography",
        "choreographyTask", "subChoreography", "implicitThrowEvent", "noSuchElement",
    ],
)  # fmt: skip
def test_an_element_that_does_not_run_is_an_error_that_names_it(kind: str) -> None:
    finding = only_finding(around(tag(kind, id="x")))
    assert (finding.code, finding.severity, finding.element) == (
        "unsupported-element",
        "error",
        "x",
    )
    assert kind in finding.message
    assert finding.line == 4


@pytest.mark.parametrize(
    ("kind", "attribute", "value"),
    [
        ("eventBasedGateway", "eventGatewayType", "Inclusive"),
        ("task", "startQuantity", "2"),
        ("task", "completionQuantity", "3"),
    ],
)
def test_an_attribute_that_asks_for_what_does_not_run_is_an_error(
    kind: str, attribute: str, value: str
) -> None:
    finding = only_finding(around(tag(kind, id="x", **{attribute: value})))
    assert (finding.code, finding.element) == ("unsupported-element", "x")
    assert attribute in finding.message


@pytest.mark.parametrize("attribute", ["isForCompensation", "startQuantity", "completionQuantity"])
def test_the_same_attributes_at_their_default_are_silent(attribute: str) -> None:
    value = "false" if attribute == "isForCompensation" else "1"
    compiled(start("s"), tag("task", id="t", **{attribute: value}), chain("s", "t"))


@pytest.mark.parametrize(
    "marker", ["multiInstanceLoopCharacteristics", "standardLoopCharacteristics"]
)
@pytest.mark.parametrize("kind", ["parallelGateway", "intermediateThrowEvent"])
def test_a_loop_marker_on_what_is_no_activity_is_an_error(kind: str, marker: str) -> None:
    made = resource(start("s"), tag(kind, tag(marker), id="x"), chain("s", "x"))
    finding = only_finding(made)
    assert (finding.code, finding.element) == ("unsupported-element", "x")
    assert marker in finding.message


def test_what_lies_inside_of_what_does_not_run_is_not_reported_again() -> None:
    inside = (tag("startEvent", tag("errorEventDefinition"), id="i"), end("e"), chain("i", "e"))
    made = around(tag("subProcess", *inside, id="x", startQuantity="2"))
    assert codes(made) == [("unsupported-element", "x")]


def test_a_reference_to_an_event_definition_elsewhere_is_an_error() -> None:
    made = resource(tag("startEvent", tag("eventDefinitionRef", "definition"), id="s"))
    assert codes(made) == [("unsupported-element", "s")]


@pytest.mark.parametrize(
    "kind",
    [
        "documentation", "laneSet", "dataObject", "dataObjectReference", "dataStoreReference",
        "textAnnotation", "association", "group", "property", "ioSpecification", "auditing",
        "monitoring", "extensionElements",
    ],
)  # fmt: skip
def test_documentation_graphics_and_data_are_silent(kind: str) -> None:
    sub = tag("subProcess", tag(kind, id="y"), start("i"), id="sub")
    compiled(start("s"), tag(kind, id="x"), sub, chain("s", "sub"))


def test_the_participants_and_messages_between_them_are_silent() -> None:
    made = compiled_resource(
        bpmn(
            tag("collaboration", tag("participant", id="a"), tag("messageFlow", id="m"), id="c"),
            tag("import"),
            tag("itemDefinition", id="i"),
            tag("signal", id="unused"),
            process("p", start("s")),
        )
    )
    assert made.findings == ()


@pytest.mark.parametrize("kind", ["globalUserTask", "choreography", "somethingElse"])
def test_a_root_element_that_would_run_but_does_not_is_a_warning(kind: str) -> None:
    made = compiled_resource(bpmn(tag(kind, id="x"), process("p", start("s"))))
    assert made.deployable
    assert codes(made) == [("no-effect", "x")]


@pytest.mark.parametrize("kind", ["potentialOwner", "humanPerformer", "performer"])
def test_a_role_of_what_people_do_not_do_is_a_warning(kind: str) -> None:
    made = resource(start("s"), tag("task", tag(kind), id="u"), chain("s", "u"))
    assert made.deployable
    assert codes(made) == [("no-effect", "u")]


def test_a_data_association_is_an_arrow_unless_it_moves_data() -> None:
    arrow = tag("dataInputAssociation", tag("sourceRef", "a"), tag("targetRef", "t"))
    nowhere = tag("dataOutputAssociation", tag("sourceRef", "u"), tag("targetRef", "b"))
    made = resource(
        start("s"), tag("task", arrow, id="t"), tag("task", nowhere, id="v"), chain("s", "t", "v")
    )
    assert codes(made) == [("no-effect", "v")]


# --- ids ---


def test_every_element_needs_an_id() -> None:
    made = resource(start("s"), tag("task"), chain("s", "t"))
    assert codes(made)[0] == ("missing-id", None)


def test_a_flow_without_an_id_is_named_by_its_ends() -> None:
    leads = tag("sequenceFlow", sourceRef="s", targetRef="t")
    made = resource(start("s"), task("t"), leads, leads, tag("sequenceFlow", sourceRef="t"))
    assert [code for code, _ in codes(made)] == ["dangling-reference"]
    model = compiled(start("s"), task("t"), leads, leads)
    assert [flow.id for flow in model.flows] == ["s->t", "s->t#2"]


def test_a_process_needs_an_id() -> None:
    made = compiled_resource(bpmn(tag("process", start("s"), isExecutable="true")))
    assert codes(made) == [("missing-id", None)]


def test_an_id_is_given_once_in_the_whole_file() -> None:
    made = compiled_resource(
        bpmn(
            tag("message", id="m", name="n"),
            process("p", start("s"), service_task("m")),
            process("q", start("s")),
            process("p", start("other")),
        )
    )
    duplicates = [element for code, element in codes(made) if code == "duplicate-id"]
    assert duplicates == ["m", "s", "p"]
    assert "line 3" in next(f.message for f in made.findings if f.element == "m")


def test_ids_and_names_are_bounded() -> None:
    compiled(tag("startEvent", id="x" * 255, name="n" * 4_096))
    made = resource(tag("startEvent", id="x" * 256), tag("task", id="t", name="n" * 4_097))
    assert [code for code, _ in codes(made)] == ["id-too-long", "name-too-long", "unreachable"]


# --- references ---


@pytest.mark.parametrize(("source", "target"), [("s", "nowhere"), ("nowhere", "s"), ("s", "")])
def test_a_flow_needs_both_ends(source: str, target: str) -> None:
    made = resource(start("s"), flow(source, target, flow_id="f"))
    assert ("dangling-reference", "f") in codes(made)
    assert not made.deployable


def test_a_flow_does_not_connect_two_processes() -> None:
    made = compiled_resource(
        bpmn(process("p", start("s"), flow("s", "t")), process("q", start("t")))
    )
    assert codes(made) == [("dangling-reference", "s-t")]


def test_a_flow_does_not_end_at_a_data_object() -> None:
    made = resource(start("s"), tag("dataObject", id="data"), flow("s", "data"))
    assert codes(made) == [("dangling-reference", "s-data")]


def test_a_boundary_event_needs_its_activity() -> None:
    made = resource(start("s"), boundary("b", "nowhere", error_event()), end("e"), flow("b", "e"))
    assert ("dangling-reference", "b") in codes(made)


def test_a_default_flow_needs_to_exist() -> None:
    made = resource(start("s"), exclusive("g", default="nowhere"), chain("s", "g"))
    assert codes(made) == [("dangling-reference", "g")]


def test_flows_inside_a_sub_process_belong_to_it_wherever_they_are_drawn() -> None:
    model = compiled(
        start("s"),
        sub_process("sub", start("i"), end("e")),
        chain("s", "sub"),
        flow("i", "e"),
        boundary("late", "sub", timer(duration="PT1S")),
    )
    inner = model.flows[model.flow_index["i-e"]]
    assert model.elements[inner.source].scope == model.element_index["sub"]
