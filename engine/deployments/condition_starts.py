"""Conditional start events: asked when a client says what is so, never by themselves.

`EvaluateConditions` is for the address `deployments`, whose partition is the first to know the
latest version of a process. It asks all conditional start events, and starts an instance for each
that holds, with the variables that were given. A condition that lacks one of these does not hold.
One that fails otherwise starts nothing and keeps no other from starting; the answer names it.

However many there are, and however expensive: together they take a bounded number of steps, so that
the partition is not held, and the answer fits a record.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine.definitions import ProcessVersions
from engine.expressions import MISSING, Environment, EvaluationError
from engine.ids import id_for_position
from engine.instances.evaluator import text_of
from engine.instances.guards import parse_variables, too_large
from engine.model.elements import (
    AnyElement,
    ConditionTrigger,
    ProcessModel,
    parts_of,
    trigger_of,
)
from engine.outcome import AggregateState, Context, Outcome, Send
from engine.rejections import Rejection
from engine.values import Value, decode
from engine.variables import size

MESSAGE_MAX: Final = 500
"""How many characters of what is wrong with a condition the answer has."""

FAILED_MAX: Final = 100
"""How many conditions that failed the answer names; of the others it tells the number."""

STEPS_FACTOR: Final = 50
"""How many times the steps of one expression all conditions of a command may take."""


class Started(msgspec.Struct, frozen=True):
    """An instance that the command starts, as its answer tells it.

    `instance_id` None: the event needs other things, too, so an instance may wait for this already.
    """

    process_id: str
    version: int
    element_id: str
    instance_id: str | None


class Failed(msgspec.Struct, frozen=True):
    """A condition that gives neither true nor false, as the answer tells it."""

    process_id: str
    version: int
    element_id: str
    expression: str
    message: str


def evaluate(
    context: Context, state: AggregateState | None, command: c.EvaluateConditions
) -> Outcome | Rejection:
    """Start what the variables start, in the versions that are the latest here and now."""
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    limit = context.settings.variables_bytes_max
    if size(variables) > limit:
        return too_large(limit, size(variables))
    evaluation = _Evaluation(context, command, variables)
    latest = context.definitions.condition_starts()
    for process, model in zip(latest, context.condition_models, strict=True):
        evaluation.ask(process, model)
    return Outcome(state=state, sends=tuple(evaluation.sends), result=evaluation.result())


class _Evaluation:
    """Collects what one command starts, and what its answer tells, by process and event."""

    def __init__(
        self, context: Context, command: c.EvaluateConditions, variables: dict[str, str]
    ) -> None:
        self._context = context
        self._variables = command.variables
        self._given: dict[str, Value] = {name: decode(text) for name, text in variables.items()}
        self._steps_left = context.settings.expression_steps_max * STEPS_FACTOR
        self._started: list[Started] = []
        self._failed: list[Failed] = []
        self._untold = 0
        self.sends: list[Send] = []

    def ask(self, process: ProcessVersions, model: ProcessModel) -> None:
        """Ask the conditional start events of a process: each starts an instance of its own."""
        for element_id in process.condition_starts:
            event = model.element(element_id)
            part = self._occurring(process, event)
            if part is not None:
                self._start(process, event, part)

    def result(self) -> str:
        """The text of the reply's `result`."""
        failed = self._failed
        if self._untold:
            message = f"{failed[-1].message} And {self._untold} more failed."
            failed = [*failed[:-1], replace(failed[-1], message=message)]
        return msgspec.json.encode({"started": self._started, "failed": failed}).decode()

    def _occurring(self, process: ProcessVersions, event: AnyElement) -> int | None:
        """The place of a condition of the event that holds; of several that of the first."""
        for part, trigger in enumerate(parts_of(trigger_of(event))):
            if not isinstance(trigger, ConditionTrigger):
                continue
            changes = trigger.filter
            if changes is not None and not any(name in self._given for name in changes.names):
                continue
            try:
                if self._holds(process, event, trigger):
                    return part
            except EvaluationError as error:
                self._fail(process, event, trigger, error.message)
        return None

    def _fail(
        self, process: ProcessVersions, event: AnyElement, trigger: ConditionTrigger, message: str
    ) -> None:
        if len(self._failed) < FAILED_MAX:
            self._failed.append(_failure(process, event, trigger, message))
        else:
            self._untold += 1

    def _holds(
        self, process: ProcessVersions, event: AnyElement, trigger: ConditionTrigger
    ) -> bool:
        """Raises EvaluationError where there is no telling, though all variables are there."""
        context = self._context
        if self._steps_left < context.settings.expression_steps_max:
            raise EvaluationError("Not asked: the conditions before it took too many steps.")
        position = f"{context.partition}-{context.offset}-{context.step}"
        environment = Environment(
            lookup=lambda name: self._given.get(name, MISSING),
            now_ms=context.now,
            zone=context.settings.zone,
            steps_max=context.settings.expression_steps_max,
            seed=f"{context.namespace}/{position}/{process.id}/{event.id}",
        )
        try:
            value = trigger.condition.evaluate(environment)
        except EvaluationError as error:
            if error.missing:
                return False
            raise
        finally:
            self._steps_left -= environment.spent
        if value is None or isinstance(value, bool):
            return value is True
        raise EvaluationError(f"Expected true or false, found {text_of(value)}.")

    def _start(self, process: ProcessVersions, event: AnyElement, part: int) -> None:
        context, ref = self._context, process.versions[-1]
        instance_id = id_for_position(
            context.namespace, context.partition, context.offset, context.step, len(self.sends)
        )
        conversation = process.conversation(event.id, "")
        start = c.StartByCondition(
            instance_id=instance_id,
            process_id=process.id,
            version=ref.version,
            start_element=event.id,
            variables=self._variables,
            checksum=ref.checksum,
            semantics=ref.semantics,
            part=part,
            conversation=conversation,
        )
        self.sends.append(Send(command=start))
        told = instance_id if conversation is None else None
        self._started.append(Started(process.id, ref.version, event.id, told))


def _failure(
    process: ProcessVersions, event: AnyElement, trigger: ConditionTrigger, message: str
) -> Failed:
    return Failed(
        process_id=process.id,
        version=process.versions[-1].version,
        element_id=event.id,
        expression=trigger.condition.text[:MESSAGE_MAX],
        message=message[:MESSAGE_MAX],
    )
