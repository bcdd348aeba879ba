"""Readers of events, by position. Their triggers are read by `triggers.py`."""

from msgspec.structs import replace

from engine.model import elements as e
from engine.model.extensions import Extensions
from engine.model.jobs import read_job
from engine.model.readers.fields import (
    element_fields,
    input_mappings,
    output_mappings,
    refuse_mappings,
)
from engine.model.reading import Reading
from engine.model.source import Node, is_true
from engine.model.triggers import read_trigger
from engine.model.vocabulary import EVENT_DEFINITIONS


def start_event(reading: Reading, node: Node, extensions: Extensions) -> e.StartEvent | None:
    trigger = read_trigger(reading, node)
    refuse_mappings(reading, node, extensions, "input")
    outputs = output_mappings(reading, node, extensions)
    if trigger is None:
        return None
    # 10.5.2: it "only applies to Start Events of Event Sub-Processes; it is ignored for other".
    interrupting = node.scope == e.PROCESS or _interrupting(
        reading, node, "isInterrupting", trigger
    )
    return e.StartEvent(
        **element_fields(reading, node, extensions),
        trigger=trigger,
        interrupting=interrupting,
        outputs=outputs,
    )


def _interrupting(reading: Reading, node: Node, attribute: str, trigger: e.Trigger | None) -> bool:
    """Whether the event ends what it is attached to, or the scope of its event sub-process."""
    interrupting = is_true(node.xml.get(attribute), default=True)
    if interrupting or trigger is None:
        return interrupting
    if any(isinstance(part, e.ErrorTrigger | e.CancelTrigger) for part in e.parts_of(trigger)):
        # 10.5.4, table 10.92, of several: "true in case any Error or Cancel triggers are used".
        reading.report.warning(
            "always-interrupting",
            "An event with an error or a cancellation interrupts whatever it says. Set"
            f' {attribute}="true".',
            node,
        )
        return True
    return interrupting


def end_event(reading: Reading, node: Node, extensions: Extensions) -> e.EndEvent | None:
    job = _thrown_job(reading, node, extensions)
    trigger = e.NoneTrigger() if job else read_trigger(reading, node)
    inputs = input_mappings(reading, node, extensions)
    outputs = output_mappings(reading, node, extensions)
    if trigger is None:
        return None
    if any(isinstance(part, e.ErrorTrigger | e.TerminateTrigger) for part in e.parts_of(trigger)):
        # It ends more than itself, and so never comes to its outputs.
        refuse_mappings(reading, node, extensions, "output")
    return e.EndEvent(
        **element_fields(reading, node, extensions),
        trigger=trigger,
        inputs=inputs,
        outputs=outputs,
        job=job,
    )


def catch_event(
    reading: Reading, node: Node, extensions: Extensions
) -> e.IntermediateCatchEvent | None:
    trigger = read_trigger(reading, node)
    if _has_no_inputs(reading, node):
        refuse_mappings(reading, node, extensions, "input")
        extensions = replace(extensions, inputs=())
    inputs = input_mappings(reading, node, extensions)
    outputs = output_mappings(reading, node, extensions)
    if trigger is None:
        return None
    return e.IntermediateCatchEvent(
        **element_fields(reading, node, extensions), trigger=trigger, inputs=inputs, outputs=outputs
    )


def _has_no_inputs(reading: Reading, node: Node) -> bool:
    """A link leads here at once; a condition that a gateway asks would not see them."""
    asked = {part.tag for part in node.children}
    if "linkEventDefinition" in asked:
        return True
    return "conditionalEventDefinition" in asked and reading.process.waits_elsewhere(node)


def throw_event(
    reading: Reading, node: Node, extensions: Extensions
) -> e.IntermediateThrowEvent | None:
    job = _thrown_job(reading, node, extensions)
    trigger = e.NoneTrigger() if job else read_trigger(reading, node)
    inputs = input_mappings(reading, node, extensions)
    outputs = output_mappings(reading, node, extensions)
    if trigger is None:
        return None
    return e.IntermediateThrowEvent(
        **element_fields(reading, node, extensions),
        trigger=trigger,
        inputs=inputs,
        outputs=outputs,
        job=job,
    )


def _thrown_job(reading: Reading, node: Node, extensions: Extensions) -> e.JobDefinition | None:
    """The job that a dialect makes of a message that is thrown."""
    for part in node.children:
        if part.tag == "messageEventDefinition":
            drawn = reading.dialect.extensions(part, reading.report)
            source = extensions if extensions.job is not None else drawn
            if source.job is None:
                return None
            _check_alone(reading, node)
            return read_job(reading, node, source)
    if extensions.job is not None or extensions.publish is not None:
        reading.report.warning(
            "no-effect",
            f"The {node.tag} throws no message, so no worker has to. Give it a message, or remove"
            " the work.",
            node,
        )
    return None


def _check_alone(reading: Reading, node: Node) -> None:
    if sum(part.tag in EVENT_DEFINITIONS for part in node.children) > 1:
        reading.report.error(
            "unsupported-element",
            f"A {node.tag} whose message a worker throws throws nothing beside it. Draw events of"
            " their own for the others.",
            node,
        )


def boundary_event(reading: Reading, node: Node, extensions: Extensions) -> e.BoundaryEvent | None:
    trigger = read_trigger(reading, node)
    refuse_mappings(reading, node, extensions, "input")
    outputs = output_mappings(reading, node, extensions)
    interrupting = _interrupting(reading, node, "cancelActivity", trigger)
    if trigger is None or node.attached_to is None:
        return None
    return e.BoundaryEvent(
        **element_fields(reading, node, extensions),
        trigger=trigger,
        attached_to=node.attached_to,
        interrupting=interrupting,
        outputs=outputs,
    )
