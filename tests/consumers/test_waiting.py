"""What is said of each thing that an instance waits for."""

import base64
import itertools
import json
from typing import Any

import msgspec

from tests.support.memory_engine import MemoryEngine, memory_engine
from tests.support.models import (
    boundary,
    bpmn,
    call_activity,
    catch,
    chain,
    conditional_event,
    end,
    flow,
    heard,
    looped,
    message,
    message_event,
    multi_instance,
    parallel,
    process,
    service_task,
    signal,
    signal_event,
    start,
    timer,
    user_task,
)

ARMS = ("pay", "hear", "approve", "paid", "alarm", "rich", "pause", "call", "each")
MODEL = bpmn(
    process(
        "all",
        start("s"),
        parallel("fork"),
        service_task("pay", type="payment", retries="4"),
        heard(service_task("hear", type="payment"), start="payment"),
        user_task("approve", assignee="ada", listeners={"completing": "payment"}),
        boundary("often", "approve", timer(cycle="R3/PT1H"), interrupting=False),
        boundary("always", "approve", timer(cycle="R/PT1H"), interrupting=False),
        catch("paid", message_event("Paid")),
        catch("alarm", signal_event("Alarm")),
        catch("rich", conditional_event("=amount > 1000")),
        catch("pause", timer(duration="PT1H")),
        call_activity("call", "other"),
        looped(user_task("each"), multi_instance(times="2")),
        *(end(f"e-{name}") for name in (*ARMS, "often", "always")),
        chain("s", "fork"),
        *(chain("fork", name, f"e-{name}") for name in ARMS),
        *(flow(name, f"e-{name}") for name in ("often", "always")),
    ),
    process("other", start("t"), user_task("u"), end("v"), chain("t", "u", "v")),
    message("Paid", "payment-received", key="=number"),
    signal("Alarm", "alarm-raised"),
)


async def waiting_of(engine: MemoryEngine) -> dict[str, list[dict[str, Any]]]:
    shown = json.loads(msgspec.json.encode(await engine.lookup.instance("i")))
    found: dict[str, list[dict[str, Any]]] = {}
    for each in shown["waiting"]:
        own = {name: each[name] for name in each if name not in {"element", "kind", "since"}}
        found.setdefault(each["element"], []).append(own)
    return found


async def test_each_thing_that_is_waited_for_says_what_would_end_the_wait() -> None:
    async with memory_engine(job_types=["payment"]) as engine:
        resource = {"name": "a.bpmn", "content": base64.b64encode(MODEL).decode()}
        engine.command("DeployResources", resources=[resource])
        await engine.settle()
        variables = {"number": "n-1", "amount": 1}
        engine.command("StartInstance", process_id="all", instance_id="i", variables=variables)
        await engine.settle()
        found = await waiting_of(engine)
        (task,) = found["approve"]
        engine.command("CompleteTask", task_id=task["id"], variables={})
        await engine.settle()
        changed = await waiting_of(engine)
    for each in itertools.chain.from_iterable(found.values()):
        assert each.pop("id").startswith("i:")
    due = [each.pop("due_at") for name in ("often", "always", "pause") for each in found[name]]
    assert len(set(due)) == 1
    assert due[0] > 1_700_000_000_000
    job = {"type": "payment", "attempt": 1}
    (called,) = found.pop("call")
    assert called["called"].startswith("i~")
    assert found == {
        "pay": [{**job, "retries_left": 4}],
        "hear": [{**job, "retries_left": 3, "listens_to": "start"}],
        "approve": [{"assignee": "ada", "change": None}],
        "often": [{"repetitions": 3}],
        "always": [{"repetitions": None}],
        "paid": [{"name": "payment-received", "correlation_key": "n-1"}],
        "alarm": [{"name": "alarm-raised"}],
        "rich": [{"condition": "amount > 1000"}],
        "pause": [{}],
        "each": [{"assignee": None, "change": None, "iteration": number} for number in (1, 2)],
    }
    by_kind = {each.get("listens_to"): each for each in changed["approve"]}
    assert by_kind[None]["change"] == "completing"
    assert by_kind["completing"]["type"] == "payment"
