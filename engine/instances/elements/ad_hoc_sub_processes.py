"""Ad-hoc sub-processes: scopes whose activities are chosen while they run.

What is chosen, ordered and counted is `engine/instances/ad_hoc.py`'s; here is how one begins and
ends, and how that ends what was chosen in it, where that has a scope of its own (`CHOICE`).
"""

from engine import events as e
from engine.instances import ad_hoc
from engine.instances.activities import activate
from engine.instances.advance import Advance
from engine.instances.arming import arm_events
from engine.instances.collecting import require_room
from engine.instances.data_objects import declare
from engine.instances.elements.handler import Handler, complete_with_outputs
from engine.instances.flows import leave
from engine.instances.job_opening import make_job
from engine.instances.limits import CHOICES_MAX
from engine.instances.mappings import to_texts
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import Step
from engine.model.elements import AdHocSubProcess


def _activate(advance: Advance, element: AdHocSubProcess, key: int) -> Step:
    """As any sub-process: its data objects first, for its inputs may be meant for them."""
    declare(advance, element.data, key)
    if element.output_collection is not None and element.shows_outputs:
        advance.set_variables(key, {element.output_collection: "[]"})
    return activate(advance, element, key)


def _run(advance: Advance, element: AdHocSubProcess, key: int) -> None:
    """Offer the activities, and choose those that the model activates.

    13.3.5: "Initially, all Activities without incoming Sequence Flows are enabled. One of the
    enabled Activities is selected for execution." By whom is left open: here by an expression of
    the model, by a worker, and by commands.
    """
    chosen = _active(advance, element, key)
    asked = None if element.job is None else make_job(advance, element.job, key)
    arm_events(advance, key)
    offer = advance.new_key()
    advance.emit(e.AdHocOpened(key=offer, owner=key))
    ad_hoc.choose(advance, e.ActivitiesChosen(key=offer, element_ids=chosen))
    if asked is not None:
        advance.emit(asked)


def _direct(advance: Advance, element: AdHocSubProcess, key: int) -> None:
    """Ask its worker what is to happen now, unless it was asked or has decided meanwhile."""
    offer = advance.offer_of(key)
    if element.job is None or offer is None or offer.stopped or ad_hoc.asks(advance, key):
        return
    advance.emit(make_job(advance, element.job, key))


def _active(advance: Advance, element: AdHocSubProcess, key: int) -> tuple[str, ...]:
    """The ids of what begins at once. Raises StuckError, naming those that cannot."""
    if element.active is None:
        return ()
    value = advance.evaluator.evaluate(element.active, key)
    expected = f"a list of at most {CHOICES_MAX} ids of activities"
    if not isinstance(value, list) or len(value) > CHOICES_MAX:
        raise advance.evaluator.unusable(element.active, expected, value)
    offered = ad_hoc.offered(advance.model, element)
    wrong = [item for item in value if item not in offered]
    if wrong:
        expected = f"ids of what {element.id} offers: {', '.join(offered)}"
        raise advance.evaluator.unusable(element.active, expected, wrong)
    return tuple(item for item in value if isinstance(item, str))


def _complete(advance: Advance, element: AdHocSubProcess, key: int) -> Step:
    """The collected outputs go outward as any variable does, then come the output mappings."""
    name, scope = element.output_collection, advance.instance(key).scope
    if name is not None and scope is not None:
        whole = _shown(advance, name, key) if element.shows_outputs else _whole(advance, key)
        advance.propagate(scope, {name: whole})
    return complete_with_outputs(advance, element, key)


def _collect(advance: Advance, element: AdHocSubProcess, key: int) -> Step:
    """All that began with one choice is over: add its output to those collected so far.

    They are written as a whole only where something asks for them meanwhile: each of n writes would
    tell of all before it, n * n / 2 outputs in the end.
    """
    name, scope = element.output_collection, advance.instance(key).scope
    if element.output is None or name is None or scope is None:
        return Step.LEAVE
    value = advance.evaluator.evaluate(element.output, key)
    text = to_texts({name: value})[name]
    if element.shows_outputs:
        before = _shown(advance, name, scope)
        comma = "" if before == "[]" else ","
        advance.set_variables(scope, {name: f"{before[:-1]}{comma}{text}]"})
    else:
        ordinal = _last_ordinal(advance, scope) + 1
        require_room(advance, text, f"with output {ordinal} of {element.id}")
        advance.emit(e.OutputCollected(key=scope, ordinal=ordinal, text=text))
    return Step.LEAVE


def _last_ordinal(advance: Advance, key: int) -> int:
    pages = advance.state.outputs.get(key)
    return max(pages[max(pages)]) if pages else 0


def _whole(advance: Advance, key: int) -> str:
    pages = advance.state.outputs.get(key, {})
    texts = [
        pages[number][ordinal] for number in sorted(pages) for ordinal in sorted(pages[number])
    ]
    return f"[{','.join(texts)}]"


def _shown(advance: Advance, name: str, key: int) -> str:
    text = advance.state.variables.get(key, {}).get(name, "null")
    if not text.startswith("["):
        raise StuckError(
            IncidentKind.EXPRESSION_FAILED,
            f"Expected a list of the outputs so far in {name!r}, found {text[:100]}",
        )
    return text


def _leave_choice(advance: Advance, element: AdHocSubProcess, key: int) -> None:
    leave(advance, element, key, ())


AD_HOC_SUB_PROCESS = Handler[AdHocSubProcess](
    first=Step.ACTIVATE, activate=_activate, run=_run, direct=_direct, complete=_complete
)
CHOICE = Handler[AdHocSubProcess](complete=_collect, leave=_leave_choice)
