"""The engine's HTTP over the in-memory twins."""

import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest

from consumers.http import HttpServer, Readiness
from consumers.openapi import OPENAPI
from storage.errors import StoreUnavailableError
from storage.keys import PartitionKeys
from storage.memory_store import ListValue
from tests.support.memory_engine import NAMESPACE, MemoryEngine, memory_engine


class Client:
    """GETs of one server. `readiness` is what the process says of itself."""

    def __init__(self, engine: MemoryEngine) -> None:
        self.readiness = Readiness(ready=True)
        self.server = HttpServer(engine.lookup, engine.metrics, lambda: self.readiness)
        self.address = ""

    async def get(self, path: str) -> tuple[int, str, str]:
        """Status, content type and body."""
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://{self.address}{path}") as answer,
        ):
            return answer.status, answer.content_type, await answer.text()

    async def json(self, path: str) -> tuple[int, Any]:
        status, kind, body = await self.get(path)
        assert kind == "application/json"
        return status, json.loads(body)


@pytest.fixture
async def engine() -> AsyncIterator[MemoryEngine]:
    async with memory_engine(partitions=2) as engine:
        yield engine


@pytest.fixture
async def client(engine: MemoryEngine) -> AsyncIterator[Client]:
    client = Client(engine)
    client.address = await client.server.start("127.0.0.1", 0)
    yield client
    await client.server.close()


async def test_a_process_that_lives_says_so(client: Client) -> None:
    status, _, body = await client.get("/livez")
    assert (status, body) == (200, "ok\n")


async def test_readiness_comes_with_its_reasons(client: Client) -> None:
    assert await client.json("/readyz") == (200, {"ready": True, "reasons": []})
    client.readiness = Readiness(ready=False, reasons=("partition 1 is halted: why",))
    status, found = await client.json("/readyz")
    assert status == 503
    assert found["reasons"] == ["partition 1 is halted: why"]


async def test_metrics_are_prometheus_text(client: Client, engine: MemoryEngine) -> None:
    await engine.settle()
    engine.metrics.count("torpor_commits_total", 3, partition=0)
    status, kind, body = await client.get("/metrics")
    assert (status, kind) == (200, "text/plain")
    assert "# TYPE torpor_commits_total counter" in body


async def test_every_path_that_is_described_is_served(client: Client) -> None:
    status, described = await client.json("/openapi.json")
    assert (status, described) == (200, json.loads(json.dumps(OPENAPI)))
    for path in described["paths"]:
        status, _, _ = await client.get(path.replace("{id}", "x").replace("{version}", "1"))
        assert status == (404 if "{" in path else 200), path


async def test_lists_are_pages(client: Client) -> None:
    nothing: dict[str, object] = {"items": [], "cursor": None}
    for path in ("/v1/instances", "/v1/tasks?assignee=me&group=g", "/v1/definitions"):
        assert await client.json(path) == (200, nothing)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/v1/instances/none", 404, "no instance none"),
        (f"/v1/instances/{quote('a b/c', safe='')}", 404, "no instance a b/c"),
        ("/v1/definitions/none/1", 404, "no version 1 of the process none"),
        ("/v1/definitions/none/1?kind=decision", 404, "no version 1 of the decision none"),
        ("/v1/definitions/none/1?kind=case", 400, "'case' is none of process, decision"),
        ("/v1/definitions/none/x", 400, "'x' is no number"),
        (f"/v1/definitions/none/{'1' * 5_000}", 400, "is no number"),
        ("/v1/instances?cursor=nonsense", 400, "no cursor"),
        ("/v1/instances?limit=501", 400, "limit '501'"),
        (f"/v1/instances?limit={'1' * 5_000}", 400, "not a number from 1 to 500"),
        ("/v1/tasks?limit=many", 400, "limit 'many'"),
        ("/v1/instances?state=ASLEEP", 400, "RUNNING"),
        ("/v1/nothing", 404, "Not Found"),
    ],
)
async def test_problems_are_json_with_a_detail(
    client: Client, path: str, status: int, said: str
) -> None:
    found, problem = await client.json(path)
    assert found == status
    assert said in problem["detail"]


async def test_nothing_can_be_changed(client: Client) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"http://{client.address}/v1/instances", json={}) as answer,
    ):
        assert answer.status == 405
        assert "detail" in await answer.json()


async def test_a_store_that_does_not_answer_is_a_503(
    client: Client, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unavailable(_: object) -> list[object]:
        raise StoreUnavailableError("no answer within 10 s")

    monkeypatch.setattr(engine.store, "query", unavailable)
    status, problem = await client.json("/v1/instances")
    assert status == 503
    assert "no answer" in problem["detail"]


async def test_a_document_that_cannot_be_read_is_a_problem_of_its_own(
    client: Client, engine: MemoryEngine
) -> None:
    for partition in range(2):
        keys = PartitionKeys(NAMESPACE, partition)
        engine.store.keyspace.set(keys.state("broken"), b"\xc1 no document")
        engine.store.keyspace.set(keys.state("foreign"), ListValue((b"x",)))
    assert (await client.json("/v1/instances/broken"))[0] == 500
    assert (await client.json("/v1/instances/foreign"))[0] == 503
    assert (await client.json("/v1/instances"))[0] == 200
