"""How texts mark JUEL: `${...}` or `#{...}`, anywhere in them."""

from engine.expressions.juel import holds_expression
from engine.model.extensions import Formula


def formula(text: str, line: int = 0) -> Formula:
    """An expression if there is one in it, else the text itself."""
    stripped = text.strip()
    return Formula(stripped, "juel" if holds_expression(stripped) else "static", line)


def value(text: str, line: int = 0) -> Formula:
    """An expression that gives the text where there is none in it, and null where it is empty."""
    stripped = text.strip()
    return Formula(stripped, "juel", line) if stripped else Formula("null", "feel", line)


def variable(name: str, line: int = 0) -> Formula:
    """The value of a variable, null where there is none."""
    quoted = name.replace("\\", "\\\\").replace("'", "\\'")
    return Formula(f"${{execution.getVariable('{quoted}')}}", "juel", line)


def inner(text: str) -> str:
    """What stands between the braces, if the whole text is one expression."""
    stripped = text.strip()
    if is_meant(stripped) and stripped.endswith("}") and not holds_expression(stripped[2:]):
        return stripped[2:-1].strip()
    return stripped


def is_meant(text: str) -> bool:
    """Whether the text begins as JUEL does, and no FEEL could."""
    return text.lstrip().startswith(("${", "#{"))
