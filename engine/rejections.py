"""Rejections: a command is not applicable, and nothing changed. Values, with a lasting code."""

from enum import StrEnum

import msgspec


class RejectionCode(StrEnum):
    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    INVALID_STATE = "INVALID_STATE"
    STALE_ATTEMPT = "STALE_ATTEMPT"
    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    INVALID_MODEL = "INVALID_MODEL"
    TOO_LARGE = "TOO_LARGE"
    UNAUTHORIZED = "UNAUTHORIZED"
    UNSUPPORTED = "UNSUPPORTED"


class Rejection(msgspec.Struct, frozen=True):
    """`detail` is a sentence that says what was expected and what was found.

    `result` is the text of a JSON value for programs (the findings of an invalid model).
    """

    code: RejectionCode
    detail: str
    result: str | None = None
