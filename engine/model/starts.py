"""Where a process begins by what comes from outside: instantiating tasks and gateways.

References to sections are to OMG BPMN 2.0.2.
"""

from engine.model.compensation import is_compensation
from engine.model.elements import PROCESS
from engine.model.report import Report
from engine.model.source import Node, ProcessSource
from engine.model.vocabulary import EVENT_DEFINITIONS, INSTANTIATING, LOOPS

_MESSAGE = "messageEventDefinition"
_BESIDE = " that does not come from a none start event of its own"


def joint_starts(process: ProcessSource) -> tuple[int, ...]:
    """What needs others to occur, too: parallel start events, events behind parallel gateways."""
    return tuple(
        node.index
        for node in process.beginnings()
        if (process.gateway_before(node) or node).is_parallel
    )


def alternative_starts(process: ProcessSource) -> tuple[int, ...]:
    """Events behind exclusive instantiating gateways."""
    return tuple(
        node.index
        for node in process.beginnings()
        if (before := process.gateway_before(node)) is not None and not before.is_parallel
    )


def check_instantiating(process: ProcessSource, report: Report) -> None:
    """Report what is said to begin the process and cannot, or not as it looks."""
    for node in process.nodes:
        if not node.runnable:
            continue
        if node.tag == "startEvent" and node.scope == PROCESS and node.is_parallel:
            _check_keys(node, report)
        if node.tag == "eventBasedGateway" and node.is_parallel and not node.instantiates:
            # 10.6.6: "Event-Based Gateways that do not instantiate the Process MUST be Exclusive".
            report.error(
                "parallel-event-gateway",
                "Only where the process begins may an event-based gateway be parallel. Draw a"
                " parallel gateway before the events.",
                node,
            )
        if node.says_instantiate and node.tag not in INSTANTIATING:
            report.error(
                "cannot-instantiate",
                f"A {node.tag} cannot begin the process. Remove its instantiate attribute.",
                node,
            )
        if node.instantiates:
            _check_place(process, node, report)
            if node.tag == "receiveTask":
                _check_task(process, node, report)


def _check_keys(node: Node, report: Report) -> None:
    """What has no key begins an instance of its own, beside those of the messages' keys."""
    kinds = [part.tag == _MESSAGE for part in node.children if part.tag in EVENT_DEFINITIONS]
    if any(kinds) and not all(kinds):
        report.warning(
            "start-without-key",
            "Only messages have keys. What else the start event needs reaches every instance that"
            " waits for it; an instance that it starts waits for messages without a key.",
            node,
        )


def _check_place(process: ProcessSource, node: Node, report: Report) -> None:
    """10.3.3: instantiate may be set "if there are no incoming Sequence Flows".

    10.6.6 allows a gateway one flow, too, if it "has a source of a None Start Event". The event is
    passed over by what occurs behind the gateway.
    """
    passed_over = node.tag == "eventBasedGateway" and process.follows_none_start(node)
    if node.scope != PROCESS:
        report.error(
            "cannot-instantiate",
            f"The {node.tag} lies in a sub-process, which begins with the flow. Draw it directly"
            ' in the process, or set instantiate="false".',
            node,
        )
    elif node.incoming and not passed_over:
        report.error(
            "cannot-instantiate",
            f"The {node.tag} begins the process and has an incoming flow"
            f"{_BESIDE if node.tag == 'eventBasedGateway' else ''}. Remove the flow, or set"
            ' instantiate="false".',
            node,
        )


def _check_task(process: ProcessSource, node: Node, report: Report) -> None:
    """The task is done as the process begins: nothing can happen while it waits."""
    if node.for_compensation:
        report.error(
            "cannot-instantiate",
            "The receive task compensates another activity, and cannot begin the process, too."
            ' Set instantiate="false".',
            node,
        )
    if any(part.tag in LOOPS for part in node.children):
        report.error(
            "cannot-instantiate",
            "A receive task that begins the process may not be repeated. Remove its loop.",
            node,
        )
    for index in node.boundary:
        event = process.nodes[index]
        if not is_compensation(event):
            report.warning(
                "no-effect",
                "The boundary event has no effect: the receive task is done as the process begins."
                " Remove it.",
                event,
            )
