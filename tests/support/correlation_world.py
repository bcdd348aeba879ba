"""A small world around the message aggregate: instances as simple models, and every interleaving.

The aggregate is the one that ships (`apply_message`). Between it and the instances lie two channels
in which first copies arrive in order and any send may come again at any later time; the receiver
drops what is not above the last number, as the record loop does. `explore` walks all reachable
worlds, breadth first, and returns the shortest way to one that breaks a promise:

    C1  a message is taken at most once per process id
    C2  with nothing on its way: no message that lives is untaken by a process that waits for it;
        nor one that is over, if an instance that waited when it was published (no time to live) or
        when its time ended waits to this moment
    C3  with nothing on its way: the aggregate knows exactly the subscriptions that instances hold,
        nothing is on offer, and the timer index says what the aggregate says
    C4  at most one living instance started by the key, none started twice, none forgotten
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from engine import commands as c
from engine.aggregates import MessageState
from engine.correlation import apply_message
from engine.outcome import Outcome
from engine.settings import Settings
from tests.support.contexts import context, started_by

STARTED_PROCESS = "started"
"""The process that a message of this name starts, where a scope has one."""

WAITING, GONE = "waiting", "gone"


class Kind(NamedTuple):
    """An instance that waits `catches` times, one after the other, or (not `interrupting`) stays.

    `leaves`: a timer may win, or its scope may end, while it waits.
    """

    process: str
    interrupting: bool = True
    catches: int = 1
    leaves: bool = True


class Published(NamedTuple):
    """A message of the scope. `ttl` in ticks; `to`: only for the instance of that number."""

    name: str
    ttl: int
    to: int | None = None


class Scope(NamedTuple):
    """How much there is of everything. The last block is what the protocol rests on: see tests."""

    instances: tuple[Kind, ...]
    messages: tuple[Published, ...]
    key: str = "k"
    starts: bool = False
    ids: bool = True
    again: int = 0
    repeats: int = 0
    ticks: int = 1
    collisions: int = 0
    local: bool = False

    promises: tuple[str, ...] = ("C1", "C2", "C3", "C4")
    drops_repeats: bool = True
    opens_first: bool = True
    refuses_when_gone: bool = True


class Instance(NamedTuple):
    phase: str = ""
    number: int = 0
    taken: tuple[int, ...] = ()


class Channel(NamedTuple):
    """`sent` counts; `queue` and `before` are (number, command); `last` was taken from it."""

    sent: int = 0
    queue: tuple[tuple[int, c.AnyCommand], ...] = ()
    before: tuple[tuple[int, c.AnyCommand], ...] = ()
    last: int = -1


class Witness(NamedTuple):
    """A message that was published: until when it lives, and who waited as its time ended."""

    message: int
    until: int
    waited: tuple[int, ...] = ()


class World(NamedTuple):
    aggregate: bytes
    instances: tuple[Instance, ...]
    to_aggregate: Channel = Channel()
    to_instances: Channel = Channel()
    published: tuple[Witness, ...] = ()
    started: tuple[tuple[str, int, str], ...] = ()
    now: int = 0
    timer: int | None = None
    again: int = 0
    repeats: int = 0
    starts_sent: int = 0
    collisions: int = 0
    broken: str = ""


Step: TypeAlias = tuple[str, World]

_ENCODER = msgspec.msgpack.Encoder(order="deterministic")
_DECODER = msgspec.msgpack.Decoder(MessageState | None)


class Explorer:
    """All worlds of one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.definitions = started_by("paid", *([STARTED_PROCESS] if scope.starts else []))
        self.settings = Settings(message_id_ms_min=100)
        self.applied: dict[tuple[bytes, c.AnyCommand, int, int], tuple[bytes, Outcome | None]] = {}
        self.known: dict[bytes, MessageState | None] = {}

    def explore(self, worlds_max: int = 200_000) -> tuple[int, list[str] | None]:
        """How many worlds there are, and the way to the first that is broken, None if none is."""
        scope = self.scope
        first = World(
            aggregate=_ENCODER.encode(None),
            instances=tuple(Instance() for _ in scope.instances),
            again=scope.again,
            repeats=scope.repeats,
            collisions=scope.collisions,
        )
        came_from: dict[World, tuple[World, str] | None] = {first: None}
        queue = deque([first])
        while queue:
            world = queue.popleft()
            problem = world.broken or self.broken(world) or ""
            if problem.startswith(scope.promises):
                return len(came_from), [*_way(came_from, world), problem]
            for label, following in self.steps(world):
                settled = self.settle(following) if scope.local else following
                if settled not in came_from:
                    came_from[settled] = (world, label)
                    queue.append(settled)
            assert len(came_from) <= worlds_max, "the scope is too large to be explored"
        return len(came_from), None

    # --- what may happen ---

    def steps(self, world: World) -> Iterator[Step]:
        yield from self.instance_steps(world)
        yield from self.publications(world)
        yield from self.deliveries(world)
        if world.now < self.scope.ticks:
            yield "a tick", self.tick(world)
        if world.timer is not None and world.timer <= world.now:
            fired = c.FireTimer(
                address=f"message:paid:{self.scope.key}", timer=0, due_ms=world.timer
            )
            yield "the timer fires", self.apply(world, fired)

    def instance_steps(self, world: World) -> Iterator[Step]:
        for who, instance in enumerate(world.instances):
            if not instance.phase:
                begun = self.with_instance(world, who, Instance(WAITING, 1))
                yield f"{who} waits", self.send(begun, "to_aggregate", self.opened(who, 1))
            elif instance.phase == WAITING and self.scope.instances[who].leaves:
                left = self.with_instance(world, who, instance._replace(phase=GONE))
                yield (
                    f"{who} leaves",
                    self.send(left, "to_aggregate", self.closed(who, instance.number)),
                )
        for n, (instance_id, message, phase) in enumerate(world.started):
            if phase == WAITING:
                over = (*world.started[:n], (instance_id, message, GONE), *world.started[n + 1 :])
                release = c.ReleaseMessageKey(
                    name="paid",
                    correlation_key=self.scope.key,
                    process_id=STARTED_PROCESS,
                    instance_id=instance_id,
                )
                yield f"{n} ends", self.send(world._replace(started=over), "to_aggregate", release)

    def publications(self, world: World) -> Iterator[Step]:
        for n, message in enumerate(self.scope.messages):
            if all(witness.message != n for witness in world.published):
                waited = self.subscribed(world) if message.ttl == 0 else ()
                witness = Witness(n, world.now + message.ttl, waited)
                known = world._replace(published=(*world.published, witness))
                yield f"{message.name} is published", self.publish(known, n)
            elif world.again and self.scope.ids:
                yield (
                    f"{message.name} AGAIN",
                    self.publish(world._replace(again=world.again - 1), n),
                )

    def deliveries(self, world: World) -> Iterator[Step]:
        for name in ("to_aggregate", "to_instances"):
            channel: Channel = getattr(world, name)
            if channel.queue:
                first = channel.queue[0]
                taken = channel._replace(queue=channel.queue[1:], before=self.kept(channel, first))
                yield (
                    f"{name}: {_told(first[1])}",
                    self.deliver(_put(world, name, taken), name, first),
                )
            if world.repeats:
                spent = world._replace(repeats=world.repeats - 1)
                for sent in channel.before:
                    yield f"{name}: {_told(sent[1])} AGAIN", self.deliver(spent, name, sent)

    def kept(
        self, channel: Channel, sent: tuple[int, c.AnyCommand]
    ) -> tuple[tuple[int, c.AnyCommand], ...]:
        return (*channel.before, sent) if self.scope.repeats else ()

    def tick(self, world: World) -> World:
        now = world.now + 1
        waited = self.subscribed(world)
        published = tuple(
            witness._replace(waited=waited) if witness.until == now else witness
            for witness in world.published
        )
        return world._replace(now=now, published=published)

    def subscribed(self, world: World) -> tuple[int, ...]:
        state = self.state(world)
        known = state.subscriptions if state is not None else ()
        return tuple(dict.fromkeys(int(subscription.instance_id) for subscription in known))

    # --- channels ---

    def send(self, world: World, name: str, *commands: c.AnyCommand) -> World:
        channel: Channel = getattr(world, name)
        numbered = tuple(enumerate(commands, channel.sent))
        sent = channel._replace(
            sent=channel.sent + len(commands), queue=(*channel.queue, *numbered)
        )
        return _put(world, name, sent)

    def deliver(self, world: World, name: str, sent: tuple[int, c.AnyCommand]) -> World:
        """Drop what is not above the last number, as the record loop does; else apply it."""
        channel: Channel = getattr(world, name)
        number, command = sent
        if self.scope.drops_repeats and number <= channel.last:
            return world
        taken = channel._replace(last=number) if self.scope.drops_repeats else channel
        world = _put(world, name, taken)
        return (
            self.apply(world, command) if name == "to_aggregate" else self.instance(world, command)
        )

    def settle(self, world: World) -> World:
        """On one partition a send is applied in the record that made it, first in, first out."""
        while world.to_aggregate.queue or world.to_instances.queue:
            name = "to_aggregate" if world.to_aggregate.queue else "to_instances"
            channel: Channel = getattr(world, name)
            taken = channel._replace(queue=channel.queue[1:])
            world = self.deliver(_put(world, name, taken), name, channel.queue[0])
        return world

    # --- the aggregate ---

    def state(self, world: World) -> MessageState | None:
        if world.aggregate not in self.known:
            self.known[world.aggregate] = _DECODER.decode(world.aggregate)
        return self.known[world.aggregate]

    def publish(self, world: World, n: int) -> World:
        message = self.scope.messages[n]
        command = c.PublishMessage(
            name="paid",
            correlation_key=self.scope.key,
            ttl_ms=message.ttl,
            message_id=message.name if self.scope.ids else None,
            instance_id=None if message.to is None else str(message.to),
        )
        return self.apply(world, command, offset=n + 1)

    def apply(self, world: World, command: c.AnyCommand, offset: int | None = None) -> World:
        """Apply to the real aggregate. Offsets name messages and starts, so they are kept apart."""
        offset = 100 + world.starts_sent if offset is None else offset
        key = (world.aggregate, command, world.now, offset)
        if key not in self.applied:
            at = context(
                now=world.now, offset=offset, definitions=self.definitions, settings=self.settings
            )
            outcome = apply_message(at, self.state(world), command)  # type: ignore[arg-type]  # scopes send no other
            found = outcome if isinstance(outcome, Outcome) else None
            after = world.aggregate if found is None else _ENCODER.encode(found.state)
            self.applied[key] = (after, found)
        after, found = self.applied[key]
        if found is None:
            return world
        for change in found.timers:
            world = world._replace(timer=change.due_ms)
        commands = [send.command for send in found.sends]
        starts = sum(isinstance(sent, c.StartByMessage) for sent in commands)
        world = world._replace(aggregate=after, starts_sent=world.starts_sent + starts)
        return self.send(world, "to_instances", *commands)

    # --- instances ---

    def opened(self, who: int, number: int) -> c.OpenSubscription:
        kind = self.scope.instances[who]
        return c.OpenSubscription(
            name="paid",
            correlation_key=self.scope.key,
            instance_id=str(who),
            process_id=kind.process,
            subscription=number,
            interrupting=kind.interrupting,
        )

    def closed(self, who: int, number: int) -> c.CloseSubscription:
        return c.CloseSubscription(
            name="paid", correlation_key=self.scope.key, instance_id=str(who), subscription=number
        )

    def with_instance(self, world: World, who: int, instance: Instance) -> World:
        return world._replace(
            instances=(*world.instances[:who], instance, *world.instances[who + 1 :])
        )

    def instance(self, world: World, command: c.AnyCommand) -> World:
        if isinstance(command, c.StartByMessage):
            return self.begin(world, command)
        assert isinstance(command, c.DeliverMessage)
        who, message = int(command.instance_id), (command.message >> 16) - 1
        instance, kind = world.instances[who], self.scope.instances[who]
        if instance.phase != WAITING or instance.number != command.subscription:
            if instance.phase == GONE and not self.scope.refuses_when_gone:
                return world
            return self.send(world, "to_aggregate", _settled(command, accepted=False))
        if message in self.taken(world, kind.process):
            return world._replace(broken=f"C1: {kind.process} takes message {message} twice")
        return self.take(world, command, instance._replace(taken=(*instance.taken, message)))

    def taken(self, world: World, process: str) -> list[int]:
        """The messages that a process took, by its instances or by being started."""
        begun = [message for _, message, _ in world.started if process == STARTED_PROCESS]
        kinds = zip(world.instances, self.scope.instances, strict=True)
        caught = [instance.taken for instance, kind in kinds if kind.process == process]
        return sum(map(list, caught), begun)

    def take(self, world: World, command: c.DeliverMessage, instance: Instance) -> World:
        """Go on with the message: opens before settles before closes."""
        who, number = int(command.instance_id), command.subscription
        kind = self.scope.instances[who]
        if not kind.interrupting:
            settled = _settled(command, accepted=True, still_open=True)
            return self.send(self.with_instance(world, who, instance), "to_aggregate", settled)
        sends: list[c.AnyCommand] = [_settled(command, accepted=True), self.closed(who, number)]
        if number == kind.catches:
            instance = instance._replace(phase=GONE)
        else:
            instance = instance._replace(number=number + 1)
            opened = self.opened(who, number + 1)
            sends = [opened, *sends] if self.scope.opens_first else [*sends, opened]
        return self.send(self.with_instance(world, who, instance), "to_aggregate", *sends)

    def begin(self, world: World, command: c.StartByMessage) -> World:
        """A message starts an instance, unless its id is in use."""
        message = (command.message >> 16) - 1
        settled = c.MessageStartSettled(
            name=command.name,
            correlation_key=command.correlation_key,
            process_id=command.process_id,
            instance_id=command.instance_id,
            message=command.message,
            accepted=not world.collisions,
        )
        if world.collisions:
            spent = world._replace(collisions=world.collisions - 1)
            return self.send(spent, "to_aggregate", settled)
        if message in self.taken(world, STARTED_PROCESS):
            return world._replace(broken=f"C1: message {message} starts an instance as well")
        if self.scope.key and any(phase == WAITING for _, _, phase in world.started):
            return world._replace(broken="C4: two instances started by the key live at once")
        started = (*world.started, (command.instance_id, message, WAITING))
        return self.send(world._replace(started=started), "to_aggregate", settled)

    # --- promises ---

    def broken(self, world: World) -> str | None:
        """What does not hold in a world in which nothing is on its way."""
        if world.to_aggregate.queue or world.to_instances.queue:
            return None
        state = self.state(world)
        held = {
            (str(who), instance.number)
            for who, instance in enumerate(world.instances)
            if instance.phase == WAITING
        }
        known = state.subscriptions if state is not None else ()
        if held != {(one.instance_id, one.subscription) for one in known}:
            return f"C3: instances hold {sorted(held)}, the aggregate knows {known}"
        if state is not None and any(message.offers for message in state.messages):
            return "C3: nothing is on its way, and a message is still on offer"
        if world.timer != (state.timer_at if state is not None else None):
            return f"C3: the timer index says {world.timer}, the aggregate {state}"
        return self.lost(world) or self.not_started(world, state)

    def lost(self, world: World) -> str | None:
        for who, instance in enumerate(world.instances):
            process = self.scope.instances[who].process
            for message, until, waited in world.published:
                meant = self.scope.messages[message].to in (None, who)
                due = until > world.now or who in waited
                if instance.phase != WAITING or not meant or not due:
                    continue
                if message not in self.taken(world, process):
                    return f"C2: message {message} is lost to {who}, which waits"
        return None

    def not_started(self, world: World, state: MessageState | None) -> str | None:
        if not self.scope.starts:
            return None
        begun = set(self.taken(world, STARTED_PROCESS))
        if not self.scope.key:
            missing = {witness.message for witness in world.published} - begun
            return f"C4: {missing} started nothing" if missing else None
        if any(phase == WAITING for _, _, phase in world.started):
            return None
        alive = {witness.message for witness in world.published if witness.until > world.now}
        if alive - begun:
            return f"C4: no instance started by the key lives, and {alive - begun} wait"
        if state is not None and state.started:
            return f"C4: no instance started by the key lives, {state.started} holds it"
        return None


def _put(world: World, name: str, channel: Channel) -> World:
    if name == "to_aggregate":
        return world._replace(to_aggregate=channel)
    return world._replace(to_instances=channel)


def _settled(
    offer: c.DeliverMessage, *, accepted: bool, still_open: bool = False
) -> c.SettleMessage:
    return c.SettleMessage(
        name=offer.name,
        correlation_key=offer.correlation_key,
        instance_id=offer.instance_id,
        subscription=offer.subscription,
        message=offer.message,
        accepted=accepted,
        still_open=still_open,
    )


def _told(command: c.AnyCommand) -> str:
    return type(command).__name__


def _way(came_from: dict[World, tuple[World, str] | None], world: World) -> list[str]:
    """The steps that lead to a world, first to last."""
    labels = []
    step = came_from[world]
    while step is not None:
        world, label = step
        labels.append(label)
        step = came_from[world]
    return labels[::-1]
