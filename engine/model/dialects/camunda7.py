"""Camunda 7: the `camunda:` attributes and extension elements.

Reference: the moddle descriptor of camunda-bpmn-moddle, and what Camunda's BpmnParse reads.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from lxml import etree
from msgspec.structs import replace

from engine.expressions.juel import holds_expression
from engine.model.dialects import activiti, feel, juel
from engine.model.dialects.activiti import ERROR, JOB_TASKS, LOOP, Site
from engine.model.dialects.audit import Rule, Vocabulary, audit
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
from engine.model.source import SourceElement

NAMESPACE: Final = "http://camunda.org/schema/1.0/bpmn"

_Translate = Callable[[Extensions, Site], Extensions]


def _work(extensions: Extensions, site: Site) -> Extensions:
    extensions = activiti.read_work(site, extensions, external="external")
    # A field of the same name wins, as it is what the worker was written for.
    return replace(extensions, headers={**_properties(site), **extensions.headers})


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
    keys = [key for part in site.parts("in") if (key := part.get("businessKey"))]
    business_key = juel.formula(keys[0], site.line) if keys else None
    call = replace(call, business_key=business_key)
    return replace(extensions, call=_bound(site, call, "calledElement"))


def _rule_task(extensions: Extensions, site: Site) -> Extensions:
    """A decision by reference comes before any other work, as in Camunda 7."""
    decision_id = site.formula("decisionRef")
    if decision_id is None:
        return _work(extensions, site)
    others = [name for name in activiti.IMPLEMENTATIONS if site.text(name) is not None]
    if others:
        site.report.warning(
            "no-effect",
            f"What is done is said by decisionRef; {', '.join(others)} has no effect. Remove it.",
            site.element,
        )
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


def _process(extensions: Extensions, site: Site) -> Extensions:
    fails = fails_uncaught(_properties(site), site.element, site.report)
    return replace(extensions, version_tag=site.text("versionTag"), fails_uncaught=fails)


def _escalation(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, code_variable=site.text("escalationCodeVariable"))


def _conditional(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, condition_variable=site.text("variableName"))


# --- inputs and outputs ---


def _mappings(site: Site, tag: str) -> tuple[MappingSource, ...]:
    mappings = []
    for container in site.parts("inputOutput"):
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
        site.refuse(f"A parameter given by camunda:{name} is not executed. Write it as text.", line)
        return None
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


# --- the tables ---

_TRANSLATIONS: Final[dict[str, _Translate]] = {
    **dict.fromkeys(sorted(JOB_TASKS), _work),
    "businessRuleTask": _rule_task,
    "messageEventDefinition": _work,
    "scriptTask": _script,
    "userTask": _task,
    "callActivity": _call,
    "multiInstanceLoopCharacteristics": _loop,
    "errorEventDefinition": _error,
    "escalationEventDefinition": _escalation,
    "conditionalEventDefinition": _conditional,
    "process": _process,
}
"""Tag of the element -> its translation; mappings apart, which many have."""

_USER_TASK: Final = frozenset({"userTask"})
_CALL: Final = frozenset({"callActivity"})
_START: Final = frozenset({"startEvent"})
_MESSAGE: Final = frozenset({"messageEventDefinition"})
_RULE_TASK: Final = frozenset({"businessRuleTask"})
_SCRIPT_TASK: Final = frozenset({"scriptTask"})
_MAPPED: Final = JOB_TASKS | _SCRIPT_TASK | _USER_TASK | _CALL | {
    "task", "manualTask", "receiveTask", "subProcess", "transaction", "adHocSubProcess",
    "endEvent", "intermediateThrowEvent", "intermediateCatchEvent", "startEvent", "boundaryEvent",
}  # fmt: skip

_ACCEPTED: Final = (Rule("accepted"),)
_ON_USER_TASK: Final = (Rule("translated", _USER_TASK),)
_WORK: Final = (Rule("translated", JOB_TASKS | _MESSAGE),)
_VALUE: Final = (
    Rule("translated", JOB_TASKS),
    Rule("refused", _MESSAGE, "Make it external work with a topic."),
)
_DECISION: Final = (Rule("translated", _RULE_TASK),)
_TENANT: Final = (Rule("refused", None, "All that is deployed has one tenant, the namespace."),)
_NO_USERS: Final = (Rule("warned", None, "Everybody who may write commands may start instances."),)
_LISTENER: Final = (Rule("warned", None, "Listeners are not run: draw what they do as a task."),)
_FORMS: Final = (Rule("warned", None, "Forms are shown by what people work with."),)
_PRIORITY: Final = (Rule("warned", None, "Jobs are taken in the order in which they are made."),)
_CASE: Final = (Rule("refused", _CALL, "Only processes are called."),)

VOCABULARY: Final = Vocabulary(
    prefixes={NAMESPACE: "camunda"},
    attributes={
        **dict.fromkeys(("type", "topic", "class", "delegateExpression"), _WORK),
        "expression": _VALUE,
        **dict.fromkeys(
            ("assignee", "candidateUsers", "candidateGroups", "dueDate", "followUpDate",
             "priority", "formRef"),
            _ON_USER_TASK,
        ),
        **dict.fromkeys(
            ("async", "asyncBefore", "asyncAfter", "exclusive", "diagramRelationId",
             "modelerTemplate", "modelerTemplateVersion", "modelerTemplateIcon"),
            _ACCEPTED,
        ),
        "versionTag": (Rule("translated", frozenset({"process"})),),
        **dict.fromkeys(("candidateStarterUsers", "candidateStarterGroups"), _NO_USERS),
        **dict.fromkeys(("jobPriority", "taskPriority"), _PRIORITY),
        **dict.fromkeys(("formHandlerClass", "formRefBinding", "formRefVersion"), _FORMS),
        **dict.fromkeys(
            ("decisionRef", "decisionRefBinding", "decisionRefVersion", "decisionRefVersionTag",
             "mapDecisionResult"),
            _DECISION,
        ),
        "decisionRefTenantId": _TENANT,
        **dict.fromkeys(
            ("caseRef", "caseBinding", "caseVersion", "caseTenantId", "calledElementTenantId",
             "variableMappingClass", "variableMappingDelegateExpression"),
            _CASE,
        ),
        **dict.fromkeys(
            ("calledElementBinding", "calledElementVersion", "calledElementVersionTag"),
            (Rule("translated", _CALL),),
        ),
        **dict.fromkeys(("collection", "elementVariable"), (Rule("translated", LOOP),)),
        **dict.fromkeys(
            ("errorCodeVariable", "errorMessageVariable"), (Rule("translated", ERROR),)
        ),
        "resultVariable": (Rule("translated", JOB_TASKS | _SCRIPT_TASK), *_VALUE[1:]),
        "formKey": (*_ON_USER_TASK, Rule("warned", _START, _FORMS[0].advice)),
        "initiator": (
            Rule("warned", _START, "Set the variable when you start the instance."),
        ),
        "resource": (
            Rule("translated", _SCRIPT_TASK),
            Rule("refused", None, "Write the condition into the model."),
        ),
        "errorMessage": (Rule("warned", None, "An error has a code, and variables."),),
        "escalationCodeVariable": (
            Rule("translated", frozenset({"escalationEventDefinition"})),
        ),
        "variableName": (Rule("translated", frozenset({"conditionalEventDefinition"})),),
        "variableEvents": (Rule("warned", None, "Conditions are evaluated on every change."),),
        "historyTimeToLive": _ACCEPTED,  # how long history is kept is the namespace's to say
        "isStartableInTasklist": _NO_USERS,
    },
    elements={
        "inputOutput": (Rule("translated", _MAPPED),),
        "field": (
            Rule("translated", JOB_TASKS | _MESSAGE),
            Rule("warned", None, "Only jobs have fields."),
        ),
        "properties": (Rule("translated", JOB_TASKS | _MESSAGE), Rule("accepted")),
        "failedJobRetryTimeCycle": (
            Rule("translated", JOB_TASKS | _SCRIPT_TASK),
            Rule("warned", None, "Only jobs are tried again."),
        ),
        "in": (
            Rule("translated", _CALL),
            Rule("refused", None, "Only call activities pass variables."),
        ),
        "out": (Rule("translated", _CALL),),
        "executionListener": _LISTENER,
        "taskListener": _LISTENER,
        "formData": _FORMS,
        "generatedFormData": _FORMS,
        "potentialStarter": _NO_USERS,
        "connector": (Rule("refused", None, "Make it an external task with a topic."),),
        "errorEventDefinition": (Rule("refused", None, "Let the worker throw the BPMN error."),),
    },
)  # fmt: skip


def _extensions(element: SourceElement, report: Report) -> Extensions:
    if element.tag == "message":
        return activiti.message_key(element)
    site = activiti.site_of(element, report, (NAMESPACE,))
    extensions = NOTHING
    if element.tag in _MAPPED:
        inputs, outputs = _mappings(site, "inputParameter"), _mappings(site, "outputParameter")
        extensions = replace(extensions, inputs=inputs, outputs=outputs)
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
