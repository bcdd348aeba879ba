"""BPMN 2.0 without extensions. Texts and conditions are FEEL as in Camunda 8, or JUEL in `${...}`;
names are implied.
"""

from engine.model.dialects import activiti, feel, juel
from engine.model.dialects.dialect import Dialect
from engine.model.extensions import NOTHING, Extensions, Formula
from engine.model.report import Report
from engine.model.source import SourceElement


def _extensions(element: SourceElement, _report: Report) -> Extensions:
    return activiti.message_key(element) if element.tag == "message" else NOTHING


def _formula(text: str, line: int = 0) -> Formula:
    return juel.formula(text, line) if juel.is_meant(text) else feel.formula(text, line)


def _condition(text: str, line: int = 0) -> Formula:
    return juel.formula(text, line) if juel.is_meant(text) else feel.condition(text, line)


DIALECT = Dialect(
    name="BPMN",
    namespaces=(),
    platforms=(),
    extensions=_extensions,
    formula=_formula,
    condition=_condition,
    implied_names=True,
    data_flows=True,
    correlates=True,
)
