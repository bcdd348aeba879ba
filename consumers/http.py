"""HTTP on each engine: whether it lives and is ready, metrics, and read-only queries.

    /livez /readyz /metrics /openapi.json
    /v1/instances /v1/instances/{id} /v1/tasks /v1/incidents
    /v1/definitions /v1/definitions/{id}/{version}?kind=process

Nothing here changes anything: whoever may reach it may read everything, so it listens on loopback
unless told otherwise. Problems are answered as `{"detail": "..."}`.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec
from aiohttp import web

from consumers.lookup import (
    PAGE,
    PAGE_MAX,
    BadCursorError,
    InstanceFilter,
    Lookup,
    TaskFilter,
    decode_cursor,
)
from consumers.metrics import Metrics
from consumers.openapi import OPENAPI
from engine.definitions import DefinitionKind
from engine.lifecycle import InstanceState
from schemas.errors import SchemaError
from storage.errors import StorageError

log = logging.getLogger(__name__)

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

SHUTDOWN_S = 1.0
DIGITS_MAX = 19
PROMETHEUS = "text/plain; version=0.0.4"


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """Whether commands are being taken; if not, why not."""

    ready: bool
    reasons: tuple[str, ...] = ()


class HttpServer:
    """Serves between `start` and `close`."""

    def __init__(
        self, lookup: Lookup, metrics: Metrics, readiness: Callable[[], Readiness]
    ) -> None:
        self._lookup = lookup
        self._metrics = metrics
        self._readiness = readiness
        application = web.Application(middlewares=[_problems])
        application.add_routes(
            [
                web.get("/livez", self._livez),
                web.get("/readyz", self._readyz),
                web.get("/metrics", self._render_metrics),
                web.get("/openapi.json", self._openapi),
                web.get("/v1/instances", self._instances),
                web.get("/v1/instances/{id}", self._instance),
                web.get("/v1/tasks", self._tasks),
                web.get("/v1/incidents", self._incidents),
                web.get("/v1/definitions", self._definitions),
                web.get("/v1/definitions/{id}/{version}", self._definition),
            ]
        )
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_S)

    async def start(self, host: str, port: int) -> str:
        """Listen; the address with the port that was taken. Raises OSError."""
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        bound: tuple[str, int] = self._runner.addresses[0][:2]
        return f"[{bound[0]}]:{bound[1]}" if ":" in bound[0] else f"{bound[0]}:{bound[1]}"

    async def close(self) -> None:
        await self._runner.cleanup()

    # --- the process ---

    async def _livez(self, _: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def _readyz(self, _: web.Request) -> web.Response:
        readiness = self._readiness()
        return _json(readiness, 200 if readiness.ready else 503)

    async def _render_metrics(self, _: web.Request) -> web.Response:
        body = self._metrics.render().encode()
        return web.Response(body=body, headers={"Content-Type": PROMETHEUS})

    async def _openapi(self, _: web.Request) -> web.Response:
        return _json(OPENAPI)

    # --- queries ---

    async def _instance(self, request: web.Request) -> web.Response:
        instance_id = request.match_info["id"]
        found = await self._lookup.instance(instance_id)
        return (
            _problem(404, f"there is no instance {instance_id}") if found is None else _json(found)
        )

    async def _instances(self, request: web.Request) -> web.Response:
        query = request.query
        state = query.get("state")
        if state is not None and state not in list(InstanceState):
            return _problem(400, f"state {state!r} is none of {', '.join(InstanceState)}")
        wanted = InstanceFilter(
            process_id=query.get("process_id"), business_key=query.get("business_key"), state=state
        )
        cursor = decode_cursor(query.get("cursor"))
        return _json(await self._lookup.instances(wanted, cursor, _limit(request)))

    async def _tasks(self, request: web.Request) -> web.Response:
        query = request.query
        wanted = TaskFilter(
            assignee=query.get("assignee"),
            group=query.get("group"),
            process_id=query.get("process_id"),
        )
        cursor = decode_cursor(query.get("cursor"))
        return _json(await self._lookup.tasks(wanted, cursor, _limit(request)))

    async def _incidents(self, request: web.Request) -> web.Response:
        cursor = decode_cursor(request.query.get("cursor"))
        process_id = request.query.get("process_id")
        return _json(await self._lookup.incidents(process_id, cursor, _limit(request)))

    async def _definitions(self, _: web.Request) -> web.Response:
        return _json(await self._lookup.definitions())

    async def _definition(self, request: web.Request) -> web.Response:
        name, version = request.match_info["id"], request.match_info["version"]
        kind = request.query.get("kind", DefinitionKind.PROCESS)
        if not _is_number(version):
            return _problem(400, f"the version {version[:40]!r} is no number")
        if kind not in list(DefinitionKind):
            return _problem(400, f"kind {kind[:40]!r} is none of {', '.join(DefinitionKind)}")
        found = await self._lookup.definition(DefinitionKind(kind), name, int(version))
        if found is None:
            return _problem(404, f"there is no version {version} of the {kind} {name}")
        return _json(found)


def _limit(request: web.Request) -> int:
    """Raises HTTPBadRequest."""
    text = request.query.get("limit", str(PAGE))
    if not (_is_number(text) and 0 < int(text) <= PAGE_MAX):
        raise web.HTTPBadRequest(text=f"limit {text[:40]!r} is not a number from 1 to {PAGE_MAX}")
    return int(text)


def _is_number(text: str) -> bool:
    """Whether it is a natural number of a length that `int` takes, and that anything can have."""
    return text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX


@web.middleware
async def _problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every problem as JSON."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        return _problem(error.status, error.text or error.reason)
    except BadCursorError as error:
        return _problem(400, str(error))
    except StorageError as error:
        return _problem(503, f"Redis: {error}")
    except SchemaError as error:
        log.warning("a document cannot be read: %s", error)
        return _problem(500, f"a document cannot be read: {error}")


def _problem(status: int, detail: str) -> web.Response:
    return _json({"detail": detail}, status)


def _json(value: object, status: int = 200) -> web.Response:
    body = msgspec.json.encode(value)
    return web.Response(body=body, status=status, content_type="application/json")
