"""BPMN 2.0 without extensions. Texts and conditions are FEEL as in Camunda 8; names are implied."""

from engine.model.dialects import feel
from engine.model.dialects.dialect import Dialect
from engine.model.extensions import NOTHING, Extensions
from engine.model.report import Report
from engine.model.source import SourceElement


def _extensions(_element: SourceElement, _report: Report) -> Extensions:
    return NOTHING


DIALECT = Dialect(
    name="BPMN",
    namespaces=(),
    platforms=(),
    extensions=_extensions,
    formula=feel.formula,
    condition=feel.condition,
    implied_names=True,
)
