"""Camunda 8: the `zeebe:` extension elements.

Reference: the moddle descriptor of zeebe-bpmn-moddle, and what Zeebe's own deployment checks.
"""

from collections.abc import Callable
from typing import Final

import msgspec
from lxml import etree
from msgspec.structs import replace

from engine.model.dialects import camunda8_audit, feel
from engine.model.dialects.camunda8_audit import NAMESPACE
from engine.model.dialects.camunda8_choices import choices
from engine.model.dialects.change_filters import change_filter
from engine.model.dialects.dialect import Dialect
from engine.model.dialects.properties import fails_uncaught
from engine.model.extensions import (
    NOTHING,
    AdHocSource,
    CallSource,
    DecisionSource,
    Extensions,
    Formula,
    JobSource,
    LoopSource,
    MappingSource,
    PublishSource,
    ScriptSource,
)
from engine.model.report import Report, quote
from engine.model.source import SourceElement, is_true
from engine.model.vocabulary import EXECUTION_EVENTS
from engine.model.xml import BPMN
from engine.values import Value, encode

_PREFIX: Final = f"{{{NAMESPACE}}}"
_EXTENSION_ELEMENTS: Final = f"{{{BPMN}}}extensionElements"


class _Site(msgspec.Struct, frozen=True):
    """One extension element: what carries it, itself, and where its findings go."""

    element: SourceElement
    xml: etree._Element
    report: Report

    @property
    def line(self) -> int:
        return self.xml.sourceline or 0

    def formula(self, attribute: str) -> Formula | None:
        """The attribute as a formula; None where it is absent or blank."""
        text = (self.xml.get(attribute) or "").strip()
        return feel.formula(text, self.line) if text else None

    def pairs(self, tag: str, key: str) -> dict[str, str]:
        """The texts of `<zeebe:tag key=".." value=".."/>` children."""
        parts = self.xml.iterchildren(f"{_PREFIX}{tag}")
        return {part.get(key) or "": part.get("value") or "" for part in parts}


_Translate = Callable[[Extensions, _Site], Extensions]


def _task_definition(extensions: Extensions, site: _Site) -> Extensions:
    job = JobSource(type=site.formula("type"), retries=site.formula("retries"))
    return replace(extensions, job=job)


def _task_headers(extensions: Extensions, site: _Site) -> Extensions:
    return replace(extensions, headers={**extensions.headers, **site.pairs("header", "key")})


def _properties(extensions: Extensions, site: _Site) -> Extensions:
    properties = site.pairs("property", "name")
    if site.element.tag == "process":
        fails = fails_uncaught(properties, site.element, site.report)
        return replace(extensions, fails_uncaught=fails)
    # A task header of the same name wins, whichever stands first.
    return replace(extensions, headers={**properties, **extensions.headers})


def _linked_resources(extensions: Extensions, site: _Site) -> Extensions:
    """As in Zeebe, in a header: a list of objects, but by the id, for nothing is deployed here."""
    linked: list[Value] = [
        {str(name).removeprefix(_PREFIX): str(value) for name, value in part.attrib.items()}
        for part in site.xml.iterchildren(f"{_PREFIX}linkedResource")
    ]
    return replace(extensions, headers={"linkedResources": encode(linked), **extensions.headers})


def _io_mapping(extensions: Extensions, site: _Site) -> Extensions:
    mappings: dict[str, list[MappingSource]] = {"input": [], "output": []}
    for xml in site.xml.iterchildren(f"{_PREFIX}*"):
        line = xml.sourceline or site.line
        mappings.setdefault(str(xml.tag)[len(_PREFIX) :], []).append(
            MappingSource(
                source=feel.formula(xml.get("source") or "", line),
                target=xml.get("target") or "",
                line=line,
            )
        )
    return replace(extensions, inputs=tuple(mappings["input"]), outputs=tuple(mappings["output"]))


def _script(extensions: Extensions, site: _Site) -> Extensions:
    script = ScriptSource(
        # Zeebe insists on the `=`; without it the text can still mean only one thing.
        expression=feel.condition(site.xml.get("expression") or "", site.line),
        result_variable=site.xml.get("resultVariable"),
    )
    return replace(extensions, script=script)


def _assignment(extensions: Extensions, site: _Site) -> Extensions:
    task = replace(
        extensions.task,
        assignee=site.formula("assignee"),
        candidate_users=site.formula("candidateUsers"),
        candidate_groups=site.formula("candidateGroups"),
    )
    return replace(extensions, task=task)


def _schedule(extensions: Extensions, site: _Site) -> Extensions:
    task = replace(
        extensions.task,
        due_date=site.formula("dueDate"),
        follow_up_date=site.formula("followUpDate"),
    )
    return replace(extensions, task=task)


def _priority(extensions: Extensions, site: _Site) -> Extensions:
    return replace(extensions, task=replace(extensions.task, priority=site.formula("priority")))


def _form(extensions: Extensions, site: _Site) -> Extensions:
    keys = (site.formula(name) for name in ("formId", "formKey", "externalReference"))
    form_key = next((key for key in keys if key is not None), None)
    return replace(extensions, task=replace(extensions.task, form_key=form_key))


def _binding(site: _Site) -> tuple[str | None, bool]:
    """The version tag that is called, and whether it is the caller's own deployment."""
    binding, tag = site.xml.get("bindingType") or "latest", site.xml.get("versionTag")
    if binding not in _BINDINGS or (binding == "versionTag" and not tag):
        site.report.error(
            "unsupported-extension",
            f"The binding {quote(binding)} of the {site.element.tag} is not executed."
            " Use 'latest', 'deployment', or 'versionTag' with a version tag.",
            site.element,
            site.line,
        )
    return tag if binding == "versionTag" else None, binding == "deployment"


def _called_decision(extensions: Extensions, site: _Site) -> Extensions:
    version_tag, same_deployment = _binding(site)
    result_variable = (site.xml.get("resultVariable") or "").strip() or None
    if result_variable is None:
        site.report.error(
            "result-variable-missing",
            "The result of the decision goes nowhere. Give it a result variable.",
            site.element,
            site.line,
        )
    decision = DecisionSource(
        decision_id=site.formula("decisionId"),
        version_tag=version_tag,
        same_deployment=same_deployment,
        result_variable=result_variable,
    )
    return replace(extensions, decision=decision)


def _called_element(extensions: Extensions, site: _Site) -> Extensions:
    version_tag, same_deployment = _binding(site)
    call = CallSource(
        process_id=site.formula("processId"),
        version_tag=version_tag,
        same_deployment=same_deployment,
        business_key=site.formula("businessId"),
        propagate_all_parent_variables=is_true(
            site.xml.get("propagateAllParentVariables"), default=True
        ),
        propagate_all_child_variables=is_true(
            site.xml.get("propagateAllChildVariables"), default=True
        ),
    )
    return replace(extensions, call=call)


_BINDINGS: Final = frozenset({"latest", "deployment", "versionTag"})


def _version_tag(extensions: Extensions, site: _Site) -> Extensions:
    return replace(extensions, version_tag=site.xml.get("value"))


def _subscription(extensions: Extensions, site: _Site) -> Extensions:
    return replace(extensions, correlation_key=site.formula("correlationKey"))


def _publish_message(extensions: Extensions, site: _Site) -> Extensions:
    publish = PublishSource(
        correlation_key=site.formula("correlationKey"),
        ttl=site.formula("timeToLive"),
        message_id=site.formula("messageId"),
    )
    return replace(extensions, publish=publish)


def _conditional_filter(extensions: Extensions, site: _Site) -> Extensions:
    names, events = site.xml.get("variableNames"), site.xml.get("variableEvents")
    changes = change_filter(names, events, site.element, site.report)
    return replace(extensions, condition_filter=changes)


def _loop(extensions: Extensions, site: _Site) -> Extensions:
    loop = LoopSource(
        collection=site.formula("inputCollection"),
        item=site.xml.get("inputElement") or None,
        output=site.formula("outputElement"),
        output_collection=site.xml.get("outputCollection") or None,
    )
    return replace(extensions, loop=loop)


def _ad_hoc(extensions: Extensions, site: _Site) -> Extensions:
    ad_hoc = AdHocSource(
        active=site.formula("activeElementsCollection"),
        output=site.formula("outputElement"),
        output_collection=site.xml.get("outputCollection") or None,
    )
    return replace(extensions, ad_hoc=ad_hoc)


def _execution_listeners(extensions: Extensions, site: _Site) -> Extensions:
    found = _listeners(site, "executionListener", EXECUTION_EVENTS)
    return replace(extensions, listeners=(*extensions.listeners, *found))


def _task_listeners(extensions: Extensions, site: _Site) -> Extensions:
    found = _listeners(site, "taskListener", _TASK_EVENTS)
    return replace(extensions, listeners=(*extensions.listeners, *found))


def _listeners(site: _Site, tag: str, events: frozenset[str]) -> list[tuple[str, JobSource]]:
    listeners = []
    for xml in site.xml.iterchildren(f"{_PREFIX}{tag}"):
        part = _Site(site.element, xml, site.report)
        event = (xml.get("eventType") or "").strip()
        if event not in events:
            site.report.error(
                "unsupported-extension",
                f"zeebe:{tag} at {quote(event)} is not executed. Use one of:"
                f" {', '.join(sorted(events))}.",
                site.element,
                part.line,
            )
        else:
            job = JobSource(
                type=part.formula("type"),
                retries=part.formula("retries"),
                headers=_own_headers(part),
            )
            listeners.append((event, job))
    return listeners


def _own_headers(listener: _Site) -> dict[str, str]:
    headers: dict[str, str] = {}
    for xml in listener.xml.iterchildren(f"{_PREFIX}taskHeaders"):
        headers.update(_Site(listener.element, xml, listener.report).pairs("header", "key"))
    return headers


_TASK_EVENTS: Final = frozenset({"creating", "assigning", "updating", "completing", "canceling"})

_THROWS: Final = frozenset({"intermediateThrowEvent", "endEvent"})
_JOB_TASKS: Final = frozenset({"serviceTask", "sendTask", "businessRuleTask", "scriptTask"})
_MAPPED: Final = _JOB_TASKS | {
    "task", "manualTask", "userTask", "receiveTask", "subProcess", "transaction",
    "adHocSubProcess", "callActivity", "startEvent", "endEvent", "intermediateCatchEvent",
    "intermediateThrowEvent", "boundaryEvent",
}  # fmt: skip
_USER_TASK: Final = frozenset({"userTask"})
_AD_HOC: Final = frozenset({"adHocSubProcess"})
_LISTENED: Final = _MAPPED | {
    "process", "exclusiveGateway", "inclusiveGateway", "parallelGateway", "complexGateway",
    "eventBasedGateway",
}  # fmt: skip

_TRANSLATIONS: Final[dict[str, tuple[frozenset[str], _Translate]]] = {
    "taskDefinition": (_JOB_TASKS | _THROWS | _AD_HOC, _task_definition),
    "taskHeaders": (_JOB_TASKS | _THROWS | _AD_HOC, _task_headers),
    "linkedResources": (_JOB_TASKS | _AD_HOC, _linked_resources),
    "properties": (_JOB_TASKS | _THROWS | _AD_HOC | {"process"}, _properties),
    "publishMessage": (_THROWS, _publish_message),
    "ioMapping": (_MAPPED, _io_mapping),
    "script": (frozenset({"scriptTask"}), _script),
    "assignmentDefinition": (_USER_TASK, _assignment),
    "taskSchedule": (_USER_TASK, _schedule),
    "priorityDefinition": (_USER_TASK, _priority),
    "formDefinition": (_USER_TASK, _form),
    "calledElement": (frozenset({"callActivity"}), _called_element),
    "adHoc": (_AD_HOC, _ad_hoc),
    "calledDecision": (frozenset({"businessRuleTask"}), _called_decision),
    "loopCharacteristics": (frozenset({"multiInstanceLoopCharacteristics"}), _loop),
    "subscription": (frozenset({"message"}), _subscription),
    "conditionalFilter": (frozenset({"conditionalEventDefinition"}), _conditional_filter),
    "versionTag": (frozenset({"process"}), _version_tag),
    "executionListeners": (_LISTENED, _execution_listeners),
    "taskListeners": (_USER_TASK, _task_listeners),
}
"""Extension element -> the BPMN elements that it means something on, and its translation."""

_SILENT: Final = frozenset(
    {"agentDefinition", "properties", "userTask", "userTaskForm", "versionTag"}
)
"""Markers, and what is kept in the file for other tools: ignored where it does not apply."""

_REPEATED: Final = frozenset({"userTaskForm"})

_WARNED: Final = frozenset({"jobPriorityDefinition"})
_NEEDED: Final = frozenset({"executionListeners", "taskListeners"})
"""Without these the model would run wrong."""


def _extensions(element: SourceElement, report: Report) -> Extensions:
    container = element.xml.find(_EXTENSION_ELEMENTS)
    extensions = NOTHING
    if container is None:
        return extensions
    seen = set()
    for xml in container.iterchildren(f"{_PREFIX}*"):
        name = str(xml.tag)[len(_PREFIX) :]
        site = _Site(element, xml, report)
        translation = _TRANSLATIONS.get(name)
        if name in seen and name not in _REPEATED:
            report.error(
                "duplicate-extension",
                f"There is more than one zeebe:{name}. Keep one of them.",
                element,
                site.line,
            )
        elif translation is not None and element.tag in translation[0]:
            extensions = translation[1](extensions, site)
        elif name in camunda8_audit.ELEMENTS and name not in _SILENT:
            _report_unused(site, name, known=translation is not None)
        seen.add(name)
    return extensions


def _report_unused(site: _Site, name: str, *, known: bool) -> None:
    if (known or name in _WARNED) and name not in _NEEDED:
        site.report.warning(
            "no-effect",
            f"zeebe:{name} has no effect on a {site.element.tag}. Remove it.",
            site.element,
            site.line,
        )
    elif len(site.xml) or site.xml.attrib:
        site.report.error(
            "unsupported-extension",
            f"zeebe:{name} is not executed by this engine. Remove it, or model it otherwise.",
            site.element,
            site.line,
        )


DIALECT = Dialect(
    name="Camunda 8",
    namespaces=(NAMESPACE,),
    platforms=("Camunda Cloud",),
    extensions=_extensions,
    formula=feel.formula,
    condition=feel.condition,
    scopes_choices=True,
    outputs_pass_scopes=True,
    undoes_loops_whole=True,
    names_work='<zeebe:taskDefinition type="..."/>',
    replaces_work={
        "scriptTask": '<zeebe:script expression="=..." resultVariable="..."/>',
        "businessRuleTask": '<zeebe:calledDecision decisionId="..." resultVariable="..."/>',
    },
    choices=choices,
    audit=camunda8_audit.audit,
)
