"""What is called and not there is a warning, at the element that calls it."""

from collections.abc import Collection, Mapping

from engine import commands as c
from engine.definitions import DefinitionKind
from engine.deployments.files import compile_files
from engine.deployments.references import missing_references
from engine.settings import Settings
from tests.support.decisions import decision, dmn, literal
from tests.support.models import bpmn, call_activity, chain, decision_task, process, start

CALLER = bpmn(
    process(
        "caller",
        start("s"),
        call_activity("call", "called"),
        decision_task("decide", "Rate"),
        chain("s", "call", "decide"),
    )
)
CALLED = bpmn(process("called", start("s")))
RATE = dmn(decision("Rate", literal("1")))


def missing(
    *contents: bytes, known: Mapping[DefinitionKind, Collection[str]] | None = None
) -> list[tuple[str, str | None]]:
    resources = [
        c.Resource(name=f"{number}.xml", content=content) for number, content in enumerate(contents)
    ]
    found = missing_references(compile_files(resources, Settings()), known or {})
    assert all(finding.severity == "warning" for finding in found)
    return [(finding.code, finding.element) for finding in found]


def test_what_is_called_and_not_there_is_a_warning() -> None:
    assert missing(CALLER) == [("unknown-process", "call"), ("unknown-decision", "decide")]


def test_a_warning_says_where_and_how_to_put_it_right() -> None:
    resources = [c.Resource(name="caller.bpmn", content=CALLER)]
    first, second = missing_references(compile_files(resources, Settings()), {})
    assert (first.resource, first.line) == ("caller.bpmn", 4)
    assert "'called'" in first.message
    assert "Deploy it" in second.message


def test_what_comes_along_is_there() -> None:
    assert missing(CALLER, CALLED, RATE) == []


def test_what_was_deployed_before_is_there() -> None:
    known = {DefinitionKind.PROCESS: {"called"}, DefinitionKind.DECISION: {"Rate"}}
    assert missing(CALLER, known=known) == []
    assert missing(CALLER, known={DefinitionKind.PROCESS: {"called", "Rate"}}) == [
        ("unknown-decision", "decide")
    ]


def test_a_process_that_calls_itself_is_there() -> None:
    assert missing(bpmn(process("p", start("s"), call_activity("x", "p"), chain("s", "x")))) == []


def test_what_an_expression_names_is_not_looked_for() -> None:
    model = process(
        "p",
        start("s"),
        call_activity("call", "=target"),
        decision_task("decide", "=rule"),
        chain("s", "call", "decide"),
    )
    assert missing(bpmn(model)) == []


def test_nothing_is_said_of_what_a_file_with_errors_may_define() -> None:
    broken = bpmn(process("called", start("s"), call_activity("x", "")))
    assert missing(CALLER, RATE, broken) == []
