"""A compiled decision model, and its evaluation: required nodes first, each once."""

from collections.abc import Mapping
from typing import Final, Literal

from engine.decisions.errors import DecisionError
from engine.decisions.graph import (
    AnyNode,
    Decision,
    InputData,
    Invocable,
    Knowledge,
    Requirement,
    Service,
)
from engine.decisions.types import Types
from engine.expressions import MISSING, BudgetExceededError, Environment, Missing
from engine.expressions.environment import Frame
from engine.expressions.functions import Function, Parameter, make_signature
from engine.expressions.type_names import type_name
from engine.values import Value

_SERVICE_LEVELS: Final = 20


class DecisionModel:
    """The nodes of one file, with those of the files that it imports. Never changed."""

    def __init__(
        self,
        namespace: str,
        nodes: Mapping[str, AnyNode],
        types: Types,
        imported: Mapping[str, "DecisionModel"],
    ) -> None:
        self.namespace = namespace
        self.nodes = nodes
        self.types = types
        self.imported = imported

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions, in document order."""
        return tuple(node for node in self.nodes.values() if isinstance(node, Decision))

    @property
    def invocables(self) -> tuple[Invocable, ...]:
        """All that a process may call: decisions and decision services, in document order."""
        return tuple(node for node in self.nodes.values() if isinstance(node, Invocable))

    def evaluate(
        self, decision_id: str, variables: Mapping[str, Value], environment: Environment
    ) -> Value:
        """The result of a decision, or of a decision service.

        A variable is looked for in `variables`, then by the environment's lookup. Raises
        DecisionError where the model gives no result, and BudgetExceededError.
        """
        node = self.nodes.get(decision_id)
        if not isinstance(node, (Decision, Service)):
            raise DecisionError(f"There is no decision {decision_id!r}.")
        environment.begin()
        try:
            return _Evaluation(environment, variables).result(self, node)
        except RecursionError:
            raise BudgetExceededError("The decision nests too deeply.") from None

    def evaluate_rows(
        self, decision_id: str, variables: Mapping[str, Value], environment: Environment
    ) -> list[dict[str, Value]]:
        """The result as Camunda 7 gives it: for each rule that matches, the outputs by name.

        A decision that is no table, and an aggregated one, gives one row. Raises as `evaluate`.
        """
        value = self.evaluate(decision_id, variables, environment)
        return _rows(self.nodes[decision_id], value)

    def evaluate_service(
        self, service: Service, variables: Mapping[str, Value], environment: Environment
    ) -> dict[str, list[dict[str, Value]]]:
        """The rows of each output decision of a service, by its id. Raises as `evaluate`."""
        value = self.evaluate(service.id, variables, environment)
        if len(service.outputs) == 1:
            return {each: _rows(self.nodes[each], value) for each in service.outputs}
        values = value if isinstance(value, dict) else {}
        return {
            each: _rows(self.nodes[each], values.get(_parameter_name(self, each)))
            for each in service.outputs
        }


def _rows(node: AnyNode, value: Value) -> list[dict[str, Value]]:
    """A result as rows: for each rule that matches, the outputs by name."""
    name = node.result if isinstance(node, Decision) else node.name
    outputs = node.outputs if isinstance(node, Decision) else ()
    collected = isinstance(node, Decision) and node.collects and isinstance(value, list)
    hits = value if collected and isinstance(value, list) else [value]
    if len(outputs) > 1:
        return [hit for hit in hits if isinstance(hit, dict)]
    single = outputs[0] if outputs else name
    return [{single: hit} for hit in hits if hit is not None]


class _Evaluation:
    """One evaluation, or that of one call of a decision service: its inputs, and what is known."""

    def __init__(self, env: Environment, inputs: Mapping[str, Value]) -> None:
        self._env = env
        self._inputs = inputs
        self._base = Frame(inputs, None)
        self._known: dict[str, Value] = {}
        self._others: dict[str, _Evaluation] = {}

    def result(self, model: DecisionModel, node: Decision | Service) -> Value:
        """The value of a decision, or what a service gives for inputs of these names."""
        if isinstance(node, Decision):
            return self._decide(model, node)
        arguments = [self._input(_parameter_name(model, each)) for each in node.inputs]
        given = [None if argument is MISSING else argument for argument in arguments]
        return _serve(model, node, given, self._env)

    def preset(self, node_id: str, value: Value) -> None:
        """Take the value of a decision for known."""
        self._known[node_id] = value

    def value(self, model: DecisionModel, node_id: str) -> Value | Literal[Missing.MISSING]:
        """The value of a required node; missing for an input that is not there."""
        if node_id in self._known:
            return self._known[node_id]
        node = model.nodes[node_id]
        match node:
            case InputData():
                value = self._input(node.name)
                if value is MISSING:
                    return value
                value = self._conform(value, model, node)
            case Decision():
                value = self._decide(model, node)
            case Knowledge():
                return self._function(model, node)
            case Service():
                value = _service_function(model, node)
        self._known[node_id] = value
        return value

    def _input(self, name: str) -> Value | Literal[Missing.MISSING]:
        if name in self._inputs:
            return self._inputs[name]
        return self._env.lookup(name)

    def _decide(self, model: DecisionModel, node: Decision) -> Value:
        self._env.spend(1)
        frame = Frame(self._names(model, node.requirements), self._base)
        return self._conform(node.code(self._env, frame), model, node)

    def _conform(self, value: Value, model: DecisionModel, node: AnyNode) -> Value:
        """The value as one of the node's type.

        DMN 1.5 section 10.3.2.9.4 makes null of what does not conform. Here it is an error, as in
        Camunda, so that the incident can say what is wrong
        (test_a_result_that_is_not_of_its_type_is_an_error).
        """
        result = model.types.conform(value, node.type, self._env)
        if result is None and value is not None:
            raise DecisionError(
                f"The value of {node.name!r} is a {type_name(value)}, which is not of the type"
                f" {node.type}."
            )
        return result

    def _names(
        self, model: DecisionModel, requirements: tuple[Requirement, ...]
    ) -> dict[str, Value]:
        """What is required, by all of its names; a weak name never hides another's strong one."""
        weak: dict[str, Value] = {}
        strong: dict[str, Value] = {}
        for requirement in requirements:
            if requirement.prefix:
                self._add_imported(model, requirement, strong)
                continue
            value = self.value(model, requirement.id)
            if value is not MISSING:
                strong[requirement.names[-1]] = value
                for name in requirement.names[:-1]:
                    weak[name] = _output(value, name)
        return {**weak, **strong}

    def _add_imported(
        self, model: DecisionModel, requirement: Requirement, names: dict[str, Value]
    ) -> None:
        """Under the import's prefix. Its inputs may be given under that prefix, too."""
        prefix = requirement.prefix
        if prefix not in self._others:
            own = self._inputs.get(prefix)
            inputs = own if isinstance(own, dict) else self._inputs
            self._others[prefix] = _Evaluation(self._env, inputs)
        value = self._others[prefix].value(model.imported[prefix], requirement.id)
        context = names.setdefault(prefix, {})
        if value is not MISSING and isinstance(context, dict):
            context[requirement.names[-1]] = value

    def _function(self, model: DecisionModel, node: Knowledge) -> Value:
        """The function of a knowledge model, which sees what it requires, and itself."""
        if node.function is None:
            return None
        names: dict[str, Value] = {}
        function = node.function.in_frame(Frame(names, self._base))
        function = _typed(function, model, model.types.result_type(node.type))
        self._known[node.id] = function
        names.update(self._names(model, node.requirements))
        names[node.name] = function
        return function


def _output(value: Value, name: str) -> Value:
    """What a name of an output means: its entry of a result with several, else the result."""
    if isinstance(value, dict) and name in value:
        return value[name]
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return [each.get(name) for each in value if isinstance(each, dict)]
    return value


def _typed(function: Function, model: DecisionModel, kind: str | None) -> Function:
    """The function with its result converted to a type."""
    if kind is None:
        return function
    signature = function.signatures[0]

    def call(env: Environment, *arguments: Value) -> Value:
        return model.types.conform(signature.implementation(env, *arguments), kind, env)

    return Function("function", (make_signature(signature.parameters, call),))


def _parameter_name(model: DecisionModel, node_id: str) -> str:
    node = model.nodes[node_id]
    return node.result if isinstance(node, Decision) else node.name


def _service_function(model: DecisionModel, node: Service) -> Function:
    def call(env: Environment, *arguments: Value) -> Value:
        env.enter(_SERVICE_LEVELS)
        value = _serve(model, node, list(arguments), env)
        env.nesting -= _SERVICE_LEVELS
        return value

    parameters = tuple(Parameter(_parameter_name(model, each)) for each in node.inputs)
    return Function(node.name, (make_signature(parameters, call),))


def _serve(model: DecisionModel, node: Service, arguments: list[Value], env: Environment) -> Value:
    """What a service gives: its only output decision's value, or a context of them all."""
    inputs: dict[str, Value] = {}
    given: dict[str, Value] = {}
    for node_id, argument in zip(node.inputs, arguments, strict=True):
        required = model.nodes[node_id]
        value = model.types.conform(argument, required.type, env)
        if value is None and argument is not None:
            return None  # as for any function
        inputs[_parameter_name(model, node_id)] = value
        if isinstance(required, Decision):
            given[node_id] = value
    evaluation = _Evaluation(env, inputs)
    for node_id, value in given.items():
        evaluation.preset(node_id, value)
    results = {_parameter_name(model, each): evaluation.value(model, each) for each in node.outputs}
    values = {name: None if value is MISSING else value for name, value in results.items()}
    result: Value = next(iter(values.values())) if len(values) == 1 else dict(values)
    return model.types.conform(result, model.types.result_type(node.type), env)
