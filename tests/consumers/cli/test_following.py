"""What people are shown of an effect."""

from typing import Any

import pytest

from consumers.cli.following import Columns
from torpor_client import Effect, EffectTask

TASK = {"task_id": "i:7", "assignee": "ann"}


@pytest.mark.parametrize(
    ("kind", "task", "told"),
    [
        ("TaskAssigned", {}, "task i:7, to ann"),
        ("TaskAssigned", {"assignee": None}, "task i:7, to nobody"),
        ("TaskCompleted", {}, "task i:7"),
        (
            "TaskChangeDenied",
            {"denied": "completing", "reason": "too late"},
            "task i:7, completing denied: too late",
        ),
        ("TaskChangeDenied", {"denied": "updating"}, "task i:7, updating denied"),
    ],
)
def test_an_effect_of_a_task_says_who_has_it_and_why_it_stayed_as_it_was(
    kind: str, task: dict[str, Any], told: str
) -> None:
    effect = Effect(
        id="0-1-0",
        type=kind,
        partition=0,
        offset=1,
        index=0,
        time=0,
        instance_id="i",
        root_id="i",
        process_id="p",
        version=1,
        sequence=1,
        digest="d",
        causation="c",
        task=EffectTask(**{**TASK, **task}),
    )
    assert Columns().line(effect).endswith(f"  {told}")
