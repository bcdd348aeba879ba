"""Parallel joins that can never complete, for a token that they wait for can never come.

One walk lets everything go on that may, joins once all their flows may be taken: a join with only
some such flows waits for ever. Another lets no join go on. A scope in which nothing before a join
forks has a single token, and a join needs one on each flow.

    s --> x --> j      x an exclusive, j a parallel gateway: whichever flow x takes,
          `---> j      j waits for the other one
"""

from collections.abc import Iterator
from typing import Final

from engine.model.ad_hoc import TAG as AD_HOC
from engine.model.elements import PROCESS
from engine.model.report import Report, quote
from engine.model.source import Node, ProcessSource, is_true

_ONE_OF_MANY: Final = frozenset({"exclusiveGateway", "eventBasedGateway"})
"""Gateways that take one flow, whatever else leads out of them."""


def check_joins(process: ProcessSource, report: Report) -> None:
    """Warn of each join of section 13.4.1 whose flows cannot all be taken."""
    joins = [node for node in process.nodes if _is_join(node)]
    if not joins:
        return
    begins = {scope: process.first(scope) for scope in {node.scope: None for node in joins}}
    pending = [index for indexes in begins.values() for index in indexes]
    in_the_end = _reached(process, pending, joins_go_on=True)
    at_first = _reached(process, pending, joins_go_on=False)
    forked = {scope: _several_begin(process, scope, indexes) for scope, indexes in begins.items()}
    for index in at_first:
        node = process.nodes[index]
        if node.scope in forked and _forks(process, node):
            forked[node.scope] = True
    for join in joins:
        untaken = [flow for flow in join.incoming if process.flows[flow].source not in in_the_end]
        if len(untaken) == len(join.incoming):
            continue  # nothing leads to it, which is a finding of its own
        if not forked[join.scope]:
            _report(join, "Nothing before it forks, so a single token comes to it", report)
        elif untaken:
            flow = process.flows[untaken[0]]
            _report(join, f"Nothing takes the flow {quote(flow.id)} before it completes", report)


def _report(join: Node, why: str, report: Report) -> None:
    report.warning(
        "join-never-completes",
        f"{why}, and it waits for one on each of its {len(join.incoming)} flows: it never"
        " completes. Merge with an exclusive gateway, or fork with a parallel one before.",
        join,
    )


def _is_join(node: Node) -> bool:
    return node.tag == "parallelGateway" and len(node.incoming) > 1


def _several_begin(process: ProcessSource, scope: int, begins: list[int]) -> bool:
    """Whether more than one token may begin in a scope: of several start events one begins."""
    if scope != PROCESS and process.nodes[scope].tag == AD_HOC:
        return True
    triggered = process.start_events(scope) or (scope == PROCESS and process.beginnings())
    return not triggered and len(begins) > 1


def _reached(process: ProcessSource, begins: list[int], *, joins_go_on: bool) -> dict[int, None]:
    """The nodes that may go on, in the order in which that is found."""
    pending, reached = list(begins), dict.fromkeys(begins)
    taken: dict[int, int] = {}
    while pending:
        for index in _followers(process, process.nodes[pending.pop()]):
            if index in reached:
                continue
            if _is_join(process.nodes[index]):
                taken[index] = taken.get(index, 0) + 1
                if not joins_go_on or taken[index] < len(process.nodes[index].incoming):
                    continue
            reached[index] = None
            pending.append(index)
    return reached


def _followers(process: ProcessSource, node: Node) -> Iterator[int]:
    """The nodes that a node leads to, once for each flow."""
    for flow in node.outgoing:
        target = process.flows[flow].target
        if target is not None:
            yield target
    yield from node.boundary
    yield from process.link_targets(node)


def _forks(process: ProcessSource, node: Node) -> bool:
    """Whether one token may become several here."""
    if any(_goes_on_beside(process.nodes[index]) for index in node.boundary):
        return True
    if node.tag in _ONE_OF_MANY and not node.is_parallel:
        return False
    return len(node.outgoing) > 1


def _goes_on_beside(boundary: Node) -> bool:
    cancels = boundary.xml.get("cancelActivity")
    return cancels is not None and not is_true(cancels)
