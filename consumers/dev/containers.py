"""Kafka and Valkey in Docker, through testcontainers, which also removes them should we be killed.

testcontainers comes with the development group, not with the package, so it is imported late.
"""

import asyncio
import contextlib
import os
import socket
import urllib.parse
from typing import TYPE_CHECKING

from consumers.dev.errors import ServerFailedError, UnavailableError
from consumers.dev.process import OUTPUT_SHOWN_BYTES, POLL_S, Answers

if TYPE_CHECKING:
    from docker.models.containers import Container
    from testcontainers.core.container import DockerContainer

DEFAULT_ENGINE = "unix:///var/run/docker.sock"
ENGINE_PORT = 2375
ENGINE_TIMEOUT_S = 2


class ServerContainer:
    """A container that can be killed and started again; it keeps its data while it exists."""

    def __init__(self, name: str, container: "DockerContainer") -> None:
        self.name = name
        self._container = container
        self._created = False

    @property
    def _docker(self) -> "Container":
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        return wrapped

    @property
    def pid(self) -> int:
        """The process on the machine that runs Docker, which need not be this one."""
        return int(self._docker.attrs["State"]["Pid"])

    def start(self) -> None:
        """Raises UnavailableError when it cannot be created, for example for want of its image."""
        if self._created:
            self._docker.start()
            return
        from docker.errors import DockerException  # noqa: PLC0415 - installed for tests only

        try:
            self._container.start()
        except DockerException as refused:
            raise UnavailableError(f"{self.name} cannot be started: {refused}") from None
        self._created = True

    async def wait_ready(self, answers: Answers, deadline_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline_s):
                while self._docker.status in {"created", "running"}:
                    if await answers():
                        return
                    await asyncio.sleep(POLL_S)
        output = self._docker.logs()[-OUTPUT_SHOWN_BYTES:].decode(errors="replace").strip()
        raise ServerFailedError(f"{self.name} did not start. It printed:\n{output}")

    def pause(self) -> None:
        self._docker.pause()

    def resume(self) -> None:
        self._docker.unpause()

    def kill(self) -> None:
        if self._created and self._docker.status in {"running", "paused"}:
            self._docker.kill()

    async def stop(self, grace_s: float) -> None:
        if self._created:
            await asyncio.to_thread(self._docker.stop, timeout=int(grace_s))

    def end(self) -> None:
        if self._created:
            self._container.stop()
            self._created = False


def require_docker() -> str:
    """The host on which ports of containers appear.

    Raises UnavailableError when no Docker engine answers.
    """
    # Asked with a bare socket first: that is quick, and docker's own client leaves its socket open
    # when nobody answers.
    address = os.environ.get("DOCKER_HOST", DEFAULT_ENGINE)
    if not answers_at(address):
        raise UnavailableError(f"no Docker engine answers at {address}")
    try:
        import docker  # noqa: PLC0415 - installed for tests only
        from testcontainers.core.docker_client import DockerClient  # noqa: PLC0415 - as above
    except ImportError:
        raise UnavailableError("testcontainers is not installed") from None
    try:
        with contextlib.closing(docker.from_env(timeout=ENGINE_TIMEOUT_S)) as engine:
            engine.ping()
        return DockerClient().host()
    except (docker.errors.DockerException, OSError) as refused:
        reason = str(refused).partition("\n")[0]
        raise UnavailableError(f"no Docker engine answers at {address} ({reason})") from None


def answers_at(address: str) -> bool:
    """Whether somebody accepts a connection at unix://PATH or tcp://HOST:PORT."""
    parts = urllib.parse.urlsplit(address)
    try:
        if parts.scheme == "unix":
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(ENGINE_TIMEOUT_S)
                probe.connect(parts.path)
        else:
            endpoint = (parts.hostname or "", parts.port or ENGINE_PORT)
            socket.create_connection(endpoint, ENGINE_TIMEOUT_S).close()
    except (OSError, ValueError):
        return False
    return True
