"""One reader for each element that runs: from the drawing to the compiled Struct.

A reader reports everything that is wrong with its element and gives None if it cannot be compiled.
What concerns several elements (flows, scopes, attachments) is `validate`'s.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from engine.model import elements as e
from engine.model.extensions import Extensions
from engine.model.readers import activities, events, gateways
from engine.model.reading import Reading
from engine.model.source import Node

ElementReader = Callable[[Reading, Node, Extensions], e.AnyElement | None]
E = TypeVar("E", bound=e.AnyElement)


def read_element(reading: Reading, node: Node) -> e.AnyElement | None:
    """Compile one flow node. None, and a finding, if that is not possible."""
    extensions = reading.dialect.extensions(node, reading.report)
    return _BY_TAG[node.tag](reading, node, extensions)


def _row(
    element: type[E], reader: Callable[[Reading, Node, Extensions], E | None]
) -> tuple[type[e.Element], ElementReader]:
    """Pairs an element with its reader, so that a wrong pair does not pass the type check."""
    return element, reader


READERS: Final[dict[type[e.Element], ElementReader]] = dict(
    (
        _row(e.StartEvent, events.start_event),
        _row(e.EndEvent, events.end_event),
        _row(e.IntermediateCatchEvent, events.catch_event),
        _row(e.IntermediateThrowEvent, events.throw_event),
        _row(e.BoundaryEvent, events.boundary_event),
        _row(e.ServiceTask, activities.service_task),
        _row(e.SendTask, activities.send_task),
        _row(e.BusinessRuleTask, activities.business_rule_task),
        _row(e.ScriptTask, activities.script_task),
        _row(e.UserTask, activities.user_task),
        _row(e.ReceiveTask, activities.receive_task),
        _row(e.ManualTask, activities.manual_task),
        _row(e.AbstractTask, activities.abstract_task),
        _row(e.SubProcess, activities.sub_process),
        _row(e.Transaction, activities.transaction),
        _row(e.AdHocSubProcess, activities.ad_hoc_sub_process),
        _row(e.CallActivity, activities.call_activity),
        _row(e.ExclusiveGateway, gateways.exclusive_gateway),
        _row(e.ParallelGateway, gateways.parallel_gateway),
        _row(e.InclusiveGateway, gateways.inclusive_gateway),
        _row(e.ComplexGateway, gateways.complex_gateway),
        _row(e.EventBasedGateway, gateways.event_based_gateway),
    )
)
"""Every element that runs, and how it is read. `AnyElement` has exactly these members."""

_BY_TAG: Final = {str(kind.__struct_config__.tag): reader for kind, reader in READERS.items()}
KINDS: Final = frozenset(_BY_TAG)
"""The tags of the flow nodes that run."""
