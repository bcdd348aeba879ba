"""Ids that the engine derives: golden, for a replay by a later release must derive the same."""

from engine.ids import id_for_command, id_for_position
from engine.routing import check_new_instance_id


def test_derived_ids_never_change() -> None:
    assert id_for_command("torpor", "c-1") == "d20d469d-6f62-5099-9c16-0fef94b6bf0a"
    assert id_for_position("torpor", 3, 100, 0, 0) == "e5eed979-afb7-5aed-93d9-f31517057fb1"


def test_namespaces_commands_and_positions_have_their_own() -> None:
    ids = [
        id_for_command("torpor", "c-1"),
        id_for_command("other", "c-1"),
        id_for_command("torpor", "3/100/0/0"),
        id_for_position("torpor", 3, 100, 0, 0),
        id_for_position("torpor", 3, 100, 0, 1),
        id_for_position("torpor", 31, 0, 0, 0),
        id_for_position("torpor", 3, 10, 0, 0),
    ]
    assert len(set(ids)) == len(ids)
    assert [check_new_instance_id(derived) for derived in ids] == ids
