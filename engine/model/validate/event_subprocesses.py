"""Whether event sub-processes can be begun: by one event, and by nothing else."""

from engine.model.report import Report
from engine.model.source import Node, ProcessSource


def check_event_sub_processes(process: ProcessSource, report: Report) -> None:
    """Report event sub-processes that nothing would begin, or something that cannot."""
    for node in process.nodes:
        if node.by_event and node.runnable:
            _check_start(process, node, report)
            _check_surroundings(node, report)


def _check_start(process: ProcessSource, node: Node, report: Report) -> None:
    """10.3.5: "The Event Sub-Process MUST have a single Start Event"."""
    starts = process.start_events(node.index)
    if len(starts) != 1:
        report.error(
            "event-sub-process-start",
            f"The event sub-process has {len(starts)} start events. Give it exactly one, with the"
            " event that it waits for.",
            node,
        )


def _check_surroundings(node: Node, report: Report) -> None:
    """10.3.5: "An Event Sub-Process MUST NOT have any incoming or outgoing Sequence Flows"."""
    if node.incoming or node.outgoing:
        report.error(
            "event-sub-process-flow",
            "An event sub-process cannot have incoming or outgoing sequence flows: its start event"
            " begins it. Remove the flows.",
            node,
        )
    if node.boundary:
        report.error(
            "event-sub-process-boundary",
            "An event sub-process cannot have boundary events. Attach them to an activity in it.",
            node,
        )
