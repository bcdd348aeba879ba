"""Findings as they are collected: one report a resource, bounded, never stopping at the first."""

from typing import Final, Protocol

from engine.errors import Finding

FINDINGS_MAX: Final = 200
"""A file made to have a million mistakes gets this many findings and one that says so."""

_QUOTE_MAX: Final = 80
_TEXT_MAX: Final = 255
_MESSAGE_MAX: Final = 1_000


class Placed(Protocol):
    """What a finding can point at: anything in the file that has an id, a name and a line."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str | None: ...

    @property
    def line(self) -> int: ...


class Report:
    """The findings of one resource, in the order in which they were made."""

    def __init__(self, resource: str) -> None:
        self._resource = resource
        self._findings: list[Finding] = []
        self._seen: set[Finding] = set()
        self._refused: set[tuple[str, str]] = set()
        self._errors = 0

    @property
    def errors(self) -> int:
        """How many errors there are so far: a process that added none can be deployed."""
        return self._errors

    def error(self, code: str, message: str, at: Placed | None = None, line: int = 0) -> None:
        """The resource cannot be deployed. `line` is a closer line than the element's own."""
        self._errors += 1
        if at is not None:
            self._refused.add((code, at.id))
        self._add("error", code, message, at, line)

    def warning(self, code: str, message: str, at: Placed | None = None, line: int = 0) -> None:
        """Something is drawn that has no effect, or probably not the intended one."""
        self._add("warning", code, message, at, line)

    def refuses(self, code: str, at: Placed) -> bool:
        """Whether there is an error of this code at the element already."""
        return (code, at.id) in self._refused

    def findings(self) -> tuple[Finding, ...]:
        """All findings by line; those without a line first."""
        return tuple(sorted(self._findings, key=lambda finding: finding.line or 0))

    def _add(self, severity: str, code: str, message: str, at: Placed | None, line: int) -> None:
        if len(self._findings) > FINDINGS_MAX:
            return
        if len(self._findings) == FINDINGS_MAX:
            # An error although what it replaces may be warnings: what is not shown is not accepted.
            self._errors += 1
            severity, code, at, line = "error", "too-many-findings", None, 0
            message = f"There are more than {FINDINGS_MAX} findings: put right the ones shown."
        finding = Finding(
            severity=severity,
            code=code,
            message=_cut(message, _MESSAGE_MAX),
            resource=self._resource,
            element=_cut(at.id, _TEXT_MAX) or None if at else None,
            name=_cut(at.name, _TEXT_MAX) if at and at.name else None,
            line=line or (at.line if at else 0) or None,
        )
        # What two elements share (a message, an error) is read for each of them.
        if finding not in self._seen:
            self._seen.add(finding)
            self._findings.append(finding)


def _cut(text: str, length_max: int) -> str:
    """A finding stays small, whatever the file makes of its names."""
    return text if len(text) <= length_max else f"{text[: length_max - 3]}..."


def quote(text: str) -> str:
    """A piece of the file inside a sentence, shortened."""
    flat = " ".join(text[: 2 * _QUOTE_MAX].split())
    return f"'{flat}'" if len(flat) <= _QUOTE_MAX else f"'{flat[: _QUOTE_MAX - 3]}...'"
