"""Readers of tasks, sub-processes and call activities."""

from msgspec.structs import replace

from engine.model import elements as e
from engine.model.ad_hoc import choice_data, read_ad_hoc
from engine.model.compensation import is_compensation
from engine.model.data import declared
from engine.model.dialects import feel
from engine.model.extensions import Extensions
from engine.model.jobs import read_job, read_rule_work, read_skip, read_work
from engine.model.messages import read_message
from engine.model.people import read_people
from engine.model.readers.fields import activity_fields, refuse_mappings
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node


def service_task(reading: Reading, node: Node, extensions: Extensions) -> e.ServiceTask | None:
    fields = activity_fields(reading, node, extensions)
    work = read_rule_work(reading, node, extensions)
    return None if work is None else e.ServiceTask(**fields, **work)


def send_task(reading: Reading, node: Node, extensions: Extensions) -> e.SendTask | None:
    fields = activity_fields(reading, node, extensions)
    work = read_rule_work(reading, node, extensions)
    return None if work is None else e.SendTask(**fields, **work)


def business_rule_task(
    reading: Reading, node: Node, extensions: Extensions
) -> e.BusinessRuleTask | None:
    fields = activity_fields(reading, node, extensions)
    work = read_rule_work(reading, node, extensions)
    return None if work is None else e.BusinessRuleTask(**fields, **work)


def script_task(reading: Reading, node: Node, extensions: Extensions) -> e.ScriptTask | None:
    fields = activity_fields(reading, node, extensions)
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
        skip = read_skip(reading, node, extensions)
        return None if job is None else e.ScriptTask(**fields, job=job, skip=skip)
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


def user_task(reading: Reading, node: Node, extensions: Extensions) -> e.UserTask:
    task, text = extensions.task, reading.formulas.text
    people = read_people(reading, node, task)
    return e.UserTask(
        **activity_fields(reading, node, extensions),
        assignee=people.assignee,
        candidate_users=people.candidate_users,
        candidate_groups=people.candidate_groups,
        due_date=text(task.due_date, node, "due date"),
        follow_up_date=text(task.follow_up_date, node, "follow-up date"),
        priority=text(task.priority, node, "priority"),
        form_key=text(task.form_key, node, "form key"),
        id_variable=task.id_variable,
        skip=read_skip(reading, node, extensions),
    )


def receive_task(reading: Reading, node: Node, extensions: Extensions) -> e.ReceiveTask | None:
    fields = activity_fields(reading, node, extensions)
    trigger = read_message(reading, node, node)
    if trigger is None:
        return None
    return e.ReceiveTask(**fields, trigger=trigger, instantiate=node.instantiates)


def manual_task(reading: Reading, node: Node, extensions: Extensions) -> e.ManualTask:
    return e.ManualTask(**activity_fields(reading, node, extensions))


def abstract_task(reading: Reading, node: Node, extensions: Extensions) -> e.AbstractTask:
    return e.AbstractTask(**activity_fields(reading, node, extensions))


def sub_process(reading: Reading, node: Node, extensions: Extensions) -> e.SubProcess:
    if node.by_event:
        refuse_mappings(reading, node, extensions, "input")
        extensions = replace(extensions, inputs=())
    return e.SubProcess(
        **activity_fields(reading, node, extensions),
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


def transaction(reading: Reading, node: Node, extensions: Extensions) -> e.Transaction:
    return e.Transaction(
        **activity_fields(reading, node, extensions),
        starts=reading.process.plain_starts(node.index),
        events=reading.process.event_starts(node.index),
        data=_declared(reading, node),
    )


def ad_hoc_sub_process(reading: Reading, node: Node, extensions: Extensions) -> e.AdHocSubProcess:
    return e.AdHocSubProcess(
        **activity_fields(reading, node, extensions),
        **read_ad_hoc(reading, node, extensions),
        events=reading.process.event_starts(node.index),
        data=_declared(reading, node) + choice_data(reading, node),
    )


def call_activity(reading: Reading, node: Node, extensions: Extensions) -> e.CallActivity | None:
    call = extensions.call
    if call is not None and call.returns:
        extensions = replace(extensions, outputs=(*call.returns, *extensions.outputs))
    fields = activity_fields(reading, node, extensions)
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
        id_variable=call.id_variable,
        returned=len(call.returns),
        returns_on_errors=call.returns_on_errors,
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
