"""The names of BPMN 2.0: what may stand where, and what becomes of it.

Elements that run have a row in `readers.READERS`. The tables here hold the rest: what is only
graphics or documentation, and what is drawn to mean something that does not run. A BPMN element in
no table is an error: nothing in a model is ever ignored silently.
"""

from typing import Final

_EVERYWHERE: Final = frozenset({"documentation", "extensionElements", "auditing", "monitoring"})
_ARTIFACTS: Final = frozenset({"association", "group", "textAnnotation"})
_ROLES: Final = frozenset(
    {"resourceRole", "performer", "humanPerformer", "potentialOwner", "correlationSubscription"}
)

PEOPLE: Final = frozenset({"performer", "humanPerformer", "potentialOwner"})
"""Who works on a user task."""

ADVICE: Final = {
    **dict.fromkeys(sorted(_ROLES), "Only user tasks have people: say there who does it."),
    "resourceRole": "Make it a performer, or a potential owner of a user task.",
    "correlationSubscription": "Publish messages with the business key of the instance.",
}
"""What to do about something that has no effect at run time."""

SILENT_IN_DEFINITIONS: Final = _EVERYWHERE | {
    "import", "extension", "relationship", "itemDefinition", "collaboration", "conversation",
    "globalConversation", "dataStore", "resource", "category", "partnerEntity", "partnerRole",
    "endPoint", "correlationProperty",
}  # fmt: skip
"""Root elements with no effect of their own."""

COLLABORATIONS: Final = frozenset({"collaboration", "globalConversation"})
CONVERSATIONS: Final = frozenset({"conversation", "subConversation", "callConversation"})
"""What may have correlation keys, and what of that may stand inside of it."""

GLOBAL_TASKS: Final = frozenset(
    {
        "globalTask", "globalUserTask", "globalManualTask", "globalScriptTask",
        "globalBusinessRuleTask",
    }
)  # fmt: skip
"""Tasks that call activities may refer to."""

SILENT_IN_PROCESS: Final = _EVERYWHERE | _ARTIFACTS | {
    "laneSet", "property", "dataObject", "dataObjectReference", "dataStoreReference",
    "ioSpecification", "ioBinding", "supports", "supportedInterfaceRef",
}  # fmt: skip
"""Lanes, data and artifacts: seen by people, not by the engine."""

WARNED_IN_PROCESS: Final = _ROLES

SILENT_IN_NODE: Final = _EVERYWHERE | {
    "incoming", "outgoing", "categoryValueRef", "property", "ioSpecification", "dataInput",
    "dataOutput", "inputSet", "outputSet", "rendering", "script", "activationCondition",
}  # fmt: skip
"""`incoming` and `outgoing` repeat what the sequence flows say, and often wrongly."""

WARNED_IN_NODE: Final = _ROLES

DATA_ASSOCIATIONS: Final = frozenset({"dataInputAssociation", "dataOutputAssociation"})
"""What moves data into and out of an element: read by associations.py."""

DATA: Final = frozenset(
    {"dataObject", "dataObjectReference", "dataStoreReference", "property", "ioSpecification"}
)
"""What holds data in a process or sub-process: read by data.py."""

AD_HOC_PARTS: Final = frozenset({"completionCondition"})
"""What only an ad-hoc sub-process has, beside the elements in it."""

LOOPS: Final = frozenset({"multiInstanceLoopCharacteristics", "standardLoopCharacteristics"})
"""Markers that make an activity run several times."""

CONTAINERS: Final = frozenset({"subProcess", "transaction", "adHocSubProcess"})
"""Activities that hold flow elements."""

ACTIVITIES: Final = frozenset(
    {
        "serviceTask", "sendTask", "businessRuleTask", "scriptTask", "userTask", "receiveTask",
        "manualTask", "task", "subProcess", "transaction", "adHocSubProcess", "callActivity",
    }
)  # fmt: skip

EVENT_DEFINITIONS: Final = frozenset(
    {
        "cancelEventDefinition", "compensateEventDefinition", "conditionalEventDefinition",
        "errorEventDefinition", "escalationEventDefinition", "linkEventDefinition",
        "messageEventDefinition", "signalEventDefinition", "terminateEventDefinition",
        "timerEventDefinition",
    }
)  # fmt: skip

INSTANTIATING: Final = frozenset({"receiveTask", "eventBasedGateway"})
"""What may begin a process although it is no start event."""

ATTRIBUTES_AT_DEFAULT: Final = {
    "instantiate": (frozenset({"false", "0", "true", "1"}), "instantiating start"),
    "eventGatewayType": (frozenset({"Exclusive", "Parallel"}), "type of event-based gateway"),
    # 0 is not allowed, means nothing, and is what one well-known tool writes everywhere.
    "startQuantity": (frozenset({"0", "1"}), "start quantity"),
    "completionQuantity": (frozenset({"0", "1"}), "completion quantity"),
}
"""Attribute -> values that run, and what any other value asks for."""

BOOLEANS: Final = frozenset(
    {
        "cancelActivity", "cancelRemainingInstances", "isClosed", "isCollection", "isExecutable",
        "isForCompensation", "isImmediate", "isInterrupting", "isSequential", "isUnlimited",
        "parallelMultiple", "testBefore", "triggeredByEvent", "waitForCompletion",
    }
)  # fmt: skip
"""Attributes that are true or false, on whatever element; `instantiate` is above."""

INTEGERS: Final = frozenset({"capacity"})
"""Attributes that are whole numbers; those above and `loopMaximum` have bounds of their own."""

RESERVED: Final = "torpor:"
"""How headers begin that the engine itself gives to jobs."""
EXECUTION_EVENTS: Final = frozenset({"start", "end", "beforeAll", "cancel"})
"""Events in the life of an element at which it may have listeners; tasks of people have more."""
LISTENER: Final = "torpor:listener"
LISTENER_EVENT: Final = "torpor:listenerEvent"

EXECUTABLE_NAMESPACES: Final = {
    "http://camunda.org/schema/zeebe/1.0": "Camunda 8",
    "http://camunda.org/schema/1.0/bpmn": "Camunda 7",
    "http://activiti.org/bpmn": "Activiti",
    "http://flowable.org/bpmn": "Flowable",
}
"""Namespaces whose extensions change how a model runs, and whose they are."""
