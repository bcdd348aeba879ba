"""The group of all commands, in the order of first use."""

import click

from consumers.cli import lint, looking, publishing, serving
from consumers.cli.output import TorporGroup


@click.group(cls=TorporGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="torpor", message="torpor %(version)s")
def main() -> None:
    """A durable BPMN 2.0 process engine whose API is Kafka and whose store is Redis.

    \b
    Try it:            torpor dev
    Then, beside it:   torpor deploy order.bpmn
                       torpor start order --variables '{"amount": 740}'
                       torpor tasks
    """


for command in (
    serving.dev,
    serving.init,
    serving.run,
    publishing.deploy,
    publishing.start,
    looking.show,
    looking.list_instances,
    looking.tasks,
    publishing.complete,
    publishing.message,
    publishing.signal,
    publishing.set_variables,
    publishing.terminate,
    publishing.resolve,
    looking.effects,
    lint.lint,
):
    main.add_command(command)
