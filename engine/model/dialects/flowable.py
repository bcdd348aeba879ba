"""Flowable and Activiti: the `flowable:` and `activiti:` attributes and extension elements.

Both namespaces mean the same, and Flowable reads them alike. Reference: flowable-bpmn-converter.
"""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final

from lxml import etree
from msgspec.structs import replace

from engine.model.dialects import activiti, flowable_events, juel
from engine.model.dialects.activiti import JOB_TASKS, LOOP, Site
from engine.model.dialects.audit import Rule, Vocabulary, audit
from engine.model.dialects.dialect import Dialect
from engine.model.extensions import (
    NOTHING,
    AdHocSource,
    DecisionSource,
    Extensions,
    Formula,
    LoopSource,
    MapSource,
)
from engine.model.report import Report, quote
from engine.model.source import SourceElement, is_true
from engine.values import ValueDecodeError, decode, encode

NAMESPACES: Final = ("http://flowable.org/bpmn", "http://activiti.org/bpmn")

_Translate = Callable[[Extensions, Site], Extensions]


def _work(extensions: Extensions, site: Site) -> Extensions:
    if site.text("type") == "dmn":
        return replace(extensions, decision=_decision(site))
    if site.text("type") == "case":
        site.refuse("A case is not executed: only processes are called. Call one instead.")
    worked = activiti.read_work(site, extensions, external="external-worker")
    sends = site.text("type") == flowable_events.SENDING
    return flowable_events.read_sending(worked, site) if sends else worked


def _decision(site: Site) -> DecisionSource:
    """A decision task: all that it says is in fields."""
    fields = {field.get("name") or "": field for field in site.parts("field")}
    for name, field in fields.items():
        if name not in _DECISION_FIELDS:
            site.refuse(
                f"The field {quote(name)} of a decision task is not executed. Name the decision by"
                " its decisionTableReferenceKey.",
                field.sourceline or site.line,
            )
    texts = {name: activiti.field_formula(site, field) for name, field in fields.items()}
    key = texts.get("decisionTableReferenceKey")
    return DecisionSource(
        decision_id=key if key is not None and key.text else None,
        same_deployment=_says_true(site, texts.get("sameDeployment")),
        result="outputs",
        needs_hit=_says_true(site, texts.get("decisionTaskThrowErrorOnNoHits")),
    )


def _says_true(site: Site, formula: Formula | None) -> bool:
    if formula is not None and formula.language != "static":
        site.refuse(
            f"The expression {quote(formula.text)} in a field of a decision task is not evaluated."
            " Write true or false.",
            formula.line,
        )
    return formula is not None and formula.text.lower() == "true"


_DECISION_FIELDS: Final = frozenset(
    {"decisionTableReferenceKey", "decisionTaskThrowErrorOnNoHits", "fallbackToDefaultTenant",
     "sameDeployment"}
)  # fmt: skip


def _script(extensions: Extensions, site: Site) -> Extensions:
    return activiti.read_script(site, extensions)


def _task(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, task=activiti.read_task(site))


def _call(extensions: Extensions, site: Site) -> Extensions:
    call = activiti.read_call(site)
    everything = call.propagate_all_parent_variables or is_true(site.text("inheritVariables"))
    return replace(
        extensions,
        call=replace(
            call,
            propagate_all_parent_variables=everything,
            business_key=site.formula("businessKey"),
            inherits_business_key=is_true(site.text("inheritBusinessKey")),
            same_deployment=is_true(site.text("sameDeployment")),
        ),
    )


def _loop(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, loop=_aggregated(site, activiti.read_loop(site)))


def _aggregated(site: Site, loop: LoopSource) -> LoopSource:
    """A variable aggregation: each iteration adds an object of what it names."""
    aggregations = site.parts("variableAggregation")
    if not aggregations:
        return loop
    aggregation, *others = aggregations
    line = aggregation.sourceline or site.line
    if others or any(name != "target" for name in aggregation.attrib):
        site.refuse("Only one aggregation, into a variable, is executed.", line)
    # Flowable writes its variables without a prefix, as if they were BPMN's.
    parts = aggregation.iterchildren(etree.Element)
    entries = MapSource(tuple(_aggregated_entry(site, part) for part in parts))
    # Flowable gathers what completed iterations left, whatever became of the others.
    return replace(
        loop,
        output=entries,
        output_collection=aggregation.get("target"),
        skips_missing=True,
    )


def _aggregated_entry(site: Site, part: etree._Element) -> tuple[str, Formula]:
    line = part.sourceline or site.line
    source, expression = part.get("source") or "", part.get("sourceExpression")
    target = part.get("target") or source
    if not target:
        site.refuse("The variable of the aggregation has no target. Give it one.", line)
    value = juel.value(expression, line) if expression else juel.variable(source, line)
    return target, value


def _data_object(extensions: Extensions, site: Site) -> Extensions:
    """What the variable is at first, of the type that the object's item subject names."""
    values = site.parts("value")
    if not values:
        return extensions
    text = activiti.text_of(values[0]).strip()
    kind = (site.element.xml.get("itemSubjectRef") or "").rpartition(":")[2].lower()
    value = _TEXTS_OF_KINDS.get(kind, encode)(text)
    if value is None:
        site.refuse(
            f"The value {quote(text)} is no {kind}. Write one, or give the object another type.",
            values[0].sourceline or site.line,
        )
    return replace(extensions, value=value)


def _number(text: str) -> str | None:
    try:
        value = decode(text)
    except ValueDecodeError:
        return None
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return encode(value) if is_number else None


def _boolean(text: str) -> str | None:
    return text.lower() if text.lower() in ("true", "false") else None


_TEXTS_OF_KINDS: Final[dict[str, Callable[[str], str | None]]] = {
    **dict.fromkeys(("int", "integer", "long", "double", "float"), _number),
    "boolean": _boolean,
}
"""Types whose values are no texts in JSON."""


def _ad_hoc(extensions: Extensions, site: Site) -> Extensions:
    """Without a condition it stays, whatever was done in it, until it is told to complete."""
    never = Formula("false", "feel", site.line)
    return replace(extensions, ad_hoc=AdHocSource(completion=never))


def _error(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, code_variable=site.text("errorVariableName"))


# --- the tables ---

_TRANSLATIONS: Final[dict[str, _Translate]] = {
    **dict.fromkeys(sorted(JOB_TASKS), _work),
    "scriptTask": _script,
    "userTask": _task,
    "callActivity": _call,
    "multiInstanceLoopCharacteristics": _loop,
    "errorEventDefinition": _error,
    "dataObject": _data_object,
    "adHocSubProcess": _ad_hoc,
    **dict.fromkeys(sorted(flowable_events.WAITING), flowable_events.read_waiting),
}
"""Tag of the element -> its translation."""

_USER_TASK: Final = frozenset({"userTask"})
_CALL: Final = frozenset({"callActivity"})
_START: Final = frozenset({"startEvent"})
_SCRIPT_TASK: Final = frozenset({"scriptTask"})
_ERROR: Final = activiti.ERROR
_DATA_OBJECT: Final = frozenset({"dataObject"})
_FALSE: Final = frozenset({"false"})

_ACCEPTED: Final = (Rule("accepted"),)
_WORK: Final = (Rule("translated", JOB_TASKS),)
_NO_USERS: Final = (Rule("warned", None, "Everybody who may write commands may start instances."),)
_LISTENER: Final = (Rule("warned", None, "Listeners are not run: draw what they do as a task."),)
_FORMS: Final = (Rule("warned", None, "Forms are shown by what people work with."),)
_SKIP: Final = (Rule("refused", None, "Draw a gateway that goes around it."),)
_EVENT: Final = (
    Rule("translated", flowable_events.WAITING | {"serviceTask", "sendTask", "message"}),
    Rule("refused", None, "Make it a message event."),
)
_CHANNEL: Final = (Rule("warned", None, "Who publishes the message knows where it came from."),)
_STARTS_ONCE: Final = (Rule("refused", None, "Every event starts an instance."),)
_PLACE: Final = (Rule("refused", None, "Results are written as any variable is.", _FALSE),)

VOCABULARY: Final = Vocabulary(
    prefixes={NAMESPACES[0]: "flowable", NAMESPACES[1]: "activiti"},
    attributes={
        **dict.fromkeys(("type", "topic", "class", "delegateExpression", "expression"), _WORK),
        **dict.fromkeys(
            ("assignee", "candidateUsers", "candidateGroups", "dueDate", "priority"),
            (Rule("translated", _USER_TASK),),
        ),
        **dict.fromkeys(
            ("async", "asyncBefore", "asyncAfter", "asyncLeave", "asyncLeaveExclusive",
             "exclusive", "completeAsync", "diagramRelationId"),
            _ACCEPTED,
        ),
        **dict.fromkeys(
            ("candidateStarterUsers", "candidateStarterGroups", "isStartableInTasklist"), _NO_USERS
        ),
        **dict.fromkeys(("formFieldValidation", "formHandlerClass"), _FORMS),
        **dict.fromkeys(
            ("useLocalScopeForResultVariable", "storeResultVariableAsTransient",
             "errorVariableLocalScope", "errorVariableTransient"),
            _PLACE,
        ),
        **dict.fromkeys(("collection", "elementVariable"), (Rule("translated", LOOP),)),
        **dict.fromkeys(
            ("businessKey", "inheritBusinessKey", "inheritVariables", "sameDeployment"),
            (Rule("translated", _CALL),),
        ),
        **dict.fromkeys(
            ("owner", "category", "taskIdVariableName", "taskCompleterVariableName"),
            (Rule("warned", None, "Tasks have an assignee and candidates."),),
        ),
        "resultVariable": (Rule("translated", JOB_TASKS | _SCRIPT_TASK),),
        "resultVariableName": _WORK,
        "autoStoreVariables": (
            Rule("warned", None, "A script's worker says itself what it stores.", _FALSE),
        ),
        "formKey": (
            Rule("translated", _USER_TASK),
            Rule("warned", _START, _FORMS[0].advice),
        ),
        "initiator": (Rule("warned", _START, "Set the variable when you start the instance."),),
        "errorVariableName": (Rule("translated", _ERROR),),
        "skipExpression": _SKIP,
        "triggerable": (
            Rule("warned", None, "A worker completes the job when all of it is done.", _FALSE),
        ),
        "elementIndexVariable": (Rule("refused", None, "Use the variable loopCounter."),),
        "calledElementType": (
            Rule("refused", _CALL, "Call the process by its key.", frozenset({"key"})),
        ),
        "fallbackToDefaultTenant": (Rule("accepted"),),
        "processInstanceName": (Rule("warned", None, "Instances have an id and a business key."),),
        "businessCalendarName": (
            Rule("refused", None, "Give dates, durations and cycles in ISO 8601."),
        ),
        "rules": (Rule("refused", None, "Make it an external worker task with a topic."),),
        "ruleVariablesInput": (Rule("refused", None, "Make it an external worker task."),),
        "exclude": (Rule("refused", None, "Make it an external worker task.", _FALSE),),
    },
    elements={
        "field": (
            Rule("translated", JOB_TASKS),
            Rule("warned", None, "Only jobs have fields."),
        ),
        "failedJobRetryTimeCycle": (
            Rule("translated", JOB_TASKS | _SCRIPT_TASK),
            Rule("warned", None, "Only jobs are tried again."),
        ),
        "in": (Rule("translated", _CALL),),
        "out": (Rule("translated", _CALL),),
        "value": (Rule("translated", _DATA_OBJECT),),
        "variableAggregation": (Rule("translated", LOOP),),
        "executionListener": _LISTENER,
        "taskListener": _LISTENER,
        "eventListener": _LISTENER,
        "formProperty": _FORMS,
        "formData": _FORMS,
        "mapException": (Rule("refused", None, "Let the worker throw the BPMN error."),),
        "customResource": (Rule("warned", None, "Tasks have an assignee and candidates."),),
        "localization": (Rule("accepted"),),
        **dict.fromkeys(
            ("eventType", "eventCorrelationParameter", "eventInParameter", "eventOutParameter",
             "triggerEventType"),
            _EVENT,
        ),
        **dict.fromkeys(
            ("channelKey", "channelName", "channelType", "channelDestination", "systemChannel",
             "keyDetectionType", "keyDetectionValue"),
            _CHANNEL,
        ),
        **dict.fromkeys(("eventName", "triggerEventName", "sendSynchronously"), _ACCEPTED),
        "startEventCorrelationConfiguration": _STARTS_ONCE,
    },
)  # fmt: skip


def _extensions(element: SourceElement, report: Report) -> Extensions:
    if element.tag == "message":
        return flowable_events.read_key(activiti.site_of(element, report, NAMESPACES))
    translate = _TRANSLATIONS.get(element.tag)
    return (
        NOTHING
        if translate is None
        else translate(NOTHING, activiti.site_of(element, report, NAMESPACES))
    )


def _prepare(root: etree._Element) -> None:
    flowable_events.prepare(root, NAMESPACES)


def _audit(roots: Iterable[SourceElement], report: Report) -> None:
    audit(VOCABULARY, roots, report)


DIALECT = Dialect(
    name="Flowable",
    namespaces=NAMESPACES,
    platforms=(),
    extensions=_extensions,
    formula=juel.formula,
    condition=juel.formula,
    executable_by_default=True,
    writes_outward=True,
    quartz=True,
    bare_exits="true",
    loose_references=True,
    data_flows=True,
    prepare=_prepare,
    example="${{{}}}",
    names_work='flowable:type="external-worker" with flowable:topic, or flowable:class',
    audit=_audit,
)
