"""A whole Torpor for a test: a namespace on a real Kafka and Redis, engine processes, a raw client.

    async with System(kafka.bootstrap, redis.url, namespace, tmp_path) as system:
        engine = await system.engine()            # started, and serving all partitions
        await system.deploy(bpmn(...))
        await system.wire.accepted("StartInstance", process_id="order", instance_id="a")
        await system.drained()

Engines end with the block. Sessions are short, so that a killed engine's partitions are soon taken
over.
"""

import contextlib
from base64 import b64encode
from pathlib import Path
from typing import Any

from consumers.config import Config
from consumers.init import initialise
from consumers.kafka_connection import KafkaConnection
from consumers.secret_file import SecretSource
from engine.records import Effect
from engine.routing import partition_of
from tests.support.engines import Engine
from tests.support.published import Subscriber, check_history, first_copies
from tests.support.stored import Stored, differences
from tests.support.waiting import DEADLINE_S, eventually, until
from tests.support.wire import Wire

PARTITIONS = 4
SESSION_MS = 3_000


class System:
    """`redis_url` is the server itself; an engine may be started behind another address of it."""

    def __init__(
        self,
        bootstrap: str,
        redis_url: str,
        namespace: str,
        folder: Path,
        partitions: int = PARTITIONS,
    ) -> None:
        self.bootstrap = bootstrap
        self.redis_url = redis_url
        self.namespace = namespace
        self.partitions = partitions
        self.folder = folder
        self.secret_file = folder / f"{namespace}.secrets"
        self.engines: list[Engine] = []
        self.wire = Wire(bootstrap, namespace, partitions)
        self.stored = Stored(redis_url, namespace, partitions)
        self.subscriber = Subscriber(self.wire)
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> "System":
        await self.initialise(self.redis_url)
        self._stack.callback(self._close_stored)
        await self._stack.enter_async_context(self.wire)
        follow = self.wire.following("effects", self.subscriber.take)
        await self._stack.enter_async_context(follow)
        return self

    async def __aexit__(self, *_: object) -> None:
        for engine in self.engines:
            engine.kill()
        await self._stack.aclose()

    def _close_stored(self) -> None:
        self.stored.close()  # of whichever Redis it looks at by then

    # --- engines ---

    async def initialise(self, redis_url: str) -> None:
        """What `torpor init` does: topics, the namespace's record, first fences.

        The secrets come from a file from the second time on: the Redis is a new one.
        """
        config = Config(
            kafka=KafkaConnection(bootstrap=self.bootstrap),
            redis=redis_url,
            namespace=self.namespace,
        )
        await initialise(config, self.partitions, secrets=SecretSource(file=self.secret_file))

    def new_engine(self, redis_url: str | None = None) -> Engine:
        """An engine that is not started."""
        environment = {
            "TORPOR_KAFKA": self.bootstrap,
            "TORPOR_REDIS": redis_url or self.redis_url,
            "TORPOR_NAMESPACE": self.namespace,
            "TORPOR_SESSION_MS": str(SESSION_MS),
        }
        engine = Engine(f"engine-{len(self.engines)}", environment, self.folder)
        self.engines.append(engine)
        return engine

    async def engine(self, redis_url: str | None = None) -> Engine:
        """A new engine that serves all partitions."""
        engine = self.new_engine(redis_url)
        engine.start()
        await engine.serves(self.partitions)
        return engine

    # --- models and instances ---

    async def deploy(self, *contents: bytes) -> None:
        """Deploy models; return when every partition knows them."""
        command = self.deployment(*contents)
        await self.wire.accepted(command.pop("type"), **command)

    def deployment(self, *contents: bytes) -> dict[str, Any]:
        """The command that deploys models."""
        resources = [
            {"name": f"model-{number}.bpmn", "content": b64encode(content).decode()}
            for number, content in enumerate(contents)
        ]
        return {"type": "DeployResources", "resources": resources}

    def id_on(self, partition: int, prefix: str = "i") -> str:
        """An instance id that belongs to a partition."""
        numbers = range(1_000)
        return next(
            f"{prefix}-{number}"
            for number in numbers
            if partition_of(f"{prefix}-{number}", self.partitions) == partition
        )

    # --- effects, each taken once ---

    @property
    def effects(self) -> list[Effect]:
        """The effects so far, as a subscriber takes them."""
        return self.subscriber.effects

    def found(self, kind: str, instance_id: str | None = None) -> list[Effect]:
        """The effects so far of a type, of one instance or of all."""
        return [
            effect
            for effect in self.effects
            if effect.type == kind and instance_id in {None, effect.instance_id}
        ]

    async def effect(
        self, kind: str, instance_id: str, *, number: int = 1, seconds: float = DEADLINE_S
    ) -> Effect:
        """Wait for effect number `number` of a type of an instance."""
        what = f"{kind} number {number} of {instance_id}"
        await until(what, lambda: len(self.found(kind, instance_id)) >= number, seconds)
        return self.found(kind, instance_id)[number - 1]

    # --- when all is quiet ---

    async def drained(self, seconds: float = DEADLINE_S) -> None:
        """Wait until all of the log is applied, and all of it published and trimmed."""

        async def quiet() -> bool:
            ends = await self.wire.ends()
            return self.stored.offsets() == ends and not self.stored.outbox()

        await eventually("the log is applied and the outbox empty", quiet, seconds)

    async def checked_effects(self) -> list[Effect]:
        """All effects, each once, from the topic itself; fails where a promise is broken."""
        check_history(self.wire, await self.wire.read("history"))
        return first_copies(self.wire, await self.wire.read("effects"))

    async def check_replay(self, redis_url: str) -> None:
        """What was disturbed equals what was not.

        All engines are killed. One undisturbed engine takes the same log on an empty Redis: it must
        come to the same documents, byte for byte, and publish the same effects, each once, in the
        order of their first copies. (What it sends to other partitions is in the log already, and
        is dropped as a repetition.)
        """
        for engine in self.engines:
            engine.kill()
        documents = self.stored.documents()
        effects = [(effect.partition, effect.id) for effect in await self.checked_effects()]
        ends = await self.wire.ends("effects")
        await self.initialise(redis_url)
        self.stored.close()
        self.stored = Stored(redis_url, self.namespace, self.partitions)
        await self.engine(redis_url)
        await self.drained()
        assert differences(documents, self.stored.documents()) == {}
        published = [
            (found.partition, found.header("ce_id"))
            for found in await self.wire.read("effects")
            if found.offset >= ends[found.partition]
        ]
        for partition in range(self.partitions):
            expected, again = (
                [id_ for number, id_ in ids if number == partition] for ids in (effects, published)
            )
            assert again == expected, f"effects of partition {partition}"
        await self.checked_effects()
