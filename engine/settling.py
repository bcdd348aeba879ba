"""What becomes of a start that a message, signal, timer or condition asks for, as it is told."""

from engine import commands as c


def settled(
    command: c.StartByMessage, *, accepted: bool, holder: str = ""
) -> c.MessageStartSettled:
    """What the message's aggregate is told; `holder` is the instance that has its key already."""
    return c.MessageStartSettled(
        name=command.name,
        correlation_key=command.correlation_key,
        process_id=command.process_id,
        instance_id=command.instance_id,
        message=command.message,
        accepted=accepted,
        holder=holder,
    )


def refused(command: c.TriggeredStart) -> tuple[c.AnyCommand, ...]:
    """What is told of a start that cannot be: it holds no conversation, and takes no message."""
    told: tuple[c.AnyCommand, ...] = ()
    if command.conversation is not None:
        told += (
            c.EndConversation(
                process_id=command.process_id,
                key=command.conversation,
                instance_id=command.instance_id,
            ),
        )
    if isinstance(command, c.StartByMessage):
        told += (settled(command, accepted=False),)
    return told
