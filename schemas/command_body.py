"""The body of a command, from Avro's fields or from a JSON object, to the engine's Struct.

Variables, and the result of a job, go through the one normaliser: numbers stay exact, and each text
has one form.
"""

from typing import Any, cast, get_args

import msgspec

from engine import values
from engine.commands import AnyCommand, ClientCommand, Command
from schemas.derive import COMMAND_FIELDS, COMMANDS
from schemas.headers import BODY_TYPE, HeaderError, checked_command_id

OBJECTS = ("variables", "result")
"""Fields that are the text of a JSON object."""

ACTOR_MAX = 1_000
"""Every record that a command causes repeats its actor."""

COMMAND_TYPES: dict[str, type[Command]] = {command.__name__: command for command in COMMANDS}
_CLIENT_COMMANDS = frozenset(command.__name__ for command in get_args(ClientCommand))
_FIELDS = {
    name: frozenset((BODY_TYPE, *COMMAND_FIELDS, *command.__struct_fields__))
    for name, command in COMMAND_TYPES.items()
}
_INTEGER_MAX = 2**63 - 1
_JSON = msgspec.json.Decoder(dict[str, msgspec.Raw])


class BodyError(ValueError):
    """The fields are not those of the command. It is rejected; the text says why.

    `command_id` is what the body says, as far as it can be read.
    """

    command_id: str | None = None


class CommandBody(msgspec.Struct, frozen=True, kw_only=True):
    """A command with what every command may carry beside its own fields."""

    command: AnyCommand
    command_id: str | None
    actor: str | None


def read_fields(name: str, fields: dict[str, Any]) -> CommandBody:
    """A command from plain values by field name. Raises BodyError."""
    command_id, actor = fields.pop("command_id", None), fields.pop("actor", None)
    try:
        checked_command_id(command_id)
        _check_actor(actor)
        if name in _CLIENT_COMMANDS:
            for member in OBJECTS:
                if (text := fields.get(member)) is not None:
                    fields[member] = _normalised(member, text)
        return CommandBody(
            command=cast("AnyCommand", msgspec.convert(fields, COMMAND_TYPES[name])),
            command_id=command_id,
            actor=actor,
        )
    except (msgspec.ValidationError, HeaderError, values.ValueDecodeError) as error:
        failure = BodyError(f"{name}: {error}")
        failure.command_id = command_id
        raise failure from None


def _check_actor(actor: str | None) -> None:
    if actor is not None and len(actor) > ACTOR_MAX:
        raise HeaderError(
            f"The actor must have at most {ACTOR_MAX} characters; it has {len(actor)}."
        )


def _normalised(member: str, text: object) -> str:
    value = values.decode(text) if isinstance(text, str) else None
    if not isinstance(value, dict):
        verb = "are" if member == "variables" else "is"
        raise values.ValueDecodeError(f"The {member} {verb} not a JSON object.")
    return values.encode(value)


def split_json(value: bytes) -> dict[str, msgspec.Raw]:
    """The members of a JSON object, undecoded. Raises BodyError when it is none."""
    try:
        return _JSON.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BodyError(f"The text is no JSON object: {error}.") from None


def json_text(members: dict[str, msgspec.Raw], member: str) -> str | None:
    """A member that is a text; None when it is missing or something else."""
    raw = members.get(member)
    try:
        return None if raw is None else msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        return None


def read_json(name: str, members: dict[str, msgspec.Raw]) -> CommandBody:
    """A command from the members of a JSON object; those that are objects as such or as their text.

    An unknown member is refused: it is a misspelt one more often than a newer one, and what is
    silently left out of a command is found late. Raises BodyError.
    """
    try:
        fields = _json_fields(name, members)
    except BodyError as error:
        error.command_id = json_text(members, "command_id")
        raise
    return read_fields(name, fields)


def _json_fields(name: str, members: dict[str, msgspec.Raw]) -> dict[str, Any]:
    unknown = [member for member in members if member not in _FIELDS[name]]
    if unknown:
        expected = ", ".join(sorted(_FIELDS[name] - {BODY_TYPE}))
        raise BodyError(f"{name} has no field {unknown[0][:40]!r}; it has {expected}.")
    fields = {
        member: _json_field(name, member, raw)
        for member, raw in members.items()
        if member != BODY_TYPE
    }
    for member in COMMAND_FIELDS:
        if not isinstance(fields.get(member), str | None):
            raise BodyError(f"{name}: {member} must be a string.")
    return fields


def _json_field(name: str, member: str, raw: msgspec.Raw) -> object:
    """A member's value; an object stays a text, for a float would not be exact."""
    text = bytes(raw)
    try:
        if member in OBJECTS and text.startswith(b"{"):
            return text.decode()
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BodyError(f"{name}: {member}: {error}") from None
    if isinstance(value, int) and not -_INTEGER_MAX <= value <= _INTEGER_MAX:
        raise BodyError(f"{name}: {member} is beyond 64 bits.")
    return value
