"""The workers of the order process: plain functions of a job, run until Ctrl-C.

    python -m examples.workers

finds Kafka and the namespace as the command line does, in TORPOR_KAFKA and TORPOR_NAMESPACE.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from torpor_client import BpmnError, Client, Job, TorporError, Worker

DECLINED = 13
"""The bank says no to this amount."""


def make_worker(client: Client, say: Callable[[str], None]) -> Worker:
    """Handlers of the three job types of the process."""
    worker = Worker(client)

    @worker.job("reserve-stock")
    async def reserve(job: Job) -> dict[str, Any]:
        say(f"worker   {job.instance_id}: stock reserved")
        return {"reserved": True}

    @worker.job("charge-card")
    async def charge(job: Job) -> dict[str, Any]:
        if job.variables["charge"] == DECLINED:
            say(f"worker   {job.instance_id}: card declined")
            raise BpmnError("card-declined", "the bank says no")
        say(f"worker   {job.instance_id}: charged {job.variables['charge']} EUR")
        return {"receipt": f"receipt for {job.instance_id}"}

    @worker.job("ship-goods")
    async def ship(job: Job) -> None:
        say(f"worker   {job.instance_id}: shipped, {job.variables['receipt']}")

    return worker


async def work() -> None:
    """Take jobs until SIGINT or SIGTERM. Raises TorporError when it cannot begin."""
    kafka = os.environ.get("TORPOR_KAFKA", "127.0.0.1:9092")
    namespace = os.environ.get("TORPOR_NAMESPACE", "torpor")
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with (
        Client(kafka, namespace) as client,
        make_worker(client, lambda line: print(line, flush=True)) as worker,
    ):
        await worker.ready()
        print(f"ready    {namespace} at {kafka}; Ctrl-C stops", flush=True)
        await stopped.wait()


def main() -> int:
    """The exit code."""
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    try:
        asyncio.run(work())
    except TorporError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
