"""Queries of an engine: what answers, what does not, and what is no engine at all."""

import http.server
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.support.command_line import torpor

NOT_FOUND = '{"detail": "there is no instance x\\u001b[2J"}'


@contextmanager
def answering(status: int, body: str) -> Iterator[str]:
    """A server that answers everything alike; its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def closing_at_once() -> Iterator[str]:
    """A server of another kind: it takes the request, and hangs up."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)

        thread = threading.Thread(target=serve)
        thread.start()
        yield "{}:{}".format(*server.getsockname())
        thread.join()


@pytest.mark.parametrize(
    ("status", "body", "code", "said"),
    [
        (404, NOT_FOUND, 1, "there is no instance x\\x1b[2J"),
        (400, '{"detail": "no cursor"}', 2, "no cursor"),
        (503, '{"detail": "Redis: no answer"}', 3, "Redis: no answer"),
        (404, "<html>not here</html>", 3, "is no engine of Torpor"),
        (200, "<html>welcome</html>", 3, "is no engine of Torpor"),
        (200, '{"items": []}', 3, "is no engine of Torpor"),
    ],
)
def test_each_answer_has_its_exit_code_and_its_sentence(
    status: int, body: str, code: int, said: str
) -> None:
    with answering(status, body) as address:
        done = torpor("show", "x", "--http", address, "--json", code=code)
    assert done.out == ""
    assert done.err.startswith("torpor: ")
    assert said in done.err


def test_where_nobody_listens_the_address_and_its_option_are_named() -> None:
    done = torpor("tasks", "--http", "127.0.0.1:1", code=3)
    assert done.err == (
        "torpor: no engine answers at http://127.0.0.1:1: Connection refused. Is --http (or"
        " TORPOR_HTTP) right, and does an engine run?\n"
    )


def test_a_server_of_another_kind_is_told_from_an_engine() -> None:
    with closing_at_once() as address:
        done = torpor("list", "--http", address, code=3)
    assert "is no engine of Torpor" in done.err


def test_no_proxy_is_asked_for_what_is_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    with answering(200, '{"items": [], "cursor": null}') as address:
        assert torpor("list", "--http", address).out == "no running instances\n"
