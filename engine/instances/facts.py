"""What `execution` tells in JUEL: who the instance is, and where an expression is evaluated."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from engine.outcome import Context
from engine.routing import root_of
from engine.state import ProcessInstance
from engine.values import Value


class Facts(Mapping[str, Value]):
    """The facts as they are at the moment. `scope` is the element instance that looks."""

    __slots__ = ("_context", "_state", "scope")

    def __init__(self, context: Context, state: ProcessInstance) -> None:
        self._context = context
        self._state = state
        self.scope: int | None = None

    def __getitem__(self, name: str) -> Value:
        return _READERS[name](self._context, self._state, self.scope or self._state.root)

    def __iter__(self) -> Iterator[str]:
        return iter(_READERS)

    def __len__(self) -> int:
        return len(_READERS)


def _execution_id(_context: Context, state: ProcessInstance, scope: int) -> Value:
    return f"{state.instance_id}:{scope}"


def _activity_id(_context: Context, state: ProcessInstance, scope: int) -> Value:
    instance = state.elements.get(scope)
    return None if instance is None or instance.scope is None else instance.element_id


def _activity_name(context: Context, state: ProcessInstance, scope: int) -> Value:
    activity = _activity_id(context, state, scope)
    if context.model is None or not isinstance(activity, str):
        return None
    return context.model.element(activity).name


def _definition_id(_context: Context, state: ProcessInstance, _scope: int) -> Value:
    return f"{state.start.process_id}:{state.start.version}"


_READERS: Final[dict[str, Callable[[Context, ProcessInstance, int], Value]]] = {
    "activityId": _activity_id,
    "activityInstanceId": _execution_id,
    "activityName": _activity_name,
    "businessKey": lambda _context, state, _scope: state.start.business_key,
    "executionId": _execution_id,
    "processDefinitionId": _definition_id,
    "processInstanceId": lambda _context, state, _scope: state.instance_id,
    "rootProcessInstanceId": lambda _context, state, _scope: root_of(state.instance_id),
    "tenantId": lambda context, _state, _scope: context.namespace,
}
"""By the keys of `engine.expressions.juel.execution.FACTS`."""
