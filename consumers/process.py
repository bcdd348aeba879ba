"""Engine processes: one in this process, or several as children that are started again.

SIGTERM and SIGINT stop in order, within seconds: partitions are handed back, nothing is left half
done. Whatever is cut off by a harder end is found and mended by the next owner.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType

import msgspec
import uvloop

from consumers.app import MembershipLostError, checked, open_engine
from consumers.config import Config
from consumers.log import LogUnavailableError
from consumers.logs import set_up_logs
from consumers.namespace import NamespaceError
from consumers.start_checks import StartError
from consumers.unreachable import unreachable_sentence
from storage.errors import StoreUnavailableError
from storage.redis_store import connect_store

log = logging.getLogger(__name__)

OK = 0
REFUSED = 1
UNREACHABLE = 3

STOP_GRACE_S = 10.0
RESTART_S_MIN = 0.5
RESTART_S_MAX = 30.0
STEADY_S = 60.0
"""After so long a life a child's next restart waits as little as its first."""

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def run(
    config: Config, processes: int = 1, listening: Callable[[str], None] = lambda _: None
) -> int:
    """Run engines until SIGTERM; the exit code: 0, 1 refused (said in the log), 3 unreachable.

    With several processes the n-th listens on the port of `config.http` plus n.
    """
    set_up_logs(config.log_level)
    if processes == 1:
        return run_one(config, listening)
    return Supervisor(config, processes).run()


def run_one(config: Config, listening: Callable[[str], None] = lambda _: None) -> int:
    """One engine in this process. The log must be set up."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_run_until_signal(config, listening, None))


async def serve(config: Config, stop: asyncio.Event, listening: Callable[[str], None]) -> None:
    """One engine in the caller's event loop, until `stop` is set. Raises as `open_engine`."""
    async with open_engine(config) as engine:
        await engine.run(stop, listening)


async def _run_until_signal(
    config: Config, listening: Callable[[str], None], parent: Connection | None
) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop.set)
    if parent is not None:
        loop.add_reader(parent.fileno(), stop.set)  # the parent is gone when its end closes
    serving = asyncio.create_task(serve(config, stop, listening))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not serving.done():
        await asyncio.wait([serving], timeout=STOP_GRACE_S)
        serving.cancel()
    return await _exit_code(serving, config)


async def _exit_code(serving: "asyncio.Task[None]", config: Config) -> int:
    try:
        await serving
    except asyncio.CancelledError:
        log.critical("it did not stop within %s s", STOP_GRACE_S)
        return REFUSED
    except (StartError, NamespaceError) as error:
        log.critical("not started: %s", error)
        return REFUSED
    except (StoreUnavailableError, LogUnavailableError) as error:
        log.critical("not started: %s", unreachable_sentence(config.kafka.bootstrap, error))
        return UNREACHABLE
    except MembershipLostError as error:
        log.critical("ended: %s", error)
        return REFUSED
    except OSError as error:
        log.critical("not started: %s", _http_is_taken(config.http, error))
        return REFUSED
    return OK


def _http_is_taken(address: str, error: OSError) -> str:
    host, _, _ = address.rpartition(":")
    # What asyncio says has the address in it, too; the error's number is enough.
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    return (
        f"no engine can listen at {address}: {reason}. Give another address with --http (or"
        f" TORPOR_HTTP), for example {host}:0 for any port"
    )


# --- several processes ---


class Child(msgspec.Struct, eq=False):
    """One engine process; `process` None while it waits to be started (again)."""

    number: int
    process: BaseProcess | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    failures: int = 0


class Supervisor:
    """Keeps children running, and stops them when it is told to stop, or dies."""

    def __init__(self, config: Config, processes: int) -> None:
        self._config = config
        self._context = multiprocessing.get_context("spawn")
        # Children hold one end: it closes when this process is gone, however it went.
        self._tether, self._end = self._context.Pipe(duplex=False)
        self._woken, self._wake = self._context.Pipe(duplex=False)
        self._children = [Child(number) for number in range(processes)]
        self._is_stopping = False

    def run(self) -> int:
        """Until SIGTERM or SIGINT. Refuses at once what no child could start with."""
        code = asyncio.run(_check(self._config))
        if code != OK:
            return code
        for number in STOP_SIGNALS:
            signal.signal(number, self._stop)
        try:
            while not self._is_stopping:
                self._start_due()
                self._wait()
                self._reap()
        finally:
            self._stop_children()
        return OK

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._is_stopping = True
        self._wake.send_bytes(b"x")

    def _start_due(self) -> None:
        now = time.monotonic()
        for child in self._children:
            if child.process is None and child.start_at <= now:
                arguments = (child_config(self._config, child.number), self._tether)
                child.process = self._context.Process(target=_run_child, args=arguments)
                child.process.start()
                child.started_at = now
                log.info("engine %d started as process %d", child.number, child.process.pid)

    def _wait(self) -> None:
        """Until a child ends, one is due, or a signal comes."""
        alive = [each.process.sentinel for each in self._children if each.process is not None]
        due = [each.start_at for each in self._children if each.process is None]
        timeout = max(min(due) - time.monotonic(), 0) if due else None
        wait([*alive, self._woken], timeout)

    def _reap(self) -> None:
        now = time.monotonic()
        for child in self._children:
            process = child.process
            if process is None or process.exitcode is None:
                continue
            child.failures = 0 if now - child.started_at > STEADY_S else child.failures + 1
            delay = min(RESTART_S_MIN * 2**child.failures, RESTART_S_MAX)
            child.process, child.start_at = None, now + delay
            if not self._is_stopping:
                text = "engine %d ended with code %d: starting again in %.1f s"
                log.error(text, child.number, process.exitcode, delay)
            process.close()

    def _stop_children(self) -> None:
        alive = [each.process for each in self._children if each.process is not None]
        for process in alive:
            process.terminate()
        deadline = time.monotonic() + STOP_GRACE_S
        for process in alive:
            process.join(max(deadline - time.monotonic(), 0.1))
            if process.exitcode is None:
                log.error("process %d did not stop in time: killed", process.pid)
                process.kill()
                process.join()
        self._end.close()


def child_config(config: Config, number: int) -> Config:
    """The configuration of the n-th child: its own port of HTTP, unless any is taken."""
    host, separator, port = config.http.rpartition(":")
    if port == "0":
        return config
    return msgspec.structs.replace(config, http=f"{host}{separator}{int(port) + number}")


def _run_child(config: Config, tether: Connection) -> None:
    set_up_logs(config.log_level)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(_run_until_signal(config, lambda _: None, tether))
    sys.exit(code)


async def _check(config: Config) -> int:
    """Whether the servers let an engine start, as an exit code."""
    return await _exit_code(asyncio.create_task(_look(config)), config)


async def _look(config: Config) -> None:
    store = await connect_store(config.redis, config.namespace)
    try:
        await checked(config, store)
    finally:
        await store.close()
