"""Instance ids that the engine derives: UUIDv5, so that a replay derives the same ones again."""

from uuid import UUID, uuid5

ID_NAMESPACE = UUID("6f0a3a1c-8a5e-5f0e-9a55-746f72706f72")
"""The namespace of all of them; the names in it begin with Torpor's own namespace."""


def id_for_command(namespace: str, command_id: str) -> str:
    """For a start that names no instance: a repetition of the same command gets the same id."""
    return str(uuid5(ID_NAMESPACE, f"{namespace}/command/{command_id}"))


def id_for_position(namespace: str, *position: int) -> str:
    """For an instance that a message or a timer starts: the position of its cause names it."""
    return str(uuid5(ID_NAMESPACE, f"{namespace}/position/{'/'.join(map(str, position))}"))
