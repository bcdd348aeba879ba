"""Ad-hoc sub-processes as drawn: what they offer, how they order it, when they complete.

References to sections are to OMG BPMN 2.0.2.
"""

import re
from typing import Final, TypedDict

from msgspec.structs import replace

from engine.expressions import Environment, EvaluationError, Expression
from engine.model.dialects import languages
from engine.model.elements import DataObject, JobDefinition
from engine.model.extensions import AdHocSource, Extensions
from engine.model.jobs import read_job
from engine.model.loops import variable_of
from engine.model.reading import Reading
from engine.model.report import Report, quote
from engine.model.source import Node, ProcessSource, SourceElement, is_true
from engine.model.vocabulary import ACTIVITIES

TAG: Final = "adHocSubProcess"
_ORDERINGS: Final = ("Parallel", "Sequential")
_NAME: Final = re.compile(r"[^\W\d]\w*")


class AdHocFields(TypedDict):
    """What an ad-hoc sub-process has beside what every sub-process has."""

    offered: tuple[int, ...]
    active: Expression | None
    sequential: bool
    completion: Expression | None
    cancels_remaining: bool
    scoped: bool
    output: Expression | None
    output_collection: str | None
    output_variable: str | None
    job: JobDefinition | None
    shows_outputs: bool


def read_ad_hoc(reading: Reading, node: Node, extensions: Extensions) -> AdHocFields:
    """How its activities are chosen and run; what is in error is reported and left out."""
    job = None
    if extensions.job is not None:
        job = read_job(reading, node, extensions)
        extensions = _without_choices(reading, node, extensions)
    source = extensions.ad_hoc
    ordering = (node.xml.get("ordering") or _ORDERINGS[0]).strip()
    if ordering not in _ORDERINGS:
        reading.report.error(
            "ad-hoc-ordering",
            f"The ordering {quote(ordering)} is unknown. Choose {' or '.join(_ORDERINGS)}.",
            node,
        )
    active = None
    if source.active is not None:
        active = reading.formulas.expression(source.active, node, "collection of active elements")
    offered = reading.process.plain_starts(node.index)
    if active is not None and not active.names:
        _check_active(reading, node, active, [reading.process.nodes[index].id for index in offered])
    output = _output(reading, node, source)
    return AdHocFields(
        offered=offered,
        active=active,
        sequential=ordering == "Sequential",
        completion=None if extensions.job else _completion(reading, node, source),
        cancels_remaining=is_true(node.xml.get("cancelRemainingInstances"), default=True),
        scoped=reading.dialect.scopes_choices,
        output=output,
        output_collection=source.output_collection,
        output_variable=variable_of(output),
        job=job,
        # A worker may ask for anything.
        shows_outputs=job is not None and source.output_collection is not None,
    )


def _without_choices(reading: Reading, node: Node, extensions: Extensions) -> Extensions:
    """A worker decides: as in Zeebe, what else would have chosen and completed has no say."""
    source = extensions.ad_hoc
    named = {
        "collection of active elements": source.active is not None,
        "completion condition": source.completion is not None or _drawn_condition(node) is not None,
    }
    for what, is_there in named.items():
        if is_there:
            reading.report.warning(
                "no-effect",
                f"The {what} has no effect: the worker decides, by the result of its job. Remove"
                " it, or remove the job type.",
                node,
            )
    return replace(extensions, ad_hoc=replace(source, active=None, completion=None))


def choice_data(reading: Reading, node: Node) -> tuple[DataObject, ...]:
    """The variable that tells what can be chosen, where the dialect knows one."""
    if reading.dialect.choices is None:
        return ()
    nodes = reading.process.nodes
    offered = (nodes[index] for index in reading.process.plain_starts(node.index))
    return (reading.dialect.choices(offered, reading.report),)


def _check_active(reading: Reading, node: Node, active: Expression, offered: list[str]) -> None:
    """A list that no variable can change is known before anything runs."""
    try:
        value = active.evaluate(Environment())
    except EvaluationError as error:
        problem = f"fails: {error.message}"
    else:
        names = value if isinstance(value, list) else [value]
        wrong = [name for name in names if name not in offered]
        if isinstance(value, list) and not wrong:
            return
        problem = f"names {quote(', '.join(map(str, wrong)))}" if wrong else "is no list"
    reading.report.error(
        "ad-hoc-active-elements",
        f"The collection of active elements {quote(active.text)} {problem}. Name elements of the"
        f" ad-hoc sub-process that no flow leads to: {', '.join(offered)}.",
        node,
    )


def _output(reading: Reading, node: Node, source: AdHocSource) -> Expression | None:
    if (source.output is None) != (source.output_collection is None):
        reading.report.error(
            "ad-hoc-output",
            "An output collection and an output element go together. Give both, or none.",
            node,
        )
    elif source.output_collection and not _NAME.fullmatch(source.output_collection):
        reading.report.error(
            "ad-hoc-output",
            f"The output collection {quote(source.output_collection)} is no variable name. Use"
            " letters, digits and underscores.",
            node,
        )
    if source.output is None:
        return None
    return reading.formulas.expression(source.output, node, "output element")


def _completion(reading: Reading, node: Node, source: AdHocSource) -> Expression | None:
    drawn = _drawn_condition(node)
    if drawn is None:
        formula = source.completion
        return None if formula is None else reading.formulas.expression(formula, node, "condition")
    formula = languages.condition(reading.dialect, drawn)
    if formula is None:
        reading.report.error(
            "expression-language",
            f"The completion condition is written in {quote(drawn.xml.get('language') or '')},"
            " which is not executed. Rewrite it in FEEL or JUEL and remove the language.",
            node,
            drawn.line,
        )
        return None
    return reading.formulas.expression(formula, node, "completion condition")


def _drawn_condition(node: Node) -> SourceElement | None:
    drawn = next((part for part in node.children if part.tag == "completionCondition"), None)
    return drawn if drawn is not None and "".join(drawn.xml.itertext()).strip() else None


def check_ad_hoc_sub_processes(process: ProcessSource, report: Report) -> None:
    """Report ad-hoc sub-processes with elements that they must not have, or nothing to choose."""
    for node in process.nodes:
        if node.tag == TAG and node.runnable:
            _check_events(process, node, report)
            _check_activities(process, node, report)
            _check_trigger(node, report)


def _check_events(process: ProcessSource, node: Node, report: Report) -> None:
    """10.3.5: start and end events "MUST NOT be used in an Ad-Hoc Sub-Process"."""
    for inner in process.inside(node.index):
        if inner.tag in ("startEvent", "endEvent"):
            report.error(
                "ad-hoc-event",
                f"The {inner.tag} has no place in an ad-hoc sub-process: what is in it begins when"
                " it is chosen, and ends by itself. Remove the event.",
                inner,
            )


def _check_activities(process: ProcessSource, node: Node, report: Report) -> None:
    """10.3.5: activities "MUST be used", and 13.3.5 enables those that no flow leads to."""
    inside = [inner for inner in process.inside(node.index) if not inner.by_event]
    if not any(inner.tag in ACTIVITIES and not inner.for_compensation for inner in inside):
        report.error(
            "ad-hoc-empty",
            "There is no activity in the ad-hoc sub-process. Draw at least one.",
            node,
        )
    elif not process.plain_starts(node.index) and not process.start_events(node.index):
        report.error(
            "ad-hoc-nothing-offered",
            "A flow leads to each element in the ad-hoc sub-process, so that none can be chosen."
            " Leave at least one without an incoming flow.",
            node,
        )


def _check_trigger(node: Node, report: Report) -> None:
    if is_true(node.xml.get("triggeredByEvent")):
        report.error(
            "ad-hoc-event",
            "An ad-hoc sub-process has no start event that could trigger it. Make it an event"
            ' sub-process, or remove triggeredByEvent="true".',
            node,
        )
