"""Which changes of variables a conditional event heeds, as Camunda 7 and 8 write it."""

import re
from typing import Final

from engine.model.elements import ChangeFilter
from engine.model.report import Report, quote
from engine.model.source import SourceElement, enclosing

_NAME: Final = re.compile(r"[^\W\d]\w*")
_EVENTS: Final = ("create", "update")


def change_filter(
    names: str | None, events: str | None, element: SourceElement, report: Report
) -> ChangeFilter | None:
    """From two lists with commas. None: all changes count, or what is wrong was reported.

    Camunda 7 knows `delete`, too, which happens to no variable here.
    """
    place, named, heeded = enclosing(element.xml), _items(names), _items(events)
    wrong = [name for name in named if not _NAME.fullmatch(name)]
    if wrong:
        report.error(
            "bad-change-filter",
            f"{quote(wrong[0])} is no name of a variable. Write names with commas between them.",
            place,
            element.line,
        )
    wrong = [event for event in heeded if event not in (*_EVENTS, "delete")]
    if wrong:
        report.error(
            "bad-change-filter",
            f"A variable event {quote(wrong[0])} is unknown. Use {' or '.join(_EVENTS)}.",
            place,
            element.line,
        )
    elif "delete" in heeded:
        report.warning(
            "no-effect",
            "No variable is ever deleted. Remove the variable event delete.",
            place,
            element.line,
        )
    if not named and not heeded:
        return None
    return ChangeFilter(
        names=named,
        created=not heeded or "create" in heeded,
        updated=not heeded or "update" in heeded,
    )


def _items(text: str | None) -> tuple[str, ...]:
    parts = (part.strip() for part in (text or "").split(","))
    return tuple(part for part in parts if part)
