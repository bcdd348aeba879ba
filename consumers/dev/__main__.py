"""`python -m consumers.dev`: a Kafka and nothing else, until SIGTERM or Ctrl-C.

For `compose/kafka/local-kafka`, and for whoever wants the brokers of the tests by hand.
"""

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import click

from consumers.dev.errors import DevServerError
from consumers.dev.kafka_server import KafkaKind
from consumers.dev.servers import ANY_KAFKA, start_kafka

EXIT_UNREACHABLE = 3


@click.command()
@click.option("--kind", type=click.Choice([str(kind) for kind in ANY_KAFKA]), default=None)
@click.option("--brokers", type=click.IntRange(1, 5), default=1, show_default=True)
@click.option("--ready-file", type=click.Path(path_type=Path), help="Gets the address when ready.")
def main(kind: str | None, brokers: int, ready_file: Path | None) -> None:
    preference = ANY_KAFKA if kind is None else (KafkaKind(kind),)
    try:
        asyncio.run(serve(preference, brokers, ready_file))
    except DevServerError as failed:
        click.echo(str(failed), err=True)
        raise SystemExit(EXIT_UNREACHABLE) from None


async def serve(preference: tuple[KafkaKind, ...], brokers: int, ready_file: Path | None) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    async with start_kafka(preference, brokers=brokers) as kafka:
        if ready_file is None:
            await ended.wait()
            return
        with published(ready_file, kafka.bootstrap):
            await ended.wait()


@contextlib.contextmanager
def published(path: Path, text: str) -> Iterator[None]:
    path.write_text(text + "\n")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
