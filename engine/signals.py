"""Signals: broadcast to all who wait for a name, kept for nobody.

The partition of a signal's name settles what it starts, and sends it to every partition, one
command each: all agree on it, whatever versions of a process have come to which partition. Each
partition has an index, written with its documents, from a signal's name to the waits for it with
the offset since when each waits. The command walks, in chunks, the waits older than itself:

    offset 10   a waits            index: 10 a
    offset 12   signal, chunk 1    a takes it; and waits again: 12 a'
    offset 15   b waits            index: 12 a', 15 b
    offset 16   signal, chunk 2    before 12: nothing is left, a' and b began later

Who leaves before its chunk has come does not take it any more.
"""

from msgspec.structs import replace

from engine import commands as c
from engine.ids import id_for_position
from engine.instances.limits import NAME_LENGTH_MAX
from engine.outcome import Context, Outcome, Send
from engine.rejections import Rejection, RejectionCode
from engine.routing import split_handle
from engine.values import ValueDecodeError, decode_object
from engine.variables import size


def broadcast(context: Context, command: c.BroadcastSignal) -> Outcome | Rejection:
    """A client's signal, at the partition of its name."""
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
    return Outcome(state=None, sends=tuple(_spread(context, command)))


def deliver(context: Context, command: c.DeliverSignal) -> Outcome:
    """Spread it from here, or send a chunk of the waits on this partition what they wait for."""
    sends = _spread(context, command) if command.spreads else _chunk(context, command)
    return Outcome(state=None, sends=tuple(sends))


def _chunk(context: Context, command: c.DeliverSignal) -> list[Send]:
    sends: list[Send] = []
    for _, handle in context.signal_waits:
        instance_id, subscription = split_handle(handle)
        take = c.TakeSignal(
            instance_id=instance_id,
            subscription=subscription,
            variables=command.variables,
            joint=command.joint,
            thrown=instance_id == command.thrown_by,
        )
        sends.append(Send(command=take))
    if len(context.signal_waits) == context.settings.fan_out_chunk:
        since, handle = context.signal_waits[-1]
        before = context.offset if command.before is None else command.before
        rest = replace(command, before=before, after_since=since, after_wait=handle)
        sends.append(Send(command=rest, through_log=True))
    return sends


def _spread(context: Context, command: c.BroadcastSignal | c.DeliverSignal) -> list[Send]:
    """To every partition through its log; what it starts comes behind that, and waits for the next.

    What starts is settled here, once for all partitions: they may have different latest versions.
    """
    starts = _starts(context, command)
    thrown_by = command.thrown_by if isinstance(command, c.DeliverSignal) else None
    deliveries = [
        c.DeliverSignal(
            partition=number,
            name=command.name,
            variables=command.variables,
            thrown_by=thrown_by,
            joint=tuple(
                (start.process_id, start.start_element)
                for start in starts
                if start.conversation is not None
            ),
        )
        for number in range(context.partitions)
    ]
    commands: list[c.AnyCommand] = [*deliveries, *starts]
    return [Send(command=each, through_log=True) for each in commands]


def _starts(
    context: Context, command: c.BroadcastSignal | c.DeliverSignal
) -> list[c.StartBySignal]:
    """What the signal starts, in the versions that are the latest on the partition of its name."""
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
