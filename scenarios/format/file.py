"""A file of scenarios, from the outside in: models, mocks, scenarios."""

from typing import Annotated

from msgspec import Meta, field

from engine.expressions import ExpressionSyntaxError, compile_feel
from scenarios.format.parts import START_AT, Instant, Json, Part, Variables
from scenarios.format.steps import AnyStep


def _check_formula(text: str) -> None:
    """Raises ValueError unless it is a FEEL expression behind an equals sign."""
    if not text.startswith("="):
        raise ValueError("Expected names and values, or a text that begins with =.")
    try:
        compile_feel(text[1:])
    except ExpressionSyntaxError as error:
        raise ValueError(f"The expression {text!r} cannot be read: {error}") from None


class Answer(Part, frozen=True, kw_only=True):
    """What a mock does: one of `complete`, with or without `result`, `throw error` and `fail`."""

    def __post_init__(self) -> None:
        given = [key for key in ("complete", "throw error", "fail") if key in self.lines]
        if self.lines and len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"Expected one of complete, throw error and fail; found {found}.")
        if "result" in self.lines and "complete" not in given:
            raise ValueError("Expected a result beside complete.")
        for key, value in (("complete", self.complete), ("result", self.result)):
            if key in self.lines and not isinstance(value, dict | str):
                raise ValueError("Expected names and values, or a text that begins with =.")
            if isinstance(value, str):
                _check_formula(value)

    complete: Annotated[
        Json,
        Meta(
            description="Complete with these variables, or with those that a FEEL expression"
            " (a text that begins with =) makes of the job's variables."
        ),
    ] = None
    result: Annotated[
        Json,
        Meta(
            description="What the job asks to decide, where it does: names and values, or an"
            " expression as in `complete`."
        ),
    ] = None
    error: Annotated[str | None, Meta(description="Throw the BPMN error with this code.")] = field(
        name="throw error", default=None
    )
    fail: Annotated[str | None, Meta(description="Fail with this message (jobs only).")] = None
    variables: Annotated[
        Variables | None, Meta(description="Variables that come with an error or a failure.")
    ] = None
    retries: Annotated[
        int | None,
        Meta(
            description="How often a failed job may be tried again; one less"
            " than before by default."
        ),
    ] = None


class Mocks(Part, frozen=True, kw_only=True):
    """Who answers by itself, so that steps need not: workers, people, called processes.

    A list answers in turn, its last entry from then on. `null` leaves to the steps what the file
    would answer.
    """

    jobs: Annotated[
        dict[str, tuple[Answer, ...] | None],
        Meta(description="Answers by job type, or by the element's id or name."),
    ] = field(default_factory=dict)
    tasks: Annotated[
        dict[str, tuple[Answer, ...] | None],
        Meta(description="Answers by the user task's id or name."),
    ] = field(default_factory=dict)
    processes: Annotated[
        dict[str, tuple[Answer, ...] | None],
        Meta(
            description="Called processes without a model, by process id: each call waits as a"
            " job of the type `process:ID` and is answered like one."
        ),
    ] = field(default_factory=dict)


class Scenario(Part, frozen=True, kw_only=True):
    """One run of the models, from an empty engine on."""

    name: Annotated[str, Meta(description="What happens, in a sentence.")]
    models: Annotated[
        tuple[str, ...], Meta(description="Further models, of this scenario only.")
    ] = ()
    mocks: Annotated[
        Mocks | None, Meta(description="Mocks of this scenario: they count before the file's.")
    ] = None
    start_at: Annotated[
        Instant | None, Meta(description="The instant at which the virtual clock begins.")
    ] = field(name="start at", default=None)
    zone: Annotated[str | None, Meta(description="The time zone, as in Europe/Berlin.")] = None
    examples: Annotated[
        tuple[Variables, ...] | None,
        Meta(
            description="The scenario runs once for each of these, with ${name} replaced by the"
            " value of that name everywhere in it."
        ),
    ] = None
    steps: Annotated[tuple[AnyStep, ...], Meta(description="What happens, in order.")]


class ScenarioFile(Part, frozen=True, kw_only=True):
    """A file for `torpor test`."""

    models: Annotated[
        tuple[str, ...], Meta(description="BPMN and DMN files, relative to this file.")
    ]
    mocks: Annotated[Mocks, Meta(description="Mocks of all scenarios.")] = Mocks()
    start_at: Annotated[
        Instant, Meta(description="The instant at which the virtual clock begins.")
    ] = field(name="start at", default=START_AT)
    zone: Annotated[str, Meta(description="The time zone, as in Europe/Berlin.")] = "UTC"
    scenarios: tuple[Scenario, ...]
