"""What is done with a case: all that a deployment and an instance would do with it.

The answer is a word: refused (a finding, a rejection), incident, or runs. Any exception but those
that the engine turns into these is a fault.
"""

import zlib
from collections.abc import Callable
from xml.sax.saxutils import escape

from engine import commands as c
from engine.decisions import DecisionError, compile_decisions
from engine.expressions import (
    Environment,
    EvaluationError,
    Expression,
    ExpressionSyntaxError,
    compile_feel,
    compile_unary_tests,
    schedule,
)
from engine.expressions.juel import compile_juel
from engine.model.compile import compile_resource
from engine.records import ReplyStatus
from engine.settings import Settings
from engine.state import IncidentWait, ProcessInstance
from engine.values import Value, ValueEncodeError, encode
from tests.corpus.running import run_process
from tests.hostile.cases import Case
from tests.support.models import chain, compiled, end, script_task, start
from tests.support.runner import Runner

_NOW = 1_700_000_000_000
_RUN_BYTES_MAX = 100_000
_DECISIONS_MAX = 20


def attempt(case: Case) -> str:
    """Try one case."""
    return _ATTEMPTS[case.kind](case.content)


def _model(content: bytes) -> str:
    made = compile_resource("hostile.bpmn", content, Settings())
    assert made.findings or made.processes
    if not made.deployable:
        return "refused"
    if len(content) <= _RUN_BYTES_MAX:
        for process in made.processes[:2]:
            run_process(made.processes, process.process_id, turns_max=5)
    return "runs"


def _decisions(content: bytes) -> str:
    made = compile_decisions("hostile.dmn", content, Settings())
    outcome = "runs" if made.deployable else "refused"
    for decision in made.decisions[:_DECISIONS_MAX]:
        try:
            made.model.evaluate(decision.id, {}, _environment())
        except (DecisionError, EvaluationError):
            outcome = "incident"
    return outcome


def _environment() -> Environment:
    return Environment(_lookup, _NOW, "Europe/Berlin", seed="hostile")


_NESTED: Value = 1
for _ in range(90):
    _NESTED = [_NESTED]
_VALUES: tuple[Value, ...] = (
    "a" * 100_000 + "!", list(range(20_000)), {f"k{n}": n for n in range(2_000)}, _NESTED, 10**33,
    {"a": [{"b": {"a": 1}}] * 1_000}, "2024-01-01T00:00:00Z", None, True, ["a" * 100] * 1_000,
)  # fmt: skip


def _lookup(name: str) -> Value:
    """Every name is a variable, as large as variables may be."""
    return _VALUES[zlib.crc32(name.encode("utf-8", "replace")) % len(_VALUES)]


def _expression(compile_text: Callable[[str], Expression]) -> Callable[[bytes], str]:
    def attempted(content: bytes) -> str:
        text = content.decode("utf-8", "surrogatepass")[:16_384]  # as models are bounded
        try:
            expression = compile_text(text)
        except ExpressionSyntaxError:
            return "refused"
        try:
            encode(expression.evaluate(_environment()))
        except (EvaluationError, ValueEncodeError):
            return "incident"
        return "runs"

    return attempted


def _schedule(content: bytes) -> str:
    text = content.decode("utf-8", "surrogatepass")
    outcome = "refused"
    for zone in ("UTC", "Europe/Berlin"):
        for quartz in (False, True):
            try:
                cycle = schedule.parse_cycle(text, zone, quartz=quartz)
                due = schedule.first_due(cycle, _NOW, zone)
                for _ in range(10):
                    due = None if due is None else schedule.next_due(cycle, due, _NOW, zone)
                outcome = "runs"
            except EvaluationError:
                pass
        for parse in (schedule.parse_duration, lambda text: schedule.parse_due(text, _NOW, "UTC")):
            try:
                parse(text)
                outcome = "runs"
            except EvaluationError:
                pass
    return outcome


def _script(content: bytes) -> str:
    """Evaluated by an instance: whatever happens is a variable or an incident."""
    text = content.decode("utf-8", "replace")
    try:
        compile_feel(text[:16_384])
    except ExpressionSyntaxError:
        return _model(_FILE.format(escape(text, {'"': "&quot;"})).encode())
    clean = "".join(each for each in text if each >= " " and each not in "\ufffe\uffff")
    made = compile_resource(
        "script.bpmn", _FILE.format(escape(clean, {'"': "&quot;"})).encode(), Settings()
    )
    if not made.deployable:
        return "refused"
    run = Runner(*made.processes)
    run.start("p", variables='{"a": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "x": [1, 2, 3]}')
    state = run.document()
    assert state is not None
    stuck = isinstance(state, ProcessInstance) and bool(run.waits(IncidentWait))
    return "incident" if stuck else "runs"


_FILE = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"><process id="p" isExecutable="true">'
    '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/><scriptTask id="t">'
    '<extensionElements><zeebe:script expression="={}" resultVariable="r"/></extensionElements>'
    "</scriptTask></process></definitions>"
)

_READS_ALL = compiled(
    start("s"), script_task("t", "=[a, x, string(a)]"), end("e"), chain("s", "t", "e")
)


def _variables(content: bytes) -> str:
    run = Runner(_READS_ALL)
    reply = run.send(
        c.StartInstance(
            process_id="p", instance_id="a", variables=content.decode("utf-8", "surrogatepass")
        )
    )
    assert reply is not None
    if reply.status is ReplyStatus.REJECTED:
        return "refused"
    state = run.document()
    stuck = isinstance(state, ProcessInstance) and bool(run.waits(IncidentWait))
    return "incident" if stuck else "runs"


_ATTEMPTS: dict[str, Callable[[bytes], str]] = {
    "model": _model,
    "decisions": _decisions,
    "feel": _expression(compile_feel),
    "unary tests": _expression(compile_unary_tests),
    "juel": _expression(compile_juel),
    "schedule": _schedule,
    "script": _script,
    "variables": _variables,
}
