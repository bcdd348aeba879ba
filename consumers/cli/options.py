"""The options that commands share, and what they accept; each has its variable of the environment.

An option of one command only has its variable from `name_variables`.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from schemas.topics import is_namespace

F = TypeVar("F", bound=Callable[..., Any])

HTTP = "127.0.0.1:8080"
PAGE_MAX = 500
PORTS = range(65_536)


def name_variables(command: click.Command, prefix: str = "TORPOR") -> None:
    """Give every option without a variable its own: `start --id` gets TORPOR_START_ID."""
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.envvar is None:
            option = max(parameter.opts, key=len).lstrip("-")
            parameter.envvar = f"{prefix}_{command.name}_{option}".replace("-", "_").upper()


# --- what options accept ---


def is_address(text: str) -> bool:
    """Whether a text is host:port."""
    host, _, port = text.rpartition(":")
    return bool(host) and port.isascii() and port.isdigit() and int(port) in PORTS


def kafka_addresses(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> str | None:
    for address in [] if text is None else text.split(","):
        if not is_address(address.strip()):
            raise click.BadParameter(f"{address!r} is not HOST:PORT")
    return text


def namespace_name(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    if not is_namespace(text):
        raise click.BadParameter(f"{text!r} is not 1 to 40 characters of a-z, 0-9 and -")
    return text


def http_address(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> str | None:
    if text is not None and not is_address(text):
        raise click.BadParameter(f"{text!r} is not HOST:PORT")
    return text


def engine_url(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """Where to ask: a URL, of an engine behind a gateway for example, or an engine's HOST:PORT."""
    if text.startswith(("http://", "https://")):
        return text.rstrip("/")
    if not is_address(text):
        raise click.BadParameter(f"{text!r} is not HOST:PORT, and no URL")
    return f"http://{text}"


def json_object(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> str | None:
    """The text of a JSON object, given as it is; `@FILE` reads it from a file, `@-` from stdin."""
    if text is None:
        return None
    if text.startswith("@"):
        text = _read(text[1:])
    try:
        value = json.loads(text, parse_constant=_no_number)
        text.encode()
    except RecursionError:
        raise click.BadParameter("the JSON is nested too deeply") from None
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise click.BadParameter("expected a JSON object, as in '{\"amount\": 740}'")
    return text


def _read(name: str) -> str:
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise click.BadParameter(f"{name!r} cannot be read: {reason}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


# --- the options ---

FILES: Mapping[str, Any] = {
    "nargs": -1,
    "required": True,
    "type": click.Path(exists=True, dir_okay=False, path_type=Path),
    "metavar": "FILE...",
}
"""An argument of one or more files that exist."""

FILES_OR_FOLDERS: Mapping[str, Any] = {
    **FILES,
    "type": click.Path(exists=True, path_type=Path),
    "metavar": "FILE|FOLDER...",
}
"""An argument of files and folders that exist: see `files_below`."""


MODELS: Final = (
    ".bpmn", ".dmn", ".bpmn20.xml", ".bpmn.xml", ".dmn.xml", ".dmn11.xml", ".dmn10.xml"
)  # fmt: skip
"""How the names of models end, for Camunda, Flowable and Activiti, too."""


def models_below(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files, and the models in the folders: see `files_below`."""
    return files_below(paths, MODELS)


def files_below(paths: Iterable[Path], suffixes: tuple[str, ...]) -> tuple[Path, ...]:
    """The files, and those whose names end so in the folders and below them, each once.

    What begins with a dot is left out. Raises UsageError for a folder without any.
    """
    found: dict[Path, None] = {}
    for path in paths:
        below = [path] if path.is_file() else _below(path, suffixes)
        if not below:
            raise click.UsageError(f"There is no {' or '.join(suffixes[:2])} file in {path}.")
        found.update(dict.fromkeys(below))
    return tuple(found)


def _below(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.name.endswith(suffixes)
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


kafka = click.option(
    "--kafka",
    envvar="TORPOR_KAFKA",
    default="127.0.0.1:9092",
    show_default=True,
    show_envvar=True,
    callback=kafka_addresses,
    metavar="HOST:PORT,...",
    help="Bootstrap servers of Kafka.",
)
redis = click.option(
    "--redis",
    envvar="TORPOR_REDIS",
    default="redis://127.0.0.1:6379/0",
    show_default=True,
    show_envvar=True,
    metavar="URL",
    help="Redis or Valkey.",
)
namespace = click.option(
    "--namespace",
    envvar="TORPOR_NAMESPACE",
    default="torpor",
    show_default=True,
    show_envvar=True,
    callback=namespace_name,
    metavar="NAME",
    help="Prefix of all topics and keys.",
)
http = click.option(
    "--http",
    envvar="TORPOR_HTTP",
    default=HTTP,
    show_default=True,
    show_envvar=True,
    callback=http_address,
    metavar="HOST:PORT",
    help="Where the engine answers queries. Who may reach it may read everything.",
)
engine = click.option(
    "--http",
    "engine",
    envvar="TORPOR_HTTP",
    default=HTTP,
    show_default=True,
    show_envvar=True,
    callback=engine_url,
    metavar="HOST:PORT",
    help="Which engine to ask; any will do.",
)
secret_file = click.option(
    "--secret-file",
    envvar="TORPOR_SECRET_FILE",
    show_envvar=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep a copy of the namespace's secrets in FILE, outside of Redis; a Redis that has lost"
    " them gets them from there.",
)
trust_log = click.option(
    "--trust-log",
    is_flag=True,
    help="When the secrets are lost: take all that the log holds now for genuine.",
)
as_json = click.option(
    "--json",
    "as_json",
    envvar="TORPOR_JSON",
    show_envvar=True,
    is_flag=True,
    help="Print JSON, for programs.",
)
timeout = click.option(
    "--timeout",
    "timeout_s",
    envvar="TORPOR_TIMEOUT",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    show_envvar=True,
    metavar="SECONDS",
    help="How long to wait for Kafka, and for the reply.",
)
wait = click.option(
    "--wait/--no-wait",
    "wait",
    envvar="TORPOR_WAIT",
    show_envvar=True,
    default=True,
    help="Wait for the reply (the default), or only until the log has the command.",
)
actor = click.option(
    "--actor",
    envvar="TORPOR_ACTOR",
    show_envvar=True,
    metavar="NAME",
    help="Who asks; goes into history.",
)
command_id = click.option(
    "--command-id",
    metavar="ID",
    help="The command's id, for repeating it: commands with one id are applied once.",
)
variables = click.option(
    "--variables",
    default="{}",
    callback=json_object,
    metavar="JSON",
    help="A JSON object; @FILE reads it from a file, @- from standard input.",
)
result = click.option(
    "--result",
    default=None,
    callback=json_object,
    metavar="JSON",
    help="A JSON object, what the job asks to decide; @FILE and @- as for --variables.",
)
cursor = click.option("--cursor", metavar="CURSOR", help="Go on where the page before ended.")
limit = click.option(
    "--limit",
    type=click.IntRange(1, PAGE_MAX),
    default=50,
    show_default=True,
    metavar="N",
    help=f"How many at most, up to {PAGE_MAX}.",
)


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in help in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


publishing = stacked(kafka, namespace, actor, command_id, wait, timeout, as_json)
"""What commands that publish a command take."""

looking = stacked(engine, as_json)
"""What commands that query an engine take."""

listing = stacked(limit, cursor, engine, as_json)
"""What commands that list something take."""
