"""Client and worker library for Torpor. It speaks the wire, and knows nothing of the engine."""

from torpor_client.answers import JobResult
from torpor_client.channel import ClientOptions, Submitted
from torpor_client.client import Client
from torpor_client.effects import EffectPosition, EffectStream
from torpor_client.errors import (
    BpmnError,
    DigestMismatchError,
    JobFailure,
    KafkaUnavailableError,
    NamespaceNotFoundError,
    PositionLostError,
    RejectedError,
    ReplyTimeoutError,
    ServiceUnavailable,
    TorporError,
    UndecodableRecordError,
)
from torpor_client.frames import Frame
from torpor_client.ids import new_id
from torpor_client.records import (
    Completion,
    Deployed,
    Deployment,
    Effect,
    EffectError,
    EffectIncident,
    EffectJob,
    EffectMessage,
    EffectTask,
    Finding,
    Job,
    Position,
    Reply,
    Resource,
    Started,
    Task,
)
from torpor_client.worker import Worker

__all__ = [
    "BpmnError",
    "Client",
    "ClientOptions",
    "Completion",
    "Deployed",
    "Deployment",
    "DigestMismatchError",
    "Effect",
    "EffectError",
    "EffectIncident",
    "EffectJob",
    "EffectMessage",
    "EffectPosition",
    "EffectStream",
    "EffectTask",
    "Finding",
    "Frame",
    "Job",
    "JobFailure",
    "JobResult",
    "KafkaUnavailableError",
    "NamespaceNotFoundError",
    "Position",
    "PositionLostError",
    "RejectedError",
    "Reply",
    "ReplyTimeoutError",
    "Resource",
    "ServiceUnavailable",
    "Started",
    "Submitted",
    "Task",
    "TorporError",
    "UndecodableRecordError",
    "Worker",
    "new_id",
]
