"""Questions about a whole syntax tree."""

from engine.expressions.parsing import syntax


def mentions(node: object, name: str) -> bool:
    """Whether a name occurs anywhere in the tree."""
    if isinstance(node, syntax.Name):
        return node.name == name
    if isinstance(node, tuple):
        return any(mentions(part, name) for part in node)
    if isinstance(node, (syntax.Node, syntax.Iterator)):
        return any(mentions(getattr(node, field), name) for field in node.__struct_fields__)
    return False
