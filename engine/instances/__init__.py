"""Process instances: how a command becomes events under the BPMN rules, and events the state.

`decide` turns a command into events, `evolve` events into the state; between them stand `Advance`
(the transition under way), the handlers of the elements and the loop that drives them.
"""
