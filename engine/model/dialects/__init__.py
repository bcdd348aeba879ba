"""Dialects: how each vendor's extensions are translated into `engine.model.extensions`.

A further dialect is a module with a `DIALECT` and a row in `DIALECTS`; nothing else changes.
"""

from typing import Final

from lxml import etree

from engine.model.dialects import camunda7, camunda8, flowable, plain
from engine.model.dialects.dialect import Dialect
from engine.model.xml import uses

DIALECTS: Final[tuple[Dialect, ...]] = (camunda8.DIALECT, camunda7.DIALECT, flowable.DIALECT)

_PLATFORM = "{http://camunda.org/schema/modeler/1.0}executionPlatform"


def choose(root: etree._Element) -> Dialect:
    """The dialect of a file: of the platform it was drawn for, else of the extensions in it.

    A file without either may still have been written by hand for the one vendor that it declares,
    where there is no modeler that would have noted its platform.
    """
    platform = root.get(_PLATFORM)
    for dialect in DIALECTS:
        if platform is not None and platform in dialect.platforms:
            return dialect
    for dialect in DIALECTS:
        if any(uses(root, namespace) for namespace in dialect.namespaces):
            return dialect
    declared = [
        dialect
        for dialect in DIALECTS
        if not frozenset(dialect.namespaces).isdisjoint(root.nsmap.values())
    ]
    by_hand = platform is None and len(declared) == 1 and not declared[0].platforms
    return declared[0] if by_hand else plain.DIALECT
