"""The commands that publish, and effects, on real servers with an engine process.

Every JSON shape and exit code of the wire's table; one engine for the module, on each Kafka.
"""

import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from consumers.dev.environment import DevEnvironment, DevOptions
from consumers.dev.kafka_server import Kafka
from consumers.dev.redis_server import Redis
from tests.support.command_line import CommandLine, torpor
from tests.support.decisions import decision, dmn, table
from tests.support.models import (
    ad_hoc,
    bpmn,
    catch,
    chain,
    conditional_event,
    decision_task,
    end,
    flow,
    message,
    message_event,
    process,
    script_task,
    service_task,
    start,
    user_task,
)

MODEL = bpmn(
    process(
        "order",
        start("begin"),
        user_task("approve", assignee="ada"),
        catch("paid", message_event("Paid")),
        script_task("compute", "=assert(amount * 2, amount > 10)", result="double"),
        end("done"),
        chain("begin", "approve", "paid", "compute", "done"),
    ),
    message("Paid", "paid", key="=number"),
)
HEARD = bpmn(
    process(
        "heard",
        start("s"),
        user_task("ask", listeners={"completing": "check-answer", "canceling": "call-off"}),
        end("e"),
        chain("s", "ask", "e"),
    )
)
WORK = bpmn(
    process("work", start("s"), service_task("t", type="t"), end("e"), chain("s", "t", "e"))
)
CASE = bpmn(process("case", ad_hoc("pool", user_task("call"), user_task("visit"))))
AGENT = bpmn(process("agent", ad_hoc("pool", user_task("call"), job="decide")))
HOT = bpmn(
    process("hot", start("s", conditional_event("=degrees > 30")), end("e"), chain("s", "e")),
    process("odd", start("o", conditional_event("=degrees + 1")), end("x"), chain("o", "x")),
)
BAD = bpmn(process("order", start("begin"), end("done"), flow("begin", "nowhere")))
REPLY = {"command_id", "status", "instance_id", "code", "detail", "result"}


class Served(msgspec.Struct, frozen=True, eq=False):
    """An engine that serves a namespace, and the command line that knows where."""

    environment: DevEnvironment
    torpor: CommandLine
    variables: dict[str, str]
    model: str

    def waiting(self, instance_id: str, kind: str) -> str:
        """The id of what an instance waits for, as soon as it waits for such a thing."""
        deadline = time.monotonic() + 20
        while True:
            shown = self.torpor("show", instance_id, "--json").json()
            found = [each["id"] for each in shown["waiting"] if each["kind"] == kind]
            if found:
                return str(found[0])
            assert time.monotonic() < deadline, shown
            time.sleep(0.05)

    def ended(self, instance_id: str) -> dict[str, Any]:
        """An instance as it is shown once it has ended. It may have yet to begin elsewhere."""
        deadline = time.monotonic() + 20
        while True:
            done = self.torpor("show", instance_id, "--json", code=None)
            shown: dict[str, Any] = done.json() if done.code == 0 else {"state": "absent"}
            if shown["state"] not in {"absent", "RUNNING", "SUSPENDED"}:
                return shown
            assert time.monotonic() < deadline, done
            time.sleep(0.05)

    def history(self, instance_id: str, until: str) -> list[dict[str, Any]]:
        """The transitions of an instance, as soon as its last is of this command."""
        deadline = time.monotonic() + 20
        while True:
            found: list[dict[str, Any]] = self.torpor("history", instance_id, "--json").lines()
            if found[-1]["command_type"] == until:
                return found
            assert time.monotonic() < deadline, found
            time.sleep(0.05)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def environment(any_kafka: Kafka, redis_server: Redis) -> AsyncGenerator[DevEnvironment]:
    options = DevOptions(
        kafka=any_kafka.bootstrap,
        redis=redis_server.url,
        namespace=f"cli-{secrets.token_hex(6)}",
        partitions=3,
        variables={"TORPOR_SESSION_MS": "3000"},
    )
    async with DevEnvironment(options, say=lambda _: None) as environment:
        yield environment


@pytest.fixture(scope="module")
def served(environment: DevEnvironment, tmp_path_factory: pytest.TempPathFactory) -> Served:
    ready = environment.ready()
    variables = {f"TORPOR_{name.upper()}": ready[name] for name in ("kafka", "http", "namespace")}
    folder = tmp_path_factory.mktemp("models")
    for name, content in (
        ("order", MODEL),
        ("work", WORK),
        ("heard", HEARD),
        ("case", CASE),
        ("bad", BAD),
        ("agent", AGENT),
    ):
        (folder / f"{name}.bpmn").write_bytes(content)
    model = str(folder / "order.bpmn")
    torpor = CommandLine(variables)
    torpor("deploy", model)
    return Served(environment, torpor, variables, model)


def new_id() -> str:
    return f"i-{secrets.token_hex(4)}"


def started(served: Served, **variables: Any) -> str:
    instance_id = new_id()
    values = {"number": instance_id, "amount": 12, **variables}
    text = msgspec.json.encode(values).decode()
    served.torpor("start", "order", "--id", instance_id, "--variables", text)
    return instance_id


# --- deploy ---


def test_a_deployment_says_what_is_new_and_what_is_known(served: Served) -> None:
    work = str(Path(served.model).with_name("work.bpmn"))
    first = served.torpor("deploy", work, "--json").json()
    (deployed,) = first["deployed"]
    assert set(first) == {"deployed", "findings"}
    assert (deployed["kind"], deployed["id"], deployed["new"]) == ("process", "work", True)
    again = served.torpor("deploy", work, served.model)
    assert again.out == "unchanged: process work version 1\nunchanged: process order version 1\n"


def test_a_deployment_with_an_error_is_refused_as_a_whole_with_all_findings(
    served: Served,
) -> None:
    bad = str(Path(served.model).with_name("bad.bpmn"))
    done = served.torpor("deploy", served.model, bad, "--json", code=1).json()
    assert (done["deployed"], done["status"], done["code"]) == ([], "REJECTED", "INVALID_MODEL")
    codes = [finding["code"] for finding in done["findings"]]
    assert "dangling-reference" in codes
    assert set(done["findings"][0]) >= {"severity", "element", "line", "code", "message"}
    shown = served.torpor("deploy", bad, code=1)
    assert "dangling-reference" in shown.out
    assert shown.err.startswith("rejected: INVALID_MODEL: bad.bpmn")


def test_files_of_one_name_in_two_folders_are_deployed_together(
    served: Served, tmp_path: Path
) -> None:
    other = tmp_path / "order.bpmn"
    other.write_bytes(WORK.replace(b'id="work"', b'id="other"'))
    done = served.torpor("deploy", served.model, str(other), "--json").json()
    assert [each["id"] for each in done["deployed"]] == ["order", "other"]


def test_a_folder_is_deployed_with_all_models_below_it(served: Served, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "one.bpmn").write_bytes(WORK.replace(b'id="work"', b'id="one"'))
    (inner / "two.bpmn20.xml").write_bytes(WORK.replace(b'id="work"', b'id="two"'))
    (inner / "notes.txt").write_bytes(b"no model")
    done = served.torpor("deploy", str(tmp_path), "--json").json()
    assert [each["id"] for each in done["deployed"]] == ["two", "one"]


def test_a_decision_is_deployed_beside_what_calls_it_and_evaluated(
    served: Served, tmp_path: Path
) -> None:
    caller, rate = tmp_path / "rated.bpmn", tmp_path / "rate.dmn"
    rate.write_bytes(dmn(decision("Rate", table(["amount"], ["rate"], [["> 10", "0.5"]]))))
    caller.write_bytes(
        bpmn(
            process(
                "rated",
                start("s"),
                decision_task("decide", "Rate", result="rate"),
                user_task("look"),
                chain("s", "decide", "look"),
            )
        )
    )
    done = served.torpor("deploy", str(rate), str(caller))
    assert done.out == "deployed: decision Rate version 1\ndeployed: process rated version 1\n"
    instance_id = new_id()
    served.torpor("start", "rated", "--id", instance_id, "--variables", '{"amount": 12}')
    assert served.torpor("show", instance_id, "--json").json()["variables"]["rate"] == 0.5


# --- start ---


def test_a_start_names_the_instance(served: Served) -> None:
    instance_id = new_id()
    done = served.torpor("start", "order", "--id", instance_id, "--json")
    assert done.json() == {"instance_id": instance_id, "status": "ACCEPTED"}
    named = served.torpor("start", "order").out
    assert named.startswith("started ")
    served.torpor("show", named.removeprefix("started ").strip())


def test_a_second_start_of_an_id_is_refused_with_its_code(served: Served) -> None:
    instance_id = started(served)
    done = served.torpor("start", "order", "--id", instance_id, code=1)
    assert done.err.startswith("rejected: ALREADY_EXISTS: ")
    refused = served.torpor("start", "order", "--id", instance_id, "--json", code=1).json()
    assert set(refused) == REPLY
    assert (refused["status"], refused["code"]) == ("REJECTED", "ALREADY_EXISTS")
    assert refused["instance_id"] == instance_id


def test_a_command_repeated_with_its_id_is_applied_once(served: Served) -> None:
    command_id = new_id()
    arguments = ("start", "order", "--command-id", command_id, "--json")
    first, second = served.torpor(*arguments).json(), served.torpor(*arguments).json()
    assert first["instance_id"] == second["instance_id"]
    assert (first["status"], second["status"]) == ("ACCEPTED", "DUPLICATE")
    again = served.torpor(*arguments[:-1]).out
    assert again == f"started {first['instance_id']} (by the same command, before)\n"


def test_what_is_not_deployed_cannot_be_started(served: Served) -> None:
    done = served.torpor("start", "ordr", code=1)
    assert done.err == (
        "rejected: NOT_FOUND: Expected the process 'ordr' to be deployed, found none."
        " Did you mean `order`?\n"
        "`torpor definitions` lists what is deployed\n"
    )
    assert served.torpor("start", "order", "--version", "9", code=1).out == ""


def test_without_waiting_the_command_is_in_the_log_and_named(served: Served) -> None:
    instance_id = new_id()
    done = served.torpor("start", "order", "--id", instance_id, "--no-wait", "--json").json()
    assert set(done) == REPLY
    assert (done["instance_id"], done["status"]) == (instance_id, None)
    unwaited = served.torpor("deploy", served.model, "--no-wait", "--json").json()
    assert set(unwaited) == REPLY
    said = served.torpor("terminate", new_id(), "--no-wait").out
    assert said.startswith("published, command ")
    deadline = time.monotonic() + 20
    while served.torpor("show", instance_id, code=None).code != 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- the way of an instance ---


def test_an_instance_goes_from_its_start_over_an_incident_to_its_end(served: Served) -> None:
    instance_id = started(served, amount=5)
    (item,) = [
        each
        for each in served.torpor("tasks", "--assignee", "ada", "--json").json()["items"]
        if each["instance_id"] == instance_id
    ]
    done = served.torpor("complete", item["task_id"], "--variables", '{"by": "ada"}', "--json")
    assert set(done.json()) == REPLY
    assert (done.json()["status"], done.json()["instance_id"]) == ("ACCEPTED", instance_id)

    served.waiting(instance_id, "MESSAGE")
    sent = served.torpor("message", "paid", "--key", instance_id, "--json").json()
    assert set(sent) == REPLY
    assert sent["status"] == "ACCEPTED"
    assert sent["result"]["offered_to"] == [instance_id]

    incident = served.waiting(instance_id, "INCIDENT")
    put_right = served.torpor("set", instance_id, "--variables", '{"amount": 12.50}', "--json")
    assert put_right.json()["status"] == "ACCEPTED"
    resolved = served.torpor("resolve", incident)
    assert resolved.out == f"resolved {incident}: what failed is tried again\n"

    shown = served.ended(instance_id)
    assert (shown["state"], shown["variables"]) == ("COMPLETED", None)
    assert isinstance(shown["ended_at"], int)
    kinds = [each["type"] for each in effects_of(served, instance_id)]
    assert kinds == [
        *("InstanceStarted", "TaskCreated", "TaskCompleted", "IncidentRaised"),
        *("IncidentResolved", "InstanceCompleted"),
    ]


def test_activities_of_an_ad_hoc_sub_process_are_activated_until_it_is_completed(
    served: Served,
) -> None:
    served.torpor("deploy", str(Path(served.model).with_name("case.bpmn")))
    instance_id = new_id()
    served.torpor("start", "case", "--id", instance_id)
    pool = served.waiting(instance_id, "AD_HOC")
    done = served.torpor("activate", pool, "visit", "call")
    assert done.out == f"activated visit, call in {pool}\n"
    served.waiting(instance_id, "USER_TASK")
    refused = served.torpor("activate", pool, "nobody", code=1).err
    assert "offers (call, visit), found nobody" in refused
    reply = served.torpor("activate", pool, "--complete", "--json").json()
    assert (set(reply), reply["status"]) == (REPLY, "ACCEPTED")
    assert served.ended(instance_id)["state"] == "COMPLETED"


def working(served: Served) -> tuple[str, str]:
    """An instance that waits for a job, and the job's id."""
    served.torpor("deploy", str(Path(served.model).with_name("work.bpmn")))
    instance_id = new_id()
    served.torpor("start", "work", "--id", instance_id)
    return instance_id, served.waiting(instance_id, "JOB")


def test_a_job_is_completed_by_hand_after_a_failed_attempt(served: Served) -> None:
    instance_id, job_id = working(served)
    done = served.torpor("job", "fail", job_id, "--message", "no paper", "--retries", "2")
    assert done.out == f"failed {job_id}\n"
    assert "STALE_ATTEMPT" in served.torpor("job", "complete", job_id, "--attempt", "1", code=1).err
    reply = served.torpor("job", "complete", job_id, "--variables", '{"copies": 3}', "--json")
    assert (set(reply.json()), reply.json()["status"]) == (REPLY, "ACCEPTED")
    assert served.ended(instance_id)["state"] == "COMPLETED"
    assert '"copies":3' in served.torpor("effects", "--instance", instance_id, "--json").out


def test_the_job_of_an_ad_hoc_sub_process_is_completed_with_a_result(served: Served) -> None:
    served.torpor("deploy", str(Path(served.model).with_name("agent.bpmn")))
    instance_id = new_id()
    served.torpor("start", "agent", "--id", instance_id)
    job_id = served.waiting(instance_id, "JOB")
    wrong = '{"activateElements": [{"elementId": "nobody"}]}'
    assert "found nobody" in served.torpor("job", "complete", job_id, "--result", wrong, code=1).err
    right = '{"activateElements": [{"elementId": "call", "variables": {"n": 1}}]}'
    done = served.torpor("job", "complete", job_id, "--result", right)
    assert done.out == f"completed {job_id}\n"
    served.torpor("complete", served.waiting(instance_id, "USER_TASK"))
    over = '{"isCompletionConditionFulfilled": true}'
    served.torpor("job", "complete", served.waiting(instance_id, "JOB"), "--result", over)
    assert served.ended(instance_id)["state"] == "COMPLETED"


def test_a_job_throws_what_nobody_catches_and_fails_without_retries(served: Served) -> None:
    for arguments in (
        ("throw", "no-paper", "--message", "none left"),
        ("fail", "--retries", "0", "--message", "none left"),
    ):
        instance_id, job_id = working(served)
        served.torpor("job", arguments[0], job_id, *arguments[1:])
        served.waiting(instance_id, "INCIDENT")
        assert "none left" in served.torpor("show", instance_id).out
    instance_id, job_id = working(served)
    done = served.torpor("job", "escalate", job_id, "slow")
    assert done.out == f"threw the escalation slow from {job_id}\n"
    assert served.waiting(instance_id, "JOB") == job_id


def test_a_task_is_claimed_assigned_and_updated(served: Served) -> None:
    task_id = served.waiting(started(served), "USER_TASK")
    assert served.torpor("task", "unassign", task_id).out == f"nobody has {task_id} now\n"
    assert served.torpor("task", "claim", task_id, "ann").out == f"ann has claimed {task_id}\n"
    refused = served.torpor("task", "claim", task_id, "bob", code=1).err
    assert "INVALID_STATE" in refused
    assert "assigned to 'ann'" in refused
    reply = served.torpor("task", "assign", task_id, "bob", "--json").json()
    assert (set(reply), reply["status"]) == (REPLY, "ACCEPTED")
    change = ("--due", "2030-01-31T08:00Z", "--priority", "9", "--users", "ann,eve")
    assert served.torpor("task", "update", task_id, *change).out == f"updated {task_id}\n"
    (task,) = served.torpor("tasks", "--assignee", "bob", "--json").json()["items"]
    assert (task["task_id"], task["due_at"], task["priority"]) == (task_id, 1_896_076_800_000, 9)
    assert task["candidate_users"] == ["ann", "eve"]
    served.torpor("task", "update", task_id, "--due", "none", "--users", "none")
    served.torpor("task", "unassign", task_id)
    assert served.torpor("tasks", "--assignee", "bob", "--json").json()["items"] == []
    assert "`torpor tasks` lists" in served.torpor("task", "unassign", "none:1", code=1).err


def test_a_task_listener_denies_by_hand_and_holds_the_end(served: Served) -> None:
    served.torpor("deploy", str(Path(served.model).with_name("heard.bpmn")))
    instance_id = new_id()
    served.torpor("start", "heard", "--id", instance_id)
    task_id = served.waiting(instance_id, "USER_TASK")
    done = served.torpor("task", "complete", task_id, "--variables", '{"amount": -1}')
    assert done.out.startswith(f"asked for, completing {task_id}: a listener has yet to answer")
    job_id = served.waiting(instance_id, "JOB")
    refused = served.torpor("task", "claim", task_id, "ann", code=1).err
    assert f"completing: a listener has yet to answer, job {job_id}" in refused
    assert "completing: a listener has yet to answer" in served.torpor("show", instance_id).out
    assert served.torpor("tasks", "--process", "heard").out.rstrip().endswith("completing")
    denied = '{"denied": true, "deniedReason": "less than nothing"}'
    served.torpor("job", "complete", job_id, "--result", denied)
    told = served.torpor("effects", "--instance", instance_id, "--json").out
    assert '"type":"TaskChangeDenied"' in told
    assert "less than nothing" in told
    assert served.torpor("task", "claim", task_id, "eve").out == f"eve has claimed {task_id}\n"
    done = served.torpor("terminate", instance_id)
    assert done.out.startswith(f"asked for, terminating {instance_id}: ")
    job_id = served.waiting(instance_id, "JOB")
    assert served.torpor("show", instance_id, "--json").json()["state"] == "RUNNING"
    served.torpor("job", "complete", job_id)
    assert served.ended(instance_id)["state"] == "TERMINATED"


def test_jobs_and_tasks_are_told_apart_where_one_is_taken_for_the_other(served: Served) -> None:
    _, job_id = working(served)
    refused = served.torpor("complete", job_id, code=1).err
    assert "found a job of type 't'" in refused
    assert "torpor job complete ID" in refused
    task_id = served.waiting(started(served), "USER_TASK")
    assert "found a user task" in served.torpor("job", "complete", task_id, code=1).err
    absent = served.torpor("job", "complete", "none:1", code=1).err
    assert absent == "torpor: there is no instance none\n"
    assert "as `torpor show` shows it" in served.torpor("job", "complete", "none", code=2).err


def test_commands_on_what_is_not_there_are_refused_with_1(served: Served) -> None:
    for arguments in (
        ("complete", "none:1"),
        ("set", "none", "--variables", "{}"),
        ("terminate", "none"),
        ("resolve", "none:1"),
        ("job", "complete", "none:1", "--attempt", "1"),
        ("activate", "none:1", "one"),
        ("task", "claim", "none:1", "ann"),
        ("task", "update", "none:1", "--priority", "1"),
        ("activate", "none:1", "--complete"),
    ):
        done = served.torpor(*arguments, "--json", code=1).json()
        assert set(done) == REPLY
        assert (done["status"], done["code"]) == ("REJECTED", "NOT_FOUND")
        assert served.torpor(*arguments, code=1).err.startswith("rejected: NOT_FOUND: ")


def test_a_message_with_an_id_is_published_once(served: Served) -> None:
    arguments = ("message", "paid", "--key", new_id(), "--id", new_id(), "--ttl", "60000")
    said = served.torpor(*arguments).out
    assert said.startswith("published paid: nobody waits yet, kept until 20")
    assert "ALREADY_EXISTS" in served.torpor(*arguments, code=1).err


def test_a_message_says_who_gets_it_or_that_it_is_lost(served: Served) -> None:
    instance_id = started(served)
    assert served.torpor("message", "paid", "--key", new_id()).out == (
        "published paid: nobody waits for this name and key, and it is not kept (--ttl keeps it);"
        " `torpor show ID` shows the key that an instance waits for\n"
    )
    served.torpor("complete", served.waiting(instance_id, "USER_TASK"))
    served.waiting(instance_id, "MESSAGE")
    taken = served.torpor("message", "paid", "--key", instance_id)
    assert taken.out == f"published paid: for {instance_id}\n"


def test_conditions_start_processes_and_those_that_fail_are_told_with_1(
    served: Served, tmp_path: Path
) -> None:
    model = tmp_path / "hot.bpmn"
    model.write_bytes(HOT)
    served.torpor("deploy", str(model))
    done = served.torpor("evaluate", "--variables", '{"degrees": 31}', "--json", code=1).json()
    (begun,), (failed,) = done["started"], done["failed"]
    assert (begun["process_id"], begun["version"], begun["element_id"]) == ("hot", 1, "s")
    assert served.ended(begun["instance_id"])["state"] == "COMPLETED"
    assert (failed["process_id"], failed["expression"]) == ("odd", "degrees + 1")
    told = served.torpor("evaluate", "--variables", '{"degrees": 31}', code=1)
    assert "hot version 1 at s" in told.out
    assert told.out.endswith("started 1\n")
    assert told.err.startswith("failed: odd version 1 at o: degrees + 1: ")
    assert served.torpor("evaluate").out == "started 0\n"


def test_an_instance_is_terminated_and_gone_from_the_lists(served: Served) -> None:
    instance_id = started(served)
    assert instance_id in served.torpor("list", "--process", "order", "--limit", "500").out
    done = served.torpor("terminate", instance_id, "--reason", "enough")
    assert done.out == f"terminated {instance_id}\n"
    assert served.ended(instance_id)["state"] == "TERMINATED"
    assert instance_id not in served.torpor("list", "--limit", "500").out
    assert instance_id not in served.torpor("tasks", "--limit", "500").out
    assert "INVALID_STATE" in served.torpor("terminate", instance_id, code=1).err


# --- effects ---


def effects_of(served: Served, instance_id: str) -> list[dict[str, Any]]:
    return served.torpor("effects", "--instance", instance_id, "--json").lines()


def test_the_path_of_an_instance_is_told_from_its_history(served: Served) -> None:
    instance_id = new_id()
    served.torpor("start", "order", "--id", instance_id, "--actor", "ada")
    served.torpor("complete", served.waiting(instance_id, "USER_TASK"))
    served.torpor("terminate", instance_id)
    found = served.history(instance_id, "TerminateInstance")
    assert {each["instance_id"] for each in found} == {instance_id}
    commands = [each["command_type"] for each in found]
    assert commands[0] == "StartInstance"
    assert "CompleteTask" in commands
    shown = served.torpor("history", instance_id).out.splitlines()
    assert shown[0].split() == ["TIME", "COMMAND", "EVENT", "ELEMENT", "WHAT"]
    assert "StartInstance by ada" in shown[1]
    assert any("ElementCompleted" in line and "approve" in line for line in shown)
    assert "no history" in served.torpor("history", "nobody", code=1).err


def test_effects_are_one_a_line_with_their_fields_and_exact_numbers(served: Served) -> None:
    instance_id = new_id()
    variables = f'{{"number": "{instance_id}", "amount": 12345678901234567890.125}}'
    served.torpor("start", "order", "--id", instance_id, "--variables", variables)
    first, created = effects_of(served, instance_id)
    assert set(first) >= {"id", "type", "time", "instance_id", "sequence", "digest", "causation"}
    assert (first["type"], first["instance_id"]) == ("InstanceStarted", instance_id)
    assert created["task"]["assignee"] == "ada"
    served.torpor("complete", created["task"]["task_id"])
    served.torpor("message", "paid", "--key", instance_id)
    served.ended(instance_id)
    text = served.torpor("effects", "--instance", instance_id, "--json").out
    assert '"amount":12345678901234567890.125' in text


def test_effects_for_people_say_what_they_are_about(served: Served) -> None:
    instance_id = started(served)
    first, created = served.torpor("effects", "--instance", instance_id).out.splitlines()
    assert "InstanceStarted" in first
    assert f"{instance_id}  approve       task {instance_id}:" in created
    assert first.index(instance_id) == created.index(instance_id)


def test_effects_begin_where_they_are_asked_to(served: Served) -> None:
    started(served)
    assert served.torpor("effects", "--since", "now", "--json").out == ""
    done = served.torpor("effects", "--since", "2100-01-01T00:00Z")
    assert (done.out, done.err) == ("", "no effects\n")
    assert served.torpor("effects", "--since", "2020-01-01").out.count("InstanceStarted") >= 1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_effects_are_followed_until_interrupted(served: Served, ending: signal.Signals) -> None:
    before = started(served)
    with subprocess.Popen(
        [sys.executable, "-m", "consumers", "effects", "--follow", "--json"],
        env=served.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        assert process.stdout is not None
        assert process.stderr is not None
        await_line(process.stdout, before)
        after = started(served)
        await_line(process.stdout, after)
        process.send_signal(ending)
        assert process.wait(20) == (130 if ending is signal.SIGINT else -signal.SIGTERM)
        assert process.stderr.read() == ""
        guard.cancel()


def await_line(lines: Any, part: str) -> None:
    """Read until a line has this in it; the end of the lines is none."""
    for line in lines:
        if part in line:
            return
    raise AssertionError(f"the output ended without {part}")


# --- where nobody answers ---


def test_a_namespace_misspelt_is_refused_with_its_name(served: Served) -> None:
    for arguments in (("start", "order"), ("start", "order", "--timeout", "3"), ("effects",)):
        done = served.torpor(*arguments, "--namespace", "ordr", code=1)
        assert "has no namespace ordr. Is --namespace (or TORPOR_NAMESPACE) right" in done.err
        assert done.out == ""


def test_a_kafka_that_is_not_there_is_unreachable() -> None:
    for arguments in (("start", "order"), ("effects",), ("deploy", "examples/order/order.bpmn")):
        done = torpor(*arguments, "--kafka", "127.0.0.1:1", code=3)
        assert done.err == (
            "torpor: no Kafka answers at 127.0.0.1:1. Is --kafka (or TORPOR_KAFKA) right, and does"
            " it run?\n"
        )


def test_without_an_engine_a_deployment_says_so_within_its_time_out(
    kafka: Kafka, redis_server: Redis, namespace: str
) -> None:
    where = CommandLine({"TORPOR_KAFKA": kafka.bootstrap, "TORPOR_NAMESPACE": namespace})
    made = where("init", "--redis", redis_server.url, "--partitions", "2", "--json").json()
    fixed = {"namespace", "partitions", "frame", "format", "zone"}
    assert set(made) == fixed | {"created", "found"}
    assert (made["partitions"], made["found"]) == (2, [])
    again = where("init", "--redis", redis_server.url)
    assert "created" not in again.out
    assert "cannot be changed to 3" in (
        where("init", "--redis", redis_server.url, "--partitions", "3", code=1).err
    )
    began = time.monotonic()
    done = where("deploy", "examples/order/order.bpmn", "--timeout", "2", code=3)
    assert 2 <= time.monotonic() - began < 10
    assert "within 2 s" in done.err
    assert "does an engine run" in done.err
    assert "--command-id" in done.err


def test_secrets_are_replaced_only_while_no_engine_runs_and_shown_to_nobody(
    served: Served, tmp_path: Path
) -> None:
    redis = served.environment.redis.url
    done = served.torpor("upgrade", "--redis", redis, "--rotate-secret", code=1)
    assert "are running" in done.err
    file = tmp_path / "secrets.json"
    found = served.torpor("upgrade", "--redis", redis, "--secret-file", str(file), "--json")
    assert found.json()["found"] == ["secrets that seal what engines send"]
    assert found.json()["changed"] == [f"a copy of them in {file}"]
    (epoch,) = msgspec.json.decode(file.read_bytes())["epochs"]
    again = served.torpor("init", "--redis", redis, "--secret-file", str(file))
    assert f"found    a copy of the secrets in {file}" in again.out
    assert epoch["secret"] not in found.out + again.out


def test_init_says_which_of_the_servers_is_away(redis_server: Redis) -> None:
    done = torpor("init", "--kafka", "127.0.0.1:1", "--redis", redis_server.url, code=3)
    assert "no Kafka answers at 127.0.0.1:1. Is --kafka (or TORPOR_KAFKA) right" in done.err
    done = torpor("init", "--redis", "redis://127.0.0.1:1", code=3)
    assert "Redis cannot be reached" in done.err
    assert "Is --redis (or TORPOR_REDIS) right" in done.err
