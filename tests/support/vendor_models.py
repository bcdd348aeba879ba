"""Models of other vendors for tests: BPMN with the attributes and extensions of one namespace.

    made = vendor_resource(start("s"), tag("serviceTask", id="x", **{"camunda:topic": "pay"}))

Parts are as in `tests.support.models`; what is a vendor's has its prefix: camunda, flowable or
activiti. Read as Camunda 7 by its platform, unless that is None.
"""

from engine.model.compile import CompiledResource
from engine.model.elements import ProcessModel
from tests.support.models import bpmn, compiled_resource, extensions, process, tag

NAMESPACES = {
    "camunda": "http://camunda.org/schema/1.0/bpmn",
    "flowable": "http://flowable.org/bpmn",
    "activiti": "http://activiti.org/bpmn",
    "modeler": "http://camunda.org/schema/modeler/1.0",
}

ROOTS = ("<bpmn:message ", "<bpmn:error ", "<bpmn:escalation ", "<bpmn:signal ")


def vendor_file(*parts: str, platform: str | None = None) -> bytes:
    """A whole file that declares every vendor's namespace."""
    declared = "".join(f' xmlns:{prefix}="{name}"' for prefix, name in NAMESPACES.items())
    if platform is not None:
        declared += f' modeler:executionPlatform="{platform}"'
    return bpmn(*parts).replace(b"<bpmn:definitions", f"<bpmn:definitions{declared}".encode(), 1)


def vendor_resource(
    *parts: str, process_id: str = "p", platform: str | None = "Camunda Platform"
) -> CompiledResource:
    """What compiling one process gives; root elements may be among the parts."""
    root = [part for part in parts if part.startswith(ROOTS)]
    inner = [part for part in parts if part not in root]
    content = vendor_file(*root, process(process_id, *inner), platform=platform)
    return compiled_resource(content)


def vendor_model(
    *parts: str, process_id: str = "p", platform: str | None = "Camunda Platform"
) -> ProcessModel:
    """The model of one process. A failed assertion shows the findings."""
    made = vendor_resource(*parts, process_id=process_id, platform=platform)
    assert made.deployable, made.findings
    return made.process(process_id)


# --- parts of models of Camunda 7 ---


def external(element_id: str, topic: str, *content: str) -> str:
    """A service task that workers do."""
    own = {"camunda:type": "external", "camunda:topic": topic}
    return tag("serviceTask", extensions(*content), id=element_id, **own)


def valued(element_id: str, expression: str, result: str) -> str:
    """A service task that is an expression."""
    own = {"camunda:expression": expression, "camunda:resultVariable": result}
    return tag("serviceTask", id=element_id, **own)


def juel_flow(source: str, target: str, condition: str) -> str:
    drawn = tag("conditionExpression", condition)
    return tag("sequenceFlow", drawn, id=f"{source}-{target}", sourceRef=source, targetRef=target)


def inputs_and_outputs(inputs: dict[str, str], outputs: dict[str, str]) -> str:
    inner = "".join(
        f'<camunda:{kind} name="{name}">{text}</camunda:{kind}>'
        for kind, pairs in (("inputParameter", inputs), ("outputParameter", outputs))
        for name, text in pairs.items()
    )
    return f"<camunda:inputOutput>{inner}</camunda:inputOutput>"
