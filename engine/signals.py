"""Signals: broadcast to all who wait for a name, kept for nobody.

A broadcast is one command a partition. Each partition has an index, written with its documents,
from a signal's name to the waits for it with the offset since when each waits. The command walks,
in chunks, the waits older than itself:

    offset 10   a waits            index: 10 a
    offset 12   signal, chunk 1    a takes it; and waits again: 12 a'
    offset 15   b waits            index: 12 a', 15 b
    offset 16   signal, chunk 2    before 12: nothing is left, a' and b began later

Who leaves before its chunk has come does not take it any more.
"""

from engine import commands as c
from engine.ids import id_for_position
from engine.instances.limits import NAME_LENGTH_MAX
from engine.outcome import Context, Outcome, Send
from engine.rejections import Rejection, RejectionCode
from engine.routing import partition_of, signal_address, split_handle
from engine.values import ValueDecodeError, decode_object
from engine.variables import size


def broadcast(context: Context, command: c.BroadcastSignal) -> Outcome | Rejection:
    """A client's signal goes to every partition, through its log."""
    if not 0 < len(command.name) <= NAME_LENGTH_MAX:
        detail = f"expected a name of 1 to {NAME_LENGTH_MAX} characters, found {len(command.name)}"
        return Rejection(RejectionCode.INVALID_ARGUMENT, detail)
    try:
        weight = size(decode_object(command.variables))
    except ValueDecodeError as error:
        return Rejection(RejectionCode.INVALID_ARGUMENT, f"variables: {error}")
    limit = context.settings.variables_bytes_max
    if weight > limit:
        detail = f"expected variables of at most {limit} bytes, found {weight}"
        return Rejection(RejectionCode.TOO_LARGE, detail)
    deliveries = (
        c.DeliverSignal(partition=number, name=command.name, variables=command.variables)
        for number in range(context.partitions)
    )
    return Outcome(
        state=None, sends=tuple(Send(command=each, through_log=True) for each in deliveries)
    )


def deliver(context: Context, command: c.DeliverSignal) -> Outcome:
    """One chunk of the waits on this partition; the first of them brings the starts along."""
    sends = [Send(command=start) for start in _starts(context, command)]
    for _, handle in context.signal_waits:
        instance_id, subscription = split_handle(handle)
        if instance_id != command.thrown_by:
            take = c.TakeSignal(
                instance_id=instance_id, subscription=subscription, variables=command.variables
            )
            sends.append(Send(command=take))
    if len(context.signal_waits) == context.settings.fan_out_chunk:
        since, handle = context.signal_waits[-1]
        rest = c.DeliverSignal(
            partition=command.partition,
            name=command.name,
            variables=command.variables,
            thrown_by=command.thrown_by,
            before=context.offset if command.before is None else command.before,
            after_since=since,
            after_wait=handle,
        )
        sends.append(Send(command=rest, through_log=True))
    return Outcome(state=None, sends=tuple(sends))


def _starts(context: Context, command: c.DeliverSignal) -> list[c.StartBySignal]:
    """What the signal starts: once, by the partition of its name, in the versions latest there."""
    home = partition_of(signal_address(command.name), context.partitions)
    if command.before is not None or command.partition != home:
        return []
    starts = []
    for number, (process_id, element_id) in enumerate(
        context.definitions.signal_starts(command.name)
    ):
        ref = context.definitions.find(process_id)
        assert ref is not None, "a start belongs to a version"
        starts.append(
            c.StartBySignal(
                instance_id=id_for_position(
                    context.namespace, context.partition, context.offset, context.step, number
                ),
                process_id=process_id,
                version=ref.version,
                start_element=element_id,
                variables=command.variables,
                checksum=ref.checksum,
                semantics=ref.semantics,
                name=command.name,
                conversation=context.definitions.conversation(process_id, element_id, ""),
            )
        )
    return starts
