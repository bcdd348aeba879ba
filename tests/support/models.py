"""Models for tests: short calls that assemble the XML of a BPMN file, as a modeling tool saves it.

    content = bpmn(
        process(
            "order",
            start("begin"),
            service_task("pay", type="payment", retries="5"),
            boundary("late", "pay", timer(duration="PT1H")),
            end("done"),
            end("given_up"),
            chain("begin", "pay", "done"),
            flow("late", "given_up"),
        ),
        message("Placed", "order-placed", key="=orderId"),
    )

Every call gives a piece of XML text, so anything that has no call here can be written by hand
beside them. `compiled(...)` takes the same pieces and gives the `ProcessModel`, failing the test on
any error. Texts that begin with `=` are FEEL, as in Camunda 8.
"""

from collections.abc import Mapping
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from msgspec.structs import replace

from engine.model.compile import CompiledResource, compile_resource
from engine.model.elements import Activity, AdHocSubProcess, MultiInstance, ProcessModel
from engine.settings import Settings

Pairs = Mapping[str, str] | tuple[tuple[str, str], ...]

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"'
    ' id="definitions" targetNamespace="http://example.org/bpmn">\n'
)


# --- the file ---


def bpmn(*parts: str) -> bytes:
    """A whole file of processes, messages and errors."""
    return (_HEAD + "\n".join(parts) + "\n</bpmn:definitions>\n").encode()


def process(process_id: str, *parts: str, executable: bool = True) -> str:
    return tag("process", *parts, id=process_id, isExecutable="true" if executable else "false")


def message(message_id: str, name: str, *, key: str | None = None) -> str:
    """A message for `message_event(message_id)`. `key`: the correlation key, such as `=orderId`."""
    subscription = extension("subscription", correlationKey=key) if key is not None else ""
    return tag("message", extensions(subscription), id=message_id, name=name)


def error(error_id: str, code: str) -> str:
    """An error for `error_event(error_id)`."""
    return tag("error", id=error_id, errorCode=code)


def escalation(escalation_id: str, code: str) -> str:
    """An escalation for `escalation_event(escalation_id)`."""
    return tag("escalation", id=escalation_id, escalationCode=code)


def signal(signal_id: str, name: str) -> str:
    """A signal for `signal_event(signal_id)`."""
    return tag("signal", id=signal_id, name=name)


# --- flows ---


def flow(
    source: str,
    target: str,
    *,
    condition: str | None = None,
    flow_id: str | None = None,
) -> str:
    """A sequence flow. Its id is `<source>-<target>` unless `flow_id` is given."""
    inner = "" if condition is None else tag("conditionExpression", escape(condition))
    return tag(
        "sequenceFlow",
        inner,
        id=flow_id or f"{source}-{target}",
        sourceRef=source,
        targetRef=target,
    )


def chain(*element_ids: str) -> str:
    """Sequence flows from each element to the next."""
    return "\n".join(flow(source, target) for source, target in pairwise(element_ids))


# --- events; `trigger` is one of timer(), message_event(), error_event(), terminate_event() ---


def start(
    element_id: str, trigger: str = "", *, interrupting: bool = True, outputs: Pairs = ()
) -> str:
    """`interrupting` matters in an event sub-process only."""
    return tag(
        "startEvent",
        extensions(io_mapping((), outputs)),
        trigger,
        id=element_id,
        isInterrupting=None if interrupting else "false",
    )


def end(element_id: str, trigger: str = "", *, inputs: Pairs = (), outputs: Pairs = ()) -> str:
    return tag("endEvent", extensions(io_mapping(inputs, outputs)), trigger, id=element_id)


def catch(element_id: str, trigger: str, *, inputs: Pairs = (), outputs: Pairs = ()) -> str:
    content = (extensions(io_mapping(inputs, outputs)), trigger)
    return tag("intermediateCatchEvent", *content, id=element_id)


def throw(element_id: str, trigger: str = "", *, inputs: Pairs = (), outputs: Pairs = ()) -> str:
    content = (extensions(io_mapping(inputs, outputs)), trigger)
    return tag("intermediateThrowEvent", *content, id=element_id)


def boundary(
    element_id: str,
    attached_to: str,
    trigger: str,
    *,
    interrupting: bool = True,
    outputs: Pairs = (),
) -> str:
    return tag(
        "boundaryEvent",
        extensions(io_mapping((), outputs)),
        trigger,
        id=element_id,
        attachedToRef=attached_to,
        cancelActivity="true" if interrupting else "false",
    )


def timer(*, date: str | None = None, duration: str | None = None, cycle: str | None = None) -> str:
    fields = {"timeDate": date, "timeDuration": duration, "timeCycle": cycle}
    inner = (tag(name, escape(text)) for name, text in fields.items() if text is not None)
    return tag("timerEventDefinition", *inner)


def message_event(message_id: str) -> str:
    return tag("messageEventDefinition", messageRef=message_id)


def error_event(error_id: str | None = None) -> str:
    """Without an id, a boundary event catches every error."""
    return tag("errorEventDefinition", errorRef=error_id)


def escalation_event(escalation_id: str | None = None) -> str:
    """Without an id, an event catches every escalation."""
    return tag("escalationEventDefinition", escalationRef=escalation_id)


def signal_event(signal_id: str) -> str:
    return tag("signalEventDefinition", signalRef=signal_id)


def conditional_event(condition: str, *, heeds: str | None = None, on: str | None = None) -> str:
    """`heeds`: names of variables, `on`: create, update: after which changes it is asked."""
    changes = extension("conditionalFilter", variableNames=heeds, variableEvents=on)
    return tag(
        "conditionalEventDefinition",
        extensions(changes) if heeds or on else "",
        tag("condition", escape(condition)),
    )


def link_event(name: str) -> str:
    return tag("linkEventDefinition", name=name)


def compensate_event(activity: str | None = None, *, wait: bool | None = None) -> str:
    """Thrown: compensate one activity, or all of the scope. At a boundary: see `compensation`."""
    waits = None if wait is None else str(wait).lower()
    return tag("compensateEventDefinition", activityRef=activity, waitForCompletion=waits)


def cancel_event() -> str:
    return tag("cancelEventDefinition")


def compensation(activity: str, handler: str) -> str:
    """A boundary event on an activity, associated with what undoes it.

    The handler is any activity inside of `for_compensation(...)`.
    """
    event = f"undo-{activity}"
    return "\n".join(
        (
            boundary(event, activity, compensate_event()),
            tag("association", id=f"{event}-by", sourceRef=event, targetRef=handler),
        )
    )


def for_compensation(activity: str) -> str:
    """The activity, marked as one that only compensation begins."""
    head, space, rest = activity.partition(" ")
    return f'{head} isForCompensation="true"{space}{rest}'


def together(event: str) -> str:
    """The event, waiting for all of its definitions."""
    return event.replace(" id=", ' parallelMultiple="true" id=', 1)


def terminate_event() -> str:
    return tag("terminateEventDefinition")


# --- tasks and other activities ---


def task(element_id: str, *, kind: str = "task", default: str | None = None) -> str:
    """A task that passes through: `kind` is `task` or `manualTask`."""
    return tag(kind, id=element_id, default=default)


def service_task(
    element_id: str,
    *,
    type: str | None = None,  # noqa: A002  # the word of the file
    retries: str | None = None,
    headers: Pairs = (),
    inputs: Pairs = (),
    outputs: Pairs = (),
    default: str | None = None,
    kind: str = "serviceTask",
) -> str:
    """A task done by a worker; `kind` is also `sendTask`, `businessRuleTask`, `scriptTask`.

    The job type is the element's id unless `type` is given.
    """
    definition = extension("taskDefinition", type=type or element_id, retries=retries)
    header = "".join(extension("header", key=key, value=value) for key, value in _pairs(headers))
    content = extensions(
        definition,
        extension("taskHeaders", header) if header else "",
        io_mapping(inputs, outputs),
    )
    return tag(kind, content, id=element_id, default=default)


def script_task(
    element_id: str, expression: str, *, result: str = "result", outputs: Pairs = ()
) -> str:
    """A FEEL expression whose value becomes the variable `result`."""
    script = extension("script", expression=expression, resultVariable=result)
    return tag("scriptTask", extensions(script, io_mapping((), outputs)), id=element_id)


def decision_task(
    element_id: str,
    decision_id: str,
    *,
    result: str | None = "result",
    binding: str | None = None,
    version_tag: str | None = None,
    inputs: Pairs = (),
    outputs: Pairs = (),
) -> str:
    """A business rule task that evaluates a decision, whose value becomes the variable `result`."""
    called = extension(
        "calledDecision",
        decisionId=decision_id,
        resultVariable=result,
        bindingType=binding,
        versionTag=version_tag,
    )
    content = extensions(called, io_mapping(inputs, outputs))
    return tag("businessRuleTask", content, id=element_id)


def user_task(
    element_id: str,
    *,
    assignee: str | None = None,
    candidate_users: str | None = None,
    candidate_groups: str | None = None,
    due_date: str | None = None,
    follow_up_date: str | None = None,
    priority: str | None = None,
    form_key: str | None = None,
    inputs: Pairs = (),
    outputs: Pairs = (),
    name: str | None = None,
    default: str | None = None,
    listeners: Pairs = (),
) -> str:
    """`listeners`: events with the types of their jobs."""
    heard = [
        extension("taskListener", eventType=event, type=job_type)
        for event, job_type in _pairs(listeners)
    ]
    content = extensions(
        extension("userTask"),
        extension("taskListeners", *heard) if heard else "",
        extension(
            "assignmentDefinition",
            assignee=assignee,
            candidateUsers=candidate_users,
            candidateGroups=candidate_groups,
        ),
        extension("taskSchedule", dueDate=due_date, followUpDate=follow_up_date),
        extension("priorityDefinition", priority=priority) if priority else "",
        extension("formDefinition", formKey=form_key) if form_key else "",
        io_mapping(inputs, outputs),
    )
    return tag("userTask", content, id=element_id, name=name, default=default)


def receive_task(
    element_id: str,
    message_id: str,
    *content: str,
    inputs: Pairs = (),
    outputs: Pairs = (),
    instantiate: bool = False,
) -> str:
    """`content`: a loop, for example."""
    return tag(
        "receiveTask",
        extensions(io_mapping(inputs, outputs)),
        *content,
        id=element_id,
        messageRef=message_id,
        instantiate="true" if instantiate else None,
    )


def sub_process(element_id: str, *parts: str, inputs: Pairs = (), outputs: Pairs = ()) -> str:
    return tag("subProcess", extensions(io_mapping(inputs, outputs)), *parts, id=element_id)


def event_sub_process(element_id: str, *parts: str, outputs: Pairs = ()) -> str:
    """Its one start event has a trigger."""
    content = extensions(io_mapping((), outputs))
    return tag("subProcess", content, *parts, id=element_id, triggeredByEvent="true")


def transaction(element_id: str, *parts: str, inputs: Pairs = (), outputs: Pairs = ()) -> str:
    return tag("transaction", extensions(io_mapping(inputs, outputs)), *parts, id=element_id)


def ad_hoc(
    element_id: str,
    *parts: str,
    active: str | None = None,
    collects: tuple[str, str] | None = None,
    until: str | None = None,
    sequential: bool = False,
    cancels: bool = True,
    job: str | None = None,
    inputs: Pairs = (),
    outputs: Pairs = (),
) -> str:
    """An ad-hoc sub-process: `active` are the ids of what begins with it, `until` its condition.

    `collects`: what each choice adds to which variable. `job`: the type of the jobs by which a
    worker directs it.
    """
    output, into = collects or (None, None)
    choices = {"activeElementsCollection": active, "outputElement": output}
    return tag(
        "adHocSubProcess",
        extensions(
            extension("adHoc", **choices, outputCollection=into) if active or collects else "",
            extension("taskDefinition", type=job) if job else "",
            io_mapping(inputs, outputs),
        ),
        *parts,
        tag("completionCondition", escape(until)) if until else "",
        id=element_id,
        ordering="Sequential" if sequential else None,
        cancelRemainingInstances=None if cancels else "false",
    )


def call_activity(
    element_id: str,
    process_id: str,
    *,
    all_in: bool = True,
    all_out: bool = True,
    inputs: Pairs = (),
    outputs: Pairs = (),
) -> str:
    """`all_in` and `all_out`: whether all variables go to the called process, and come back."""
    called = extension(
        "calledElement",
        processId=process_id,
        propagateAllParentVariables=None if all_in else "false",
        propagateAllChildVariables=None if all_out else "false",
    )
    return tag("callActivity", extensions(called, io_mapping(inputs, outputs)), id=element_id)


# --- loops ---


def looped(activity: str, loop: str) -> str:
    """The activity, repeated: `loop` is one of multi_instance() and standard_loop()."""
    head, end, rest = activity.partition(">")
    if head.endswith("/"):
        return f"{head[:-1]}>{loop}</{head[1:].split()[0].rstrip('/')}>{rest}"
    return head + end + loop + rest


def multi_instance(
    *,
    over: str | None = None,
    item: str | None = None,
    output: str | None = None,
    into: str | None = None,
    times: str | None = None,
    until: str | None = None,
    sequential: bool = False,
) -> str:
    """Once for each item of the collection `over` (`=items`), or so many `times`.

    `output` (`=result`) of each goes `into` a collection; the condition `until` ends it early.
    """
    characteristics = extension(
        "loopCharacteristics",
        inputCollection=over,
        inputElement=item,
        outputCollection=into,
        outputElement=output,
    )
    return tag(
        "multiInstanceLoopCharacteristics",
        extensions(characteristics) if over or output else "",
        tag("loopCardinality", escape(times)) if times else "",
        tag("completionCondition", escape(until)) if until else "",
        isSequential="true" if sequential else None,
    )


def standard_loop(
    *, condition: str | None = None, maximum: str | None = None, test_before: bool = False
) -> str:
    return tag(
        "standardLoopCharacteristics",
        tag("loopCondition", escape(condition)) if condition else "",
        loopMaximum=maximum,
        testBefore="true" if test_before else None,
    )


# --- gateways ---


def exclusive(element_id: str, *, default: str | None = None) -> str:
    """`default` is the id of a flow."""
    return tag("exclusiveGateway", id=element_id, default=default)


def parallel(element_id: str) -> str:
    return tag("parallelGateway", id=element_id)


def inclusive(element_id: str, *, default: str | None = None) -> str:
    return tag("inclusiveGateway", id=element_id, default=default)


def complex_gateway(
    element_id: str, activation: str | None = None, *, default: str | None = None
) -> str:
    """`activation` (`=activationCount >= 2`): when it fires, which only a split need not say."""
    condition = tag("activationCondition", escape(activation)) if activation else ""
    return tag("complexGateway", condition, id=element_id, default=default)


def event_gateway(element_id: str, *, instantiate: bool = False, parallel: bool = False) -> str:
    return tag(
        "eventBasedGateway",
        id=element_id,
        instantiate="true" if instantiate else None,
        eventGatewayType="Parallel" if parallel else None,
    )


# --- pieces ---


def tag(name: str, /, *content: str, **attributes: str | None) -> str:
    """An element of BPMN, for what has no call of its own. None leaves an attribute out."""
    return _xml(f"bpmn:{name}", content, attributes)


def extension(name: str, /, *content: str, **attributes: str | None) -> str:
    """An extension element of Camunda 8, to stand inside `extensions`."""
    return _xml(f"zeebe:{name}", content, attributes)


def extensions(*content: str) -> str:
    return tag("extensionElements", *content) if any(content) else ""


def listener(
    event: str, job_type: str, *, kind: str = "execution", retries: str | None = None
) -> str:
    """A listener, to stand inside of `executionListeners` or `taskListeners`."""
    return extension(f"{kind}Listener", eventType=event, type=job_type, retries=retries)


def heard(element: str, **listeners: str) -> str:
    """The element with execution listeners: event=job type, several types with blanks between."""
    each = [listener(event, to) for event, types in listeners.items() for to in types.split()]
    made = extension("executionListeners", *each)
    head, _, rest = element.partition(">")
    if head.endswith("/"):
        name = head[1:-1].partition(" ")[0]
        return f"{head[:-1]}>{extensions(made)}</{name}>"
    opening = "<bpmn:extensionElements>"
    if rest.startswith(opening):
        return f"{head}>{opening}{made}{rest.removeprefix(opening)}"
    return f"{head}>{extensions(made)}{rest}"


def io_mapping(inputs: Pairs, outputs: Pairs) -> str:
    """Mappings from target to source: `{"amount": "=order.total"}`."""
    inner = [
        extension(kind, source=source, target=target)
        for kind, pairs in (("input", inputs), ("output", outputs))
        for target, source in _pairs(pairs)
    ]
    return extension("ioMapping", *inner) if inner else ""


def _pairs(pairs: Pairs) -> tuple[tuple[str, str], ...]:
    return tuple(pairs.items()) if isinstance(pairs, Mapping) else pairs


def _xml(name: str, content: tuple[str, ...], attributes: Mapping[str, str | None]) -> str:
    given = "".join(
        f" {key}={quoteattr(value)}" for key, value in attributes.items() if value is not None
    )
    inner = "\n".join(part for part in content if part)
    return f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>"


# --- compiling ---


def compiled_resource(content: bytes, name: str = "test.bpmn") -> CompiledResource:
    """What compiling a file gives, errors and all."""
    return compile_resource(name, content, Settings())


def resource(*parts: str, process_id: str = "p") -> CompiledResource:
    """What compiling one process made of these parts gives; messages and errors may be among them.

    For a model that is meant to be wrong; `compiled` is for all others.
    """
    root = [part for part in parts if part.startswith(_ROOT_ELEMENTS)]
    inner = [part for part in parts if part not in root]
    return compiled_resource(bpmn(*root, process(process_id, *inner)))


_ROOT_ELEMENTS = ("<bpmn:message ", "<bpmn:error ", "<bpmn:escalation ", "<bpmn:signal ")


def compiled(*parts: str, process_id: str = "p") -> ProcessModel:
    """The model of one process made of these parts. A failed assertion shows the findings."""
    made = resource(*parts, process_id=process_id)
    assert made.deployable, made.findings
    return made.process(process_id)


def with_plain_ad_hocs(model: ProcessModel) -> ProcessModel:
    """The model with its ad-hoc sub-processes as plain BPMN has them: what runs shares a scope.

    But for those that a worker directs, which plain BPMN does not have.
    """
    elements = (
        replace(element, scoped=False)
        if isinstance(element, AdHocSubProcess) and element.job is None
        else element
        for element in model.elements
    )
    return replace(model, elements=tuple(elements))


def undone_by_iteration(model: ProcessModel) -> ProcessModel:
    """The model with its loops as all but Camunda 8 have them: a handler undoes each iteration."""
    elements = (
        replace(element, loop=replace(element.loop, undone_whole=False))
        if isinstance(element, Activity) and isinstance(element.loop, MultiInstance)
        else element
        for element in model.elements
    )
    return replace(model, elements=tuple(elements))


def compiled_plain(*parts: str) -> ProcessModel:
    """The process `p`, its ad-hoc sub-processes as the specification has them."""
    return with_plain_ad_hocs(compiled(*parts))
