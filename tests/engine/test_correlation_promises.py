"""The promises of message correlation, in every interleaving at small scope.

The scopes that must hold run the protocol as it is. The others leave out one rule that the
aggregate relies on in its neighbours, and must be found broken: they show that the search can see.
"""

import pytest

from tests.support.correlation_world import STARTED_PROCESS, Explorer, Kind, Published, Scope

ONE_OF_TWO = Scope(
    instances=(Kind("P"), Kind("P"), Kind("Q")), messages=(Published("m", 1),), again=1
)
ONE_OF_TWO_NOW = ONE_OF_TWO._replace(messages=(Published("m", 0),), again=0)
TWO_AT_ONCE = Scope(
    instances=(Kind("P", catches=2),), messages=(Published("m", 0), Published("n", 0)), repeats=1
)
TWO_LIVING = Scope(
    instances=(Kind("P", catches=2), Kind("P")),
    messages=(Published("m", 1), Published("n", 1)),
    ids=False,
)
MANY = Scope(
    instances=(Kind("P", interrupting=False), Kind("Q")),
    messages=(Published("m", 1), Published("n", 0)),
)
WIDE = Scope(
    instances=(Kind("P"), Kind("P", interrupting=False), Kind("Q", catches=2, leaves=False)),
    messages=(Published("m", 1), Published("n", 0)),
    local=True,
    again=2,
)
TO_ONE = Scope(
    instances=(Kind("P"), Kind("P")), messages=(Published("m", 1, to=1), Published("n", 0))
)
STARTS = Scope(
    instances=(Kind("P"),),
    messages=(Published("m", 1), Published("n", 1)),
    starts=True,
    ids=False,
)
STARTS_OR_CATCHES = STARTS._replace(instances=(Kind(STARTED_PROCESS),))
ALWAYS_STARTS = STARTS._replace(key="", messages=(Published("m", 0), Published("n", 1)))
TAKEN_ID = STARTS._replace(instances=(), collisions=2, ticks=2)

HOLDS = {
    "one of two instances takes it": ONE_OF_TWO,
    "one of two, no time to live": ONE_OF_TWO_NOW,
    "two at once, sends repeated": TWO_AT_ONCE,
    "two living messages": TWO_LIVING,
    "a non-interrupting one takes many": MANY,
    "all on one partition": WIDE,
    "for one instance only": TO_ONE,
    "message start events": STARTS,
    "it starts a process or wakes its instance": STARTS_OR_CATCHES,
    "an empty key always starts": ALWAYS_STARTS,
    "the id of the start is in use": TAKEN_ID,
}
BROKEN = {
    "repeated sends are not dropped": (TWO_AT_ONCE._replace(drops_repeats=False), "C"),
    "a message is taken twice": (
        MANY._replace(drops_repeats=False, repeats=1, promises=("C1",)),
        "C1",
    ),
    "settles before it opens": (TWO_AT_ONCE._replace(opens_first=False), "C2"),
    "an instance that is gone is silent": (ONE_OF_TWO._replace(refuses_when_gone=False), "C3"),
}


@pytest.mark.parametrize("scope", HOLDS.values(), ids=HOLDS.keys())
def test_the_promises_hold_in_every_interleaving(scope: Scope) -> None:
    worlds, way = Explorer(scope).explore()
    assert way is None
    assert worlds > 10


@pytest.mark.parametrize(("scope", "promise"), BROKEN.values(), ids=BROKEN.keys())
def test_the_search_finds_what_a_missing_rule_breaks(scope: Scope, promise: str) -> None:
    _, way = Explorer(scope).explore()
    assert way is not None
    assert way[-1].startswith(promise)
