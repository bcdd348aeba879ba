"""What was deployed: the immutable model of a process, how it is read from XML and checked."""

from engine.model.compile import CompiledResource, compile_resource

__all__ = ["CompiledResource", "compile_resource"]
