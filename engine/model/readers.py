"""One reader for each element that runs: from the drawing to the compiled Struct.

A reader reports everything that is wrong with its element and gives None if it cannot be compiled.
What concerns several elements (flows, scopes, attachments) is validate.py's.
"""

from collections.abc import Callable
from typing import Final, TypedDict, TypeVar

from msgspec.structs import replace

from engine.expressions import Expression
from engine.model import elements as e
from engine.model.ad_hoc import choice_data, read_ad_hoc
from engine.model.associations import data_inputs, data_outputs
from engine.model.compensation import is_compensation
from engine.model.data import declared
from engine.model.dialects import feel
from engine.model.extensions import Extensions
from engine.model.jobs import read_job, read_listeners, read_rule_work, read_work
from engine.model.loops import read_loop
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, is_true
from engine.model.triggers import read_message, read_trigger
from engine.model.vocabulary import EVENT_DEFINITIONS

ElementReader = Callable[[Reading, Node, Extensions], e.AnyElement | None]
E = TypeVar("E", bound=e.AnyElement)


class _ElementFields(TypedDict):
    index: int
    id: str
    name: str | None
    scope: int
    incoming: tuple[int, ...]
    outgoing: tuple[int, ...]
    line: int


class _ActivityFields(_ElementFields):
    boundary: tuple[int, ...]
    default: int | None
    inputs: tuple[e.Mapping, ...]
    outputs: tuple[e.Mapping, ...]
    loop: e.Loop | None
    compensation: int | None
    listeners: dict[str, tuple[e.JobDefinition, ...]]


def read_element(reading: Reading, node: Node) -> e.AnyElement | None:
    """Compile one flow node. None, and a finding, if that is not possible."""
    extensions = reading.dialect.extensions(node, reading.report)
    return _BY_TAG[node.tag](reading, node, extensions)


def _element(node: Node) -> _ElementFields:
    return _ElementFields(
        index=node.index,
        id=node.id,
        name=node.name,
        scope=node.scope,
        incoming=tuple(node.incoming),
        outgoing=tuple(node.outgoing),
        line=node.line,
    )


def _activity(reading: Reading, node: Node, extensions: Extensions) -> _ActivityFields:
    return _ActivityFields(
        **_element(node),
        boundary=tuple(node.boundary),
        default=node.default,
        inputs=_inputs(reading, node, extensions),
        outputs=_outputs(reading, node, extensions),
        loop=read_loop(reading, node),
        compensation=node.compensation,
        listeners=read_listeners(reading, node, extensions),
    )


def _inputs(reading: Reading, node: Node, extensions: Extensions) -> tuple[e.Mapping, ...]:
    """Data associations, then the mappings of the dialect, each seeing what is before it."""
    return data_inputs(reading, node) + reading.formulas.mappings(extensions.inputs, node, "input")


def _outputs(reading: Reading, node: Node, extensions: Extensions) -> tuple[e.Mapping, ...]:
    mappings = reading.formulas.mappings(extensions.outputs, node, "output")
    return mappings + data_outputs(reading, node)


# --- events ---


def _start_event(reading: Reading, node: Node, extensions: Extensions) -> e.StartEvent | None:
    trigger = read_trigger(reading, node)
    _refuse_mappings(reading, node, extensions, "input")
    outputs = _outputs(reading, node, extensions)
    if trigger is None:
        return None
    # 10.5.2: it "only applies to Start Events of Event Sub-Processes; it is ignored for other".
    interrupting = node.scope == e.PROCESS or _interrupting(
        reading, node, "isInterrupting", trigger
    )
    return e.StartEvent(
        **_element(node),
        trigger=trigger,
        interrupting=interrupting,
        outputs=outputs,
    )


def _interrupting(reading: Reading, node: Node, attribute: str, trigger: e.Trigger | None) -> bool:
    """Whether the event ends what it is attached to, or the scope of its event sub-process."""
    interrupting = is_true(node.xml.get(attribute), default=True)
    if interrupting or trigger is None:
        return interrupting
    if any(isinstance(part, e.ErrorTrigger | e.CancelTrigger) for part in e.parts_of(trigger)):
        # 10.5.4, table 10.92, of several: "true in case any Error or Cancel triggers are used".
        reading.report.warning(
            "always-interrupting",
            "An event with an error or a cancellation interrupts whatever it says. Set"
            f' {attribute}="true".',
            node,
        )
        return True
    return interrupting


def _end_event(reading: Reading, node: Node, extensions: Extensions) -> e.EndEvent | None:
    job = _thrown_job(reading, node, extensions)
    trigger = e.NoneTrigger() if job else read_trigger(reading, node)
    inputs = _inputs(reading, node, extensions)
    outputs = _outputs(reading, node, extensions)
    if trigger is None:
        return None
    if any(isinstance(part, e.ErrorTrigger | e.TerminateTrigger) for part in e.parts_of(trigger)):
        # It ends more than itself, and so never comes to its outputs.
        _refuse_mappings(reading, node, extensions, "output")
    return e.EndEvent(**_element(node), trigger=trigger, inputs=inputs, outputs=outputs, job=job)


def _catch_event(
    reading: Reading, node: Node, extensions: Extensions
) -> e.IntermediateCatchEvent | None:
    trigger = read_trigger(reading, node)
    _refuse_mappings(reading, node, extensions, "input")
    outputs = _outputs(reading, node, extensions)
    if trigger is None:
        return None
    return e.IntermediateCatchEvent(**_element(node), trigger=trigger, outputs=outputs)


def _throw_event(
    reading: Reading, node: Node, extensions: Extensions
) -> e.IntermediateThrowEvent | None:
    job = _thrown_job(reading, node, extensions)
    trigger = e.NoneTrigger() if job else read_trigger(reading, node)
    inputs = _inputs(reading, node, extensions)
    outputs = _outputs(reading, node, extensions)
    if trigger is None:
        return None
    return e.IntermediateThrowEvent(
        **_element(node), trigger=trigger, inputs=inputs, outputs=outputs, job=job
    )


def _thrown_job(reading: Reading, node: Node, extensions: Extensions) -> e.JobDefinition | None:
    """The job that a dialect makes of a message that is thrown."""
    for part in node.children:
        if part.tag == "messageEventDefinition":
            drawn = reading.dialect.extensions(part, reading.report)
            source = extensions if extensions.job is not None else drawn
            if source.job is None:
                return None
            _check_alone(reading, node)
            return read_job(reading, node, source)
    if extensions.job is not None or extensions.publish is not None:
        reading.report.warning(
            "no-effect",
            f"The {node.tag} throws no message, so no worker has to. Give it a message, or remove"
            " the work.",
            node,
        )
    return None


def _check_alone(reading: Reading, node: Node) -> None:
    if sum(part.tag in EVENT_DEFINITIONS for part in node.children) > 1:
        reading.report.error(
            "unsupported-element",
            f"A {node.tag} whose message a worker throws throws nothing beside it. Draw events of"
            " their own for the others.",
            node,
        )


def _boundary_event(reading: Reading, node: Node, extensions: Extensions) -> e.BoundaryEvent | None:
    trigger = read_trigger(reading, node)
    _refuse_mappings(reading, node, extensions, "input")
    outputs = _outputs(reading, node, extensions)
    interrupting = _interrupting(reading, node, "cancelActivity", trigger)
    if trigger is None or node.attached_to is None:
        return None
    return e.BoundaryEvent(
        **_element(node),
        trigger=trigger,
        attached_to=node.attached_to,
        interrupting=interrupting,
        outputs=outputs,
    )


def _refuse_mappings(reading: Reading, node: Node, extensions: Extensions, kind: str) -> None:
    mappings = extensions.inputs if kind == "input" else extensions.outputs
    if mappings:
        reading.report.error(
            "mapping-not-executed",
            f"The {kind} mappings of a {node.tag} are not executed. Put them on the element"
            f" {'after' if kind == 'input' else 'before'} it.",
            node,
            mappings[0].line,
        )


# --- activities ---


def _service_task(reading: Reading, node: Node, extensions: Extensions) -> e.ServiceTask | None:
    fields = _activity(reading, node, extensions)
    work = read_rule_work(reading, node, extensions)
    return None if work is None else e.ServiceTask(**fields, **work)


def _send_task(reading: Reading, node: Node, extensions: Extensions) -> e.SendTask | None:
    fields = _activity(reading, node, extensions)
    work = read_rule_work(reading, node, extensions)
    return None if work is None else e.SendTask(**fields, **work)


def _business_rule_task(
    reading: Reading, node: Node, extensions: Extensions
) -> e.BusinessRuleTask | None:
    fields = _activity(reading, node, extensions)
    work = read_rule_work(reading, node, extensions)
    return None if work is None else e.BusinessRuleTask(**fields, **work)


def _script_task(reading: Reading, node: Node, extensions: Extensions) -> e.ScriptTask | None:
    fields = _activity(reading, node, extensions)
    if extensions.script is not None:
        if extensions.job is not None:
            reading.report.error(
                "script-and-job",
                "The script task has both a script and a job type. Keep one of them.",
                node,
            )
        work = read_work(reading, node, extensions)
        return None if work is None else e.ScriptTask(**fields, **work)
    drawn = next((part for part in node.children if part.tag == "script"), None)
    if drawn is None or extensions.job is not None or not reading.dialect.implied_names:
        job = read_job(reading, node, extensions)
        return None if job is None else e.ScriptTask(**fields, job=job)
    text = "".join(drawn.xml.itertext()).strip()
    language = (node.xml.get("scriptFormat") or "").strip().lower()
    if "feel" in language:
        expression = reading.formulas.expression(feel.condition(text, drawn.line), node, "script")
        if expression is None:
            return None
        return e.ScriptTask(**fields, script=e.ScriptDefinition(expression=expression))
    # A worker that runs scripts of one language: the format in its job type, the text in a header.
    job = e.JobDefinition(type=f"script.{language or 'text'}", headers={"script": text})
    return e.ScriptTask(**fields, job=job)


def _user_task(reading: Reading, node: Node, extensions: Extensions) -> e.UserTask:
    task, text = extensions.task, reading.formulas.text
    return e.UserTask(
        **_activity(reading, node, extensions),
        assignee=text(task.assignee, node, "assignee"),
        candidate_users=text(task.candidate_users, node, "candidate users"),
        candidate_groups=text(task.candidate_groups, node, "candidate groups"),
        due_date=text(task.due_date, node, "due date"),
        follow_up_date=text(task.follow_up_date, node, "follow-up date"),
        priority=text(task.priority, node, "priority"),
        form_key=text(task.form_key, node, "form key"),
    )


def _receive_task(reading: Reading, node: Node, extensions: Extensions) -> e.ReceiveTask | None:
    fields = _activity(reading, node, extensions)
    if fields["inputs"] and reading.process.waits_elsewhere(node):
        reading.report.error(
            "mapping-not-executed",
            "The inputs of a receive task that is done as it begins are not executed. Put them on"
            " the element after it.",
            node,
            extensions.inputs[0].line if extensions.inputs else node.line,
        )
    trigger = read_message(reading, node, node)
    if trigger is None:
        return None
    return e.ReceiveTask(**fields, trigger=trigger, instantiate=node.instantiates)


def _manual_task(reading: Reading, node: Node, extensions: Extensions) -> e.ManualTask:
    return e.ManualTask(**_activity(reading, node, extensions))


def _abstract_task(reading: Reading, node: Node, extensions: Extensions) -> e.AbstractTask:
    return e.AbstractTask(**_activity(reading, node, extensions))


def _sub_process(reading: Reading, node: Node, extensions: Extensions) -> e.SubProcess:
    if node.by_event:
        _refuse_mappings(reading, node, extensions, "input")
        extensions = replace(extensions, inputs=())
    return e.SubProcess(
        **_activity(reading, node, extensions),
        starts=_sub_process_starts(reading, node),
        events=reading.process.event_starts(node.index),
        by_event=node.by_event,
        data=_declared(reading, node),
    )


def _declared(reading: Reading, node: Node) -> tuple[e.DataObject, ...]:
    return declared(reading.process, node.index, reading.data, reading.dialect, reading.report)


def _sub_process_starts(reading: Reading, node: Node) -> tuple[int, ...]:
    """An event sub-process begins where something triggers it; that is known for compensation."""
    if not node.by_event:
        return reading.process.plain_starts(node.index)
    starts = reading.process.start_events(node.index)
    return tuple(start.index for start in starts if is_compensation(start))


def _transaction(reading: Reading, node: Node, extensions: Extensions) -> e.Transaction:
    return e.Transaction(
        **_activity(reading, node, extensions),
        starts=reading.process.plain_starts(node.index),
        events=reading.process.event_starts(node.index),
        data=_declared(reading, node),
    )


def _ad_hoc_sub_process(reading: Reading, node: Node, extensions: Extensions) -> e.AdHocSubProcess:
    return e.AdHocSubProcess(
        **_activity(reading, node, extensions),
        **read_ad_hoc(reading, node, extensions.ad_hoc),
        events=reading.process.event_starts(node.index),
        data=_declared(reading, node) + choice_data(reading, node),
    )


def _call_activity(reading: Reading, node: Node, extensions: Extensions) -> e.CallActivity | None:
    call = extensions.call
    if call is not None and call.returns:
        extensions = replace(extensions, outputs=(*call.returns, *extensions.outputs))
    fields = _activity(reading, node, extensions)
    called = _called_element(node)
    formula = call.process_id if call else reading.dialect.formula(called, node.line)
    process_id = reading.formulas.text(formula, node, "called process id")
    passes = call.passes if call else None
    if formula is None or not formula.text:
        reading.report.error(
            "called-process-missing",
            "The call activity names no process. Give it the id of the process to call.",
            node,
        )
    if process_id is None or _is_global_task(reading, node, process_id):
        return None
    if call is None:
        return e.CallActivity(**fields, process_id=process_id)
    return e.CallActivity(
        **fields,
        process_id=process_id,
        propagate_all_parent_variables=call.propagate_all_parent_variables,
        propagate_all_child_variables=call.propagate_all_child_variables,
        version=call.version,
        version_tag=call.version_tag,
        same_deployment=call.same_deployment,
        passes=None if passes is None else reading.formulas.mappings(passes, node, "input"),
        business_key=reading.formulas.text(call.business_key, node, "business key"),
        inherits_business_key=call.inherits_business_key,
    )


def _called_element(node: Node) -> str:
    """The id in plain BPMN: a QName, whose prefix is a namespace that the file declares."""
    called = (node.xml.get("calledElement") or "").strip()
    prefix, colon, local = called.partition(":")
    return local if colon and prefix in node.xml.nsmap else called


def _is_global_task(reading: Reading, node: Node, process_id: e.Text) -> bool:
    if not isinstance(process_id, str) or process_id not in reading.catalogue.global_tasks:
        return False
    tag = reading.catalogue.global_tasks[process_id].tag
    reading.report.error(
        "unsupported-element",
        f"The call activity calls the {tag} {quote(process_id)}, which is not executed. Draw the"
        " task in its place, or call a process.",
        node,
    )
    return True


# --- gateways ---


def _exclusive_gateway(
    _reading: Reading, node: Node, _extensions: Extensions
) -> e.ExclusiveGateway:
    return e.ExclusiveGateway(**_element(node), default=node.default)


def _parallel_gateway(_reading: Reading, node: Node, _extensions: Extensions) -> e.ParallelGateway:
    return e.ParallelGateway(**_element(node))


def _inclusive_gateway(
    _reading: Reading, node: Node, _extensions: Extensions
) -> e.InclusiveGateway:
    return e.InclusiveGateway(**_element(node), default=node.default)


def _complex_gateway(
    reading: Reading, node: Node, _extensions: Extensions
) -> e.ComplexGateway | None:
    drawn = next((part for part in node.children if part.tag == "activationCondition"), None)
    activation = None
    if drawn is not None:
        formula = reading.dialect.condition("".join(drawn.xml.itertext()), drawn.line)
        activation = reading.formulas.expression(formula, node, "activation condition")
    elif len(node.incoming) > 1:
        reading.report.error(
            "activation-condition-missing",
            "The complex gateway says nothing about when it fires. Give it an activation condition,"
            " for example '=activationCount >= 2', or make it an inclusive gateway.",
            node,
        )
    if activation is None and len(node.incoming) > 1:
        return None
    return e.ComplexGateway(
        **_element(node),
        default=node.default,
        activation=activation,
        asks_data=activation is not None and _asks_data(reading, node, activation),
    )


def _asks_data(reading: Reading, node: Node, activation: Expression) -> bool:
    """Whether it reads variables beside the counts of its incoming flows."""
    counts = {reading.process.flows[index].id for index in node.incoming}
    return any(
        name not in counts and name not in ("activationCount", "activationCounts")
        for name in activation.names
    )


def _event_based_gateway(
    _reading: Reading, node: Node, _extensions: Extensions
) -> e.EventBasedGateway:
    return e.EventBasedGateway(
        **_element(node), instantiate=node.instantiates, parallel=node.is_parallel
    )


# --- the table ---


def _row(
    element: type[E], reader: Callable[[Reading, Node, Extensions], E | None]
) -> tuple[type[e.Element], ElementReader]:
    """Pairs an element with its reader, so that a wrong pair does not pass the type check."""
    return element, reader


READERS: Final[dict[type[e.Element], ElementReader]] = dict(
    (
        _row(e.StartEvent, _start_event),
        _row(e.EndEvent, _end_event),
        _row(e.IntermediateCatchEvent, _catch_event),
        _row(e.IntermediateThrowEvent, _throw_event),
        _row(e.BoundaryEvent, _boundary_event),
        _row(e.ServiceTask, _service_task),
        _row(e.SendTask, _send_task),
        _row(e.BusinessRuleTask, _business_rule_task),
        _row(e.ScriptTask, _script_task),
        _row(e.UserTask, _user_task),
        _row(e.ReceiveTask, _receive_task),
        _row(e.ManualTask, _manual_task),
        _row(e.AbstractTask, _abstract_task),
        _row(e.SubProcess, _sub_process),
        _row(e.Transaction, _transaction),
        _row(e.AdHocSubProcess, _ad_hoc_sub_process),
        _row(e.CallActivity, _call_activity),
        _row(e.ExclusiveGateway, _exclusive_gateway),
        _row(e.ParallelGateway, _parallel_gateway),
        _row(e.InclusiveGateway, _inclusive_gateway),
        _row(e.ComplexGateway, _complex_gateway),
        _row(e.EventBasedGateway, _event_based_gateway),
    )
)
"""Every element that runs, and how it is read. `AnyElement` has exactly these members."""


_BY_TAG: Final = {str(kind.__struct_config__.tag): reader for kind, reader in READERS.items()}
KINDS: Final = frozenset(_BY_TAG)
"""The tags of the flow nodes that run."""
