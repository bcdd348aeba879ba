"""A simulation that looks, after each record, whether everything that must hold does.

The documents are compared with the fold of their history, and their parts with each other; what
`apply` was given must not have changed; and when all is quiet, everything waits for something, of
which the other side is there.
"""

from typing import Any

import msgspec

from engine import records as r
from engine.instances.evolve.fold import fold_part
from engine.outcome import AggregateState
from engine.partition import RecordOutcome, Stimulus
from engine.state import ProcessInstance, Tombstone
from scenarios.simulation import Partition, Simulation
from tests.support.documents import assert_asleep, assert_consistent
from tests.support.whole import assert_whole

_ENCODER = msgspec.msgpack.Encoder(enc_hook=dict)


class CheckedSimulation(Simulation):
    """See the module. `outcomes` are those of all records, `taken` the log: each record with its
    partition, in the order in which they were applied.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.folded: dict[str, ProcessInstance | Tombstone] = {}
        self.outcomes: list[RecordOutcome] = []
        self.taken: list[tuple[int, Stimulus]] = []
        self._loaded: dict[str, tuple[AggregateState, bytes]] = {}
        self._jobs: dict[str, r.Job] = {}
        """The last record of each job, cancellations too."""

    def _answered(self, replies: list[r.Reply]) -> None:
        if self.variant.twice and replies:
            assert [reply.status for reply in replies[1:]] == [r.ReplyStatus.DUPLICATE]

    def _settled(self) -> None:
        states = {
            address: state
            for partition in self.partitions
            for address, state in partition.states.items()
        }
        assert_whole(states, self._jobs, self.published_tasks)
        for partition in self.partitions:
            for state in partition.states.values():
                if isinstance(state, ProcessInstance):
                    assert_asleep(state)

    def _apply(self, number: int, partition: Partition, stimulus: Stimulus) -> None:
        self.taken.append((number, stimulus))
        super()._apply(number, partition, stimulus)

    def _load(self, partition: Partition, address: str) -> AggregateState | None:
        state = super()._load(partition, address)
        if state is not None:
            self._loaded[address] = (state, _ENCODER.encode(state))
        return state

    def _assert_untouched(self) -> None:
        """`apply` must not change what it is given."""
        for address, (state, encoded) in self._loaded.items():
            assert _ENCODER.encode(state) == encoded, f"{address} was changed"
        self._loaded = {}

    def _absorb(self, partition: Partition, outcome: RecordOutcome) -> None:
        self._assert_untouched()
        self.outcomes.append(outcome)
        super()._absorb(partition, outcome)
        for address, state in outcome.states.items():
            if isinstance(state, ProcessInstance | Tombstone):
                assert state == self.folded[address], f"{address} is not the fold of its history"
                assert_consistent(state, _timers_of(partition, address))

    def _publish(self, publication: r.Publication) -> None:
        super()._publish(publication)
        record = publication.record
        if isinstance(record, r.Job):
            self._jobs[record.job_id] = record
        if isinstance(record, r.Transition):
            self.folded[record.instance_id] = fold_part(
                self.folded.get(record.instance_id), record, self.settings.tombstone_ms
            )


def _timers_of(partition: Partition, address: str) -> dict[int, int]:
    return {timer: at for (owner, timer), at in partition.timers.items() if owner == address}
