"""A circuit breaker for one job type: when what its jobs need is away, they wait in Kafka. Pure.

closed     jobs run; FAILURES_MAX unexpected errors in a row, or one ServiceUnavailable, open it
open       nothing runs until the pause is over; each further pause is twice as long
half-open  one job runs as a probe: its success closes the breaker, its failure opens it again
"""

from typing import Final

FAILURES_MAX: Final = 5
PAUSE_S: Final = 1.0
PAUSE_S_MAX: Final = 60.0


class CircuitBreaker:
    """Told what happens to jobs, and asked whether one may run. Times are any monotonic seconds."""

    def __init__(self, pause_s: float = PAUSE_S, pause_s_max: float = PAUSE_S_MAX) -> None:
        self._first_pause_s = pause_s
        self._pause_s_max = pause_s_max
        self._pause_s = pause_s
        self._failures = 0
        self._open_until: float | None = None
        self._is_probing = False

    @property
    def is_open(self) -> bool:
        """Open or half-open: no new jobs are to be taken from Kafka."""
        return self._open_until is not None

    def wait_s(self, now: float) -> float:
        """How long until a job may be tried; 0: now. While a probe runs, a pause's time."""
        if self._open_until is None:
            return 0.0
        if self._is_probing:
            return self._first_pause_s
        return max(0.0, self._open_until - now)

    def begin(self) -> None:
        """A job runs now, after `wait_s` was 0."""
        self._is_probing = self.is_open

    def succeeded(self) -> None:
        """A job ran without trouble, or told of trouble of its own: what it needs is there."""
        self._failures = 0
        self._pause_s = self._first_pause_s
        self._open_until = None
        self._is_probing = False

    def failed(self, now: float) -> None:
        """A job ended in an error that nobody expected."""
        self._failures += 1
        if self._failures >= FAILURES_MAX or self.is_open:
            self.unavailable(now)

    def unavailable(self, now: float) -> None:
        """A job said that what it needs is away."""
        if self._open_until is not None and not self._is_probing:
            return  # others that ran when it opened tell nothing new
        self._open_until = now + self._pause_s
        self._pause_s = min(self._pause_s * 2, self._pause_s_max)
        self._is_probing = False
