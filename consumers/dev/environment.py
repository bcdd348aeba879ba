"""A whole Torpor on loopback: a Kafka, a Redis, an initialised namespace, and engine processes.

For `torpor dev`, the demo and tests. Everything it starts ends with it.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from consumers.config import read_config
from consumers.dev.errors import AddressTakenError
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
from consumers.secret_file import SecretSource

ENGINE_READY_S = 60.0
STOP_GRACE_S = 15.0
PROBE_S = 2.0
WATCH_S = 0.2

# What is on this machine is not asked through a proxy.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class DevOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`kafka` and `redis` are addresses of servers to use; None: start what can be had.

    `http` is where the first engine answers queries; further engines take any free port, and with
    `any_port` the first one does so, too, should its port be taken. `variables` are more of the
    environment for the engines.
    """

    namespace: str = "torpor"
    engines: int = 1
    partitions: int = 8
    http: str = f"{LOOPBACK}:0"
    any_port: bool = False
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
        with _OPENER.open(url, timeout=PROBE_S) as answer:
            return int(answer.status) == 200
    except (OSError, HTTPException):
        return False


def why_taken(address: str) -> str | None:
    """Why nobody can listen at host:port now; None: somebody can."""
    host, _, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
        family, kind, protocol, _, place = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        return error.strerror or str(error)
    return None


class DevEnvironment:
    """`async with DevEnvironment(options) as environment`: all serves; at the end all is stopped.

    Raises DevServerError, and what `initialise` raises.
    """

    kafka: Kafka
    redis: Redis
    folder: Path
    """Where the engines' logs are."""

    def __init__(self, options: DevOptions, say: Callable[[str], None] = say_on_stderr) -> None:
        self.options = options
        self.engines: list[EngineProcess] = []
        self._say = say
        self._stack = contextlib.AsyncExitStack()

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
        self._first_http = self._free_address()
        self.folder = Path(
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
        # A Kafka that was given may know the namespace from a run whose Redis is gone.
        await initialise(config, options.partitions, secrets=SecretSource(trust_log=True))
        first, *others = [self.add_engine() for _ in range(options.engines)]
        await first.wait_ready()
        for engine in others:
            await engine.wait_ready()

    def add_engine(self) -> EngineProcess:
        """Start one more engine; `wait_ready` awaits it."""
        number = len(self.engines) + 1
        host, _, _ = self.options.http.rpartition(":")
        http = self._first_http if number == 1 else f"{host}:{free_port()}"
        engine = EngineProcess(f"engine-{number}", http, self._variables(), self.folder)
        self._stack.callback(engine.end)
        self.engines.append(engine)
        engine.start()
        return engine

    def _free_address(self) -> str:
        """Where the first engine listens. Should another program answer there, it would be taken
        for our engine; so this is looked at before anything is started."""
        address = self.options.http
        host, _, port = address.rpartition(":")
        if port == "0":
            return f"{host}:{free_port()}"
        taken = why_taken(address)
        if taken is None:
            return address
        if not self.options.any_port:
            raise AddressTakenError(
                f"no engine can listen at {address}: {taken}. Give another address with --http (or"
                f" TORPOR_HTTP), for example {host}:0 for any port."
            )
        other = f"{host}:{free_port()}"
        self._say(f"http: {other} ({address} is not to be had: {taken})")
        return other

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
        asked = running[0]
        while not stopped.is_set():
            ended = [engine for engine in running if engine.exit_code() is not None]
            for engine in ended:
                running.remove(engine)
                self._say(_how_it_ended(engine))
            if ended and not running:
                self._say("no engine is left: commands wait in Kafka")
            elif asked in ended:
                asked = running[0]
                self._say(f"{asked.name} goes on: export TORPOR_HTTP={asked.http}")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), WATCH_S)


def _how_it_ended(engine: EngineProcess) -> str:
    """One that failed has printed why; one that was killed has nothing to say."""
    code = engine.exit_code() or 0
    if code < 0:
        return f"{engine.name} was ended by {signal.Signals(-code).name}"
    printed = f". It printed:\n{engine.output_tail()}" if code else ""
    return f"{engine.name} ended with code {code}{printed}"
