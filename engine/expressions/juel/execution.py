"""What the word `execution` means in JUEL: a table of facts about the instance, and its variables.

In Java it is the engine's own object, with the way to everything. Here it has what is in these
tables; anything else on it is a call that this engine cannot make, recognised when it is compiled.
"""

from collections.abc import Callable
from typing import Final

from engine.expressions.environment import Environment
from engine.expressions.juel.functions import has_variable, read_variable
from engine.values import Value

NAME: Final = "execution"

FACTS: Final[dict[str, str]] = {
    "activityInstanceId": "activityInstanceId",
    "businessKey": "businessKey",
    "currentActivityId": "activityId",
    "currentActivityName": "activityName",
    "id": "executionId",
    "processBusinessKey": "businessKey",
    "processDefinitionId": "processDefinitionId",
    "processInstanceBusinessKey": "businessKey",
    "processInstanceId": "processInstanceId",
    "rootProcessInstanceId": "rootProcessInstanceId",
    "tenantId": "tenantId",
}
"""Property of `execution` -> the key that the environment's facts have it under."""

METHODS: Final[dict[str, Callable[[Environment, Value], Value]]] = {
    "getVariable": read_variable,
    "hasVariable": has_variable,
}
"""Methods of `execution` that take the name of a variable."""


def read_fact(env: Environment, key: str) -> Value:
    """A fact about the instance; null if the caller does not tell it."""
    return env.facts.get(key)
