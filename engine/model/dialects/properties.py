"""Properties of a process that are Torpor's own, written where a dialect keeps properties."""

from collections.abc import Mapping
from typing import Final

from engine.model.report import Report, quote
from engine.model.source import SourceElement

UNCAUGHT_ERRORS: Final = "torpor:uncaughtErrors"
"""`fail` ends an instance where no event catches an error; with `incident`, and without the
property, it stays for somebody to resolve."""


def fails_uncaught(properties: Mapping[str, str], process: SourceElement, report: Report) -> bool:
    """Whether a process asks to fail with errors that nothing catches."""
    asked = properties.get(UNCAUGHT_ERRORS, "incident")
    if asked not in {"incident", "fail"}:
        report.error(
            "bad-property",
            f"The property {UNCAUGHT_ERRORS} is {quote(asked)}. Make it 'incident' or 'fail'.",
            process,
        )
    return asked == "fail"
