"""Queries of an engine's HTTP. Whoever asks needs no access to Redis."""

import http.client
import urllib.error
import urllib.parse
import urllib.request
from typing import NoReturn, TypeVar

import msgspec

from consumers.cli.output import ExitCode, fail, plain

Found = TypeVar("Found")

ANSWER_DEADLINE_S = 10.0
ANSWER_BYTES_MAX = 256 * 1024 * 1024

# An engine is inside the network; a proxy for the way out would not find 127.0.0.1.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Problem(msgspec.Struct, frozen=True):
    """How an engine answers what it cannot."""

    detail: str


def ask(
    engine: str, path: str, kind: type[Found], **parameters: str | int | None
) -> tuple[Found, bytes]:
    """GET a query: the answer, and the JSON text that it came as.

    Ends the program when there is no answer, or no such thing. `path` is quoted by the caller.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    url = f"{engine}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
    try:
        with _OPENER.open(url, timeout=ANSWER_DEADLINE_S) as answer:
            text = answer.read(ANSWER_BYTES_MAX)
        return msgspec.json.decode(text, type=kind), text
    except urllib.error.HTTPError as error:
        _refuse(engine, error)
    except msgspec.DecodeError:
        _not_an_engine(engine)
    except http.client.BadStatusLine:
        _not_an_engine(engine)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        reason = getattr(reason, "strerror", None) or reason
        fail(
            ExitCode.UNREACHABLE,
            f"no engine answers at {engine}: {reason}. Is --http (or TORPOR_HTTP) right, and does"
            " an engine run?",
        )


def quoted(identity: str) -> str:
    """An id as one part of a path."""
    return urllib.parse.quote(identity, safe="", errors="surrogateescape")


def _refuse(engine: str, error: urllib.error.HTTPError) -> NoReturn:
    with error:
        try:
            problem = msgspec.json.decode(error.read(), type=Problem)
        except (msgspec.DecodeError, OSError):
            _not_an_engine(engine)
    code = {400: ExitCode.USAGE, 404: ExitCode.REFUSED}.get(error.code, ExitCode.UNREACHABLE)
    fail(code, plain(problem.detail))


def _not_an_engine(engine: str) -> NoReturn:
    fail(
        ExitCode.UNREACHABLE,
        f"what answers at {engine} is no engine of Torpor. Is --http (or TORPOR_HTTP) right?",
    )
