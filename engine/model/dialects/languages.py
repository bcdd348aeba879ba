"""Which language an expression is in: its own `language` attribute, else what the dialect says."""

from engine.model.dialects import feel, juel
from engine.model.dialects.dialect import Dialect
from engine.model.extensions import Formula
from engine.model.source import SourceElement


def condition(dialect: Dialect, drawn: SourceElement) -> Formula | None:
    """The expression in an element. None: it is in a language that is not executed."""
    text = "".join(drawn.xml.itertext())
    language = (drawn.xml.get("language") or "").strip().lower()
    if not language:
        return dialect.condition(text, drawn.line)
    if "feel" in language:
        return feel.condition(text, drawn.line)
    return juel.formula(text, drawn.line) if "juel" in language else None
