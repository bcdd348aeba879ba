"""The exceptions of the consumers' own.

ConsumerError
    EngineFaultError       a bug on one command: the loop dead-letters that command, and goes on
        RecordTooLargeError    it would publish what no topic takes; a client's command is rejected
    LogMismatchError       the log is not the one that the fence was made from: the loop halts
    NotInitialisedError    the partition has no fence: the loop halts
"""


class ConsumerError(Exception):
    """The root of the consumers' exceptions."""


class EngineFaultError(ConsumerError):
    """An exception out of the core: a bug. The loop dead-letters the command, and goes on."""


class RecordTooLargeError(EngineFaultError):
    """A command leads to a record that is too large for the topics. Nothing of it is done."""


class LogMismatchError(ConsumerError):
    """The log was truncated, recreated, cut or repartitioned. The loop halts the partition."""


class NotInitialisedError(ConsumerError):
    """No fence: never initialised, or the store was wiped. The loop halts the partition."""
