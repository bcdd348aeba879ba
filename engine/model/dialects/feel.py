"""How texts mark FEEL: a leading `=`, as Camunda 8 writes it; conditions also go without."""

from engine.model.extensions import Formula


def formula(text: str, line: int = 0) -> Formula:
    """An expression if it begins with `=`, else the text itself."""
    stripped = text.strip()
    if stripped.startswith("="):
        return Formula(stripped[1:].strip(), "feel", line)
    return Formula(stripped, "static", line)


def condition(text: str, line: int = 0) -> Formula:
    """An expression, with or without the `=`."""
    return Formula(text.strip().removeprefix("=").strip(), "feel", line)
