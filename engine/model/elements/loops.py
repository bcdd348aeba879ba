"""How an activity is repeated (loopCharacteristics)."""

from typing import TypeAlias

import msgspec

from engine.expressions import Expression


class MultiInstance(msgspec.Struct, frozen=True, kw_only=True, tag="multiInstance"):
    """An activity that runs once for each item of `collection`, or `cardinality` times.

    Exactly one of the two is set. `item` is the variable that holds an iteration's item. `output`
    gives what each iteration adds to `output_collection`; `output_variable` is a local of each
    iteration, null at first. The loop counter of the first iteration is `counter_first`.
    `skips_missing`: an iteration that gave no output has no place in the collection, instead of
    a null. `gathered`: outputs are objects with these entries, each of which is collected into the
    variable of its name instead. `undone_whole`: a handler beside the activity undoes the loop,
    once, instead of each iteration.
    """

    sequential: bool = False
    cardinality: Expression | None = None
    collection: Expression | None = None
    item: str | None = None
    output: Expression | None = None
    output_collection: str | None = None
    output_variable: str | None = None
    completion: Expression | None = None
    counter_first: int = 1
    skips_missing: bool = False
    undone_whole: bool = False
    gathered: tuple[str, ...] = ()


class StandardLoop(msgspec.Struct, frozen=True, kw_only=True, tag="standardLoop"):
    """An activity that runs again while `condition` holds, at most `maximum` times.

    With `test_before` the condition is asked before the first time, too.
    """

    condition: Expression | None = None
    maximum: int | None = None
    test_before: bool = False
    counter_first: int = 1


Loop: TypeAlias = MultiInstance | StandardLoop
