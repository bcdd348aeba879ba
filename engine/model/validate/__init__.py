"""Whether what was drawn makes sense together: flows, scopes, attachments, starts, gateways.

Every check looks at the whole process and reports all it finds. Checks of one element alone are in
its reader. References to sections are to OMG BPMN 2.0.2.
"""

from collections.abc import Callable
from typing import Final

from engine.model.ad_hoc import TAG as AD_HOC
from engine.model.ad_hoc import check_ad_hoc_sub_processes
from engine.model.compensation import check_transactions
from engine.model.elements import PROCESS, AnyElement
from engine.model.report import Report, quote
from engine.model.source import Flow, Node, ProcessSource
from engine.model.starts import check_instantiating
from engine.model.validate.event_subprocesses import check_event_sub_processes
from engine.model.validate.joins import check_joins
from engine.model.validate.triggers import check_triggers
from engine.model.vocabulary import ACTIVITIES, CONTAINERS, LOOPS

Elements = dict[int, AnyElement]
"""The nodes that could be compiled, by index."""

CONDITIONAL: Final = ACTIVITIES | {"exclusiveGateway", "inclusiveGateway", "complexGateway"}
"""What asks the conditions of the flows that leave it."""


def validate_process(process: ProcessSource, elements: Elements, report: Report) -> None:
    """Report everything about a process that would not run, or not as it looks."""
    for check in _CHECKS:
        check(process, report)
    check_triggers(process, elements, report)


# --- flows ---


def _check_flow_scopes(process: ProcessSource, report: Report) -> None:
    """No sequence flow leads into or out of a sub-process: its border events do that."""
    for flow in process.flows:
        if flow.source is None or flow.target is None:
            continue
        source, target = process.nodes[flow.source], process.nodes[flow.target]
        if source.scope != target.scope:
            report.error(
                "flow-crosses-scope",
                f"The sequence flow from {quote(source.id)} to {quote(target.id)} crosses the"
                " border of a sub-process. Connect elements of the same scope only.",
                flow,
            )


def _check_event_flows(process: ProcessSource, report: Report) -> None:
    for node in process.nodes:
        _check_link_flows(node, report)
        if node.tag in ("startEvent", "boundaryEvent") and node.incoming:
            report.error(
                "incoming-flow",
                f"A {node.tag} cannot have an incoming sequence flow. Let the flow end at the"
                " element behind it.",
                node,
            )
        if node.tag == "endEvent" and node.outgoing:
            report.error(
                "outgoing-flow",
                "An end event cannot have an outgoing sequence flow. Use an intermediate event,"
                " or remove the flow.",
                node,
            )


def _check_link_flows(node: Node, report: Report) -> None:
    """10.5.4: a link is the flow; its ends have no others beside what leads to it and from it."""
    if node.link is None or node.tag not in ("intermediateThrowEvent", "intermediateCatchEvent"):
        return
    throws = node.tag == "intermediateThrowEvent"
    if node.outgoing if throws else node.incoming:
        report.error(
            "link-flow",
            "The throw event of a link has no outgoing flow: the link leads on. Remove the flow."
            if throws
            else "The catch event of a link has no incoming flow: the link leads to it. Remove"
            " the flow.",
            node,
        )


_GATEWAYS: Final = frozenset({"parallelGateway", "eventBasedGateway"})
_BEFORE_IT: Final = "Put an exclusive gateway before it."


def _check_conditions(process: ProcessSource, report: Report) -> None:
    for node in process.nodes:
        if node.tag in CONDITIONAL or not node.runnable:
            continue
        for flow in _outgoing(process, node):
            if flow.condition is None:
                continue
            if node.tag in _GATEWAYS:
                what = f"The condition has no effect: the flow leaves a {node.tag}."
                report.warning("condition-ignored", f"{what} {_BEFORE_IT}", flow)
            else:
                # 8.3.13 has none there. Camunda 7 and Flowable ask it, as behind an activity.
                what = f"The condition is asked, though the flow leaves a {node.tag}, where the"
                report.warning("condition-behind-event", f"{what} standard has none. {_BEFORE_IT}",
                               flow)  # fmt: skip


def _check_defaults(process: ProcessSource, report: Report) -> None:
    for node in process.nodes:
        if node.default is None:
            continue
        flow = process.flows[node.default]
        if flow.source != node.index:
            report.error(
                "default-flow-elsewhere",
                f"The default flow {quote(flow.id)} does not leave this {node.tag}. Choose one of"
                " its own outgoing flows.",
                node,
            )
        elif node.tag not in CONDITIONAL:
            report.warning(
                "condition-ignored",
                f"A default flow has no effect on a {node.tag}. Take the mark away.",
                node,
            )
        elif flow.condition is not None:
            report.error(
                "default-flow-condition",
                "The default flow has a condition. Remove the condition: the flow is taken when"
                " no other is.",
                flow,
            )


def _check_exclusive_gateways(process: ProcessSource, report: Report) -> None:
    for node in process.nodes:
        if node.tag != "exclusiveGateway":
            continue
        for flow in process.bare_exits_of(node):
            what = f"The sequence flow to {quote(_target(process, flow))} has no condition and"
            advice = "Give it a condition, or make it the gateway's default flow."
            if process.bare_exits == "true":
                taken = "is taken when its turn comes, before all flows that were drawn later"
                report.warning("condition-missing", f"{what} {taken}. {advice}", flow)
            elif process.default_of(node) == flow.index:
                taken = "is taken as the default"
                report.warning("condition-missing", f"{what} {taken}. {advice}", flow)
            else:
                report.error("condition-missing", f"{what} is not the default. {advice}", flow)


# --- scopes ---


def _check_starts(process: ProcessSource, report: Report) -> None:
    scopes: list[tuple[int, Node | ProcessSource]] = [(PROCESS, process)]
    scopes += [
        (node.index, node)
        for node in process.nodes
        if _is_scope(node) and not node.by_event and node.tag != AD_HOC
    ]
    for scope, owner in scopes:
        starts = process.start_events(scope)
        for start in starts:
            if scope != PROCESS and start.has_definition:
                report.error(
                    "sub-process-start",
                    "A sub-process begins with a none start event. Remove the event definition.",
                    start,
                )
        plain = process.plain_starts(scope)
        if len(starts) > 1 and len(plain) > 1:
            report.error(
                "several-none-starts",
                f"The {owner.tag} has {len(plain)} none start events. Keep one and connect it to"
                " what the others began.",
                owner,
            )
        elif not plain and not starts and not (scope == PROCESS and process.beginnings()):
            what = "does not begin anywhere" if process.inside(scope) else "is empty"
            report.error("no-start", f"The {owner.tag} {what}. Give it a start event.", owner)


def _check_reachable(process: ProcessSource, report: Report) -> None:
    pending = _begins(process, PROCESS)
    reached = set(pending)
    while pending:
        node = process.nodes[pending.pop()]
        following = [process.flows[flow].target for flow in node.outgoing]
        following += node.boundary
        following.append(node.compensation)
        following += process.link_targets(node)
        if _is_scope(node):
            following += _begins(process, node.index)
        for index in following:
            if index is not None and index not in reached:
                reached.add(index)
                pending.append(index)
    for node in process.nodes:
        inside_reached = node.scope == PROCESS or node.scope in reached
        host_reached = node.attached_to is None or node.attached_to in reached
        if node.index not in reached and node.runnable and inside_reached and host_reached:
            report.warning(
                "unreachable",
                f"Nothing leads to this {node.tag}, so it never runs. Connect it, or remove it.",
                node,
            )


# --- attachments and gateways ---


def _check_attachments(process: ProcessSource, report: Report) -> None:
    for node in process.nodes:
        if node.attached_to is None:
            continue
        host = process.nodes[node.attached_to]
        if host.tag not in ACTIVITIES and host.runnable:
            report.error(
                "boundary-not-on-activity",
                f"The boundary event is attached to a {host.tag}. Attach it to an activity.",
                node,
            )
        elif host.scope != node.scope:
            report.error(
                "boundary-crosses-scope",
                f"The boundary event lies in another scope than {quote(host.id)}, to which it is"
                " attached. Draw it in the same one.",
                node,
            )


def _check_event_gateways(process: ProcessSource, report: Report) -> None:
    for node in process.nodes:
        if node.tag != "eventBasedGateway" or not node.runnable:
            continue
        if len(node.outgoing) < 2:
            # 10.6.6: "An Event Gateway MUST have two or more outgoing Sequence Flows."
            report.error(
                "event-gateway-arms",
                f"The event-based gateway has {len(node.outgoing)} outgoing flows. Give it at"
                " least two, each to a catch event or a receive task.",
                node,
            )
        for flow in _outgoing(process, node):
            if flow.target is not None:
                _check_arm(process.nodes[flow.target], report)


def _check_arm(arm: Node, report: Report) -> None:
    if not arm.runnable:
        return
    if arm.tag not in ("intermediateCatchEvent", "receiveTask"):
        report.error(
            "event-gateway-arm",
            f"A {arm.tag} cannot follow an event-based gateway. Put a catch event or a"
            " receive task between them.",
            arm,
        )
    elif len(arm.incoming) > 1:
        # 10.6.6: "Target elements in an Event Gateway configuration MUST NOT have any additional
        # incoming Sequence Flows (other than that from the Event Gateway)."
        report.error(
            "event-gateway-arm",
            "What follows an event-based gateway may have no other incoming flow. Draw an event of"
            " its own for the other flow.",
            arm,
        )
    elif arm.boundary:
        # 10.6.6: "Receive Tasks used in an Event Gateway configuration MUST NOT have any attached
        # Intermediate Events."
        report.error(
            "event-gateway-arm",
            "A receive task behind an event-based gateway may have no boundary event. Draw the"
            " event as a further arm of the gateway.",
            arm,
        )
    elif any(part.tag in LOOPS for part in arm.children):
        report.error(
            "event-gateway-arm",
            "A receive task behind an event-based gateway may not be repeated. Remove its loop.",
            arm,
        )


def _begins(process: ProcessSource, scope: int) -> list[int]:
    return process.first(scope) + [node.index for node in process.inside(scope) if node.by_event]


def _is_scope(node: Node) -> bool:
    return node.tag in CONTAINERS and node.runnable


def _outgoing(process: ProcessSource, node: Node) -> list[Flow]:
    return [process.flows[index] for index in node.outgoing]


def _target(process: ProcessSource, flow: Flow) -> str:
    return "nowhere" if flow.target is None else process.nodes[flow.target].id


_CHECKS: Final[tuple[Callable[[ProcessSource, Report], None], ...]] = (
    _check_flow_scopes,
    _check_event_flows,
    _check_conditions,
    _check_defaults,
    _check_exclusive_gateways,
    _check_starts,
    _check_reachable,
    check_joins,
    _check_attachments,
    _check_event_gateways,
    check_event_sub_processes,
    check_ad_hoc_sub_processes,
    check_transactions,
    check_instantiating,
)
