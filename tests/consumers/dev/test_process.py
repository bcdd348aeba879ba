"""Server processes: started once, stopped in time, and what they printed is told."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from consumers.dev.errors import ServerFailedError
from consumers.dev.process import ServerProcess

DEADLINE_S = 20.0


async def no() -> bool:
    return False


async def yes() -> bool:
    return True


def sleeper(tmp_path: Path) -> ServerProcess:
    program = "import time; print('up', flush=True); time.sleep(60)"
    return ServerProcess("a sleeper", [sys.executable, "-c", program], tmp_path / "log")


def is_running(pid: int) -> bool:
    """Not a zombie either: nobody may collect the orphans of this machine."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_a_server_that_ends_early_shows_what_it_printed(tmp_path: Path) -> None:
    program = "import sys; sys.exit('no such setting')"
    server = ServerProcess("a server", [sys.executable, "-c", program], tmp_path / "log")
    server.start()
    with pytest.raises(ServerFailedError, match=r"(?s)a server ended with code 1.*no such setting"):
        await server.wait_ready(no, DEADLINE_S)
    server.end()


async def test_a_server_that_does_not_answer_is_stopped_at_the_deadline(tmp_path: Path) -> None:
    server = sleeper(tmp_path)
    server.start()
    pid = server.pid
    with pytest.raises(ServerFailedError, match=r"(?s)did not answer within 0\.5 s.*up"):
        await server.wait_ready(no, 0.5)
    assert not is_running(pid)


async def test_the_process_id_is_the_servers_own(tmp_path: Path) -> None:
    server = ServerProcess(
        "a server",
        [sys.executable, "-c", "import os; print(os.getpid(), flush=True); os.read(0, 1)"],
        tmp_path / "log",
    )
    server.start()
    pid = server.pid
    with pytest.raises(ServerFailedError):  # it reads /dev/null, so it ends by itself
        await server.wait_ready(no, DEADLINE_S)
    assert server.output_tail() == str(pid)


async def test_stop_is_sigterm_and_sigkill_after_the_grace(tmp_path: Path) -> None:
    program = (
        "import signal, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: print('asked', flush=True))\n"
        "print('up', flush=True)\n"
        "while True: time.sleep(0.01)"
    )
    server = ServerProcess("a stubborn one", [sys.executable, "-c", program], tmp_path / "log")

    async def is_up() -> bool:
        return "up" in server.output_tail()

    server.start()
    await server.wait_ready(is_up, DEADLINE_S)
    pid = server.pid
    await server.stop(grace_s=0.5)
    assert "asked" in server.output_tail()
    assert not is_running(pid)


async def test_a_server_starts_once_and_again_after_its_end(tmp_path: Path) -> None:
    server = sleeper(tmp_path)
    server.start()
    with pytest.raises(ServerFailedError, match="runs already"):
        server.start()
    server.kill()
    server.kill()
    with pytest.raises(ServerFailedError, match="not running"):
        _ = server.pid
    server.start()
    await server.wait_ready(yes, DEADLINE_S)
    server.end()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_server_ends_with_a_caller_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time\n"
        "from consumers.dev.process import ServerProcess\n"
        "command = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "server = ServerProcess('a server', command, pathlib.Path(sys.argv[1]))\n"
        "server.start()\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    caller = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tmp_path / "log"), stdout=asyncio.subprocess.PIPE
    )
    assert caller.stdout is not None
    pid = int(await caller.stdout.readline())
    assert is_running(pid)
    os.kill(caller.pid, signal.SIGKILL)
    await caller.wait()
    for _ in range(int(DEADLINE_S / 0.01)):
        if not is_running(pid):
            return
        await asyncio.sleep(0.01)
    pytest.fail("the server outlived its caller")
