"""Becomes a server that ends with its caller, even when the caller is killed with SIGKILL.

Run as a script: `python -I -S tether.py COMMAND...`, with a pipe as standard input whose other end
the caller holds. A watcher, detached by a double fork so that the server never sees a child it does
not know, reads the pipe. The kernel closes the caller's end however the caller ends, the watcher
reads end of file and kills the server. One byte means: the caller has seen to it, do nothing.

Why not PR_SET_PDEATHSIG: it is Linux only, and it fires when the *thread* that forked ends, which
is not the same as the caller. Why not an exit handler: SIGKILL runs none.
"""

import os
import signal
import sys

STDIN = 0


def main(command: list[str]) -> None:
    server = os.getpid()
    if os.fork() == 0:
        if os.fork() == 0:
            watch(server)
        os._exit(0)
    os.wait()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.close(nothing)
    os.execv(command[0], command)


def watch(server: int) -> None:
    """Wait for the caller's end. Where there are pidfds, a reused process id cannot be hit."""
    handle = os.pidfd_open(server) if hasattr(os, "pidfd_open") else None
    if os.read(STDIN, 1):
        return
    try:
        if handle is not None:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        else:
            os.kill(server, signal.SIGKILL)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    main(sys.argv[1:])
