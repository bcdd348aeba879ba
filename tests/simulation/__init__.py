"""The seeded simulation: the shipping owners on the in-memory twins, with everything going wrong.

    make simulate SEEDS=500                  every seed is one run; a broken one prints its trace
    python -m tests.simulation --seed 17     one run again, step by step (--log: the engine's log)

file          what is there
------------  -------------------------------------------------------------------------------------
loop          an event loop with virtual time; the seed chooses what runs next; actors pause and die
network       calls that are lost, late, repeated, unanswered
servers       the store: lost tails, split brain; every commit is observed
brokers       the log: clocks that differ, gaps, producers that fail in every way
owners        engine processes: `consumers.member.Member` and all below it, as it ships
faults        who owns what, crashes, pauses, two owners at once, lost tails, old sends again
clients       who starts, answers and publishes, until every instance has ended
models        the processes
chance        what goes wrong how often: a seed draws a mixture of its own
reference     what must be: the log folded record by record by an owner that nothing disturbs
invariants    what is compared, when a run is over
mutations     known holes put back on purpose; each must be found
run           one run, from seed to report
"""
