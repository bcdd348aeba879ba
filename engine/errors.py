"""The engine's exceptions. Expected failures are values (rejections, incidents), not exceptions.

EngineError
    DefinitionError     a resource cannot be deployed; carries every finding
    InvariantError      a bug: state and rules do not fit together
    DecisionUnreadError     a compiled decision is wanted that was not read yet
"""

import msgspec

from engine.definitions import DecisionFile


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing wrong with a resource, and how to put it right.

    `severity` is "error" (not deployable) or "warning"; `code` is lasting, kebab-case.
    """

    severity: str
    code: str
    message: str
    resource: str = ""
    element: str | None = None
    name: str | None = None
    line: int | None = None


class EngineError(Exception):
    """The root of the engine's exceptions."""


class DefinitionError(EngineError):
    """A resource cannot be deployed. Deciding turns it into a rejection with all findings."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = findings


class InvariantError(EngineError):
    """State and rules do not fit together: a bug. The loop dead-letters the command."""


class DecisionUnreadError(EngineError):
    """A transition needs the decisions of `file`. The record loop reads them and applies again."""

    def __init__(self, file: DecisionFile) -> None:
        super().__init__(f"the decisions of {file.checksum} were not read")
        self.file = file
