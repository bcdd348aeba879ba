"""How an instance is started: what each command that starts one does, in one table."""

from collections.abc import Callable, Mapping
from typing import Any

from engine import commands as c
from engine.instances.starts import requested, triggered
from engine.outcome import AggregateState, Context, Outcome
from engine.rejections import Rejection

# Any: each row takes its own kind of command, which the key names.
STARTS: Mapping[
    type[c.AnyCommand],
    Callable[[Context, AggregateState | None, Any], Outcome | Rejection],
] = {
    c.StartInstance: requested.start_by_client,
    c.StartByMessage: triggered.start_by_message,
    c.StartByTimer: triggered.start_by_timer,
    c.StartBySignal: triggered.start_by_signal,
    c.StartByCondition: triggered.start_by_condition,
    c.StartChild: requested.start_child,
}
