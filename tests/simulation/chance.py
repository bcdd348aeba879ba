"""What may go wrong in a run, and how often: a seed draws a mixture of its own.

Not every kind of fault is in every run: a run with one kind in abundance reaches what a run with
a little of everything never does.
"""

from random import Random

import msgspec


class Chances(msgspec.Struct, frozen=True, kw_only=True):
    """Probabilities of a call's fate, and weights of what happens to a whole actor or server.

    `faults_per_1000` is how many of the second kind there are in a thousand steps.
    """

    commit_refused: float = 0.0
    commit_reply_lost: float = 0.0
    commit_late: float = 0.0
    commit_repeated: float = 0.0
    read_failed: float = 0.0
    send_failed: float = 0.0
    send_partly: float = 0.0
    send_late: float = 0.0
    send_refused: float = 0.0
    fetch_failed: float = 0.0
    gap: float = 0.0
    crash: float = 0.0
    pause: float = 0.0
    reassign: float = 0.0
    both_own: float = 0.0
    lost_tail: float = 0.0
    lost_tail_of_one: float = 0.0
    split: float = 0.0
    old_send: float = 0.0
    new_leader: float = 0.0
    faults_per_1000: float = 0.0
    loss_when_idle: float = 0.0


_CALLS = {
    "commit_refused": 0.15,
    "commit_reply_lost": 0.2,
    "commit_late": 0.15,
    "commit_repeated": 0.2,
    "read_failed": 0.05,
    "send_failed": 0.1,
    "send_partly": 0.2,
    "send_late": 0.15,
    "send_refused": 0.05,
    "fetch_failed": 0.05,
    "gap": 0.2,
}
_EVENTS = (
    "crash",
    "pause",
    "reassign",
    "both_own",
    "lost_tail",
    "lost_tail_of_one",
    "split",
    "old_send",
    "new_leader",
)


def draw(random: Random) -> Chances:
    """The mixture of one run."""
    chances = {
        name: random.random() * highest for name, highest in _CALLS.items() if random.random() < 0.5
    }
    chances |= {name: random.random() for name in _EVENTS if random.random() < 0.5}
    chances["faults_per_1000"] = random.uniform(1, 8)
    chances["loss_when_idle"] = random.choice((0.0, 0.5, 1.0))
    return Chances(**chances)


NONE = Chances()
