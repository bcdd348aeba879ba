"""What starts a version of a process, as the partitions' tables have it."""

from engine.definitions import Starts
from engine.model.elements import MessageTrigger, ProcessModel, SignalTrigger, parts_of, trigger_of


def starts_of(model: ProcessModel) -> Starts:
    """The names and elements by which messages, signals and conditions start a process."""
    return Starts(
        messages=_named(model, model.message_starts, MessageTrigger),
        signals=_named(model, model.signal_starts, SignalTrigger),
        conditions=_ids(model, model.condition_starts),
        joint=_ids(model, model.joint_starts),
        alternatives=_ids(model, model.alternative_starts),
    )


def _ids(model: ProcessModel, indexes: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(model.elements[index].id for index in indexes)


def _named(
    model: ProcessModel, indexes: tuple[int, ...], kind: type[MessageTrigger | SignalTrigger]
) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for index in indexes:
        element = model.elements[index]
        for trigger in parts_of(trigger_of(element)):
            if isinstance(trigger, kind):
                assert isinstance(trigger.name, str), "the compiler evaluates such names"
                pairs.append((trigger.name, element.id))
    return tuple(pairs)
