"""The address `deployments`: versions by process, their activation everywhere, timer starts.

What is deployed takes effect on a partition by `ActivateVersion`, a record of that partition's own
log: so which version is the latest replays there as it was. The content itself is stored apart, by
its checksum (`Outcome.contents`).
"""

from engine.deployments.activation import apply_partition_table, await_answer
from engine.deployments.aggregate import apply_deployments

__all__ = ["apply_deployments", "apply_partition_table", "await_answer"]
