"""The models that are measured: a chain, a fan-out with its join, a multi-instance."""

from itertools import pairwise

from engine.model import compile_resource
from engine.model.elements import ProcessModel
from engine.settings import Settings

_HEAD = (
    '<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"'
    ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn">'
)
_PROCESS = '<bpmn:process id="bench" isExecutable="true">'
_TAIL = "</bpmn:process></bpmn:definitions>"


def text_of(*parts: str, messages: str = "") -> bytes:
    return "".join([_HEAD, messages, _PROCESS, *parts, _TAIL]).encode()


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


def multi_instance(items: str = "=items") -> bytes:
    """A service task for each of `items`, all at once, that gives an output."""
    return text_of(
        '<bpmn:startEvent id="start"/>',
        '<bpmn:serviceTask id="work"><bpmn:extensionElements>'
        '<zeebe:taskDefinition type="work"/></bpmn:extensionElements>'
        f"{_over(items)}</bpmn:serviceTask>",
        '<bpmn:endEvent id="end"/>',
        *_flows(["start", "work", "end"]),
    )


def multi_pass(*, collects: bool) -> bytes:
    """A task that passes through for each of `items`, all at once, that may give an output."""
    return text_of(
        '<bpmn:startEvent id="start"/>',
        f'<bpmn:task id="work">{_over("=items", collects=collects)}</bpmn:task>',
        '<bpmn:endEvent id="end"/>',
        *_flows(["start", "work", "end"]),
    )


def deadlines(items: str) -> bytes:
    """A sub-process for each of `items`, all at once, with a job inside that a timer may end."""
    return text_of(
        '<bpmn:startEvent id="start"/>',
        f'<bpmn:subProcess id="each">{_over(items)}<bpmn:startEvent id="first"/>',
        '<bpmn:subProcess id="bounded"><bpmn:startEvent id="begin"/>',
        _service("work"),
        *_flows(["begin", "work"]),
        "</bpmn:subProcess>",
        '<bpmn:boundaryEvent id="late" attachedToRef="bounded"><bpmn:timerEventDefinition>'
        "<bpmn:timeDuration>PT0S</bpmn:timeDuration></bpmn:timerEventDefinition>"
        "</bpmn:boundaryEvent>",
        _service("told"),
        *_flows(["first", "bounded"]),
        *_flows(["late", "told"]),
        "</bpmn:subProcess>",
        *_flows(["start", "each"]),
    )


def conditional(items: str) -> bytes:
    """A sub-process for each of `items`, all at once, with a job and an event for a condition."""
    return text_of(
        '<bpmn:startEvent id="start"/>',
        f'<bpmn:subProcess id="each">{_over(items)}<bpmn:startEvent id="first"/>',
        _service("work"),
        '<bpmn:boundaryEvent id="on" attachedToRef="work" cancelActivity="false">'
        "<bpmn:conditionalEventDefinition><bpmn:condition>=x &gt; item</bpmn:condition>"
        "</bpmn:conditionalEventDefinition></bpmn:boundaryEvent>",
        *_flows(["first", "work"]),
        "</bpmn:subProcess>",
        *_flows(["start", "each"]),
    )


def parallel_tasks(tasks: int, *, join: str = "parallelGateway") -> bytes:
    """A gateway to as many service tasks, and their join. At most 4,900: a model has a limit."""
    ids = [f"t{number}" for number in range(tasks)]
    return text_of(
        '<bpmn:startEvent id="start"/><bpmn:parallelGateway id="split"/>',
        f'<bpmn:{join} id="join"/>',
        *map(_external, ids),
        *_flows(["start", "split"]),
        *(flow for each in ids for flow in _flows(["split", each, "join"])),
    )


def merged(tokens: int, *parts: str) -> bytes:
    """As many tokens at one service task: 125 times so many as one gateway makes of each."""
    return text_of(
        '<bpmn:startEvent id="start"/><bpmn:parallelGateway id="split"/>',
        '<bpmn:parallelGateway id="again"/>',
        *map('<bpmn:exclusiveGateway id="{}"/>'.format, ("many", "merge")),
        _service("work"),
        *_flows(["start", "split"]),
        *_parallel_flows("split", "many", 125),
        *_flows(["many", "again"]),
        *_parallel_flows("again", "merge", tokens // 125),
        *_flows(["merge", "work"]),
        *parts,
    )


def merged_before_a_join(tokens: int) -> bytes:
    """As `merged`, and behind it an inclusive join that waits for one slow branch."""
    return merged(
        tokens,
        '<bpmn:inclusiveGateway id="join"/><bpmn:userTask id="slow"/>',
        *_flows(["work", "join"]),
        *_flows(["split", "slow", "join"]),
    )


def pairs(branches: int) -> bytes:
    """A gateway to half as many pairs of service tasks, each with an inclusive join of its own."""
    parts = ['<bpmn:startEvent id="start"/><bpmn:parallelGateway id="split"/>']
    parts += _flows(["start", "split"])
    for number in range(branches // 2):
        fork, one, other, join = (f"{each}{number}" for each in ("fork", "one", "other", "join"))
        parts += [f'<bpmn:parallelGateway id="{fork}"/><bpmn:inclusiveGateway id="{join}"/>']
        parts += [_external(one), _external(other)]
        parts += _flows(["split", fork, one, join])
        parts += _flows([fork, other, join])
    return text_of(*parts)


def joined_inside(items: str) -> bytes:
    """A sub-process for each of `items`, all at once, with two jobs and their inclusive join."""
    return text_of(
        '<bpmn:startEvent id="start"/>',
        f'<bpmn:subProcess id="each">{_over(items)}<bpmn:startEvent id="first"/>',
        '<bpmn:parallelGateway id="fork"/><bpmn:inclusiveGateway id="join"/>',
        _service("one"),
        _service("other"),
        *_flows(["first", "fork", "one", "join"]),
        *_flows(["fork", "other", "join"]),
        "</bpmn:subProcess>",
        *_flows(["start", "each"]),
    )


def _parallel_flows(source: str, target: str, count: int) -> list[str]:
    return [
        f'<bpmn:sequenceFlow id="{source}{each}" sourceRef="{source}" targetRef="{target}"/>'
        for each in range(count)
    ]


def on_message() -> bytes:
    """A job that goes on, and an event sub-process with a job for each message."""
    return text_of(
        '<bpmn:startEvent id="start"/>',
        _service("main"),
        *_flows(["start", "main"]),
        '<bpmn:subProcess id="handler" triggeredByEvent="true">',
        '<bpmn:startEvent id="received" isInterrupting="false">'
        '<bpmn:messageEventDefinition messageRef="message"/></bpmn:startEvent>',
        _service("work"),
        *_flows(["received", "work"]),
        "</bpmn:subProcess>",
        messages=(
            '<bpmn:message id="message" name="m"><bpmn:extensionElements>'
            '<zeebe:subscription correlationKey="=&quot;k&quot;"/>'
            "</bpmn:extensionElements></bpmn:message>"
        ),
    )


def _over(items: str, *, collects: bool = True) -> str:
    outputs = ' outputCollection="results" outputElement="=item"' if collects else ""
    return (
        "<bpmn:multiInstanceLoopCharacteristics><bpmn:extensionElements>"
        f'<zeebe:loopCharacteristics inputCollection="{items}" inputElement="item"{outputs}/>'
        "</bpmn:extensionElements></bpmn:multiInstanceLoopCharacteristics>"
    )


def _external(task: str) -> str:
    """In the shortest way, where a model has thousands."""
    return f'<bpmn:serviceTask id="{task}" camunda:type="external" camunda:topic="work"/>'


def _service(task: str) -> str:
    return (
        f'<bpmn:serviceTask id="{task}"><bpmn:extensionElements>'
        '<zeebe:taskDefinition type="work"/></bpmn:extensionElements></bpmn:serviceTask>'
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
