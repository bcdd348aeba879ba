"""The table of all commands, in the order of first use."""

import click

from consumers.cli.group import Entry, LazyGroup

SECTIONS = {
    "Serve": {
        "dev": Entry("consumers.cli.dev:dev", "Start all that is needed, on this machine."),
        "init": Entry("consumers.cli.serving:init", "Create a namespace: topics, record, fences."),
        "run": Entry("consumers.cli.serving:run", "Run an engine, or several."),
        "upgrade": Entry("consumers.cli.upgrading:upgrade", "Upgrade a namespace; new secrets."),
    },
    "Models": {
        "lint": Entry("consumers.cli.lint:lint", "Check BPMN and DMN files, without any server."),
        "test": Entry("consumers.cli.testing:test", "Run scenarios, without any server."),
        "deploy": Entry("consumers.cli.deploying:deploy", "Deploy BPMN and DMN files."),
        "definitions": Entry("consumers.cli.definitions:definitions", "List what is deployed."),
    },
    "Instances": {
        "start": Entry("consumers.cli.publishing:start", "Start an instance of a process."),
        "show": Entry("consumers.cli.looking:show", "Show one instance."),
        "history": Entry("consumers.cli.history:history", "Show the path of one instance."),
        "list": Entry("consumers.cli.looking:list_instances", "List running instances."),
        "incidents": Entry("consumers.cli.incidents:incidents", "List open incidents."),
        "set": Entry("consumers.cli.publishing:set_variables", "Set variables of an instance."),
        "terminate": Entry("consumers.cli.publishing:terminate", "End an instance."),
        "activate": Entry(
            "consumers.cli.publishing:activate", "Activate activities of an ad-hoc sub-process."
        ),
        "resolve": Entry("consumers.cli.publishing:resolve", "Resolve an incident: try again."),
    },
    "Tasks, jobs, messages, effects": {
        "tasks": Entry("consumers.cli.looking:tasks", "List open user tasks."),
        "complete": Entry("consumers.cli.publishing:complete", "Complete a user task."),
        "task": Entry("consumers.cli.people:task", "Claim, assign or update a user task."),
        "job": Entry("consumers.cli.jobs:job", "Answer a job as a worker would: by hand."),
        "message": Entry("consumers.cli.publishing:message", "Publish a message."),
        "signal": Entry("consumers.cli.publishing:signal", "Broadcast a signal."),
        "evaluate": Entry(
            "consumers.cli.evaluating:evaluate", "Start processes by their conditions."
        ),
        "effects": Entry("consumers.cli.following:effects", "Print what has happened."),
    },
}


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Every option has a variable: --kafka is TORPOR_KAFKA, and start --business-key,
which is of one command only, is TORPOR_START_BUSINESS_KEY.

\b
Exit codes: 0; 1 a rejection or a finding; 2 usage; 3 servers cannot be reached.""",
)
@click.version_option(package_name="torpor", message="torpor %(version)s")
def main() -> None:
    """A durable BPMN 2.0 process engine whose API is Kafka and whose store is Redis.

    \b
    Try it:            torpor dev
    Then, beside it:   torpor deploy order.bpmn
                       torpor start order --variables '{"amount": 740}'
                       torpor tasks
    """
