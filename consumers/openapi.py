"""The OpenAPI description of the engine's HTTP."""

from typing import Any

from engine.definitions import DefinitionKind

Json = dict[str, Any]

NULLABLE_STRING: Json = {"type": ["string", "null"]}
INSTANT: Json = {"type": "integer", "description": "UTC, milliseconds since 1970"}
VARIABLES: Json = {"type": ["object", "null"], "additionalProperties": True}


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def _array(items: Json) -> Json:
    return {"type": "array", "items": items}


def _page(item: Json) -> Json:
    return _object(items=_array(item), cursor=NULLABLE_STRING)


def _parameter(name: str, description: str, kind: str = "string") -> Json:
    schema = {"type": kind}
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _in_path(name: str, kind: str = "string") -> Json:
    return {"name": name, "in": "path", "required": True, "schema": {"type": kind}}


def _answer(description: str, schema: Json) -> Json:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _get(summary: str, answer: Json, *parameters: Json, missing: bool = False) -> Json:
    responses: Json = {
        "200": _answer("Found.", answer),
        "400": _answer("A parameter cannot be used.", PROBLEM),
        "503": _answer("Redis does not answer.", PROBLEM),
    }
    if missing:
        responses["404"] = _answer("There is none.", PROBLEM)
    return {"get": {"summary": summary, "parameters": [*parameters], "responses": responses}}


PROBLEM = _object(detail={"type": "string"})

_SUMMARY: Json = {
    "id": {"type": "string"},
    "process_id": {"type": "string"},
    "version": {"type": "integer"},
    "business_key": NULLABLE_STRING,
    "state": {
        "type": "string",
        "enum": ["RUNNING", "SUSPENDED", "COMPLETED", "FAILED", "TERMINATED"],
    },
}
_WAITING = _object(
    element=NULLABLE_STRING,
    id={"type": "string"},
    kind={
        "type": "string",
        "enum": [
            *("JOB", "USER_TASK", "TIMER", "MESSAGE", "SIGNAL", "CONDITION", "EVENT_GATEWAY"),
            *("CALL", "JOIN", "AD_HOC", "INCIDENT", "RETRY", "COMPENSATION"),
        ],
    },
    since={"type": ["integer", "null"], "description": INSTANT["description"]},
)
_WAITING["properties"]["offers"] = {
    **_array({"type": "string"}),
    "description": "Of an ad-hoc sub-process: the activities that may be chosen now.",
}
_WAITING["properties"] |= {
    "type": {"type": "string", "description": "Of a job: its type."},
    "attempt": {"type": "integer", "description": "Of a job: what a command on it names."},
    "retries_left": {"type": "integer", "description": "Of a job."},
    "listens_to": {"type": "string", "description": "Of a listener's job: the event."},
    "retry_at": {**INSTANT, "description": "Of a retry: the next try, UTC, ms since 1970."},
    "due_at": {**INSTANT, "description": "Of a timer: when it fires, UTC, ms since 1970."},
    "repetitions": {
        "type": ["integer", "null"],
        "description": "Of a repeating timer: how often it is still to fire; null: for ever.",
    },
    "name": {"type": "string", "description": "Of a message or a signal."},
    "correlation_key": {"type": "string", "description": "Of a message; empty: it has none."},
    "condition": {"type": "string", "description": "Of a condition: its expression."},
    "called": {"type": "string", "description": "Of a call: the id of the called instance."},
    "assignee": {**NULLABLE_STRING, "description": "Of a user task."},
    "change": {
        **NULLABLE_STRING,
        "description": "Of a user task: the change that its listeners are asked about.",
    },
    "iteration": {
        "type": "integer",
        "description": "Inside a multi-instance: the number of the iteration, from 1.",
    },
}
_INCIDENT = _object(
    id={"type": "string"},
    kind={"type": "string"},
    element=NULLABLE_STRING,
    message={"type": "string"},
)
_LISTED_INCIDENT = _object(
    **_INCIDENT["properties"],
    instance_id={"type": "string"},
    process_id={"type": "string"},
    version={"type": "integer"},
    business_key=NULLABLE_STRING,
    since=INSTANT,
)
_OPEN_INCIDENTS = {"type": "integer", "description": "How many, of one that has not ended."}
INSTANCE = _object(
    **_SUMMARY,
    started_at=INSTANT,
    open_incidents=_OPEN_INCIDENTS,
    ended_at=INSTANT,
    waiting=_array(_WAITING),
    variables=VARIABLES,
    incidents=_array(_INCIDENT),
    revision={"type": ["integer", "null"]},
)
TASK = _object(
    task_id={"type": "string"},
    instance_id={"type": "string"},
    root_id={"type": "string"},
    process_id={"type": "string"},
    version={"type": "integer"},
    business_key=NULLABLE_STRING,
    element_id={"type": "string"},
    name=NULLABLE_STRING,
    assignee=NULLABLE_STRING,
    candidate_users=_array({"type": "string"}),
    candidate_groups=_array({"type": "string"}),
    due_at={"type": ["integer", "null"]},
    follow_up_at={"type": ["integer", "null"]},
    priority={"type": "integer"},
    form_key=NULLABLE_STRING,
    created_at=INSTANT,
    variables=VARIABLES,
    revision={"type": "integer"},
    change=NULLABLE_STRING,
)
_KIND = {"type": "string", "enum": list(DefinitionKind)}
_OF_A_PROCESS = {"type": "string", "description": "Of a process."}
_OF_A_DECISION = {"type": "string", "description": "Of a decision."}
DEFINITION = _object(
    kind=_KIND,
    process_id=_OF_A_PROCESS,
    decision_id=_OF_A_DECISION,
    versions=_array(_object(version={"type": "integer"}, checksum={"type": "string"})),
)
RESOURCE = _object(
    kind=_KIND,
    process_id=_OF_A_PROCESS,
    decision_id=_OF_A_DECISION,
    version={"type": "integer"},
    checksum={"type": "string"},
    resource=NULLABLE_STRING,
)
_READY = _object(ready={"type": "boolean"}, reasons=_array({"type": "string"}))
_PAGING = (
    _parameter("cursor", "Where the page before ended."),
    _parameter("limit", "Items a page, 1 to 500; 50 by default.", "integer"),
)
_PROCESS = _parameter("process_id", "Only this process.")

OPENAPI: Json = {
    "openapi": "3.1.0",
    "info": {
        "title": "Torpor",
        "version": "1",
        "description": "Read-only queries of an engine, over all partitions. Commands go to Kafka.",
    },
    "paths": {
        "/livez": {
            "get": {
                "summary": "Whether the process lives.",
                "responses": {"200": {"description": "ok"}},
            }
        },
        "/readyz": {
            "get": {
                "summary": "Whether every partition of this process is served.",
                "responses": {"200": _answer("Yes.", _READY), "503": _answer("No.", _READY)},
            }
        },
        "/metrics": {
            "get": {
                "summary": "Metrics in Prometheus's text format.",
                "responses": {"200": {"description": "Metrics."}},
            }
        },
        "/v1/instances": _get(
            "Running instances.",
            _page(_object(**_SUMMARY, started_at=INSTANT, open_incidents=_OPEN_INCIDENTS)),
            _PROCESS,
            _parameter("business_key", "Only this business key."),
            _parameter("state", "RUNNING: no other is listed."),
            *_PAGING,
        ),
        "/v1/instances/{id}": _get(
            "One instance; for a day after its end, how it ended.",
            INSTANCE,
            _in_path("id"),
            missing=True,
        ),
        "/v1/tasks": _get(
            "Open user tasks.",
            _page(TASK),
            _parameter("assignee", "Only tasks assigned to this user."),
            _parameter("group", "Only tasks that this group may claim."),
            _PROCESS,
            *_PAGING,
        ),
        "/v1/incidents": _get("Open incidents.", _page(_LISTED_INCIDENT), _PROCESS, *_PAGING),
        "/v1/definitions": _get(
            "Deployed processes and decisions with their versions.", _page(DEFINITION)
        ),
        "/v1/definitions/{id}/{version}": _get(
            "One version, with its resource.",
            RESOURCE,
            _in_path("id"),
            _in_path("version", "integer"),
            _parameter("kind", "process or decision; a process by default."),
            missing=True,
        ),
    },
}
