"""Decision models (DMN 1.1 to 1.5): compiled once at deployment, evaluated purely."""

from engine.decisions.compile import (
    CompiledDecisions,
    compile_decisions,
    compile_documents,
    compile_stored,
)
from engine.decisions.errors import DecisionError
from engine.decisions.graph import AnyNode, Decision, Invocable, Service
from engine.decisions.model import DecisionModel
from engine.decisions.source import DMN_FILE, dmn_document

__all__ = [
    "DMN_FILE",
    "AnyNode",
    "CompiledDecisions",
    "Decision",
    "DecisionError",
    "DecisionModel",
    "Invocable",
    "Service",
    "compile_decisions",
    "compile_documents",
    "compile_stored",
    "dmn_document",
]
