"""Call activities: another process runs as an instance of its own, on the same partition."""

from engine import commands as c
from engine import events as e
from engine import variables as v
from engine.definitions import VersionRef
from engine.instances.activities import activate
from engine.instances.advance import Advance
from engine.instances.bindings import binding_text, bound_version
from engine.instances.elements.handler import Handler
from engine.instances.mappings import map_inputs, to_texts, write_id
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import Step
from engine.model.elements import CallActivity
from engine.values import encode_object


def _run(advance: Advance, activity: CallActivity, key: int) -> None:
    """Call the version that the activity is bound to. Raises StuckError."""
    context, start = advance.context, advance.state.start
    process_id = advance.evaluator.name(activity.process_id, key)
    ref = _bound(advance, activity, process_id)
    depth_max = context.settings.call_depth_max
    if start.depth >= depth_max:
        raise StuckError(
            IncidentKind.CALLED_PROCESS_FAILED,
            f"Expected calls at most {depth_max} deep, found one more to {process_id!r}",
        )
    variables = encode_object(_passed(advance, activity, key))
    advance.consequences.carried += len(variables)
    business_key = _business_key(advance, activity, key)
    number = advance.new_key()
    child_id = f"{advance.state.instance_id}~{number}"
    write_id(advance, key, activity.id_variable, child_id)
    advance.emit(e.CallOpened(key=number, owner=key, child_id=child_id))
    advance.send(
        c.StartChild(
            instance_id=child_id,
            process_id=process_id,
            version=ref.version,
            parent_id=advance.state.instance_id,
            parent_element=key,
            depth=start.depth + 1,
            business_key=business_key,
            variables=variables,
            steps=advance.steps,
        )
    )


def _bound(advance: Advance, activity: CallActivity, process_id: str) -> VersionRef:
    """The version that is called. Raises StuckError where there is none."""
    ref = bound_version(advance, activity, advance.context.definitions.get(process_id))
    if ref is None:
        raise StuckError(
            IncidentKind.CALLED_PROCESS_FAILED,
            f"Expected the process {process_id!r}{binding_text(activity)} to be deployed, found"
            " none",
        )
    return ref


def _passed(advance: Advance, activity: CallActivity, key: int) -> dict[str, str]:
    """The variables that travel. Raises StuckError."""
    passed: dict[str, str] = {}
    if activity.propagate_all_parent_variables:
        passed = v.visible(advance.state, key)
    elif activity.passes is None:
        passed = dict(advance.state.variables.get(key, {}))
    return {**passed, **to_texts(map_inputs(advance, activity.passes or (), key))}


def _business_key(advance: Advance, activity: CallActivity, key: int) -> str | None:
    if activity.business_key is not None:
        return advance.evaluator.name(activity.business_key, key)
    return advance.state.start.business_key if activity.inherits_business_key else None


CALL_ACTIVITY = Handler[CallActivity](first=Step.ACTIVATE, activate=activate, run=_run)
