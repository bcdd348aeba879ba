"""Which version is called: of a process by a call activity, of a decision by a task."""

from engine.definitions import VersionRef, Versions
from engine.instances.advance import Advance
from engine.model.elements import CallActivity, DecisionCall


def bound_version(
    advance: Advance, call: CallActivity | DecisionCall, versions: Versions | None
) -> VersionRef | None:
    """The version that is meant, as the partition knows it now; None: there is none."""
    if versions is None:
        return None
    if call.version_tag is not None:
        return versions.tagged(call.version_tag)
    if call.same_deployment:
        start = advance.state.start
        own = advance.context.definitions.find(start.process_id, start.version)
        return versions.deployed_with(own.deployment if own else 0)
    return versions.find(call.version)


def binding_text(call: CallActivity | DecisionCall) -> str:
    """What is asked of the version, as it follows the id in a sentence."""
    if call.version_tag is not None:
        return f" with the version tag {call.version_tag!r}"
    if call.same_deployment:
        return " in the deployment of its caller"
    return "" if call.version is None else f" version {call.version}"
