"""The AsyncAPI document of the wire, derived from the records: `schemas/asyncapi.yaml`.

It describes the engine: what it receives (commands) and what it sends (everything else). Payloads
refer to the `.avsc` files beside it.
"""

import inspect
import json
from typing import Any, TypeAlias, get_args

import msgspec

from engine import records
from engine.commands import ClientCommand
from engine.records import Topic
from schemas import headers as h

Node: TypeAlias = dict[str, Any]

COMMANDS: tuple[type[msgspec.Struct], ...] = get_args(ClientCommand)

ABOUT = """\
Torpor's API is Kafka: publish commands, subscribe to effects.

Values are Avro in single-object frames (C3 01 and the CRC-64-AVRO fingerprint of the schema, which
stands on the topic of schemas), or JSON, as the namespace is set; commands are read in both. A JSON
command carries its type in the member `type`, its variables and a result as objects or as their
text. Headers are CloudEvents' Kafka binding in binary mode.

Subscribers of effects drop what is not above the last (offset, index) that they took of a
partition. Workers take (job_id, attempt) as the idempotency key."""

CHANNELS: dict[str, tuple[str, str, tuple[type[msgspec.Struct], ...]]] = {
    Topic.COMMANDS: ("receive", "Key: the root id of the instance, or the address.", COMMANDS),
    Topic.EFFECTS: (
        "send",
        "Records of command partition n are on partition n.",
        (records.Effect,),
    ),
    Topic.HISTORY: (
        "send",
        "Records of command partition n are on partition n.",
        (records.Transition,),
    ),
    Topic.REJECTIONS: ("send", "Every rejection, whoever asked.", (records.Reply,)),
    Topic.REPLIES: (
        "send",
        "Replies, also on {namespace}.replies.*, as commands ask.",
        (records.Reply,),
    ),
    Topic.TASKS: (
        "send",
        "Key: the task id. Compacted; a tombstone at a task's end.",
        (records.Task,),
    ),
    Topic.JOBS: (
        "send",
        "Jobs whose type is known at run time only: header job-type.",
        (records.Job,),
    ),
    "jobs.{type}": (
        "send",
        "Jobs of one type; the type is escaped to Kafka's alphabet.",
        (records.Job,),
    ),
}

HEADERS: dict[str, str] = {
    h.ID: "Command id; of what is published, the text of its position.",
    h.TYPE: "torpor.command.<Type>, torpor.effect.<type>, torpor.job.<type>, ...",
    h.SOURCE: "/torpor/<namespace>",
    h.SPEC_VERSION: "1.0",
    h.SUBJECT: "Instance id.",
    h.TRACEPARENT: "W3C trace context; carried from a command to all that it causes.",
}
REPLY_HEADERS: dict[str, str] = {
    h.REPLY_TO: "Topic for the reply: {namespace}.replies or {namespace}.replies.*",
    h.REPLY_PARTITION: "Partition there, decimal.",
    h.CORRELATION_ID: "Any bytes; the reply carries them, too.",
}


def document() -> Node:
    """The document as plain values."""
    published = dict.fromkeys(kind for _, _, kinds in CHANNELS.values() for kind in kinds)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Torpor",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/avro",
        "channels": {
            _name(topic): _channel(topic, channel[1:]) for topic, channel in CHANNELS.items()
        },
        "operations": {
            f"{action}-{_name(topic)}": {
                "action": action,
                "channel": {"$ref": f"#/channels/{_name(topic)}"},
            }
            for topic, (action, _, _) in CHANNELS.items()
        },
        "components": {
            "messages": {kind.__name__: _message(kind) for kind in published},
            "messageTraits": {
                "cloudEvent": {"headers": _headers(HEADERS)},
                "command": {"headers": _headers({**HEADERS, **REPLY_HEADERS})},
            },
        },
    }


def _name(topic: str) -> str:
    return "jobs-of-type" if topic == "jobs.{type}" else topic


def _channel(topic: str, described: tuple[str, tuple[type[msgspec.Struct], ...]]) -> Node:
    description, kinds = described
    parameters: Node = {"namespace": {"description": "[a-z0-9-]{1,40}"}}
    if "{type}" in topic:
        parameters["type"] = {"description": "Escaped job type, at most 200 characters."}
    return {
        "address": f"{{namespace}}.{topic}",
        "description": description,
        "parameters": parameters,
        "messages": {
            kind.__name__: {"$ref": f"#/components/messages/{kind.__name__}"} for kind in kinds
        },
    }


def _message(kind: type[msgspec.Struct]) -> Node:
    is_command = kind in COMMANDS
    message: Node = {"name": f"torpor.{kind.__name__}"}
    if "__doc__" in vars(kind) and kind.__doc__:
        message["summary"] = inspect.cleandoc(kind.__doc__).split("\n\n")[0].replace("\n", " ")
    return {
        **message,
        "traits": [
            {"$ref": f"#/components/messageTraits/{'command' if is_command else 'cloudEvent'}"}
        ],
        "payload": {
            "schemaFormat": "application/vnd.apache.avro;version=1.9.0",
            "schema": {"$ref": f"./avro/{kind.__name__}.avsc"},
        },
    }


def _headers(described: dict[str, str]) -> Node:
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": text} for name, text in described.items()
        },
    }


def as_yaml(node: Any, indent: int = 0) -> str:
    """Plain values as YAML in block style; texts as JSON writes them, which YAML reads."""
    space = "  " * indent
    match node:
        case dict() if node:
            return "".join(
                f"{space}{_key(key)}:{_nested(item, indent)}" for key, item in node.items()
            )
        case list() if node:
            return "".join(f"{space}-{_nested(item, indent)}" for item in node)
        case _:
            return f"{space}{json.dumps(node, ensure_ascii=False)}\n"


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)


def _nested(item: Any, indent: int) -> str:
    if isinstance(item, str) and "\n" in item:
        lines = (f"{'  ' * (indent + 1)}{line}".rstrip() for line in item.splitlines())
        return " |-\n" + "\n".join(lines) + "\n"
    if isinstance(item, dict | list) and item:
        return "\n" + as_yaml(item, indent + 1)
    return " " + as_yaml(item).lstrip()
