"""Choices of people and programs: an ad-hoc sub-process begins activities, or is completed."""

from engine import commands as c
from engine import events as e
from engine.instances import ad_hoc
from engine.instances.advance import Advance
from engine.instances.guards import check_number, find_scope, not_found
from engine.instances.limits import CHOICES_MAX
from engine.instances.scans import inside
from engine.model.elements import AdHocSubProcess
from engine.rejections import Rejection, RejectionCode
from engine.state import AdHocWait


def activate_activities(advance: Advance, command: c.ActivateActivities) -> Rejection | None:
    """Begin the activities, or stop the ad-hoc sub-process: one of the two."""
    rejection = _check_fields(command)
    if rejection is not None:
        return rejection
    offer = _find_offer(advance, command.element_instance_id)
    if isinstance(offer, Rejection):
        return offer
    if command.complete:
        ad_hoc.stop(advance, offer.key)
        return None
    rejection = _check_choice(advance, offer, command.element_ids)
    if rejection is None:
        ad_hoc.choose(advance, e.ActivitiesChosen(key=offer.key, element_ids=command.element_ids))
    return rejection


def _check_fields(command: c.ActivateActivities) -> Rejection | None:
    if bool(command.element_ids) == command.complete:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            "Expected either element_ids or complete, found "
            + ("both" if command.complete else "neither"),
        )
    return check_number("the number of element_ids", len(command.element_ids), 0, CHOICES_MAX)


def _find_offer(advance: Advance, element_instance_id: str) -> AdHocWait | Rejection:
    key = find_scope(advance, element_instance_id)
    if isinstance(key, Rejection):
        return key
    if advance.is_ending(key):
        return not_found(f"a living element instance {element_instance_id}", "it ended")
    found = _other(advance, key)
    if found is not None:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            f"Expected an ad-hoc sub-process {element_instance_id}, found {found}",
        )
    offer = advance.offer_of(key)
    if offer is None or offer.stopped:
        return Rejection(
            RejectionCode.INVALID_STATE,
            f"Expected {element_instance_id} to offer activities, found it "
            + ("not begun, interrupted or stuck at its end" if offer is None else "completing"),
        )
    return offer


def _other(advance: Advance, key: int) -> str | None:
    """What an element instance is instead of an ad-hoc sub-process."""
    if advance.instance(key).scope is None:
        return "the process"
    element = advance.element(key)
    name = f"{type(element).__name__} {element.id!r}"
    if advance.is_loop(key):
        return f"{name} around its iterations: name one of these"
    if advance.is_choice(key):
        return f"what was chosen in {name}: name that"
    return None if isinstance(element, AdHocSubProcess) else name


def check_offered(
    advance: Advance, element: AdHocSubProcess, element_ids: tuple[str, ...]
) -> Rejection | None:
    """Only what is offered can be chosen."""
    offered = ad_hoc.offered(advance.model, element)
    wrong = [name for name in element_ids if name not in offered]
    if not wrong:
        return None
    return Rejection(
        RejectionCode.INVALID_ARGUMENT,
        f"Expected activities that {element.id!r} offers ({', '.join(offered)}), "
        f"found {', '.join(wrong)[:200]}",
    )


def _check_choice(
    advance: Advance, offer: AdHocWait, element_ids: tuple[str, ...]
) -> Rejection | None:
    """13.3.5: of a sequential one another is selected "only if the previous one has terminated"."""
    element = advance.element(offer.owner)
    assert isinstance(element, AdHocSubProcess), "nothing else makes an offer"
    rejection = check_offered(advance, element, element_ids)
    if rejection is not None:
        return rejection
    if element.sequential and (offer.active or offer.chosen):
        running = [
            advance.instance(key).element_id
            for key in inside(advance.state, offer.owner)
            if advance.instance(key).ad_hoc == offer.key
        ]
        return Rejection(
            RejectionCode.INVALID_STATE,
            f"Expected no activity under way in {element.id!r}, which runs one at a time, "
            f"found {', '.join([*running, *offer.chosen])[:200]}",
        )
    return None
