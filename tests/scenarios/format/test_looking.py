"""Every kind of wait has a word in scenarios."""

from typing import get_args

from engine.state import Wait
from scenarios.looking import KINDS


def test_every_kind_of_wait_has_a_word() -> None:
    assert set(KINDS) == set(get_args(Wait))
    assert len(set(KINDS.values())) == len(KINDS)
