"""Compensation and cancellation as drawn: which activity undoes which, and what throw events name.

A boundary compensation event is connected to its handler by an association, not by a flow (10.7.1).
"""

from engine.model.elements import PROCESS, CancelTrigger, CompensateTrigger
from engine.model.reading import Reading
from engine.model.report import Report, quote
from engine.model.source import Node, ProcessSource, SourceElement, is_true
from engine.model.vocabulary import ACTIVITIES

_DEFINITION = "compensateEventDefinition"


def find_handlers(process: ProcessSource, report: Report) -> None:
    """Give every activity its compensation handler, and report where there is not just one."""
    for node in process.nodes:
        if node.tag == "boundaryEvent" and is_compensation(node) and node.runnable:
            _find_handler(process, node, report)
    for node in process.nodes:
        if not node.runnable:
            continue
        if node.for_compensation:
            _check_handler(node, report)
        elif node.by_event and any(map(is_compensation, process.start_events(node.index))):
            _find_inner_handler(process, node, report)


def is_compensation(node: Node) -> bool:
    """Whether an event is about compensation."""
    return any(part.tag == _DEFINITION for part in node.children)


def _find_handler(process: ProcessSource, event: Node, report: Report) -> None:
    if event.outgoing:
        report.error(
            "compensation-flow",
            "A compensation event has no outgoing flow: connect it to its handler by an"
            " association instead.",
            event,
        )
    ends = [
        process.nodes[process.node_index[other]]
        for other in process.associated(event.id)
        if other in process.node_index
    ]
    handlers = [node for node in ends if node.tag in ACTIVITIES]
    if len(handlers) != 1:
        report.error(
            "compensation-handler",
            f"The compensation event is associated with {len(handlers)} activities. Draw an"
            " association from it to the one activity that compensates.",
            event,
        )
        return
    handler = handlers[0]
    if not handler.for_compensation:
        report.error(
            "not-for-compensation",
            f"{quote(handler.id)} compensates, but is not marked so. Set"
            ' isForCompensation="true" on it.',
            handler,
        )
    elif handler.scope != event.scope:
        report.error(
            "compensation-handler",
            f"The handler {quote(handler.id)} lies in another scope. Draw it beside the activity"
            " that it compensates.",
            event,
        )
    if event.attached_to is not None:
        host = process.nodes[event.attached_to]
        if host.compensation is not None:
            report.error(
                "compensation-handler",
                f"{quote(host.id)} has several compensation events. Keep one of them.",
                event,
            )
        host.compensation = handler.index


def _find_inner_handler(process: ProcessSource, node: Node, report: Report) -> None:
    """A sub-process may have its handler inside it: an event sub-process."""
    if node.scope == PROCESS:
        # 10.5.2: the compensation start event "MAY NOT be used for a top-level Process".
        report.error(
            "compensation-of-process",
            "Nothing can compensate a process, so this event sub-process never begins. Draw it in"
            " a sub-process.",
            node,
        )
        return
    host = process.nodes[node.scope]
    if host.compensation is not None:
        report.error(
            "compensation-handler",
            f"{quote(host.id)} has several compensation handlers. Keep one of them.",
            node,
        )
    host.compensation = node.index


def _check_handler(node: Node, report: Report) -> None:
    """10.7.1: a compensation activity "MUST NOT have any incoming or outgoing Sequence Flows"."""
    if node.incoming or node.outgoing:
        report.error(
            "compensation-flow",
            "An activity for compensation cannot have incoming or outgoing sequence flows: only"
            " compensation begins it. Remove the flows.",
            node,
        )
    if node.compensation is not None:
        report.error(
            "compensation-handler",
            "What compensates cannot be compensated itself. Remove its compensation event.",
            node,
        )


def read_compensate(
    reading: Reading, node: Node, definition: SourceElement
) -> CompensateTrigger | None:
    """What a throw event compensates; at a boundary event it only marks the handler."""
    if node.tag in ("boundaryEvent", "startEvent"):
        return CompensateTrigger()
    wait = is_true(definition.xml.get("waitForCompletion"), default=True)
    reference = (definition.xml.get("activityRef") or "").strip()
    if not reference:
        return CompensateTrigger(wait=wait)
    index = reading.process.node_index.get(reference)
    target = None if index is None else reading.process.nodes[index]
    if target is None or target.tag not in ACTIVITIES:
        reading.report.error(
            "dangling-reference",
            f"The compensation's activityRef {quote(reference)} is no activity of this process."
            " Choose one, or none to compensate all of the scope.",
            node,
            definition.line,
        )
        return None
    if target.scope not in _visible(reading.process, node.scope):
        reading.report.error(
            "compensation-out-of-reach",
            f"{quote(reference)} lies in another scope than the event that compensates it. Name an"
            " activity of the same scope, for example the sub-process around it.",
            node,
            definition.line,
        )
        return None
    return CompensateTrigger(activity=target.id, wait=wait)


def _visible(process: ProcessSource, scope: int) -> list[int]:
    """10.7.2: the scope itself; from an event sub-process also the scope around that."""
    found = [scope]
    while found[-1] != PROCESS and process.nodes[found[-1]].by_event:
        found.append(process.nodes[found[-1]].scope)
    return found


def read_cancel(reading: Reading, node: Node, definition: SourceElement) -> CancelTrigger | None:
    """10.5.4: a cancel event stands in a transaction, or on its border."""
    nodes = reading.process.nodes
    at = node.scope if node.tag == "endEvent" else node.attached_to
    if at is None:
        return None  # attached to nothing: that is reported
    if at != PROCESS and nodes[at].tag == "transaction":
        return CancelTrigger()
    where = "inside" if node.tag == "endEvent" else "on the border of"
    reading.report.error(
        "cancel-outside-transaction",
        f"A cancel event means something only {where} a transaction. Use an error event, or make"
        " the sub-process a transaction.",
        node,
        definition.line,
    )
    return None


def check_transactions(process: ProcessSource, report: Report) -> None:
    """A transaction that can be canceled needs a way out, and just one."""
    for node in process.nodes:
        if node.tag != "transaction" or not node.runnable:
            continue
        exits = [index for index in node.boundary if _is_cancel(process.nodes[index])]
        ends = [end for end in process.inside(node.index) if end.tag == "endEvent"]
        if len(exits) > 1:
            report.error(
                "several-cancel-events",
                "The transaction has several cancel boundary events. Keep one of them.",
                node,
            )
        elif not exits and any(_is_cancel(end) for end in ends):
            report.error(
                "cancel-boundary-missing",
                "The transaction can be canceled, but has no cancel boundary event to leave by."
                " Attach one to it.",
                node,
            )


def _is_cancel(node: Node) -> bool:
    return any(part.tag == "cancelEventDefinition" for part in node.children)
