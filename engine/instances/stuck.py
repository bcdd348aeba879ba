"""How a step of an element instance says that it cannot be taken: model or data are at fault."""

from enum import StrEnum


class IncidentKind(StrEnum):
    EXPRESSION_FAILED = "EXPRESSION_FAILED"
    NO_FLOW_CHOSEN = "NO_FLOW_CHOSEN"
    JOB_RETRIES_EXHAUSTED = "JOB_RETRIES_EXHAUSTED"
    UNHANDLED_ERROR = "UNHANDLED_ERROR"
    CALLED_PROCESS_FAILED = "CALLED_PROCESS_FAILED"
    DECISION_FAILED = "DECISION_FAILED"
    STEP_LIMIT = "STEP_LIMIT"
    TOO_LARGE = "TOO_LARGE"
    DATA_MISSING = "DATA_MISSING"


class StuckError(Exception):
    """The step cannot be taken. Raised before it emits anything; the loop makes it an incident."""

    def __init__(self, kind: IncidentKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
