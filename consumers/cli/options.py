"""The options that commands share; each has its variable of the environment."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

kafka = click.option(
    "--kafka",
    envvar="TORPOR_KAFKA",
    default="127.0.0.1:9092",
    show_default=True,
    show_envvar=True,
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
    help="Prefix of all topics and keys.",
)
http = click.option(
    "--http",
    envvar="TORPOR_HTTP",
    default="127.0.0.1:8080",
    show_default=True,
    show_envvar=True,
    metavar="HOST:PORT",
    help="Where an engine answers queries.",
)
as_json = click.option(
    "--json", "as_json", envvar="TORPOR_JSON", is_flag=True, help="Print JSON, for programs."
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
    help="How long to wait for the reply.",
)
wait = click.option(
    "--wait/--no-wait",
    "wait",
    envvar="TORPOR_WAIT",
    default=True,
    help="Wait for the reply (the default), or publish and go.",
)
actor = click.option(
    "--actor", envvar="TORPOR_ACTOR", show_envvar=True, help="Who asks; goes into history."
)


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in help in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


publishing = stacked(kafka, namespace, actor, wait, timeout, as_json)
"""What commands that publish a command take."""

looking = stacked(http, as_json)
"""What commands that query an engine take."""
