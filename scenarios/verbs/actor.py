"""Who does the steps of a scenario, and how a command of theirs is answered."""

from pathlib import Path

from engine import commands as c
from engine import records as r
from engine.values import Value, encode
from scenarios.errors import Mismatch
from scenarios.format import steps as f
from scenarios.format.expectations import Rejected
from scenarios.mocking import Mocking
from scenarios.world import World


class Actor:
    """Who does the steps of a scenario. `folder` is where the files of `deploy` are looked for."""

    def __init__(self, world: World, mocking: Mocking, folder: Path) -> None:
        self.world = world
        self.mocking = mocking
        self.folder = folder

    def send(self, step: f.CommandStep, command: c.AnyCommand) -> r.Reply:
        """Send the command of a step, which must be answered as the step says."""
        reply = self.world.send(command)
        if step.rejected is not None:
            _check_rejection(step.rejected, reply)
        elif reply.status is not r.ReplyStatus.ACCEPTED:
            raise Mismatch(
                "The command was refused.",
                expected=["that it is accepted"],
                found=[f"{reply.code}: {reply.detail}"],
                hint="If it must be refused, say so: `rejected: CODE`.",
            )
        return reply


def _check_rejection(expected: Rejected, reply: r.Reply) -> None:
    wanted = expected.code if expected.detail is None else f"{expected.code}: ...{expected.detail}"
    right = (
        reply.status is r.ReplyStatus.REJECTED
        and reply.code == expected.code.upper()
        and (expected.detail or "") in (reply.detail or "")
    )
    if not right:
        found = "accepted" if reply.code is None else f"{reply.code}: {reply.detail}"
        raise Mismatch(
            "The command was not refused as expected.",
            expected=[f"refused with {wanted}"],
            found=[found],
            line=expected.line(),
        )


def text_of(variables: dict[str, Value] | None) -> str:
    return encode(variables or {})


def optional_text_of(variables: dict[str, Value] | None) -> str | None:
    return None if variables is None else encode(variables)
