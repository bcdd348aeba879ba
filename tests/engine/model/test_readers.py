"""What a plain BPMN element becomes; `dialects/` has what extensions add to it."""

import pytest

from engine.expressions import Environment
from engine.model import elements as e
from engine.model.compile import CompiledResource, compile_resource
from engine.model.xml import BPMN
from engine.settings import Settings
from tests.support.findings import codes

HEAD = f'<definitions xmlns="{BPMN}"><process id="p" isExecutable="true"><startEvent id="s"/>'
TAIL = '<sequenceFlow id="f" sourceRef="s" targetRef="x"/></process></definitions>'


def plain(element: str, root: str = "") -> CompiledResource:
    """One element of a file without any extension, behind a start event."""
    content = HEAD + element + TAIL.replace("</process>", f"</process>{root}")
    return compile_resource("plain.bpmn", content.encode(), Settings())


def read(element: str, root: str = "") -> e.AnyElement:
    made = plain(element, root)
    assert made.findings == ()
    return made.process("p").element("x")


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("task", e.AbstractTask),
        ("manualTask", e.ManualTask),
        ("userTask", e.UserTask),
        ("serviceTask", e.ServiceTask),
        ("sendTask", e.SendTask),
        ("businessRuleTask", e.BusinessRuleTask),
        ("scriptTask", e.ScriptTask),
        ("exclusiveGateway", e.ExclusiveGateway),
        ("parallelGateway", e.ParallelGateway),
        ("intermediateThrowEvent", e.IntermediateThrowEvent),
        ("endEvent", e.EndEvent),
    ],
)
def test_an_element_becomes_the_struct_of_its_tag(tag: str, kind: type[e.Element]) -> None:
    element = read(f'<{tag} id="x" name="The name"/>')
    assert type(element) is kind
    assert (element.id, element.name, element.index) == ("x", "The name", 1)
    assert (element.incoming, element.outgoing, element.scope) == ((0,), (), e.PROCESS)


@pytest.mark.parametrize(
    ("attributes", "job_type"),
    [
        ("", "x"),
        ('implementation="##WebService"', "x"),
        ('implementation="charge card"', "charge card"),
        ('implementation="##unspecified" operationRef="op"', "the operation"),
        ('operationRef="unknown"', "x"),
    ],
)
def test_the_job_type_of_a_plain_task_is_implied(attributes: str, job_type: str) -> None:
    interface = '<interface id="i"><operation id="op" name="the operation"/></interface>'
    element = read(f'<serviceTask id="x" {attributes}/>', interface)
    assert isinstance(element, e.ServiceTask)
    assert element.job == e.JobDefinition(type=job_type)


@pytest.mark.parametrize("format_", ["feel", "FEEL", "application/feel"])
def test_a_plain_feel_script_is_evaluated_inline(format_: str) -> None:
    element = read(
        f'<scriptTask id="x" scriptFormat="{format_}"><script>1 + 1</script></scriptTask>'
    )
    assert isinstance(element, e.ScriptTask)
    assert element.script is not None
    assert element.script.expression.evaluate(Environment()) == 2
    assert element.job is None


@pytest.mark.parametrize(
    ("attributes", "job_type"),
    [('scriptFormat="Python"', "script.python"), ("", "script.text")],
)
def test_a_plain_script_of_another_language_is_work_for_a_worker(
    attributes: str, job_type: str
) -> None:
    element = read(
        f'<scriptTask id="x" {attributes}><script><![CDATA[a < b]]></script></scriptTask>'
    )
    assert isinstance(element, e.ScriptTask)
    assert element.job == e.JobDefinition(type=job_type, headers={"script": "a < b"})


def test_a_plain_feel_script_that_does_not_compile_is_an_error() -> None:
    made = plain('<scriptTask id="x" scriptFormat="feel"><script>1 +</script></scriptTask>')
    assert codes(made) == [("expression-syntax", "x")]


@pytest.mark.parametrize("called", ["other", " other "])
def test_a_plain_call_activity_names_its_process_in_an_attribute(called: str) -> None:
    element = read(f'<callActivity id="x" calledElement="{called}"/>')
    assert isinstance(element, e.CallActivity)
    assert element.process_id == "other"
    assert element.propagate_all_child_variables


def test_a_plain_call_activity_without_a_process_is_an_error() -> None:
    assert codes(plain('<callActivity id="x"/>')) == [("called-process-missing", "x")]


@pytest.mark.parametrize(
    ("value", "interrupting"), [("true", True), ("1", True), ("false", False), ("0", False)]
)
def test_a_boundary_event_interrupts_unless_it_says_no(value: str, *, interrupting: bool) -> None:
    made = plain(
        '<task id="x"/><boundaryEvent id="b" attachedToRef="x" cancelActivity="'
        f'{value}"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>'
        "</boundaryEvent>"
    )
    event = made.process("p").element("b")
    assert isinstance(event, e.BoundaryEvent)
    assert event.interrupting is interrupting


def test_a_plain_message_without_a_name_is_known_by_its_id() -> None:
    start = f'<definitions xmlns="{BPMN}"><message id="placed"/><process id="p" isExecutable="1">'
    event = '<startEvent id="s"><messageEventDefinition messageRef="placed"/></startEvent>'
    made = compile_resource(
        "plain.bpmn", f"{start}{event}</process></definitions>".encode(), Settings()
    )
    assert made.process("p").elements[0].trigger == e.MessageTrigger(name="placed", begins=True)  # type: ignore[union-attr]  # an event
