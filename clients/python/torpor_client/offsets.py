"""Which offsets of a partition may be committed: all before the first job that is not answered."""


class OffsetTracker:
    """The records taken from one partition, in order of their offsets. Pure.

    taken 5 6 8    answered 6        committable: none, for 5 is not answered
                   answered 6 5      committable: 8, the first offset not to be read again
                   answered 6 5 8    committable: 9
    """

    def __init__(self) -> None:
        self._answered: dict[int, bool] = {}
        self._committable: int | None = None
        self._committed: int | None = None

    def __len__(self) -> int:
        """How many records there are from the first unanswered one on: what a crash repeats."""
        return len(self._answered)

    def take(self, offset: int) -> None:
        """A record was read."""
        self._answered[offset] = False

    def answer(self, offset: int) -> None:
        """The answer to a record is in the log, or it needs none."""
        if offset not in self._answered:
            return  # of an assignment that is over
        self._answered[offset] = True
        for first in list(self._answered):
            if not self._answered[first]:
                self._committable = first
                return
            del self._answered[first]
            self._committable = first + 1

    def to_commit(self) -> int | None:
        """The offset to commit; None when that was done."""
        return None if self._committable == self._committed else self._committable

    def committed(self, offset: int) -> None:
        self._committed = offset
