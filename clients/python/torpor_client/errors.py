"""What goes wrong, and what a handler of jobs says is wrong.

TorporError
    RejectedError              the engine refused a command: a lasting code, and a sentence
    ReplyTimeoutError          no answer in time; asking again with the same command id is safe
    KafkaUnavailableError      the brokers do not answer, or do not take the record
    NamespaceNotFoundError     no topics of that name: `torpor init` was not run, or a misspelling
    UndecodableRecordError     a published record that this version cannot read
    DigestMismatchError        one effect id with two contents: alarm somebody
    PositionLostError          the effects to go on from are gone: retention has passed them

Raised by handlers of jobs, and answered to the engine:

BpmnError                      a modelled error, caught by an error event
JobFailure                     the attempt failed; says how it goes on
ServiceUnavailable             whatever the job needs is away: keep the job, try later
"""

import json
from collections.abc import Mapping
from typing import Any


class TorporError(Exception):
    """The root of the exceptions that calls raise."""


class RejectedError(TorporError):
    """The engine refused the command, and changed nothing.

    `code` is NOT_FOUND, ALREADY_EXISTS, INVALID_STATE, STALE_ATTEMPT, INVALID_ARGUMENT,
    INVALID_MODEL, TOO_LARGE, UNAUTHORIZED or UNSUPPORTED; `detail` says expected and found.
    """

    def __init__(self, command_id: str, code: str, detail: str, result: str | None = None) -> None:
        super().__init__(f"{code}: {detail}")
        self.command_id = command_id
        self.code = code
        self.detail = detail
        self.result: Any = None if result is None else json.loads(result)

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What is wrong with a model (INVALID_MODEL): severity, element, line, code, message."""
        found = self.result.get("findings", []) if isinstance(self.result, dict) else []
        return list(found)


class ReplyTimeoutError(TorporError, TimeoutError):
    """The command is in the log, its answer did not come in time.

    It will be applied, if it was not yet. Repeat it with the same `command_id`: it is applied once.
    """

    def __init__(self, command_id: str, timeout_s: float) -> None:
        super().__init__(f"no reply to the command {command_id} within {timeout_s:g} s")
        self.command_id = command_id


class KafkaUnavailableError(TorporError):
    """Kafka gave no clear answer; what was sent may have been written."""


class NamespaceNotFoundError(TorporError):
    """Kafka has no topics of this namespace."""

    def __init__(self, namespace: str, topic: str) -> None:
        super().__init__(
            f"There is no topic {topic}: is the namespace {namespace!r} spelt right,"
            " and has `torpor init` been run for it?"
        )


class UndecodableRecordError(TorporError):
    """A record that the engine published and that this library cannot read. Keeps its bytes."""

    def __init__(self, reason: str, value: bytes, where: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.reason = reason
        self.value = value


class DigestMismatchError(TorporError):
    """The same effect id came twice with another digest: two histories of one instance.

    It is no duplicate. Subscribers may have acted on a transition that did not happen; a log or
    a store was cut or restored in a way that the engine refuses.
    """

    def __init__(self, effect_id: str, digests: tuple[str, str]) -> None:
        super().__init__(f"the effect {effect_id} has the digests {digests[0]} and {digests[1]}")
        self.effect_id = effect_id
        self.digests = digests


class PositionLostError(TorporError):
    """Effects after the position are not there any more, or the topic is another.

    Start anew from "earliest", and reconcile.
    """


class BpmnError(Exception):
    """Raise it in a handler to throw a BPMN error at the job's activity."""

    def __init__(
        self, code: str, message: str | None = None, variables: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message
        self.variables = variables


class JobFailure(Exception):  # noqa: N818 - it is what happened to the job, not to the program
    """Raise it in a handler to fail the attempt.

    `retries` None: one less than before; 0 raises an incident at once. `backoff_ms` None: as
    modelled.
    """

    def __init__(
        self,
        message: str = "",
        *,
        retries: int | None = None,
        backoff_ms: int | None = None,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retries = retries
        self.backoff_ms = backoff_ms
        self.variables = variables


class ServiceUnavailable(Exception):  # noqa: N818 - as above
    """Raise it in a handler when what the job needs is away: no attempt is burned.

    The worker keeps the job, takes no further ones of its type, and tries it again after a pause.
    """
