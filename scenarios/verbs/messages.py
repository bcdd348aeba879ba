"""Steps that publish: messages, signals, further models, and any command in its wire form."""

import gzip
import json

from engine import commands as c
from engine.model.elements import MessageTrigger, SignalTrigger, parts_of, trigger_of
from engine.values import encode
from scenarios.errors import Mismatch, did_you_mean
from scenarios.format import steps as f
from scenarios.verbs.actor import Actor, text_of
from scenarios.verbs.time import milliseconds
from schemas.command_body import COMMAND_TYPES, BodyError, read_json, split_json


def publish(actor: Actor, step: f.PublishMessage) -> None:
    _check_known(actor, step, MessageTrigger, step.name)
    command = c.PublishMessage(
        name=step.name,
        correlation_key=step.key,
        message_id=step.id,
        ttl_ms=0 if step.ttl is None else milliseconds(actor.world, step.ttl),
        variables=text_of(step.variables),
    )
    actor.send(step, command)


def _check_known(
    actor: Actor, step: f.CommandStep, kind: type[MessageTrigger | SignalTrigger], name: str
) -> None:
    """A name that no model has is misspelt, unless models compute theirs. Raises Mismatch."""
    known = [
        trigger.name
        for model in actor.world.deployed.models()
        for element in model.elements
        for trigger in parts_of(trigger_of(element))
        if isinstance(trigger, kind)
    ]
    texts = sorted({each for each in known if isinstance(each, str)})
    is_computed = any(not isinstance(each, str) for each in known)
    if name in texts or is_computed or step.rejected is not None:
        return
    word = "message" if kind is MessageTrigger else "signal"
    raise Mismatch(
        f"No model has a {word} {name!r}.{did_you_mean(name, texts)}",
        found=[f"{word} {each}" for each in texts] or [f"no {word}s"],
    )


def broadcast(actor: Actor, step: f.BroadcastSignal) -> None:
    _check_known(actor, step, SignalTrigger, step.name)
    actor.send(step, c.BroadcastSignal(name=step.name, variables=text_of(step.variables)))


def evaluate_conditions(actor: Actor, step: f.EvaluateConditions) -> None:
    reply = actor.send(step, c.EvaluateConditions(variables=text_of(step.variables)))
    failed = json.loads(reply.result or "{}").get("failed", ())
    if sorted({each["process_id"] for each in failed}) != sorted(set(step.failed)):
        raise Mismatch(
            "Not all conditions could be evaluated."
            if failed
            else "All conditions could be evaluated.",
            expected=[f"a failure of {name}" for name in step.failed] or ["no failure"],
            found=[f"{each['process_id']}: {each['message']}" for each in failed] or ["no failure"],
            hint="A failure that belongs here is expected by `failed: PROCESS`.",
        )


def send(actor: Actor, step: f.Send) -> None:
    fields = dict(step.command)
    name = fields.get("type")
    if not isinstance(name, str) or name not in COMMAND_TYPES:
        raise Mismatch(
            f"No command has the type {name!r}.{did_you_mean(str(name), COMMAND_TYPES)}",
            hint="docs/architecture.md and schemas/asyncapi.yaml list the commands.",
        )
    try:
        body = read_json(name, split_json(encode(fields).encode()))
    except BodyError as error:
        raise Mismatch(str(error)) from None
    actor.send(step, body.command)


def deploy(actor: Actor, step: f.Deploy) -> None:
    resources = []
    for name in step.files:
        try:
            content = (actor.folder / name).read_bytes()
        except OSError as error:
            raise Mismatch(f"{name!r} cannot be read: {error.strerror}.") from None
        resources.append(c.Resource(name=name, content=gzip.compress(content, mtime=0)))
    actor.send(step, c.DeployResources(resources=tuple(resources)))
