"""What tests ask of a compiled resource: which findings, on which elements."""

from engine.errors import Finding
from engine.model.compile import CompiledResource


def codes(resource: CompiledResource) -> list[tuple[str, str | None]]:
    """The findings as pairs of code and element id, in order of their lines."""
    return [(finding.code, finding.element) for finding in resource.findings]


def only_finding(resource: CompiledResource) -> Finding:
    """The one finding there is."""
    assert len(resource.findings) == 1, resource.findings
    return resource.findings[0]
