"""Secrets for tests, which need no chance."""

from collections.abc import Sequence

from schemas.seals import Epoch

SECRET = bytes(range(32))


def sealed_from(since: Sequence[int], secret: bytes = SECRET) -> Epoch:
    """An epoch that seals from these offsets on, by partition."""
    return Epoch(since=tuple(since), secret=secret)


def sealed(partitions: int) -> tuple[Epoch, ...]:
    """The epochs of a namespace that was sealed from its beginning."""
    return (sealed_from((0,) * partitions),)
