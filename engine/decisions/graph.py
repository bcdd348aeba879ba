"""What a compiled decision model consists of: frozen structs, joined by ids."""

import msgspec

from engine.decisions.boxed import BoxedFunction
from engine.expressions.environment import Code


class Requirement(msgspec.Struct, frozen=True):
    """What a node needs of another: `names` are what its value is called here.

    `prefix` is the name of the import that it comes from, "" for the same file.
    """

    id: str
    names: tuple[str, ...]
    prefix: str = ""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """What inputs, decisions, knowledge and services have in common.

    `type` is the name of its value's type; None takes anything.
    """

    id: str
    name: str
    type: str | None = None


class InputData(Node, frozen=True, kw_only=True):
    """A value that comes from outside."""


class Invocable(Node, frozen=True, kw_only=True):
    """What a process may call. `version_tag` is how the file names its version."""

    version_tag: str | None = None
    line: int = 0


class Decision(Invocable, frozen=True, kw_only=True):
    """A decision. `result` is its variable's name.

    `outputs` are the names of its table's outputs; `collects`: its result is a list of all hits.
    """

    result: str
    requirements: tuple[Requirement, ...] = ()
    code: Code
    outputs: tuple[str, ...] = ()
    collects: bool = False


class Knowledge(Node, frozen=True, kw_only=True):
    """A business knowledge model: a function, or None if it has no logic or one with an error."""

    requirements: tuple[Requirement, ...] = ()
    function: BoxedFunction | None = None


class Service(Invocable, frozen=True, kw_only=True):
    """A decision service: some decisions as a function of inputs and of other decisions.

    `inputs` are inputs' and decisions' ids, in the order of the parameters.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


AnyNode = InputData | Decision | Knowledge | Service
