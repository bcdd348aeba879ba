"""Engine processes for tests: `torpor run` as a child, to be killed, paused and looked at.

    engine = Engine("a", environment, folder)
    engine.start()
    await engine.serves(4)           # partitions
    engine.kill()                    # SIGKILL

What it logs is in `engine.log()`. It ends with the test's process, however that ends.
"""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from consumers.dev.process import LOOPBACK, ServerProcess, free_port
from tests.support.waiting import eventually

ASK_S = 5.0
START_S = 60.0
STOP_GRACE_S = 20.0

_SAMPLE = re.compile(r"^(\w+)(\{.*\})? (\S+)$", re.MULTILINE)


class Engine:
    """One engine process. `environment` has its configuration; `name` names its log."""

    def __init__(self, name: str, environment: Mapping[str, str], folder: Path) -> None:
        self.name = name
        self.port = free_port()
        self.log_file = folder / f"{name}.log"
        self._process = ServerProcess(
            f"engine {name}",
            [sys.executable, "-m", "consumers", "run"],
            self.log_file,
            {**os.environ, **environment, "TORPOR_HTTP": f"{LOOPBACK}:{self.port}"},
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        self._process.start()

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._process.kill()

    def pause(self) -> None:
        """SIGSTOP."""
        self._process.pause()

    def resume(self) -> None:
        """SIGCONT."""
        self._process.resume()

    async def stop(self) -> None:
        """SIGTERM, and wait until it is gone; SIGKILL after a grace."""
        await self._process.stop(STOP_GRACE_S)

    async def serves(self, at_least: int, seconds: float = START_S) -> None:
        """Wait until it is ready and serves so many partitions."""

        async def enough() -> bool:
            status, _ = await self.get("/readyz")
            return status == 200 and len(await self.partitions()) >= at_least

        try:
            await eventually(f"engine {self.name} serves {at_least}", enough, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; it logged:\n{self._process.output_tail()}") from None

    async def partitions(self) -> set[int]:
        """The partitions that it serves now."""
        return {
            int(labels["partition"])
            for labels, value in (await self.samples("torpor_partition_state"))
            if labels["state"] == "serving" and value == 1
        }

    async def total(self, name: str, **labels: str) -> float:
        """The sum of a metric over all samples that have these labels."""
        return sum(
            value
            for found, value in await self.samples(name)
            if all(found.get(label) == text for label, text in labels.items())
        )

    async def samples(self, name: str) -> list[tuple[dict[str, str], float]]:
        """The samples of a metric, with their labels."""
        _, text = await self.get("/metrics")
        return [
            (dict(re.findall(r'(\w+)="([^"]*)"', found[2] or "")), float(found[3]))
            for found in _SAMPLE.finditer(text)
            if found[1] == name
        ]

    async def get(self, path: str) -> tuple[int, str]:
        """Status and body of its HTTP; (0, why) when it does not answer."""
        try:
            async with asyncio.timeout(ASK_S):
                reader, writer = await asyncio.open_connection(LOOPBACK, self.port)
                try:
                    writer.write(f"GET {path} HTTP/1.0\r\nHost: {LOOPBACK}\r\n\r\n".encode())
                    answer = await reader.read()
                finally:
                    writer.close()
        except (OSError, TimeoutError) as error:
            return 0, repr(error)
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), body.decode()

    def log(self) -> str:
        """All that it has logged, over its restarts."""
        return self.log_file.read_text() if self.log_file.exists() else ""

    def cpu_s(self) -> float:
        """Seconds of CPU time that the process has used, in user and system mode."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def threads(self) -> int:
        """How many threads the process has."""
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))
