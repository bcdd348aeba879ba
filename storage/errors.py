"""Storage's exceptions.

StorageError
    FenceLostError            somebody else committed: the loop loads the partition anew
    StoreUnavailableError     no answer, or an unclear one: the loop backs off, then loads
    PartitionHaltedError      the store is not what the engine wrote: the loop halts the partition
    ContentMissingError       a deployed resource is not there yet: the loop waits for it
"""


class StorageError(Exception):
    """The root of storage's exceptions."""


class FenceLostError(StorageError):
    """The fence is not the expected one; nothing was written. The loop loads the partition anew."""


class StoreUnavailableError(StorageError):
    """The store gave no clear answer; what was asked may have happened. The loop loads anew."""


class PartitionHaltedError(StorageError):
    """A commit met an error inside its script (a wrong type, say). The loop halts the partition."""


class ContentMissingError(StorageError):
    """Nobody has (again) stored the content of a version. The loop waits, and asks again."""
