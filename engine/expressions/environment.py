"""What an evaluation may see: variables, the command's time, a budget, a seed. Nothing else."""

import enum
import hashlib
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import Final, Literal, TypeAlias

from engine.expressions.errors import BudgetExceededError
from engine.values import Value

STEPS_MAX: Final = 20_000
# One level costs at most three Python frames: this stays well below the interpreter's 1,000.
NESTING_MAX: Final = 200


class Missing(enum.Enum):
    """The type of MISSING, so that a checker can tell it from every value."""

    MISSING = "MISSING"


MISSING: Final = Missing.MISSING
Lookup: TypeAlias = Callable[[str], Value | Literal[Missing.MISSING]]


def no_variables(_name: str) -> Literal[Missing.MISSING]:
    """The lookup of an expression that stands alone."""
    return MISSING


class Environment:
    """Everything an evaluation depends on. Equal environments give equal results.

    It may serve several evaluations of one transition, one after the other: each gets the whole
    budget, while the counter behind uuid() and random number() goes on. `facts` are what JUEL's
    `execution` tells about the instance; whoever evaluates JUEL may set them.
    """

    __slots__ = ("_before", "_draws", "facts", "lookup", "missing", "nesting", "now_ms", "seed",
                 "steps", "steps_max", "zone")  # fmt: skip

    def __init__(
        self,
        lookup: Lookup = no_variables,
        now_ms: int = 0,
        zone: str = "UTC",
        steps_max: int = STEPS_MAX,
        seed: str = "",
    ) -> None:
        self.lookup = lookup
        self.now_ms = now_ms
        self.zone = zone
        self.steps_max = steps_max
        self.seed = seed
        self.steps = steps_max
        self.nesting = 0
        self.missing: dict[str, None] = {}
        self.facts: Mapping[str, Value] = {}
        self._draws = 0
        self._before = 0

    @property
    def spent(self) -> int:
        """What all its evaluations have paid for so far."""
        return self._before + self.steps_max - self.steps

    def begin(self) -> None:
        """Give the next evaluation the whole budget."""
        self._before = self.spent
        self.steps = self.steps_max
        self.nesting = 0
        if self.missing:
            self.missing = {}

    def spend(self, steps: int) -> None:
        """Pay for work. Raises BudgetExceededError when nothing is left."""
        self.steps -= steps
        if self.steps < 0:
            raise BudgetExceededError(
                f"The expression takes more than {self.steps_max} steps.", tuple(self.missing)
            )

    def enter(self, levels: int) -> None:
        """Nest an evaluation of this many levels; the caller takes them off `nesting` again."""
        self.nesting += levels
        if self.nesting > NESTING_MAX:
            raise BudgetExceededError(f"Functions are nested deeper than {NESTING_MAX} levels.")

    def draw(self) -> bytes:
        """The next 32 bytes that look random: a hash of the seed and a counter."""
        self._draws += 1
        return hashlib.sha256(f"{self.seed}|{self._draws}".encode()).digest()


class Frame:
    """Names bound inside an expression (an iterator, a parameter, an item); the innermost first."""

    __slots__ = ("names", "parent")

    def __init__(self, names: Mapping[str, Value], parent: "Frame | None") -> None:
        self.names = names
        self.parent = parent


Code: TypeAlias = Callable[[Environment, Frame | None], Value]


_UNROUNDED: Final = Context(prec=16)


def random_fraction(env: Environment) -> Decimal:
    """The next number from 0 to below 1, with 16 digits."""
    return Decimal(int.from_bytes(env.draw()[:8], "big") % 10**16).scaleb(-16, _UNROUNDED)
