"""Every Redis key that Torpor writes: type, member, lifetime, writer. Nobody else formats a key.

All keys of partition n of namespace ns carry the hash tag `{ns:n}`, so one transaction covers
them. Unless said otherwise a key is written only by the partition's fenced commit, lives for ever
and is deleted when it would be empty.

key after the tag            type        holds
---------------------------  ----------  ----------------------------------------------------------
:fence                       string      Fence.encode(); written by `init` once, then by each commit
:outbox                      list        what to publish, oldest first (snapshots of OutboxRecord)
:timers                      sorted set  "<timer>:<address>", scored by the due instant (epoch ms)
:instance:<id>               string      a process instance, or its tombstone; a tombstone's TTL is
                                         garbage collection, far behind its stored expiry
:instance:<id>:parts         hash        part -> its content, when the document is split: see
                                         schemas/parts.py
:aggregate:<address>         string      the state of a message aggregate, of a conversation, or of
                                         `deployments`
:aggregate:<address>:parts   hash        the same of a message aggregate that is large
:definitions                 hash        process id -> its versions as this partition knows them
:decisions                   hash        the same, by decision id
:content:<checksum>          string      a deployed resource; under the tag of the partition that
                                         owns the address `deployments`, read by all partitions
:window                      string      "<generation>,<count>": which of the two hashes below takes
                                         new command ids, and how many it holds
:window:0, :window:1         hash        a client's command id -> its first outcome
:sources                     hash        source partition -> the last send number taken from it
:instances                   sorted set  ids of running instances, scored by their start's offset
:instances:process:<id>      sorted set  the same, of one process
:instances:business:<key>    sorted set  the same, of one business key
:signal:<name>               sorted set  "<instance id>:<wait>" of who waits for a signal, scored
                                         by the offset since when
:tasks                       sorted set  ids of open user tasks, scored by creation (epoch ms)
:tasks:assignee:<user>       sorted set  the same, of one assignee
:tasks:group:<group>         sorted set  the same, of one candidate group
:incidents                   sorted set  ids of open incidents, scored by when they arose (epoch ms)
:attempts:<commit>           string      counter of owners that began on the fence with this commit
                                         name and have not survived it; plain write, no fence, TTL
                                         of a day

key                          type        holds
---------------------------  ----------  ----------------------------------------------------------
<ns>:namespace               hash        what `init` fixed: partitions, format and so on, and the
                                         secrets that seal sends; changed by `upgrade` only
"""

from engine.routing import DEPLOYMENTS, is_instance, partition_of

ATTEMPTS_TTL_MS = 24 * 3600 * 1000


def namespace_key(namespace: str) -> str:
    """The hash of what `init` fixed for the namespace. No hash tag of any partition."""
    return f"{namespace}:namespace"


def deployments_partition(partitions: int) -> int:
    """The partition that owns the address `deployments`, and with it all contents."""
    return partition_of(DEPLOYMENTS, partitions)


class PartitionKeys:
    """The keys of one partition of one namespace."""

    def __init__(self, namespace: str, partition: int) -> None:
        self.namespace = namespace
        self.partition = partition
        self.tag = f"{{{namespace}:{partition}}}"
        self.fence = f"{self.tag}:fence"
        self.outbox = f"{self.tag}:outbox"
        self.timers = f"{self.tag}:timers"
        self.definitions = f"{self.tag}:definitions"
        self.decisions = f"{self.tag}:decisions"
        self.sources = f"{self.tag}:sources"
        self.window = f"{self.tag}:window"
        self.instances = f"{self.tag}:instances"
        self.tasks = f"{self.tag}:tasks"
        self.incidents = f"{self.tag}:incidents"

    def state(self, address: str) -> str:
        """The document of the aggregate at an address."""
        kind = "instance" if is_instance(address) else "aggregate"
        return f"{self.tag}:{kind}:{address}"

    def parts(self, address: str) -> str:
        """The parts of a document that is split: of an instance, or of a message aggregate."""
        return f"{self.state(address)}:parts"

    def content(self, checksum: str) -> str:
        return f"{self.tag}:content:{checksum}"

    def window_half(self, half: int) -> str:
        """`half` is 0 or 1."""
        return f"{self.tag}:window:{half}"

    def instances_of_process(self, process_id: str) -> str:
        return f"{self.tag}:instances:process:{process_id}"

    def instances_of_business_key(self, business_key: str) -> str:
        return f"{self.tag}:instances:business:{business_key}"

    def signal(self, name: str) -> str:
        return f"{self.tag}:signal:{name}"

    def tasks_of_assignee(self, assignee: str) -> str:
        return f"{self.tag}:tasks:assignee:{assignee}"

    def tasks_of_group(self, group: str) -> str:
        return f"{self.tag}:tasks:group:{group}"

    def attempts(self, commit: str) -> str:
        return f"{self.tag}:attempts:{commit}"


def timer_member(address: str, timer: int) -> str:
    """The member of the timer index for the timer of the aggregate at an address."""
    return f"{timer}:{address}"


def split_timer_member(member: str) -> tuple[str, int]:
    """The address and the timer of a member. Raises ValueError when it is no such text."""
    timer, separator, address = member.partition(":")
    if not separator or not address:
        raise ValueError(f"{member!r} is no member of a timer index")
    return address, int(timer)


def partition_of_key(namespace: str, key: str) -> int | None:
    """The partition whose tag a key carries; None for the namespace's own keys."""
    start = f"{{{namespace}:"
    if not key.startswith(start):
        return None
    return int(key[len(start) : key.index("}")])
