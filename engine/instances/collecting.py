"""What loops and ad-hoc sub-processes collect: how much of it there may be."""

from engine.instances.advance import Advance
from engine.instances.stuck import IncidentKind, StuckError
from engine.variables import utf8_length


def room(advance: Advance) -> int:
    """How many more bytes of items and outputs the instance may hold."""
    return advance.context.settings.variables_bytes_max - advance.state.loops_bytes


def require_room(advance: Advance, text: str, where: str) -> None:
    """Raise StuckError unless the text can be held, too."""
    if utf8_length(text) > room(advance):
        raise too_large(advance, where)


def too_large(advance: Advance, where: str) -> StuckError:
    limit = advance.context.settings.variables_bytes_max
    return StuckError(
        IncidentKind.TOO_LARGE,
        f"Expected items and outputs of loops of at most {limit} bytes, found more {where}",
    )
