"""The builtin functions of FEEL and of Camunda's dialect: one table, joined from the families."""

from typing import Final

from engine.expressions.builtins import (
    aggregates,
    contexts,
    conversion,
    intervals,
    lists,
    logic,
    moments,
    numbers,
    regular,
    strings,
)
from engine.expressions.functions import Function

BUILTINS: Final[dict[str, Function]] = {
    name: Function(name, signatures)
    for family in (
        logic,
        conversion,
        strings,
        regular,
        numbers,
        lists,
        aggregates,
        contexts,
        moments,
        intervals,
    )
    for name, signatures in family.FUNCTIONS.items()
}
