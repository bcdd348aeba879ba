"""The models that are measured: a chain, a fan-out with its join, a multi-instance."""

from itertools import pairwise

from engine.model import compile_resource
from engine.model.elements import ProcessModel
from engine.settings import Settings

_HEAD = (
    '<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">'
    '<bpmn:process id="bench" isExecutable="true">'
)
_TAIL = "</bpmn:process></bpmn:definitions>"


def text_of(*parts: str) -> bytes:
    return "".join([_HEAD, *parts, _TAIL]).encode()


def compiled(content: bytes) -> ProcessModel:
    """Raises ValueError with the findings when the model is not deployable."""
    resource = compile_resource("bench.bpmn", content, Settings())
    if not resource.deployable:
        raise ValueError(str(resource.findings))
    return resource.process("bench")


def chain(tasks: int) -> bytes:
    """Tasks that pass through, one after the other."""
    ids = ["start", *(f"t{number}" for number in range(tasks)), "end"]
    return text_of(
        '<bpmn:startEvent id="start"/>',
        *(f'<bpmn:task id="{each}"/>' for each in ids[1:-1]),
        '<bpmn:endEvent id="end"/>',
        *_flows(ids),
    )


def fan_out(branches: int, *, joined: bool) -> bytes:
    """A parallel gateway to as many tasks, and with `joined` another that waits for all."""
    tasks = [f"t{number}" for number in range(branches)]
    parts = ['<bpmn:startEvent id="start"/>', '<bpmn:parallelGateway id="split"/>']
    parts += [f'<bpmn:task id="{task}"/>' for task in tasks]
    parts += _flows(["start", "split"])
    for task in tasks:
        parts += _flows(["split", task])
        if joined:
            parts += _flows([task, "join"])
    if joined:
        parts += ['<bpmn:parallelGateway id="join"/>', '<bpmn:endEvent id="end"/>']
        parts += _flows(["join", "end"])
    return text_of(*parts)


def multi_instance() -> bytes:
    """A service task for each of `items`, all at once."""
    return text_of(
        '<bpmn:startEvent id="start"/>',
        '<bpmn:serviceTask id="work"><bpmn:extensionElements>'
        '<zeebe:taskDefinition type="work"/></bpmn:extensionElements>'
        "<bpmn:multiInstanceLoopCharacteristics><bpmn:extensionElements>"
        '<zeebe:loopCharacteristics inputCollection="=items" inputElement="item"/>'
        "</bpmn:extensionElements></bpmn:multiInstanceLoopCharacteristics></bpmn:serviceTask>",
        '<bpmn:endEvent id="end"/>',
        *_flows(["start", "work", "end"]),
    )


def service_tasks(tasks: int) -> bytes:
    """A model to parse: service tasks with mappings, as a modelling tool saves them."""
    ids = ["start", *(f"t{number}" for number in range(tasks)), "end"]
    return text_of(
        '<bpmn:startEvent id="start"/>',
        *(
            f'<bpmn:serviceTask id="{each}" name="Task {each}"><bpmn:extensionElements>'
            f'<zeebe:taskDefinition type="{each}" retries="3"/><zeebe:ioMapping>'
            f'<zeebe:input source="=order.{each}" target="value"/>'
            "</zeebe:ioMapping></bpmn:extensionElements></bpmn:serviceTask>"
            for each in ids[1:-1]
        ),
        '<bpmn:endEvent id="end"/>',
        *_flows(ids),
    )


def _flows(ids: list[str]) -> list[str]:
    return [
        f'<bpmn:sequenceFlow id="{source}-{target}" sourceRef="{source}" targetRef="{target}"/>'
        for source, target in pairwise(ids)
    ]
