"""Steps that publish: messages, signals, further models, and any command in its wire form."""

import gzip
import json

from engine import commands as c
from engine.values import encode
from scenarios.errors import Mismatch, did_you_mean
from scenarios.format import steps as f
from scenarios.verbs.actor import Actor, text_of
from scenarios.verbs.time import milliseconds
from schemas.command_body import COMMAND_TYPES, BodyError, read_json, split_json


def publish(actor: Actor, step: f.PublishMessage) -> None:
    command = c.PublishMessage(
        name=step.name,
        correlation_key=step.key,
        message_id=step.id,
        ttl_ms=0 if step.ttl is None else milliseconds(actor.world, step.ttl),
        variables=text_of(step.variables),
    )
    actor.send(step, command)


def broadcast(actor: Actor, step: f.BroadcastSignal) -> None:
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
