"""A whole Torpor on loopback: a Kafka, a Redis, an initialised namespace, and engine processes.

For `torpor dev`, the demo and tests. Everything it starts ends with it.
"""

import asyncio
import contextlib
import os
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from consumers.config import read_config
from consumers.dev.kafka_server import Kafka
from consumers.dev.process import LOOPBACK, ServerProcess, free_port
from consumers.dev.redis_server import Redis
from consumers.dev.servers import (
    QUICK_KAFKA,
    QUICK_REDIS,
    say_on_stderr,
    start_kafka,
    start_redis,
)
from consumers.init import initialise

ENGINE_READY_S = 60.0
STOP_GRACE_S = 15.0
PROBE_S = 2.0
WATCH_S = 0.2


class DevOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`kafka` and `redis` are addresses of servers to use; None: start what can be had.

    `http` is where the first engine answers queries; further engines take any free port.
    `variables` are more of the environment for the engines.
    """

    namespace: str = "torpor"
    engines: int = 1
    partitions: int = 8
    http: str = f"{LOOPBACK}:0"
    kafka: str | None = None
    redis: str | None = None
    variables: Mapping[str, str] = {}


class EngineProcess:
    """One `torpor run` as a child process."""

    def __init__(self, name: str, http: str, environment: Mapping[str, str], folder: Path) -> None:
        self.name = name
        self.http = http
        self._server = ServerProcess(
            name,
            [sys.executable, "-m", "consumers", "run", "--http", http],
            folder / f"{name}.log",
            environment,
        )

    @property
    def pid(self) -> int:
        return self._server.pid

    def start(self) -> None:
        self._server.start()

    async def wait_ready(self) -> None:
        """Wait until it serves its partitions. Raises ServerFailedError with what it printed."""
        await self._server.wait_ready(self._is_ready, ENGINE_READY_S)

    async def _is_ready(self) -> bool:
        return await asyncio.to_thread(answers_ok, f"http://{self.http}/readyz")

    def kill(self) -> None:
        """SIGKILL."""
        self._server.kill()

    async def stop(self) -> None:
        """SIGTERM, and wait until it has handed back its partitions."""
        await self._server.stop(STOP_GRACE_S)

    def end(self) -> None:
        self._server.end()

    def exit_code(self) -> int | None:
        """How it ended by itself, negative for a signal; None while it runs."""
        return self._server.exit_code()

    def output_tail(self) -> str:
        return self._server.output_tail()


def answers_ok(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=PROBE_S) as answer:
            return int(answer.status) == 200
    except (urllib.error.URLError, OSError):
        return False


class DevEnvironment:
    """`async with DevEnvironment(options) as environment`: all serves; at the end all is stopped.

    Raises DevServerError, and what `initialise` raises.
    """

    kafka: Kafka
    redis: Redis

    def __init__(self, options: DevOptions, say: Callable[[str], None] = say_on_stderr) -> None:
        self.options = options
        self.engines: list[EngineProcess] = []
        self._say = say
        self._stack = contextlib.AsyncExitStack()
        self._folder = Path()

    async def __aenter__(self) -> "DevEnvironment":
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await asyncio.gather(*(engine.stop() for engine in self.engines))
        await self._stack.aclose()

    async def _start(self) -> None:
        options, enter = self.options, self._stack.enter_async_context
        self._folder = Path(
            self._stack.enter_context(tempfile.TemporaryDirectory(prefix="torpor-dev-"))
        )
        self.kafka = await enter(start_kafka(QUICK_KAFKA, given=options.kafka, say=self._say))
        self.redis = await enter(start_redis(QUICK_REDIS, given=options.redis, say=self._say))
        config = read_config(
            os.environ,
            kafka=self.kafka.bootstrap,
            redis=self.redis.url,
            namespace=options.namespace,
        )
        await initialise(config, options.partitions)
        first, *others = [self.add_engine() for _ in range(options.engines)]
        await first.wait_ready()
        for engine in others:
            await engine.wait_ready()

    def add_engine(self) -> EngineProcess:
        """Start one more engine; `wait_ready` awaits it."""
        number = len(self.engines) + 1
        name, http = f"engine-{number}", self._http(number)
        engine = EngineProcess(name, http, self._variables(), self._folder)
        self._stack.callback(engine.end)
        self.engines.append(engine)
        engine.start()
        return engine

    def _http(self, number: int) -> str:
        host, _, port = self.options.http.rpartition(":")
        if number > 1 or port == "0":
            return f"{host}:{free_port()}"
        return self.options.http

    def _variables(self) -> dict[str, str]:
        return {
            **os.environ,
            **self.options.variables,
            "TORPOR_KAFKA": self.kafka.bootstrap,
            "TORPOR_REDIS": self.redis.url,
            "TORPOR_NAMESPACE": self.options.namespace,
        }

    def ready(self) -> dict[str, Any]:
        """What `torpor dev --ready-file` writes."""
        return {
            "kafka": self.kafka.bootstrap,
            "redis": self.redis.url,
            "namespace": self.options.namespace,
            "http": self.engines[0].http,
            "engines": [engine.pid for engine in self.engines],
        }

    async def wait(self, stopped: asyncio.Event) -> None:
        """Wait until `stopped` is set; say which engines end by themselves, or by somebody's hand.

        They are not started again: whoever kills one wants to see what happens.
        """
        running = list(self.engines)
        while not stopped.is_set():
            for engine in running:
                code = engine.exit_code()
                if code is not None:
                    running.remove(engine)
                    self._say(f"{engine.name} ended with code {code}{_last_words(engine, code)}")
                    break
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), WATCH_S)


def _last_words(engine: EngineProcess, code: int) -> str:
    """What an engine that failed printed; one that was killed has nothing to say."""
    return f". It printed:\n{engine.output_tail()}" if code > 0 else ""
