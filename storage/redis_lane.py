"""The way to one Redis master: a dedicated connection, and who travels on it together.

Whatever is asked while a round trip is under way waits for its end and then goes out together, in
one write; a lone request goes out at once. So commits are grouped exactly as far as they queue, and
no linger is needed.

One round is written as

    MULTI, commit script, EXEC      once for all partitions, or once each on a cluster
    WATCH fences                    for the next round: EXEC has dropped the watches
    reads

The script compares the fence itself, so WATCH is the second line of defence, not the first: it
voids a transaction whose fence moved before the script is even run. A watched fence that moved need
not belong to a partition of this round; therefore the script then runs once more by itself and
names the one that lost. That is safe: what was written already is found at another fence.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress

import msgspec
from redis.exceptions import NoScriptError, ResponseError

from storage.commits import bytes_of, only_removes
from storage.errors import StorageError, StoreUnavailableError
from storage.ports import Commit
from storage.redis_errors import code_of, commit_error, text_of
from storage.redis_scripts import all_scripts, commit_call, commit_result
from storage.redis_session import Command, Reply, Session

GROUP_BYTES_MAX = 16 * 1024 * 1024
"""A replica's output buffer breaks at 256 MB, and Redis serves nobody else while a script runs."""


class _Call(msgspec.Struct, eq=False):
    commands: Sequence[Command]
    fence_key: str | None
    answered: asyncio.Future[list[Reply]]


class _Write(msgspec.Struct, eq=False):
    commit: Commit
    fence_key: str
    written: asyncio.Future[None]


class Lane:
    """Serves one master's requests in rounds. `together`: partitions may share a script."""

    def __init__(self, connect: Callable[[], Awaitable[Session]], *, together: bool) -> None:
        self._connect = connect
        self._together = together
        self._session: Session | None = None
        self._calls: list[_Call] = []
        self._writes: list[_Write] = []
        self._watched: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None

    async def call(self, commands: Sequence[Command], fence_key: str | None = None) -> list[Reply]:
        """Replies to the commands; errors of the server are values. `fence_key` is watched.

        Raises StoreUnavailableError.
        """
        call = _Call(commands, fence_key, asyncio.get_running_loop().create_future())
        self._calls.append(call)
        self._start()
        return await call.answered

    async def commit(self, commit: Commit, fence_key: str) -> None:
        """Returns when written. Raises as `Store.commit` does."""
        write = _Write(commit, fence_key, asyncio.get_running_loop().create_future())
        self._writes.append(write)
        self._start()
        await write.written

    async def close(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
            with suppress(asyncio.CancelledError):
                await self._pump
            self._pump = None
        _fail(self._calls, self._writes, StoreUnavailableError("the store is closed"))
        if self._session is not None:
            await self._session.close()

    def _start(self) -> None:
        self._wake.set()
        if self._pump is None:
            self._pump = asyncio.create_task(self._run(), name="redis-lane")

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            await asyncio.sleep(0)  # who is ready in this turn of the loop comes along
            while self._calls or self._writes:
                await self._round()

    async def _round(self) -> None:
        calls, self._calls = self._calls, []
        writes = self._take_writes()
        try:
            session = await self._opened()
            await self._serve(session, calls, writes)
        except asyncio.CancelledError:
            _fail(calls, writes, StoreUnavailableError("the store was closed meanwhile"))
            raise
        except Exception as error:  # a bug, too, must reach those who wait
            _fail(calls, writes, error)

    def _take_writes(self) -> list[_Write]:
        taken, size = 0, 0
        while taken < len(self._writes) and size < GROUP_BYTES_MAX:
            size += bytes_of(self._writes[taken].commit)
            taken += 1
        writes, self._writes = self._writes[:taken], self._writes[taken:]
        return writes

    async def _opened(self) -> Session:
        if self._session is None or not self._session.is_open:
            self._watched.clear()
            self._session = await self._connect()
            await self._session.exchange([script.load() for script in all_scripts()])
        return self._session

    # --- one round ---

    async def _serve(self, session: Session, calls: list[_Call], writes: list[_Write]) -> None:
        groups = [writes] if self._together and writes else [[write] for write in writes]
        transactions = [command for group in groups for command in _transaction(group)]
        watches = self._watches(calls, writes)
        questions = [command for call in calls for command in call.commands]
        replies = await session.exchange([*transactions, *watches, *questions])
        answers = replies[len(transactions) + len(watches) :]
        again = [
            write
            for number, group in enumerate(groups)
            for write in self._settle(group, replies[3 * number : 3 * number + 3])
        ]
        unknown = _hand_out(calls, answers)
        if again or unknown:
            await self._serve_again(session, unknown, again)

    def _watches(self, calls: Iterable[_Call], writes: Sequence[_Write]) -> list[Command]:
        """WATCH what this round reads or commits and, after an EXEC, what was watched before."""
        fences = dict.fromkeys(call.fence_key for call in calls if call.fence_key is not None)
        fences.update(dict.fromkeys(write.fence_key for write in writes))
        missing = fences if not writes else {**self._watched, **fences}
        added = list(missing) if writes else [key for key in missing if key not in self._watched]
        self._watched.update(missing)
        return self._watch(added)

    def _watch(self, keys: Sequence[str]) -> list[Command]:
        if self._together:
            return [("WATCH", *keys)] if keys else []
        return [("WATCH", key) for key in keys]

    def _settle(self, group: Sequence[_Write], replies: Sequence[Reply]) -> Sequence[_Write]:
        """Answer the writers of one transaction; returns those that go again without MULTI."""
        _, queued, executed = replies
        if executed is None:
            self._watched.clear()
            return group
        for reply in (queued, executed):
            if isinstance(reply, ResponseError):
                return _settle_refused(group, text_of(reply))
        (result,) = executed
        if isinstance(result, NoScriptError):
            return group
        _settle_group(group, result)
        return ()

    async def _serve_again(
        self, session: Session, calls: list[_Call], writes: Sequence[_Write]
    ) -> None:
        """Once more, with the scripts loaded, and the commits as scripts by themselves."""
        groups = [writes] if self._together and writes else [[write] for write in writes]
        loads = [script.load() for script in all_scripts()]
        scripts = [_script(group) for group in groups]
        self._watched.update(dict.fromkeys(write.fence_key for write in writes))
        watches: list[Command] = [("UNWATCH",), *self._watch(list(self._watched))]
        questions = [command for call in calls for command in call.commands]
        replies = await session.exchange([*loads, *scripts, *watches, *questions])
        for group, result in zip(groups, replies[len(loads) :], strict=False):
            _settle_group(group, result)
        first = len(loads) + len(scripts) + len(watches)
        _fail(_hand_out(calls, replies[first:]), (), StoreUnavailableError("scripts are flushed"))


def _script(group: Sequence[_Write]) -> Command:
    return commit_call([w.commit for w in group], [w.fence_key for w in group])


def _transaction(group: Sequence[_Write]) -> list[Command]:
    return [("MULTI",), _script(group), ("EXEC",)]


def _settle_refused(group: Sequence[_Write], text: str) -> Sequence[_Write]:
    """The script was not even queued, so nothing is written. Returns those that go again.

    A full Redis queues nothing inside MULTI, but runs a script that begins with a removal.
    """
    is_full = code_of(text) == "OOM"
    again = [write for write in group if is_full and only_removes(write.commit)]
    for write in group:
        if write not in again:
            _settle_one(write, commit_error(text))
    return again


def _settle_group(group: Sequence[_Write], result: Reply) -> None:
    """Answer the writers with what the script said, or with why it did not run to its end."""
    for number, write in enumerate(group):
        if isinstance(result, ResponseError):
            _settle_one(write, commit_error(text_of(result)))
        else:
            _settle_one(write, commit_result(result[number]))


def _settle_one(write: _Write, error: StorageError | None) -> None:
    if write.written.done():  # its waiter was cancelled
        return
    if error is None:
        write.written.set_result(None)
    else:
        write.written.set_exception(error)


def _hand_out(calls: Sequence[_Call], replies: Sequence[Reply]) -> list[_Call]:
    """Give each call its replies; returns those that named a script the server does not know."""
    unknown: list[_Call] = []
    start = 0
    for call in calls:
        stop = start + len(call.commands)
        answers = list(replies[start:stop])
        start = stop
        if any(isinstance(reply, NoScriptError) for reply in answers):
            unknown.append(call)
        elif not call.answered.done():
            call.answered.set_result(answers)
    return unknown


def _fail(calls: Iterable[_Call], writes: Iterable[_Write], error: Exception) -> None:
    """Whoever still waits learns why. Each gets an exception of its own: they are raised apart."""
    is_ours = isinstance(error, StoreUnavailableError)
    waiting: list[asyncio.Future[list[Reply]] | asyncio.Future[None]] = [
        *(call.answered for call in calls),
        *(write.written for write in writes),
    ]
    for future in waiting:
        if not future.done():
            future.set_exception(StoreUnavailableError(str(error)) if is_ours else error)
