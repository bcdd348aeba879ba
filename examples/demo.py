"""`make demo`: an order process starts, sleeps, survives the killing of its engine, and finishes.

Starts a Kafka-protocol broker, a Redis and an engine of its own on loopback; deploys
`examples/order/order.bpmn`; runs workers; parks one order at its approval; kills the engine with
SIGKILL; starts a fresh one; approves; and checks what a user relies on. The last line is
`demo: ok`, after some twenty seconds; anything else is a failure, with its reason and exit code 1.
"""

import asyncio
import logging
import sys
import time
from pathlib import Path

from consumers.dev.environment import DevEnvironment, DevOptions
from consumers.dev.errors import DevServerError
from examples.checks import CheckFailed, check_effects, check_nothing_left
from examples.workers import DECLINED, make_worker
from torpor_client import Client, TorporError

MODEL = Path(__file__).parent / "order" / "order.bpmn"
NAMESPACE = "demo"
PARTITIONS = 4
# How long the group waits for an engine that was killed; 10 s by default.
SESSION_MS = 3_000
ORDERS = {"order-small": 80, "order-large": 740, "order-declined": DECLINED}
DEADLINE_S = 55.0

started_at = time.monotonic()


def say(line: str) -> None:
    """What happens, as it happens, with the seconds since the start."""
    print(f"{time.monotonic() - started_at:5.1f}  {line}", flush=True)


async def await_task(client: Client, instance_id: str) -> str:
    """The id of the user task at which an instance waits, as soon as it does."""
    async with client.effects(instance_id=instance_id) as effects:
        async for effect in effects:
            if effect.type == "TaskCreated" and effect.task is not None:
                return effect.task.task_id
    raise CheckFailed("the effects ended")


async def tell_the_story(environment: DevEnvironment) -> None:
    async with Client(environment.kafka.bootstrap, NAMESPACE) as client:
        deployment = await client.deploy(MODEL)
        deployed = deployment.deployed[0]
        say(f"deployed {deployed.id} version {deployed.version}, as a modelling tool saved it")
        async with make_worker(client, say):
            for instance_id, amount in ORDERS.items():
                await client.start("order", {"amount": amount}, instance_id=instance_id)
                say(f"started  {instance_id} over {amount} EUR")
            for instance_id in ("order-small", "order-declined"):
                done = await client.await_completion(instance_id)
                say(f"ended    {instance_id}: {done.state}")
            task_id = await await_task(client, "order-large")
            say(f"asleep   order-large waits for approval, task {task_id}")

            await kill_and_replace(environment)

            say(f"approve  task {task_id}: the id from before the kill")
            await client.complete_task(task_id, {"approved": True})
            done = await client.await_completion("order-large")
            say(f"ended    order-large: {done.state}, {(done.variables or {}).get('receipt')}")
    await check_effects(environment.kafka.bootstrap, NAMESPACE, ORDERS, say)
    await check_nothing_left(environment.redis.url, NAMESPACE, PARTITIONS, say)


async def kill_and_replace(environment: DevEnvironment) -> None:
    engine = environment.engines[0]
    say(f"kill     SIGKILL to the only engine, process {engine.pid}")
    engine.kill()
    fresh = environment.add_engine()
    say(f"fresh    another engine, process {fresh.pid}: its cache is empty")
    await fresh.wait_ready()
    say("awake    it has taken over all partitions")


async def main() -> int:
    """The exit code."""
    # What libraries log is for operators; the story is told here.
    logging.disable(logging.CRITICAL)
    reason = await why_it_failed()
    if reason is None:
        print("demo: ok", flush=True)
        return 0
    print(f"demo: failed: {reason}", flush=True)
    return 1


async def why_it_failed() -> str | None:
    """Tell the whole story; None: all of it is true."""
    options = DevOptions(
        namespace=NAMESPACE,
        partitions=PARTITIONS,
        variables={"TORPOR_SESSION_MS": str(SESSION_MS)},
    )
    deadline = asyncio.timeout(DEADLINE_S)
    try:
        async with deadline, DevEnvironment(options, say) as environment:
            await tell_the_story(environment)
    except (CheckFailed, DevServerError, TorporError) as error:
        return str(error)
    except Exception as error:
        if deadline.expired():
            return f"not done within {DEADLINE_S:g} s"
        return f"{type(error).__name__}: {error}"
    return None


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
