"""Dialects: how each vendor's extensions are translated into `engine.model.extensions`.

A further dialect is a module with a `DIALECT` and a row in `DIALECTS`; nothing else changes.
"""

from lxml import etree

from engine.model.dialects import camunda8, plain
from engine.model.dialects.dialect import Dialect

DIALECTS: tuple[Dialect, ...] = (camunda8.DIALECT,)

_PLATFORM = "{http://camunda.org/schema/modeler/1.0}executionPlatform"


def choose(root: etree._Element) -> Dialect:
    """The dialect of a file: of the platform it was drawn for, else of the extensions in it."""
    platform = root.get(_PLATFORM)
    for dialect in DIALECTS:
        if platform is not None and platform in dialect.platforms:
            return dialect
    for dialect in DIALECTS:
        if any(next(root.iter(f"{{{name}}}*"), None) is not None for name in dialect.namespaces):
            return dialect
    return plain.DIALECT
