"""Decision models (DMN 1.1 to 1.5): compiled once at deployment, evaluated purely."""

from engine.decisions.compile import CompiledDecisions, compile_decisions
from engine.decisions.errors import DecisionError
from engine.decisions.model import DecisionModel

__all__ = ["CompiledDecisions", "DecisionError", "DecisionModel", "compile_decisions"]
