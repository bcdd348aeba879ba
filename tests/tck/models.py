"""Whole decision models of the TCK: a test case passes if each of its result nodes does."""

import functools
from pathlib import Path
from typing import Any, Literal, NamedTuple

from engine.decisions import CompiledDecisions, DecisionError, compile_decisions
from engine.decisions.graph import Service
from engine.decisions.model import DecisionModel
from engine.expressions import MISSING, Environment, EvaluationError, Missing
from engine.settings import Settings
from engine.values import Value
from tests.tck.run import NOW_MS, STEPS_MAX, Failure, all_cases, corpus, same, typed_value


class Case(NamedTuple):
    """What makes result nodes one test case."""

    suite: str
    file: str
    case: str


def models_directory() -> Path:
    """Where the models are."""
    return corpus().parent / "TestCases"


@functools.cache
def _compiled(path: Path) -> CompiledDecisions:
    """A model with those beside it to import from; each file imports only what it names."""
    others = [other for other in sorted(path.parent.glob("*.dmn")) if other != path]
    text = path.read_bytes()
    imports = [_compiled(other) for other in others if _namespace(other) in text]
    return compile_decisions(path.name, text, Settings(), imports)


def _namespace(path: Path) -> bytes:
    return path.read_bytes().partition(b' namespace="')[2].partition(b'"')[0]


def _evaluate(case: dict[str, Any]) -> Value:
    model = _compiled(models_directory() / case["model"]).model
    variables = {name: typed_value(value) for name, value in case["inputs"].items()}
    env = Environment(no_variables, NOW_MS, steps_max=STEPS_MAX)
    if case["type"] == "decisionService":
        return _served(model, case["node"], variables, env)
    return model.evaluate(_node_id(model, case["node"]), variables, env)


def no_variables(_name: str) -> Value | Literal[Missing.MISSING]:
    """All that a test case knows are its inputs."""
    return MISSING


def _node_id(model: DecisionModel, name: str) -> str:
    """The id of a decision with this name; what is not there cannot be evaluated."""
    for decision in model.decisions:
        if decision.name == name:
            return decision.id
    return name


def _served(
    model: DecisionModel, name: str, variables: dict[str, Value], env: Environment
) -> Value:
    """The value of a decision that is an output of a service, by way of that service."""
    decision_id = _node_id(model, name)
    for node in model.nodes.values():
        if isinstance(node, Service) and (decision_id in node.outputs or node.name == name):
            value = model.evaluate(node.id, variables, env)
            several = len(node.outputs) > 1 and isinstance(value, dict)
            return value[name] if several and isinstance(value, dict) else value
    raise DecisionError(f"No service has the output {name}.")


def model_failures() -> tuple[dict[Case, bool], list[Failure]]:
    """Whether each test case passes, and the result nodes that do not."""
    passed: dict[Case, bool] = {}
    failed: list[Failure] = []
    for case in all_cases():
        key = Case(case["suite"], case["file"], case["tc"])
        failure = _failure(case)
        passed[key] = passed.get(key, True) and failure is None
        failed += [] if failure is None else [failure]
    return passed, failed


def _failure(case: dict[str, Any]) -> Failure | None:
    expected = typed_value(case["expected"])
    try:
        found = _evaluate(case)
        good, shown = same(found, expected), repr(found)
    except DecisionError as error:  # what the TCK expects of an error is null
        good, shown = expected is None, f"error: {error}"
    except EvaluationError as error:
        good, shown = False, f"error: {error}"
    text = " ".join((case["expr"] or "").split())
    where = f"{case['node']} {text}"
    return None if good else Failure(case["suite"], case["tc"], where, repr(expected), shown)
