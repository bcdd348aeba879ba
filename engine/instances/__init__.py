"""Process instances: how a command becomes events under the BPMN rules, and events the state.

`decide` turns a command into events, `evolve` events into the state; between them stand `Advance`
(the transition under way), the handlers of the elements and the loop that drives them.

- `commands/`, `starts/`: what a command does to an instance that lives, and how one begins
- `elements/`, `triggers/`: what an element does, and what an event waits for or throws
- `evolve/`: how each kind of event changes the state
- `joins/`: when a join fires that waits only for what may still come
- the modules here: what these have in common
"""
