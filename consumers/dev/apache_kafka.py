"""Apache Kafka without Docker: server jars resolved by Maven, brokers run with Java, KRaft mode.

Works in a checkout only: the pom and the broker settings are in `compose/kafka/`.
"""

import asyncio
import base64
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from consumers.dev.errors import ServerFailedError, UnavailableError
from consumers.dev.kafka_server import Kafka, KafkaKind, KafkaWanted
from consumers.dev.process import LOOPBACK, OUTPUT_SHOWN_BYTES, ServerProcess, free_port

CHECKOUT = Path(__file__).parents[2]
SETTINGS = CHECKOUT / "compose" / "kafka"
CACHE = CHECKOUT / ".cache" / "kafka"
JAVA_MIN = 17
MAVEN_TIMEOUT_S = 600
FORMAT_TIMEOUT_S = 60
# The serial collector: several JVMs share few cores here.
JAVA_OPTIONS = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-Djava.awt.headless=true")


async def apache_kafka(wanted: KafkaWanted) -> Kafka:
    """Start one or three brokers, each also a controller.

    Raises UnavailableError without Java, Maven or a checkout; ServerFailedError.
    """
    java = require_java()
    version = kafka_version(SETTINGS / "pom.xml")
    jars = await asyncio.to_thread(resolve_jars, CACHE / version)
    run = [java, *JAVA_OPTIONS, "-cp", f"{jars}{os.sep}*"]
    logging = f"-Dlog4j2.configurationFile={SETTINGS / 'log4j2.properties'}"
    cluster_id = base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
    ports = [(free_port(), free_port()) for _ in range(wanted.brokers)]
    settings = [
        write_settings(wanted.folder / f"broker-{index}", index, ports)
        for index in range(wanted.brokers)
    ]
    await asyncio.gather(*(format_storage(run, each, cluster_id) for each in settings))
    servers = [
        ServerProcess(
            f"Kafka broker {index}",
            [*run, logging, "kafka.Kafka", str(each)],
            each.with_name("broker.log"),
        )
        for index, each in enumerate(settings)
    ]
    number = "one broker" if wanted.brokers == 1 else f"{wanted.brokers} brokers"
    kafka = Kafka(
        KafkaKind.APACHE_KAFKA,
        f"Apache Kafka {version} ({number}, jars by Maven)",
        [f"{LOOPBACK}:{port}" for port, _ in ports],
        servers,
    )
    try:
        await kafka.start()
    except BaseException:
        kafka.end()
        raise
    return kafka


def require_java() -> str:
    java = shutil.which("java")
    if java is None:
        raise UnavailableError(f"no java on PATH (Java {JAVA_MIN} or newer is needed)")
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', shown)
    if found is None or int(found[1]) < JAVA_MIN:
        first_line = shown.partition("\n")[0]
        raise UnavailableError(f"Java {JAVA_MIN} or newer is needed, found: {first_line}")
    return java


def kafka_version(pom: Path) -> str:
    if not pom.is_file():
        raise UnavailableError("its pom is in a checkout of the repository only")
    found = re.search(r"<kafka\.version>([^<]+)<", pom.read_text())
    assert found is not None, f"{pom} names no kafka.version"
    return found[1]


def resolve_jars(jars: Path) -> Path:
    """The folder with the server's jars, filled by Maven the first time.

    Filled beside it and renamed: a run that was interrupted, or a second one at the same time,
    never leaves half a folder.
    """
    if jars.is_dir():
        return jars
    maven = shutil.which("mvn")
    if maven is None:
        raise UnavailableError("no mvn on PATH to resolve its jars (Apache Maven is needed)")
    partial = jars.with_name(f"{jars.name}.{os.getpid()}")
    command = [maven, "-q", "-B", "-f", str(SETTINGS / "pom.xml"), "process-resources"]
    done = subprocess.run(
        [*command, f"-Djars={partial}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=MAVEN_TIMEOUT_S,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        shutil.rmtree(partial, ignore_errors=True)
        output = (done.stdout + done.stderr)[-OUTPUT_SHOWN_BYTES:].strip()
        raise UnavailableError(f"Maven could not resolve its jars:\n{output}")
    try:
        partial.rename(jars)
    except OSError:  # somebody else was first
        shutil.rmtree(partial)
    return jars


def write_settings(folder: Path, index: int, ports: Sequence[tuple[int, int]]) -> Path:
    """server.properties of one broker: the common ones, then what is its own."""
    port, controller_port = ports[index]
    brokers = len(ports)
    in_sync = min(2, brokers)
    voters = ",".join(
        f"{voter + 1}@{LOOPBACK}:{voter_port}" for voter, (_, voter_port) in enumerate(ports)
    )
    own = {
        "node.id": index + 1,
        "controller.quorum.voters": voters,
        "listeners": f"PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{port}",
        "log.dirs": folder / "data",
        "default.replication.factor": brokers,
        "min.insync.replicas": in_sync,
        "offsets.topic.replication.factor": brokers,
        "transaction.state.log.replication.factor": brokers,
        "transaction.state.log.min.isr": in_sync,
        "share.coordinator.state.topic.replication.factor": brokers,
        "share.coordinator.state.topic.min.isr": in_sync,
    }
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "server.properties"
    lines = "".join(f"{name}={value}\n" for name, value in own.items())
    settings.write_text((SETTINGS / "server.properties").read_text() + "\n" + lines)
    return settings


async def format_storage(run: Sequence[str], settings: Path, cluster_id: str) -> None:
    tool = [*run, "-XX:TieredStopAtLevel=1", "kafka.tools.StorageTool", "format"]
    done = await asyncio.to_thread(
        subprocess.run,
        # With "=": one id in 64 begins with a hyphen and would be taken for an option.
        [*tool, f"--cluster-id={cluster_id}", "--config", str(settings)],
        capture_output=True,
        text=True,
        check=False,
        timeout=FORMAT_TIMEOUT_S,
    )
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-OUTPUT_SHOWN_BYTES:].strip()
        raise ServerFailedError(f"Kafka's storage could not be formatted:\n{output}")
