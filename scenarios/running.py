"""Runs scenarios, and says what each did and where it did not do what is expected."""

import gzip
import json
import traceback
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine import commands as c
from engine.errors import EngineError
from engine.records import ReplyStatus
from engine.settings import Settings
from scenarios import expecting, telling, verbs
from scenarios.contents import Contents
from scenarios.coverage import Coverage
from scenarios.errors import Mismatch, Place
from scenarios.format.steps import AnyStep
from scenarios.loading import Case
from scenarios.mocking import Mocking, called_process
from scenarios.simulation import Simulation, Variant
from scenarios.stuck import Incidents
from scenarios.verbs.actor import Actor
from scenarios.world import World


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as the scenario says. `expected` and `found` are lines of text."""

    place: Place
    what: str
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    hint: str = ""


class Journey(msgspec.Struct, frozen=True, kw_only=True):
    """What one instance did: the elements that completed, and those at which it sleeps.

    `places` says of each of the latter what keeps it there, where that is a failure.
    """

    instance: str
    process: str
    state: str
    path: tuple[str, ...]
    labels: tuple[str, ...]
    waiting: tuple[str, ...]
    places: tuple[str, ...]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One scenario in one variant: passed without failures. `asked` are the mocks that answered."""

    case: Case
    variant: Variant
    journeys: tuple[Journey, ...]
    failures: tuple[Failure, ...]
    asked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures


def run(
    case: Case,
    variant: Variant,
    contents: Contents,
    coverage: Coverage,
    kind: type[Simulation] = Simulation,
) -> Run:
    """Run a scenario from an empty engine on."""
    simulation = kind(
        now=case.start_ms,
        variant=variant,
        settings=Settings(zone=case.zone),
        contents=contents,
    )
    world = World(simulation)
    mocking = Mocking(world, case.mocks)
    failures = _deploy(case, world) or _steps(case, Actor(world, mocking, case.folder))
    coverage.add(simulation)
    return Run(
        case=case,
        variant=variant,
        journeys=_journeys(world),
        failures=tuple(failures),
        asked=mocking.asked,
    )


def _deploy(case: Case, world: World) -> list[Failure]:
    """Deploy all models and called processes as one deployment."""
    contents = {model.shown: model.content for model in case.models}
    for process_id in case.mocks.processes:
        contents[f"the mock of {process_id}"] = called_process(process_id)
    resources = tuple(
        c.Resource(name=name, content=gzip.compress(content, mtime=0))
        for name, content in contents.items()
    )
    try:
        reply = world.send(c.DeployResources(resources=resources))
    except Exception as error:  # the other scenarios shall run
        return [_engine_failure(case.place, error)]
    if reply.status is ReplyStatus.ACCEPTED:
        return []
    count = len(json.loads(reply.result or "{}").get("findings", ()))
    more = " `torpor lint` shows all findings." if count else ""
    what = f"The models cannot be deployed: {reply.detail}{more}"
    return [Failure(place=case.place, what=what)]


def _steps(case: Case, actor: Actor) -> list[Failure]:
    """Do the steps until one fails."""
    incidents = Incidents(case, actor.world)
    for step in case.scenario.steps:
        failures = _step(case, actor, incidents, step)
        if failures:
            return failures
        incidents.look(Place(case.file, step.line(step.verb)))
    return [
        Failure(place=place, what=each.what, found=each.found, hint=each.hint)
        for place, each in incidents.unexpected()
    ]


def _step(case: Case, actor: Actor, incidents: Incidents, step: AnyStep) -> list[Failure]:
    place = Place(case.file, step.line(step.verb))
    try:
        verbs.do(actor, step)
        mismatches = [] if step.expect is None else expecting.check(actor.world, step.expect)
    except Mismatch as mismatch:
        mismatches = [mismatch]
    except Exception as error:  # the other scenarios shall run
        return [_engine_failure(place, error)]
    failures = [_failure(case, incidents, place, each) for each in mismatches]
    return sorted(failures, key=lambda failure: failure.place.line)


def _engine_failure(place: Place, error: Exception) -> Failure:
    """Whatever the model is, the engine should have said what is wrong with it."""
    kind = "" if isinstance(error, EngineError) else f"{type(error).__name__}: "
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    return Failure(
        place=place,
        what=f"The engine failed, which is a fault of Torpor, not of the model: {kind}{error}",
        hint=f"Please report it, with the model and this scenario. It happened in {where}.",
    )


def _failure(case: Case, incidents: Incidents, place: Place, mismatch: Mismatch) -> Failure:
    hints = [mismatch.hint] if mismatch.hint else []
    shown = " ".join((*mismatch.found, mismatch.what))
    hints += [line for message, line in incidents.lines() if message not in shown]
    return Failure(
        place=Place(case.file, mismatch.line) if mismatch.line else place,
        what=mismatch.what,
        expected=mismatch.expected,
        found=mismatch.found,
        hint="\n".join(hints),
    )


def _journeys(world: World) -> tuple[Journey, ...]:
    found = []
    for instance in world.instances.all():
        names = world.names(instance)
        path: Sequence[str] = world.path(instance)
        found.append(
            Journey(
                instance=instance.id,
                process=instance.process_id,
                state=world.instances.state(instance),
                path=tuple(path),
                labels=tuple(names.label(each) for each in path),
                waiting=tuple(names.label(each) for each in world.instances.sleeps_at(instance)),
                places=tuple(telling.places(world, instance)),
            )
        )
    return tuple(found)
