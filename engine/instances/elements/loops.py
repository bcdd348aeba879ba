"""Loops: multi-instance and standard loops, around any activity.

Two kinds of element instances of one activity: the loop, which has the boundary events and leaves
by the flows, and inside it the iterations, which have inputs, behaviour and outputs.

    loop 7 of T, count 3     begun 1        sequential: the next begins when the one before is over
      iteration 8, ordinal 1                parallel: the next begins with the next step
"""

import re
from typing import Final

from engine import events as e
from engine import state as s
from engine.instances.activities import activate
from engine.instances.advance import SCOPE_START, Advance
from engine.instances.collecting import require_room, room, too_large
from engine.instances.elements.handler import Handler
from engine.instances.endings import stop_loop
from engine.instances.flows import leave
from engine.instances.limits import ITERATIONS_MAX
from engine.instances.mappings import to_texts
from engine.lifecycle import Step
from engine.model.elements import Activity, MultiInstance, StandardLoop
from engine.values import Value, decode, decode_object
from engine.variables import LOOP_COUNTER, utf8_length

_WHOLE_NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)


def _open(advance: Advance, activity: Activity, key: int) -> Step | None:
    """Decide once how often and over what. BPMN 13.3.7: "A multi-instance Activity acts as a
    wrapper for an Activity which has multiple instances spawned in parallel or sequentially".
    """
    loop = activity.loop
    if isinstance(loop, MultiInstance):
        opened = _open_multi_instance(advance, loop, key)
    elif isinstance(loop, StandardLoop) and _is_wanted(advance, loop, key):
        opened = e.LoopOpened(key=key, count=loop.maximum, counter_first=loop.counter_first)
    else:
        return Step.COMPLETE
    if opened.count == 0:
        # 13.3.7: an empty collection spawns nothing. Its output is an empty collection, too.
        advance.emit(opened)
        return Step.COMPLETE
    advance.emit(opened)
    advance.agenda.append((key, SCOPE_START))
    return None


def _is_wanted(advance: Advance, loop: StandardLoop, key: int) -> bool:
    """10.3.2: `testBefore` "controls whether the loop condition is evaluated at the beginning"."""
    if not loop.test_before or loop.condition is None:
        return True
    return advance.evaluator.condition(loop.condition, key, {LOOP_COUNTER: loop.counter_first - 1})


def _open_multi_instance(advance: Advance, loop: MultiInstance, key: int) -> e.LoopOpened:
    items = () if loop.collection is None else _items(advance, loop, key)
    count = len(items) if loop.cardinality is None else _cardinality(advance, loop, key)
    return e.LoopOpened(
        key=key,
        count=count,
        items=items,
        item=loop.item,
        output=loop.output_variable,
        counter_first=loop.counter_first,
    )


def _cardinality(advance: Advance, loop: MultiInstance, key: int) -> int:
    if loop.cardinality is None:
        return 0
    value = advance.evaluator.evaluate(loop.cardinality, key)
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value.strip()):
        value = int(value)  # a form's answer: Camunda 7 and Flowable read it, too
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= ITERATIONS_MAX:
        expected = f"a whole number from 0 to {ITERATIONS_MAX}"
        raise advance.evaluator.unusable(loop.cardinality, expected, value)
    return value


def _items(advance: Advance, loop: MultiInstance, key: int) -> tuple[str, ...]:
    """The items as they are now: what becomes of the collection meanwhile is of no matter."""
    if loop.collection is None:
        return ()
    value = advance.evaluator.evaluate(loop.collection, key)
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > ITERATIONS_MAX:
        expected = f"a list of at most {ITERATIONS_MAX} items"
        raise advance.evaluator.unusable(loop.collection, expected, value)
    items: list[str] = []
    left = room(advance)
    for item in value:
        items.extend(to_texts({"item": item}).values())
        left -= utf8_length(items[-1])
        if left < 0:
            raise too_large(advance, f"in the collection {loop.collection.text!r}")
    return tuple(items)


# --- iterations ---


def begin_next(advance: Advance, key: int) -> None:
    """Begin an iteration. Those of a parallel loop follow step by step, so it can be cut."""
    activity = advance.element(key)
    advance.begin_iteration(activity, key)
    if not is_sequential(activity) and advance.state.loops[key].wants_more:
        advance.agenda.append((key, SCOPE_START))


def may_begin(advance: Advance, key: int) -> bool:
    """Whether the loop has an iteration to begin now."""
    if not advance.state.loops[key].wants_more:
        return False
    return not advance.instance(key).open or not is_sequential(advance.element(key))


def is_sequential(activity: object) -> bool:
    """Whether one iteration runs at a time, as those of a standard loop do."""
    loop = getattr(activity, "loop", None)
    return not isinstance(loop, MultiInstance) or loop.sequential


def leave_iteration(advance: Advance, activity: Activity, key: int) -> None:
    """The iteration is over; it may be the one that ends the loop.

    All is evaluated before anything happens: an incident here takes just this step again.
    """
    loop_key = advance.instance(key).scope or 0
    loop = advance.state.loops[loop_key]
    collected = _output(advance, activity, key)
    ends = _ends_loop(advance, activity, key, collected)
    leave(advance, activity, key, ())
    if collected is not None:
        advance.emit(collected)  # after what may still fail: a retry must not count it twice
    if ends and (loop.wants_more or advance.instance(loop_key).open):
        stop_loop(advance, loop_key)


def _output(advance: Advance, activity: Activity, key: int) -> e.OutputCollected | None:
    loop, instance = activity.loop, advance.instance(key)
    if not isinstance(loop, MultiInstance) or loop.output is None:
        return None
    value = advance.evaluator.evaluate(loop.output, key)
    text = to_texts({loop.output_collection or "output": value}).popitem()[1]
    require_room(advance, text, f"with the output of iteration {instance.ordinal}")
    return e.OutputCollected(key=instance.scope or 0, ordinal=instance.ordinal, text=text)


def _ends_loop(
    advance: Advance, activity: Activity, key: int, collected: e.OutputCollected | None
) -> bool:
    """13.3.7: the completion condition is "evaluated every time an instance completes".

    It sees the outputs so far, as in Camunda 8, null where an iteration is not over. They are put
    together only where it names them, or a wide loop would do so again and again for nothing.
    """
    loop = activity.loop
    if isinstance(loop, MultiInstance):
        if loop.completion is None:
            return False
        locals_ = _counts(advance, key)
        if any(name in loop.completion.names for name in _collections(loop)):
            loop_key = advance.instance(key).scope or 0
            texts = _outputs(advance.state, loop_key, loop, collected)
            locals_.update({name: decode(text) for name, text in texts.items()})
        whose = f"Completion condition of the multi-instance {activity.id!r}"
        return advance.evaluator.condition(loop.completion, key, locals_, whose=whose)
    if loop is None or loop.condition is None:
        return False
    whose = f"Condition of the loop {activity.id!r}"
    return not advance.evaluator.condition(loop.condition, key, whose=whose)


def _counts(advance: Advance, key: int) -> dict[str, Value]:
    """The counts with this iteration completed, by their names in BPMN and in Camunda 7."""
    loop_key = advance.instance(key).scope or 0
    loop = advance.state.loops[loop_key]
    count, active, completed = loop.count or 0, advance.instance(loop_key).open, loop.completed
    return {
        "numberOfInstances": count,
        "numberOfActiveInstances": active - 1,
        "numberOfCompletedInstances": completed + 1,
        "numberOfTerminatedInstances": loop.terminated,
        "nrOfInstances": count,
        "nrOfActiveInstances": active - 1,
        "nrOfCompletedInstances": completed + 1,
    }


def _publish(advance: Advance, activity: Activity, key: int) -> Step:
    """Write the outputs once, in the order of the items."""
    loop = activity.loop
    if isinstance(loop, MultiInstance) and loop.output_collection is not None:
        advance.propagate(key, _outputs(advance.state, key, loop))
    return Step.LEAVE


def _collections(loop: MultiInstance) -> tuple[str, ...]:
    """The variables that outputs are collected in."""
    return loop.gathered or ((loop.output_collection,) if loop.output_collection else ())


def _outputs(
    state: s.ProcessInstance, key: int, loop: MultiInstance, last: e.OutputCollected | None = None
) -> dict[str, str]:
    """The outputs as JSON lists, by variable, with one that is about to be collected."""
    texts: list[str | None] = [None] * (state.loops[key].count or 0)
    for page in state.outputs.get(key, {}).values():
        for ordinal, text in page.items():
            texts[ordinal - 1] = text
    if last is not None:
        texts[last.ordinal - 1] = last.text
    given = [text or "null" for text in texts if text is not None or not loop.skips_missing]
    if not loop.gathered:
        return {loop.output_collection or "": f"[{','.join(given)}]"}
    entries = [decode_object(text) if text != "null" else {} for text in given]
    return {
        name: f"[{','.join(each.get(name, 'null') for each in entries)}]" for name in loop.gathered
    }


LOOP = Handler[Activity](first=Step.ACTIVATE, activate=activate, run=_open, complete=_publish)
