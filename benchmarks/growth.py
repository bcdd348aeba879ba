"""How the cost of an item grows with the width of its instance: by the core alone, and with what
a commit does besides: encoding the document, finding what changed of it and of its indexes.

The cost of a command is measured on a sample of a wide instance's items, spread over all of it.
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.driver import Driver
from benchmarks.models import (
    compiled,
    conditional,
    deadlines,
    joined_inside,
    merged,
    merged_before_a_join,
    multi_instance,
    on_message,
    pairs,
    parallel_tasks,
)
from engine import commands as c
from engine.model.elements import ProcessModel
from engine.state import ProcessInstance, TimerWait

WIDTHS = (1_000, 2_000, 4_000, 8_000, 16_000)
SAMPLE = 500

Model = Callable[[int], bytes]
Step = Callable[[Driver, int], int]
"""Does a step of a run of this width and returns for how many items."""


class Run(NamedTuple):
    """Steps that follow each other on one instance."""

    what: str
    model: Model
    steps: tuple[tuple[str, Step], ...]
    widths: tuple[int, ...] = WIDTHS


def begin(driver: Driver, width: int) -> int:
    variables = f'{{"n": {width}}}'
    driver.send(c.StartInstance(process_id="bench", instance_id="i", variables=variables))
    return width


def complete_some(driver: Driver, width: int) -> int:
    """A part of the jobs, spread over all."""
    jobs = list(driver.jobs)[:: _stride(width)]
    for job in jobs:
        driver.send(c.CompleteJob(job_id=job.job_id, attempt=job.attempt))
    return len(jobs)


def terminate(driver: Driver, width: int) -> int:
    driver.send(c.TerminateInstance(instance_id="i"))
    return width - len(range(0, width, _stride(width)))


def expire_some(driver: Driver, width: int) -> int:
    """A part of the timers, spread over all."""
    timers = [wait for wait in _instance(driver).waits.values() if isinstance(wait, TimerWait)]
    timers = timers[:: _stride(width)]
    for timer in timers:
        driver.send(c.FireTimer(address="i", timer=timer.key, due_ms=timer.due_ms))
    return len(timers)


def receive_all(driver: Driver, width: int) -> int:
    """As many messages to the one event sub-process that stays armed."""
    for _ in range(width):
        driver.send(c.PublishMessage(name="m", correlation_key="k"))
    return width


def set_another(driver: Driver, width: int) -> int:
    """A variable that no condition asks for."""
    for number in range(50):
        driver.send(c.SetVariables(instance_id="i", variables=f'{{"other": {number}}}'))
    return 50


def set_inside(driver: Driver, width: int) -> int:
    """The variable that all conditions ask for, inside of a part of the iterations."""
    elements = _instance(driver).elements.values()
    iterations = [each.key for each in elements if each.ordinal][:: _stride(width)]
    for key in iterations:
        driver.send(
            c.SetVariables(
                instance_id="i",
                element_instance_id=f"i:{key}",
                variables='{"x": 0}',
                local=True,
            )
        )
    return len(iterations)


def set_for_all(driver: Driver, width: int) -> int:
    """The variable that all conditions ask for: half of them become true."""
    driver.send(c.SetVariables(instance_id="i", variables=f'{{"x": {width // 2}}}'))
    return width


def publish_with_ids(driver: Driver, width: int) -> int:
    """As many messages to one name and key, each with an id that is remembered."""
    for number in range(width):
        driver.send(
            c.PublishMessage(name="other", correlation_key="k", message_id=f"message-{number}")
        )
    return width


def _stride(width: int) -> int:
    return max(2, width // SAMPLE)


def _instance(driver: Driver) -> ProcessInstance:
    state = driver.states["i"]
    assert isinstance(state, ProcessInstance)
    return state


_JOBS: tuple[tuple[str, Step], ...] = (
    ("begin", begin),
    ("complete one", complete_some),
    ("terminate", terminate),
)

RUNS = (
    Run(
        "parallel multi-instance",
        lambda _: multi_instance("=for i in 1..n return i"),
        _JOBS,
    ),
    Run(
        "gateway to as many tasks, and their join",
        parallel_tasks,
        _JOBS,
        WIDTHS[:3],
    ),
    Run(
        "as many tokens at one task",
        merged,
        _JOBS,
    ),
    Run(
        "gateway to as many tasks, and their inclusive join",
        lambda tasks: parallel_tasks(tasks, join="inclusiveGateway"),
        _JOBS,
        WIDTHS[:3],
    ),
    Run("as many branches, each two with an inclusive join", pairs, _JOBS, WIDTHS[:2]),
    Run("as many tokens before an inclusive join", merged_before_a_join, _JOBS),
    Run(
        "sub-processes with an inclusive join each",
        lambda _: joined_inside("=for i in 1..n return i"),
        _JOBS,
    ),
    Run(
        "sub-processes with a conditional event each",
        lambda _: conditional("=for i in 1..n return i"),
        (
            ("begin", begin),
            ("set another variable", set_another),
            ("set it for all", set_for_all),
            ("set it inside", set_inside),
            ("complete one", complete_some),
            ("terminate", terminate),
        ),
    ),
    Run(
        "event sub-process, begun as many times",
        lambda _: on_message(),
        (
            ("start", lambda driver, width: begin(driver, width) and 1),
            ("begin one", receive_all),
            ("complete one", complete_some),
            ("terminate", terminate),
        ),
    ),
    Run(
        "sub-processes with a deadline each",
        lambda _: deadlines("=for i in 1..n return i"),
        (("begin", begin), ("expire one", expire_some), ("terminate", terminate)),
    ),
    Run(
        "messages to one key, each with an id",
        lambda _: on_message(),
        (("publish one", publish_with_ids),),
    ),
)


class Cost(NamedTuple):
    """Seconds of processor time an item, and bytes written an item."""

    core: float
    encoding: float
    written: float


def costs(run: Run, model: ProcessModel, width: int) -> Iterator[tuple[str, Cost]]:
    """What each step of a run costs an item."""
    driver = Driver(model, stores=True)
    for name, step in run.steps:
        stored, written = driver.storing_s, driver.written
        began = time.process_time()
        items = step(driver, width)
        took = time.process_time() - began
        storing = driver.storing_s - stored
        yield (
            name,
            Cost((took - storing) / items, storing / items, (driver.written - written) / items),
        )


def best(run: Run, width: int, rounds: int = 2) -> dict[str, Cost]:
    """The least of a few rounds, by step."""
    model = compiled(run.model(width))
    found = [dict(costs(run, model, width)) for _ in range(rounds)]
    return {
        name: Cost(*(min(each) for each in zip(*(one[name] for one in found), strict=True)))
        for name in found[0]
    }


def measure_growth(show: Callable[[str, str], None]) -> None:
    """Print what an item costs at each width, and how often the cost at the first."""
    for run in RUNS:
        show(run.what, "an item: core, with encoding, written; ratio to the first width")
        first: dict[str, Cost] = {}
        for width in run.widths:
            for name, cost in best(run, width).items():
                base = first.setdefault(name, cost)
                whole, base_whole = cost.core + cost.encoding, base.core + base.encoding
                show(
                    f"  {width:>6,} {name}",
                    f"{cost.core * 1e6:>8.1f} µs x {cost.core / base.core:<6.2f}"
                    f"{whole * 1e6:>8.1f} µs x {whole / base_whole:<6.2f}"
                    f"{cost.written:>9,.0f} B x {cost.written / base.written:.2f}",
                )
