"""One server as a child process: start, await, pause, kill, stop, and what it printed.

Not asyncio's subprocess: that one belongs to the event loop which started it, and a server of a
test session outlives the loop of each test.
"""

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from consumers.dev.errors import ServerFailedError

TETHER = Path(__file__).with_name("tether.py")
LOOPBACK = "127.0.0.1"
# Below the range from which Linux, macOS and Windows take ports of outgoing connections: a server
# that was killed finds its port free again.
PORTS = range(20_000, 32_000)
POLL_S = 0.02
OUTPUT_SHOWN_BYTES = 4_000

Answers = Callable[[], Awaitable[bool]]


class Server(Protocol):
    """What a broker or a Redis server can be told, whether it is a process or a container."""

    @property
    def pid(self) -> int: ...
    def start(self) -> None: ...
    async def wait_ready(self, answers: Answers, deadline_s: float) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def kill(self) -> None: ...
    async def stop(self, grace_s: float) -> None: ...
    def end(self) -> None: ...


class ServerProcess:
    """A child process, tied to this process by `tether.py`."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log_file: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.log_file = log_file
        self._command = [sys.executable, "-I", "-S", str(TETHER), *command]
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ServerFailedError(f"{self.name} is not running")
        return self._process.pid

    def start(self) -> None:
        if self._process is not None:
            raise ServerFailedError(f"{self.name} runs already, as process {self._process.pid}")
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("ab") as output:
            self._process = subprocess.Popen(
                self._command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.log_file.parent,
                env=self._environment,
                # Ctrl-C is for the caller, who stops its servers in order.
                start_new_session=True,
            )

    async def wait_ready(self, answers: Answers, deadline_s: float) -> None:
        """Wait until `answers` says yes.

        Raises ServerFailedError, with what the server printed, when it ends or the deadline passes.
        """
        assert self._process is not None
        try:
            async with asyncio.timeout(deadline_s):
                while self._process.poll() is None:
                    if await answers():
                        return
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            await self.stop(grace_s=0)
            why = f"did not answer within {deadline_s:g} s"
        else:
            why = f"ended with code {self._process.returncode}"
            self._ended()
        raise ServerFailedError(f"{self.name} {why}. It printed:\n{self.output_tail()}")

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone. Does nothing when it is not running."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._ended()

    async def stop(self, grace_s: float) -> None:
        """SIGTERM, and SIGKILL after the grace. Does nothing when it is not running."""
        if self._process is None:
            return
        if grace_s > 0:
            self._process.terminate()
            self._process.send_signal(signal.SIGCONT)
        remaining_s = grace_s
        while self._process.poll() is None and remaining_s > 0:
            await asyncio.sleep(POLL_S)
            remaining_s -= POLL_S
        self.kill()

    def end(self) -> None:
        """What the caller does last."""
        self.kill()

    def exit_code(self) -> int | None:
        """How it ended by itself, negative for a signal; None while it runs."""
        return None if self._process is None else self._process.poll()

    def output_tail(self) -> str:
        try:
            output = self.log_file.read_bytes()
        except FileNotFoundError:
            return ""
        return output[-OUTPUT_SHOWN_BYTES:].decode(errors="replace").strip()

    def _ended(self) -> None:
        """Tell the watcher that the process has been waited for, and forget it."""
        assert self._process is not None
        assert self._process.stdin is not None
        with self._process.stdin as watcher, contextlib.suppress(BrokenPipeError):
            # The pipe is broken when the process ended before there was a watcher.
            watcher.write(b"x")
        self._process = None


def free_port() -> int:
    """A port on loopback that nobody listens on. Should somebody take it now, the start fails."""
    for _ in PORTS:
        port = PORTS.start + secrets.randbelow(len(PORTS))
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return port
    raise ServerFailedError(f"no free port between {PORTS.start} and {PORTS.stop}")
