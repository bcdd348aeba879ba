"""`python -m benchmarks`: processor time, the best of a few rounds. Compare ratios of one run."""

import json
import time
from collections.abc import Callable

from benchmarks.driver import Driver
from benchmarks.growth import measure_growth
from benchmarks.models import chain, compiled, fan_out, multi_instance, multi_pass, service_tasks
from engine.commands import CompleteJob, StartInstance
from engine.expressions import Environment, compile_feel
from engine.model import compile_resource
from engine.settings import Settings
from engine.values import Value

ROUNDS = 3
CONDITIONS = (
    "amount > 100",
    'amount > 100 and status = "open"',
    'order.customer.city = "Berlin"',
    "items[price > 10].name",
)


def best_s(action: Callable[[], object]) -> float:
    """Seconds of processor time of the best round."""
    took = []
    for _ in range(ROUNDS):
        began = time.process_time()
        action()
        took.append(time.process_time() - began)
    return min(took)


def show(what: str, result: str) -> None:
    print(f"{what:<52} {result}", flush=True)


def begin_whole(content: bytes, variables: str = "{}") -> Callable[[], Driver]:
    """Starts an instance, until it waits."""
    model = compiled(content)

    def begin() -> Driver:
        driver = Driver(model)
        driver.send(StartInstance(process_id="bench", instance_id="i", variables=variables))
        return driver

    return begin


def run_whole(content: bytes, variables: str = "{}") -> Callable[[], Driver]:
    """Starts an instance and answers its jobs, until it ends."""
    begin = begin_whole(content, variables)

    def run() -> Driver:
        driver = begin()
        while driver.jobs:
            job = driver.jobs.popleft()
            driver.send(CompleteJob(job_id=job.job_id, attempt=job.attempt))
        return driver

    return run


def measure_transitions() -> None:
    """An element instance makes two transitions: it is activated, and it completes."""
    items = {width: json.dumps({"items": list(range(width))}) for width in (1_000, 10_000)}
    runs = {
        "chain of 900 tasks": run_whole(chain(900)),
        "fan-out to 4,000 tasks": run_whole(fan_out(4_000, joined=False)),
        "fan-out to 4,000 tasks and their join": run_whole(fan_out(4_000, joined=True)),
        "multi-instance of 10,000 tasks": run_whole(multi_pass(collects=False), items[10_000]),
        "the same, with an output of each": run_whole(multi_pass(collects=True), items[10_000]),
        "multi-instance of 1,000 jobs, a command each": run_whole(multi_instance(), items[1_000]),
        "multi-instance of 10,000 jobs, a command each": run_whole(multi_instance(), items[10_000]),
    }
    for what, run in runs.items():
        seconds = best_s(run)
        show(what, f"{run().transitions / seconds:>10,.0f} element transitions/s")


def measure_conditions() -> None:
    variables: dict[str, Value] = {
        "amount": 740,
        "status": "open",
        "order": {"customer": {"city": "Berlin"}},
        "items": [
            {"name": "a", "price": 5},
            {"name": "b", "price": 15},
            {"name": "c", "price": 25},
        ],
    }
    environment = Environment(lookup=variables.__getitem__)
    for text in CONDITIONS:
        expression = compile_feel(text)

        def evaluate() -> None:
            for _ in range(10_000):
                expression.evaluate(environment)  # noqa: B023 - called before the next round

        show(text, f"{best_s(evaluate) * 100:>10.2f} µs")


def measure_deployment() -> None:
    content = service_tasks(200)
    seconds = best_s(lambda: compile_resource("bench.bpmn", content, Settings()))
    show("model of 200 service tasks: parse, check, compile", f"{seconds * 1e3:>10.1f} ms")


if __name__ == "__main__":
    measure_transitions()
    measure_conditions()
    measure_deployment()
    measure_growth(show)
