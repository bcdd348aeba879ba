"""What the worker of an ad-hoc sub-process decides, by the result of its job.

As in Camunda 8, whose names the result has:

    {"activateElements": [{"elementId": "search", "variables": {"query": "shoes"}}]}
    {"isCompletionConditionFulfilled": true, "isCancelRemainingInstances": true}

With neither, the worker waits for what runs: it is asked again when something of it is over. When
it is asked, and what becomes of a question that is out of date, is `ad_hoc.py`'s.
"""

from typing import Any, Final

import msgspec

from engine import events as e
from engine import state as s
from engine import variables as v
from engine.instances import ad_hoc, listeners
from engine.instances.advance import Advance
from engine.instances.commands.choices import check_offered
from engine.instances.endings import terminate_inside
from engine.instances.guards import check_number, check_size
from engine.instances.limits import CHOICES_MAX
from engine.model.elements import AdHocSubProcess
from engine.rejections import Rejection, RejectionCode
from engine.values import Value, ValueDecodeError, decode, encode

_KIND: Final = "adHocSubProcess"
"""What Camunda calls results of this kind, where a result says its `type`."""


class _Activation(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    element_id: str
    variables: dict[str, Any] | None = None


class _Decision(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """The result, with the names of Camunda 8. Values that are null count as left out."""

    type: str | None = None
    activate_elements: tuple[_Activation, ...] | None = None
    is_completion_condition_fulfilled: bool | None = None
    is_cancel_remaining_instances: bool | None = None

    @property
    def chosen(self) -> tuple[_Activation, ...]:
        return self.activate_elements or ()

    @property
    def fulfilled(self) -> bool:
        return self.is_completion_condition_fulfilled is True

    @property
    def cancels(self) -> bool:
        return self.is_cancel_remaining_instances is True


def is_asked(advance: Advance, job: s.JobWait) -> bool:
    """Whether a job is the question what is to happen in an ad-hoc sub-process."""
    if not advance.model.has_directed_ad_hocs or listeners.is_listener(job):
        return False
    return isinstance(advance.element(job.owner), AdHocSubProcess)


def complete(
    advance: Advance, job: s.JobWait, variables: dict[str, str], result: str | None
) -> Rejection | None:
    """The worker has decided. Its variables are written first: what begins now sees them."""
    decision = _read(result)
    if isinstance(decision, Rejection):
        return decision
    element, offer = advance.element(job.owner), advance.offer_of(job.owner)
    assert isinstance(element, AdHocSubProcess), "nothing else is directed"
    assert offer is not None, "what offers nothing any more has recalled its job"
    texts = tuple(
        {name: encode(value) for name, value in (each.variables or {}).items()}
        for each in decision.chosen
    )
    element_ids = tuple(each.element_id for each in decision.chosen)
    targets = v.propagate(advance.state, job.owner, variables)
    rejection = (
        _check(decision)
        or check_number("the number of activateElements", len(element_ids), 0, CHOICES_MAX)
        or check_offered(advance, element, element_ids)
        or check_size(advance, targets, beside=sum(map(v.size, texts)))
    )
    if rejection is not None:
        return rejection
    advance.emit(e.JobClosed(key=job.key, reason="completed"))
    advance.set_each(targets)
    if decision.fulfilled:
        ad_hoc.stop(advance, offer.key, cancels=decision.cancels)
        return None
    if decision.cancels:
        terminate_inside(advance, job.owner)
    chosen = e.ActivitiesChosen(
        key=offer.key,
        element_ids=element_ids,
        variables=texts if any(texts) else (),
        instead=decision.cancels,
    )
    ad_hoc.choose(advance, chosen)
    return None


def _read(result: str | None) -> _Decision | Rejection:
    """Numbers in variables stay exact: they are decoded before they are given their places."""
    try:
        value: Value = {} if result is None else decode(result)
        return msgspec.convert(value, _Decision)
    except (ValueDecodeError, msgspec.ValidationError) as error:
        return _invalid(f"Expected a result with activateElements or an end: {error}")


def _check(decision: _Decision) -> Rejection | None:
    if decision.type not in {None, _KIND}:
        return _invalid(f"Expected a result of the type {_KIND!r}, found {decision.type!r:.100}")
    if decision.fulfilled and decision.chosen:
        return _invalid("Expected either activateElements or a fulfilled condition, found both")
    if decision.cancels and not (decision.fulfilled or decision.chosen):
        return _invalid(
            "Expected isCancelRemainingInstances with activateElements or a fulfilled condition:"
            " nothing would be left that asks again"
        )
    return None


def _invalid(detail: str) -> Rejection:
    return Rejection(RejectionCode.INVALID_ARGUMENT, detail)
