"""The topics of job types: made when a model that names them is deployed, else with the first job.

Early is a courtesy: a worker that finds its topic joins its group at once, and does not wait for
the first job to do so. Publishing depends on nothing that is done here in the background.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence

from aiokafka.errors import KafkaError

from consumers.kafka_connection import KafkaConnection
from consumers.kafka_topics import KafkaTopics, planned_job_topic, replicas_for
from consumers.log import PublishRefusedError
from engine.model.compile import compile_resource
from engine.records import Topic
from engine.settings import Settings
from schemas.topics import topic_name

log = logging.getLogger(__name__)


class JobTopics:
    """Makes the topics of one namespace's job types. `partitions` is the namespace's."""

    def __init__(self, connection: KafkaConnection, namespace: str, partitions: int) -> None:
        self._connection = connection
        self._namespace = namespace
        self._partitions = partitions
        self._background: set[asyncio.Task[None]] = set()

    def is_one(self, topic: str) -> bool:
        """Whether a topic's name is that of a job type."""
        return topic.startswith(f"{topic_name(self._namespace, Topic.JOBS)}.")

    async def create(self, names: Sequence[str]) -> None:
        """Create those that are missing. Raises PublishRefusedError, LogUnavailableError."""
        async with KafkaTopics(self._connection) as topics:
            known = await topics.names()
            missing = [name for name in names if name not in known]
            brokers = await topics.brokers() if missing else 0
            for name in missing:
                plan = planned_job_topic(name, self._partitions, brokers)
                try:
                    created = await topics.create(plan, replicas_for(brokers))
                except KafkaError as error:
                    raise PublishRefusedError(f"{name} cannot be created: {error!r}") from error
                if created:
                    log.info("topic created: %s", name)

    def deployed(self, resources: Sequence[bytes]) -> None:
        """Begin to create the topics that these models name. What fails is logged."""
        task = asyncio.create_task(self._create_for(resources))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def close(self) -> None:
        for task in self._background:
            task.cancel()

    async def _create_for(self, resources: Sequence[bytes]) -> None:
        try:
            # In a thread: a large model takes a second, and the partitions go on meanwhile.
            names = await asyncio.to_thread(job_topics, self._namespace, resources)
            if names:
                await self.create(names)
        except Exception as error:  # nothing depends on it, whatever it was
            log.warning("topics of job types are made with their first job: %s", error)


def job_topics(namespace: str, resources: Sequence[bytes]) -> list[str]:
    """The topics of all job types that models name; not of those that only an expression tells."""
    types = dict.fromkeys(each for resource in resources for each in _job_types(resource))
    return [topic_name(namespace, Topic.JOBS, each) for each in types]


def _job_types(resource: bytes) -> Iterator[str]:
    for model in compile_resource("", resource, Settings(model_bytes_max=2**31)).processes:
        for job in model.jobs:
            if isinstance(job.type, str):
                yield job.type
