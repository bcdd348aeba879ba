"""The circuit breaker: jobs wait when what they need is away."""

from torpor_client.breaker import FAILURES_MAX, CircuitBreaker


def opened(now: float = 100.0) -> CircuitBreaker:
    breaker = CircuitBreaker(pause_s=1.0, pause_s_max=4.0)
    breaker.begin()
    breaker.unavailable(now)
    return breaker


def test_jobs_run_at_first() -> None:
    breaker = CircuitBreaker()
    assert not breaker.is_open
    assert breaker.wait_s(0.0) == 0.0


def test_one_unavailable_service_opens_it_for_a_pause() -> None:
    breaker = opened(now=100.0)
    assert breaker.is_open
    assert breaker.wait_s(100.25) == 0.75
    assert breaker.wait_s(101.0) == 0.0


def test_failures_in_a_row_open_it_and_a_success_between_them_does_not() -> None:
    breaker = CircuitBreaker()
    for _ in range(FAILURES_MAX - 1):
        breaker.failed(0.0)
    breaker.succeeded()
    for _ in range(FAILURES_MAX - 1):
        breaker.failed(0.0)
    assert not breaker.is_open
    breaker.failed(0.0)
    assert breaker.is_open


def test_after_the_pause_one_probe_runs_and_the_others_wait() -> None:
    breaker = opened(now=100.0)
    breaker.begin()
    assert breaker.is_open
    assert breaker.wait_s(101.0) > 0


def test_success_of_the_probe_closes_it() -> None:
    breaker = opened(now=100.0)
    breaker.begin()
    breaker.succeeded()
    assert not breaker.is_open
    assert breaker.wait_s(101.0) == 0.0


def test_failure_of_the_probe_opens_it_for_twice_as_long_up_to_a_limit() -> None:
    breaker = opened(now=100.0)
    for pause in (2.0, 4.0, 4.0):
        breaker.begin()
        breaker.failed(200.0)
        assert breaker.wait_s(200.0) == pause


def test_jobs_that_ran_when_it_opened_do_not_prolong_the_pause() -> None:
    breaker = opened(now=100.0)
    breaker.unavailable(100.5)
    assert breaker.wait_s(101.0) == 0.0


def test_pause_is_short_again_after_a_success() -> None:
    breaker = opened(now=100.0)
    breaker.begin()
    breaker.failed(101.0)
    breaker.begin()
    breaker.succeeded()
    breaker.unavailable(200.0)
    assert breaker.wait_s(200.0) == 1.0
