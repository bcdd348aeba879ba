"""Camunda 7: what becomes of each `camunda:` extension, and what may stand inside of it.

Reference: the moddle descriptor of camunda-bpmn-moddle, and what Camunda's BpmnParse reads.
"""

from typing import Final

from engine.model.dialects.activiti import ERROR, JOB_TASKS, LOOP
from engine.model.dialects.audit import Rule, Vocabulary
from engine.model.dialects.shapes import Shape

NAMESPACE: Final = "http://camunda.org/schema/1.0/bpmn"

_USER_TASK: Final = frozenset({"userTask"})
_CALL: Final = frozenset({"callActivity"})
_START: Final = frozenset({"startEvent"})
_MESSAGE: Final = frozenset({"messageEventDefinition"})
_RULE_TASK: Final = frozenset({"businessRuleTask"})
_SCRIPT_TASK: Final = frozenset({"scriptTask"})
MAPPED: Final = JOB_TASKS | _SCRIPT_TASK | _USER_TASK | _CALL | {
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
_NO_USERS: Final = (Rule("warned", None, "Remove it: who may write commands may start instances."),)
_LISTENER: Final = (Rule("warned", None, "Listeners are not run: draw what they do as a task."),)
_FORMS: Final = (Rule("warned", None, "Remove it: forms are shown by what people work with."),)
_PRIORITY: Final = (Rule("warned", None, "Remove it: jobs are taken in the order they are made."),)
_CASE: Final = (Rule("refused", _CALL, "Only processes are called."),)

_VARIABLES: Final = ("source", "sourceExpression", "target", "businessKey", "local", "variables")
_CODE: Final = ("event", "class", "expression", "delegateExpression")
_VALUE_KINDS: Final = ("script", "list", "map")
_FORM_FIELD: Final = ("id", "label", "type", "datePattern", "defaultValue")

_SHAPES: Final = {
    "connector": Shape((), ("connectorId", "inputOutput")),
    "executionListener": Shape(_CODE, ("field", "script")),
    "failedJobRetryTimeCycle": Shape(),
    "field": Shape(("name", "stringValue", "expression"), ("string", "expression")),
    "formData": Shape(("businessKey",), ("formField",)),
    "formProperty": Shape(
        ("id", "name", "type", "required", "readable", "writable", "variable", "expression",
         "datePattern", "default"),
        ("value",),
    ),
    "generatedFormData": Shape(),
    "in": Shape(_VARIABLES),
    "inputOutput": Shape((), ("inputParameter", "outputParameter")),
    "out": Shape(_VARIABLES),
    "potentialStarter": Shape((), ("resourceAssignmentExpression",)),
    "properties": Shape((), ("property",)),
    "taskListener": Shape(("id", *_CODE), ("field", "script", "timerEventDefinition")),
}  # fmt: skip
"""What the elements hold, by camunda-bpmn-moddle; those that are refused are not looked into."""

_PARTS: Final = {
    "connectorId": Shape(),
    "constraint": Shape(("name", "config")),
    "entry": Shape(("key",), _VALUE_KINDS),
    "expression": Shape(),
    "field": _SHAPES["field"],
    "formalExpression": Shape(("id", "language")),
    "formField": Shape(_FORM_FIELD, ("properties", "validation", "value")),
    "inputOutput": _SHAPES["inputOutput"],
    "inputParameter": Shape(("name",), _VALUE_KINDS),
    "list": Shape((), ("value", *_VALUE_KINDS)),
    "map": Shape((), ("entry",)),
    "outputParameter": Shape(("name",), _VALUE_KINDS),
    "properties": _SHAPES["properties"],
    "property": Shape(("id", "name", "value")),
    "resourceAssignmentExpression": Shape(("id",), ("formalExpression",)),
    "script": Shape(("scriptFormat", "resource")),
    "string": Shape(),
    "timeCycle": Shape(("id", "type")),
    "timeDate": Shape(("id", "type")),
    "timeDuration": Shape(("id", "type")),
    "timerEventDefinition": Shape(("id",), ("timeCycle", "timeDate", "timeDuration")),
    "validation": Shape((), ("constraint",)),
    "value": Shape(("id", "name")),
}

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
        "errorMessage": (Rule("translated", frozenset({"error"})),),
        "escalationCodeVariable": (
            Rule("translated", frozenset({"escalationEventDefinition"})),
        ),
        "variableName": (Rule("translated", frozenset({"conditionalEventDefinition"})),),
        "variableEvents": (Rule("translated", frozenset({"conditionalEventDefinition"})),),
        "historyTimeToLive": _ACCEPTED,  # how long history is kept is the namespace's to say
        "isStartableInTasklist": _NO_USERS,
    },
    elements={
        "inputOutput": (Rule("translated", MAPPED),),
        "field": (
            Rule("translated", JOB_TASKS | _MESSAGE),
            Rule("warned", None, "Remove it: only jobs have fields."),
        ),
        "properties": (Rule("translated", JOB_TASKS | _MESSAGE), Rule("accepted")),
        "failedJobRetryTimeCycle": (
            Rule("translated", JOB_TASKS | _SCRIPT_TASK),
            Rule("warned", None, "Remove it: only jobs are tried again."),
        ),
        "in": (
            Rule("translated", _CALL | {"signalEventDefinition"}),
            Rule("refused", None, "Only call activities and signals pass variables."),
        ),
        "out": (Rule("translated", _CALL),),
        "executionListener": _LISTENER,
        "taskListener": _LISTENER,
        "formData": _FORMS,
        "formProperty": _FORMS,
        "generatedFormData": _FORMS,
        "potentialStarter": _NO_USERS,
        "connector": (
            Rule("translated", JOB_TASKS),
            Rule("refused", None, "Make it an external task with a topic."),
        ),
        "errorEventDefinition": (Rule("refused", None, "Let the worker throw the BPMN error."),),
    },
    shapes=_SHAPES,
    parts=_PARTS,
)  # fmt: skip
