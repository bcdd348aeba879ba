"""Data objects and the inputs of a process: variables that the model declares (BPMN 10.4)."""

from collections.abc import Iterable

from engine import events as e
from engine.instances.advance import Advance
from engine.instances.stuck import IncidentKind, StuckError
from engine.model.elements import DataObject


def declare(advance: Advance, data: Iterable[DataObject], key: int) -> None:
    """Give a scope that begins its data objects, unless it has variables of these names already.

    10.4.1: a data object is "instantiated when the element is instantiated". Their sizes count, but
    are not asked for: the model's own size bounds them.
    """
    own = advance.state.variables.get(key, {})
    fresh = {item.name: item.value for item in data if item.name not in own}
    if fresh:
        advance.emit(e.VariablesSet(scope=key, variables=fresh))


def require_inputs(advance: Advance) -> None:
    """Raise StuckError unless all inputs of one of the process's input sets are there.

    10.4.2: "If no InputSet is available, then the execution will wait until this condition is met."
    It waits as an incident: whoever resolves it brings what is missing.
    """
    variables = advance.state.variables.get(advance.state.root, {})
    missing: list[list[str]] = []
    for names in advance.model.input_sets:
        missing.append([name for name in names if variables.get(name, "null") == "null"])
        if not missing[-1]:
            return
    if missing:
        fewest = ", ".join(sorted(missing, key=len)[0])
        raise StuckError(
            IncidentKind.DATA_MISSING,
            f"The process begins when its inputs are there; missing: {fewest}",
        )
