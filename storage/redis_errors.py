"""What the store's errors mean: the text of a Redis error, as one of storage's exceptions."""

from redis.exceptions import ResponseError

from storage.errors import PartitionHaltedError, StorageError, StoreUnavailableError

NOTHING_WRITTEN = (
    "ASK",
    "BUSY",
    "CLUSTERDOWN",
    "CROSSSLOT",
    "EXECABORT",
    "LOADING",
    "MASTERDOWN",
    "MISCONF",
    "MOVED",
    "NOAUTH",
    "NOPERM",
    "NOREPLICAS",
    "NOSCRIPT",
    "OOM",
    "READONLY",
    "TRYAGAIN",
    "UNKILLABLE",
)
"""Codes with which Redis refuses a command or a script as a whole, before its first write."""

ELSEWHERE = frozenset({"ASK", "CLUSTERDOWN", "MASTERDOWN", "MOVED", "READONLY", "TRYAGAIN"})
"""Codes that say: this server is not, or not now, the master of that key."""


_NOT_PERMITTED = ("ACL failure in script", "can't run this command")
"""How Redis 6 and Redis 7 put NOPERM inside a script."""


def code_of(text: str) -> str:
    """The first word of an error, or of what an error inside a script quotes.

    Redis 7 writes a script's error as `OOM command not allowed ... script: <sha>, on line:1.`,
    Redis 6 as `ERR Error running script (call to <sha>): @user_script:1: OOM command ...`.
    """
    first = text.removeprefix("-").split(" ", 1)[0]
    if first in NOTHING_WRITTEN or "user_script" not in text:
        return first
    quoted = text.rpartition("user_script:")[2].partition(": ")[2]
    return quoted.removeprefix("-").split(" ", 1)[0]


def text_of(error: ResponseError) -> str:
    """The error as the server wrote it (redis-py cuts off the codes that it knows)."""
    code = getattr(error, "status_code", None)
    text = str(error)
    return text if code is None or text.startswith(code) else f"{code} {text}"


def storage_error(error: ResponseError) -> StorageError:
    """The error of a read. A wrong type means that somebody else writes our keys."""
    text = text_of(error)
    if "WRONGTYPE" in text:
        return PartitionHaltedError(text)
    return StoreUnavailableError(text)


def commit_error(text: str) -> StorageError:
    """The error of a commit's script as a whole: refused before it ran, or broken inside."""
    is_refused = code_of(text) in NOTHING_WRITTEN or any(
        phrase in text for phrase in (*_NOT_PERMITTED, "Script killed by user")
    )
    return StoreUnavailableError(text) if is_refused else PartitionHaltedError(text)
