"""Flowable and Activiti: what becomes of each extension, and what may stand inside of it.

Reference: the constants and the parsers of flowable-bpmn-converter.
"""

from typing import Final

from engine.model.dialects.activiti import ERROR, JOB_TASKS, LOOP
from engine.model.dialects.audit import Rule, Vocabulary
from engine.model.dialects.flowable_events import WAITING
from engine.model.dialects.shapes import Shape

NAMESPACES: Final = ("http://flowable.org/bpmn", "http://activiti.org/bpmn")

_USER_TASK: Final = frozenset({"userTask"})
_CALL: Final = frozenset({"callActivity"})
_START: Final = frozenset({"startEvent"})
_SCRIPT_TASK: Final = frozenset({"scriptTask"})
_DATA_OBJECT: Final = frozenset({"dataObject"})
_FALSE: Final = frozenset({"false"})
_CALENDARS: Final = frozenset({"dueDate", "duration", "cycle"})
"""What these mean is read off the text itself."""

_ACCEPTED: Final = (Rule("accepted"),)
_WORK: Final = (Rule("translated", JOB_TASKS),)
_NO_USERS: Final = (Rule("warned", None, "Remove it: who may write commands may start instances."),)
_LISTENER: Final = (Rule("warned", None, "Listeners are not run: draw what they do as a task."),)
_NO_FIELD: Final = (Rule("warned", None, "Remove it: tasks have an assignee and candidates."),)
_FORMS: Final = (Rule("warned", None, "Remove it: forms are shown by what people work with."),)
_SKIPPED: Final = JOB_TASKS | _SCRIPT_TASK | _USER_TASK | {"sequenceFlow"}
_EVENT: Final = (
    Rule("translated", WAITING | {"serviceTask", "sendTask", "message"}),
    Rule("refused", None, "Make it a message event."),
)
_CHANNEL: Final = (Rule("warned", None, "Remove it: who publishes the message knows its origin."),)
_STARTS_ONCE: Final = (
    Rule(
        "refused",
        None,
        "An event starts an instance, unless there is one of its key.",
        frozenset({"startNewInstance", "storeAsUniqueReferenceId"}),
    ),
)
_PLACE: Final = (Rule("refused", None, "Results are written as any variable is.", _FALSE),)

_TRANSIENT: Final = {"transient": "variables are kept. Remove it."}
_TRAVELS: Final = (
    "source", "sourceExpression", "sourceType", "target", "targetExpression", "targetType",
)  # fmt: skip
_CALLED: Final = Shape((*_TRAVELS, "variables", "businessKey", "local"), (), _TRANSIENT)
_PARAMETER: Final = Shape(_TRAVELS, (), _TRANSIENT)
_NAMED: Final = Shape(("name", "value", "type"))
_LISTENS: Final = Shape(
    (
        "event", "class", "expression", "delegateExpression", "onTransaction", "type",
        "customPropertiesResolverClass", "customPropertiesResolverExpression",
        "customPropertiesResolverDelegateExpression",
    ),
    ("field", "script"),
)  # fmt: skip
_TEXTS: Final = (
    "channelDestination", "channelKey", "channelName", "channelType", "eventName", "eventType",
    "failedJobRetryTimeCycle", "keyDetectionType", "keyDetectionValue", "sendSynchronously",
    "startEventCorrelationConfiguration", "systemChannel", "triggerChannelDestination",
    "triggerChannelKey", "triggerChannelName", "triggerChannelType", "triggerEventName",
    "triggerEventType",
)  # fmt: skip

_SHAPES: Final = {
    **dict.fromkeys(_TEXTS, Shape()),
    "customResource": Shape(("name",), ("resourceAssignmentExpression",)),
    "eventCorrelationParameter": _NAMED,
    "eventInParameter": _PARAMETER,
    "eventListener": Shape(
        ("events", "entityType", "class", "delegateExpression", "throwEvent", "signalName",
         "messageName", "errorCode", "onTransaction")
    ),
    "eventOutParameter": _PARAMETER,
    "executionListener": _LISTENS,
    "externalWorkerInParameter": _PARAMETER,
    "externalWorkerOutParameter": _PARAMETER,
    "field": Shape(("name", "stringValue", "expression"), ("string", "expression")),
    "formData": Shape((), ("formField", "formProperty")),
    "formProperty": Shape(
        ("id", "name", "type", "readable", "writable", "required", "variable", "expression",
         "default", "datePattern", "value"),
        ("value",),
    ),
    "in": _CALLED,
    "localization": Shape(("locale", "name"), ("documentation",)),
    "out": _CALLED,
    "potentialStarter": Shape((), ("resourceAssignmentExpression",)),
    "taskListener": _LISTENS,
    "triggerEventCorrelationParameter": _NAMED,
    "value": Shape(("id", "name")),
    "variableAggregation": Shape(
        ("class", "delegateExpression", "target", "targetExpression",
         "storeAsTransientVariable", "createOverviewVariable"),
        ("variable",),
    ),
}  # fmt: skip
"""What the elements hold, by the parsers of flowable-bpmn-converter; those that are refused are not
looked into."""

_PARTS: Final = {
    "documentation": Shape(("id", "textFormat")),
    "expression": Shape(),
    "field": _SHAPES["field"],
    "formField": Shape(("id", "label", "name", "type", "required", "defaultValue"), ("value",)),
    "formProperty": _SHAPES["formProperty"],
    "formalExpression": Shape(("id", "language")),
    "resourceAssignmentExpression": Shape(("id",), ("formalExpression",)),
    "script": Shape(("language", "resultVariable")),
    "string": Shape(),
    "value": _SHAPES["value"],
    "variable": Shape(("source", "sourceExpression", "target", "targetExpression")),
}

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
             "exclusive", "completeAsync", "diagramRelationId", "extensionId", "history",
             "isEagerExecutionFetching", "noWaitStatesAsyncLeave", "parallelInSameTransaction"),
            _ACCEPTED,
        ),
        **dict.fromkeys(
            ("candidateStarterUsers", "candidateStarterGroups", "isStartableInTasklist"), _NO_USERS
        ),
        **dict.fromkeys(("formFieldValidation", "formHandlerClass"), _FORMS),
        **dict.fromkeys(
            ("useLocalScopeForResultVariable", "storeResultVariableAsTransient",
             "errorVariableLocalScope", "errorVariableTransient", "useLocalScopeForOutParameters"),
            _PLACE,
        ),
        **dict.fromkeys(
            ("collection", "elementVariable", "elementIndexVariable"), (Rule("translated", LOOP),)
        ),
        **dict.fromkeys(
            ("businessKey", "idVariableName", "inheritBusinessKey", "inheritVariables"),
            (Rule("translated", _CALL),),
        ),
        "sameDeployment": (
            Rule("translated", _CALL),
            Rule("accepted", _USER_TASK | _START),  # of the form
        ),
        **dict.fromkeys(("owner", "category"), _NO_FIELD),
        **dict.fromkeys(
            ("taskIdVariableName", "activeTaskIdVariableName"), (Rule("translated", _USER_TASK),)
        ),
        "taskCompleterVariableName": (
            Rule("warned", None, "Let whoever completes the task give the variable."),
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
        "errorVariableName": (Rule("translated", ERROR),),
        "skipExpression": (Rule("translated", _SKIPPED),),
        "triggerable": (
            Rule("warned", None, "A worker completes the job when all of it is done.", _FALSE),
        ),
        "calledElementType": (
            Rule("refused", _CALL, "Call the process by its key.", frozenset({"key"})),
        ),
        "fallbackToDefaultTenant": (Rule("accepted"),),
        "processInstanceName": (Rule("warned", None, "Give the instance a business key instead."),),
        "businessCalendarName": (
            Rule("refused", None, "Give dates, durations and cycles in ISO 8601.", _CALENDARS),
        ),
        "endDate": (Rule("refused", None, "Give the cycle a number of repetitions."),),
        **dict.fromkeys(
            ("terminateAll", "terminateMultiInstance"),
            (Rule("refused", None, "Throw an error to where all of it can end.", _FALSE),),
        ),
        "scope": (
            Rule("refused", None, "A signal reaches everybody.", frozenset({"global"})),
        ),
        **dict.fromkeys(
            ("messageExpression", "signalExpression"),
            (Rule("refused", None, "Write the expression as the name of what it refers to."),),
        ),
        **dict.fromkeys(
            ("caseDefinitionKey", "caseInstanceName"),
            (Rule("refused", None, "Only processes are called."),),
        ),
        "rules": (Rule("refused", None, "Make it an external worker task with a topic."),),
        "ruleVariablesInput": (Rule("refused", None, "Make it an external worker task."),),
        "exclude": (Rule("refused", None, "Make it an external worker task.", _FALSE),),
    },
    elements={
        "field": (
            Rule("translated", JOB_TASKS),
            Rule("warned", None, "Remove it: only jobs have fields."),
        ),
        "failedJobRetryTimeCycle": (
            Rule("translated", JOB_TASKS | _SCRIPT_TASK),
            Rule("warned", None, "Remove it: only jobs are tried again."),
        ),
        "in": (Rule("translated", _CALL),),
        "out": (Rule("translated", _CALL),),
        "value": (Rule("translated", _DATA_OBJECT),),
        "variableAggregation": (Rule("translated", LOOP),),
        "potentialStarter": _NO_USERS,
        "executionListener": _LISTENER,
        "taskListener": _LISTENER,
        "eventListener": _LISTENER,
        "formProperty": _FORMS,
        "formData": _FORMS,
        "mapException": (Rule("refused", None, "Let the worker throw the BPMN error."),),
        "customResource": _NO_FIELD,
        "localization": (Rule("accepted"),),
        **dict.fromkeys(
            ("eventType", "eventCorrelationParameter", "eventInParameter", "eventOutParameter"),
            _EVENT,
        ),
        # Of a task that waits they have become those of what it waits for.
        **dict.fromkeys(
            ("triggerEventType", "triggerEventCorrelationParameter"),
            (Rule("warned", None, "Without triggerable nothing waits for an answer: remove it."),),
        ),
        **dict.fromkeys(("externalWorkerInParameter", "externalWorkerOutParameter"), _WORK),
        "variableListenerEventDefinition": (
            Rule("refused", None, "Make it a conditional event."),
        ),
        **dict.fromkeys(
            ("httpRequestHandler", "httpResponseHandler"),
            (Rule("refused", None, "Let the worker do what it does."),),
        ),
        "collection": (Rule("refused", None, "Give the collection by an expression."),),
        **dict.fromkeys(
            ("channelKey", "channelName", "channelType", "channelDestination", "systemChannel",
             "keyDetectionType", "keyDetectionValue", "triggerChannelKey", "triggerChannelName",
             "triggerChannelType", "triggerChannelDestination"),
            _CHANNEL,
        ),
        **dict.fromkeys(("eventName", "triggerEventName", "sendSynchronously"), _ACCEPTED),
        "startEventCorrelationConfiguration": _STARTS_ONCE,
    },
    shapes=_SHAPES,
    parts=_PARTS,
)  # fmt: skip
