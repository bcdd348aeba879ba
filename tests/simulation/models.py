"""The processes that simulated clients start: every kind of waiting, and every kind of send."""

from tests.simulation.setup import JOB_TYPES
from tests.support import decisions as d
from tests.support import models as m

CHARGE, PACK, INFORM = JOB_TYPES


def _order(patience: str) -> str:
    """A job that may fail, be refused as an error, or take too long; then a person."""
    return m.process(
        "order",
        m.start("placed"),
        m.service_task("charge", type=CHARGE, retries="3"),
        m.boundary("declined", "charge", m.error_event("refused")),
        m.boundary("slow", "charge", m.timer(duration=patience)),
        m.user_task("approve", candidate_groups="=[group]"),
        m.boundary("remind", "approve", m.timer(cycle="R2/PT2S"), interrupting=False),
        m.end("done"),
        m.end("not_charged"),
        m.end("given_up"),
        m.end("reminded"),
        m.boundary("hear", "approve", m.signal_event("closing"), interrupting=False),
        m.end("told"),
        m.flow("hear", "told"),
        m.chain("placed", "charge", "approve", "done"),
        m.flow("declined", "not_charged"),
        m.flow("slow", "given_up"),
        m.flow("remind", "reminded"),
    )


_FULFIL = m.process(
    "fulfil",
    m.start("begin"),
    m.parallel("fork"),
    m.call_activity("pack_all", "packing"),
    m.catch("cool_down", m.timer(duration="PT3S")),
    m.parallel("join"),
    m.end("done"),
    m.chain("begin", "fork", "pack_all", "join", "done"),
    m.chain("fork", "cool_down", "join"),
)

_PACKING = m.process(
    "packing",
    m.start("begin"),
    m.decision_task("choose", "Box", result="box"),
    m.service_task("pack", type=PACK),
    m.end("done"),
    m.chain("begin", "choose", "pack", "done"),
)

_WAITING = m.process(
    "waiting",
    m.start("begin"),
    m.catch("wait_paid", m.message_event("paid"), outputs={"paid": "=amount"}),
    m.event_gateway("which"),
    m.catch("wait_shipped", m.message_event("shipped")),
    m.catch("wait_long", m.timer(duration="PT15S")),
    m.catch("wait_closing", m.signal_event("closing")),
    m.script_task("reckon", "=paid + 1", result="sum"),
    m.end("done"),
    m.end("late"),
    m.chain("begin", "wait_paid", "which", "wait_shipped", "reckon", "done"),
    m.chain("which", "wait_long", "late"),
    m.chain("which", "wait_closing", "late"),
)

_GREETING = m.process(
    "greeting",
    m.start("greeted", m.message_event("greet")),
    m.service_task("inform", type=INFORM),
    m.end("done"),
    m.chain("greeted", "inform", "done"),
)

_TICKING = m.process(
    "ticking",
    m.start("tick", m.timer(cycle="R2/PT7S")),
    m.end("done"),
    m.chain("tick", "done"),
)

_ALARMED = m.process(
    "alarmed",
    m.start("begin"),
    m.catch("wait_alarm", m.signal_event("alarm")),
    m.looped(
        m.service_task("pack", type=PACK),
        m.multi_instance(over="=[1, 2, 3]", item="box", output="=box", into="boxes"),
    ),
    m.end("done"),
    m.chain("begin", "wait_alarm", "pack", "done"),
)

_RINGING = m.process(
    "ringing",
    m.start("rung", m.signal_event("alarm")),
    m.catch("a_moment", m.timer(duration="PT2S")),
    m.end("done"),
    m.chain("rung", "a_moment", "done"),
)

_GATHERING = m.process(
    "gathering",
    m.event_gateway("both", instantiate=True, parallel=True),
    m.catch("wait_ordered", m.message_event("ordered")),
    m.receive_task("wait_billed", "billed"),
    m.parallel("join"),
    m.service_task("inform", type=INFORM),
    m.end("done"),
    m.chain("both", "wait_ordered", "join", "inform", "done"),
    m.chain("both", "wait_billed", "join"),
)

_SIGNALS = (m.signal("alarm", "alarm"),)

_MESSAGES = (
    m.message("paid", "paid", key="=key"),
    m.message("shipped", "shipped", key="=key"),
    m.message("greet", "greet"),
    m.message("ordered", "ordered"),
    m.message("billed", "billed"),
    m.signal("closing", "closing"),
    m.error("refused", "declined"),
)


def _box(size: str) -> bytes:
    """The decision that packing comes to, in the version that is the latest then."""
    return d.dmn(d.decision("Box", d.table(["1"], ["size"], [["1", f'"{size}"']])))


FIRST = {
    "box.dmn": _box("small"),
    "order.bpmn": m.bpmn(_order("PT20S"), *_MESSAGES),
    "fulfil.bpmn": m.bpmn(_FULFIL),
    "packing.bpmn": m.bpmn(_PACKING),
    "waiting.bpmn": m.bpmn(_WAITING, *_MESSAGES),
    "greeting.bpmn": m.bpmn(_GREETING, *_MESSAGES),
    "ticking.bpmn": m.bpmn(_TICKING),
    "alarmed.bpmn": m.bpmn(_ALARMED, *_SIGNALS),
    "ringing.bpmn": m.bpmn(_RINGING, *_SIGNALS),
    "gathering.bpmn": m.bpmn(_GATHERING, *_MESSAGES),
}
SECOND = {
    "order.bpmn": m.bpmn(_order("PT12S"), *_MESSAGES),
    "box.dmn": _box("large"),
}
"""A second version of two of them, deployed while instances of the first ones are under way."""
