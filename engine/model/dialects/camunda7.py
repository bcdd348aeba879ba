"""Camunda 7: the `camunda:` attributes and extension elements.

Reference: the moddle descriptor of camunda-bpmn-moddle, and what Camunda's BpmnParse reads.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from lxml import etree
from msgspec.structs import replace

from engine.expressions.juel import holds_expression
from engine.model.dialects import activiti, feel, juel
from engine.model.dialects.activiti import JOB_TASKS, Site
from engine.model.dialects.audit import audit
from engine.model.dialects.camunda7_audit import MAPPED, NAMESPACE, VOCABULARY
from engine.model.dialects.change_filters import change_filter
from engine.model.dialects.dialect import Dialect
from engine.model.dialects.properties import fails_uncaught
from engine.model.elements import DecisionResult
from engine.model.extensions import (
    NOTHING,
    CallSource,
    DecisionSource,
    Extensions,
    Formula,
    ListSource,
    MappingSource,
    MapSource,
    Source,
)
from engine.model.report import Report, quote
from engine.model.source import SourceElement, children

_Translate = Callable[[Extensions, Site], Extensions]


def _work(extensions: Extensions, site: Site) -> Extensions:
    connectors = site.parts("connector")
    if connectors:
        extensions = _connected(extensions, site, connectors[0])
    else:
        extensions = activiti.read_work(site, extensions, external="external")
    # A field of the same name wins, as it is what the worker was written for.
    return replace(extensions, headers={**_properties(site), **extensions.headers})


def _connected(extensions: Extensions, site: Site, connector: etree._Element) -> Extensions:
    """A connector is work for whoever can do it: with its own inputs, and results of its own.

    Its outputs choose from what the worker gives; nothing else of that goes outward.
    """
    activiti.warn_unused(site, "the connector", activiti.implementations(site))
    ids = [activiti.text_of(part).strip() for part in site.parts("connectorId", connector)]
    line = connector.sourceline or site.line
    if not any(ids):
        site.refuse("The connector has no connectorId. Give it one.", line)
    job_type = Formula(ids[0], "static", line) if any(ids) else None
    job = replace(activiti.retries(site), type=job_type, keeps_results=True)
    containers = site.parts("inputOutput", connector)
    return replace(
        extensions,
        job=job,
        inputs=extensions.inputs + _mappings(site, containers, "inputParameter"),
        outputs=_mappings(site, containers, "outputParameter") + extensions.outputs,
    )


def _properties(site: Site) -> dict[str, str]:
    return {
        part.get("name") or "": part.get("value") or ""
        for container in site.parts("properties")
        for part in site.parts("property", container)
    }


def _script(extensions: Extensions, site: Site) -> Extensions:
    return activiti.read_script(site, extensions)


def _task(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, task=activiti.read_task(site))


def _call(extensions: Extensions, site: Site) -> Extensions:
    call = activiti.read_call(site)
    business_key = activiti.passed_business_key(site)
    call = replace(call, business_key=business_key, returns_on_errors=True)
    return replace(extensions, call=_bound(site, call, "calledElement"))


def _rule_task(extensions: Extensions, site: Site) -> Extensions:
    """A decision by reference comes before any other work, as in Camunda 7."""
    decision_id = site.formula("decisionRef")
    if decision_id is None:
        return _work(extensions, site)
    activiti.warn_unused(site, "decisionRef", activiti.implementations(site))
    mapping = site.text("mapDecisionResult") or "resultList"
    if mapping not in _DECISION_RESULTS:
        site.refuse(
            f"The result of the decision cannot be mapped by {quote(mapping)}."
            f" Use one of {', '.join(_DECISION_RESULTS)}."
        )
    decision = DecisionSource(
        decision_id=decision_id,
        result=_DECISION_RESULTS.get(mapping, "result_list"),
        result_variable=site.text("resultVariable"),
    )
    return replace(extensions, decision=_bound(site, decision, "decisionRef"))


_DECISION_RESULTS: Final[dict[str, DecisionResult]] = {
    "singleEntry": "single_entry",
    "singleResult": "single_result",
    "collectEntries": "collect_entries",
    "resultList": "result_list",
}

Bound = TypeVar("Bound", CallSource, DecisionSource)


def _bound(site: Site, call: Bound, prefix: str) -> Bound:
    """To the version that the call names, by its number or its tag, or of its own deployment."""
    binding = site.text(f"{prefix}Binding") or "latest"
    version, tag = site.text(f"{prefix}Version"), site.text(f"{prefix}VersionTag")
    if binding == "latest":
        return call
    if binding == "deployment":
        return replace(call, same_deployment=True)
    if binding == "version" and version is not None and version.isascii() and version.isdigit():
        return replace(call, version=int(version[:_VERSION_DIGITS_MAX]))
    if binding == "versionTag" and tag is not None and not holds_expression(tag):
        return replace(call, version_tag=tag)
    site.refuse(
        f"The binding {quote(binding)} of the {site.element.tag} is not executed. Use 'latest',"
        " 'deployment', 'version' with a number, or 'versionTag' with a tag, without expressions."
    )
    return call


_VERSION_DIGITS_MAX: Final = 9


def _loop(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, loop=activiti.read_loop(site))


def _error(extensions: Extensions, site: Site) -> Extensions:
    return replace(
        extensions,
        code_variable=site.text("errorCodeVariable"),
        message_variable=site.text("errorMessageVariable"),
    )


def _thrown_error(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, error_message=site.formula("errorMessage"))


def _process(extensions: Extensions, site: Site) -> Extensions:
    fails = fails_uncaught(_properties(site), site.element, site.report)
    return replace(extensions, version_tag=site.text("versionTag"), fails_uncaught=fails)


def _escalation(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, code_variable=site.text("escalationCodeVariable"))


def _conditional(extensions: Extensions, site: Site) -> Extensions:
    names, events = site.text("variableName"), site.text("variableEvents")
    changes = change_filter(names, events, site.element, site.report)
    return replace(extensions, condition_filter=changes)


def _signal(extensions: Extensions, site: Site) -> Extensions:
    """What a signal that is thrown brings: it passes what its `in` elements name."""
    passed: list[MappingSource] = []
    for drawn in children(site.element.xml):
        if drawn.tag == "signalEventDefinition":
            own = activiti.site_of(drawn, site.report, (NAMESPACE,))
            passed += activiti.read_signal(replace(own, element=site.element))
    return replace(extensions, inputs=(*extensions.inputs, *passed)) if passed else extensions


# --- inputs and outputs ---


def _mappings(
    site: Site, containers: Iterable[etree._Element], tag: str
) -> tuple[MappingSource, ...]:
    """The parameters with this tag of `inputOutput` elements."""
    mappings = []
    for container in containers:
        for part in site.parts(tag, container):
            source = _source(site, part)
            if source is not None:
                line = part.sourceline or site.line
                target = part.get("name") or ""
                mappings.append(MappingSource(source=source, target=target, line=line))
    return tuple(mappings)


def _source(site: Site, xml: etree._Element) -> Source | None:
    """The value of a parameter, an entry or an item: a text, a script, a list or a map."""
    line = xml.sourceline or site.line
    for inner in xml.iterchildren(etree.Element):
        name = str(inner.tag).rpartition("}")[2]
        if name == "script":
            return _script_source(site, inner)
        if name == "list":
            items = [_item(site, part) for part in inner.iterchildren(etree.Element)]
            return ListSource(tuple(item for item in items if item is not None))
        if name == "map":
            entries = [
                (part.get("key") or "", _source(site, part)) for part in site.parts("entry", inner)
            ]
            return MapSource(tuple((key, entry) for key, entry in entries if entry is not None))
        return None  # the audit reports what nobody knows
    return juel.value(activiti.text_of(xml), line)


def _item(site: Site, xml: etree._Element) -> Source | None:
    if str(xml.tag).rpartition("}")[2] == "script":
        return _script_source(site, xml)
    return _source(site, xml)


def _script_source(site: Site, xml: etree._Element) -> Formula | None:
    language, text = (xml.get("scriptFormat") or "").strip().lower(), activiti.text_of(xml)
    line = xml.sourceline or site.line
    if language == "juel":
        return juel.value(text, line)
    if language == "feel":
        return feel.condition(text, line)
    site.refuse(
        f"A parameter computed by a script in {quote(language or 'no language')} is not executed."
        " Write it as JUEL, or compute it in a script task before.",
        line,
    )
    return None


# --- the table ---

_TRANSLATIONS: Final[dict[str, _Translate]] = {
    **dict.fromkeys(sorted(JOB_TASKS), _work),
    "businessRuleTask": _rule_task,
    "messageEventDefinition": _work,
    "scriptTask": _script,
    "userTask": _task,
    "callActivity": _call,
    "multiInstanceLoopCharacteristics": _loop,
    "errorEventDefinition": _error,
    "error": _thrown_error,
    "escalationEventDefinition": _escalation,
    "conditionalEventDefinition": _conditional,
    **dict.fromkeys(("intermediateThrowEvent", "endEvent"), _signal),
    "process": _process,
}
"""Tag of the element -> its translation; mappings apart, which many have."""


def _extensions(element: SourceElement, report: Report) -> Extensions:
    if element.tag == "message":
        return activiti.message_key(element)
    site = activiti.site_of(element, report, (NAMESPACE,))
    extensions = NOTHING
    if element.tag in MAPPED:
        containers = site.parts("inputOutput")
        extensions = replace(
            extensions,
            inputs=_mappings(site, containers, "inputParameter"),
            outputs=_mappings(site, containers, "outputParameter"),
        )
    translate = _TRANSLATIONS.get(element.tag)
    return extensions if translate is None else translate(extensions, site)


def _audit(roots: Iterable[SourceElement], report: Report) -> None:
    audit(VOCABULARY, roots, report)


DIALECT = Dialect(
    name="Camunda 7",
    namespaces=(NAMESPACE,),
    platforms=("Camunda Platform",),
    extensions=_extensions,
    formula=juel.formula,
    condition=juel.formula,
    writes_outward=True,
    quartz=True,
    bare_exits="default",
    loose_references=True,
    example="${{{}}}",
    names_work='camunda:type="external" with camunda:topic',
    audit=_audit,
)
