"""What a dialect module provides."""

from collections.abc import Callable, Iterable, Mapping

import msgspec
from lxml import etree

from engine.model.elements import DataObject
from engine.model.extensions import Extensions, Formula
from engine.model.report import Report
from engine.model.source import BareExits, SourceElement


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's way to write executable models.

    `extensions` translates what one element carries and reports what it cannot translate.
    `formula` reads a text that may be an expression, with its line; `condition` one that always
    is. `platforms` are the values of the modeler's `executionPlatform`. `implied_names`: a task
    that names no job type gets its implementation, operation or id as one, a message its id as
    name. `executable_by_default`: a process that does not say whether it is executable, is.
    `correlates`: messages are correlated as BPMN draws it. `skips_flows`: flows may have skip
    expressions. `scopes_choices`: what is chosen in an ad-hoc sub-process has a scope of its own.
    `undoes_loops_whole`: the compensation handler of a multi-instance runs once for all iterations.
    `outputs_pass_scopes`: the vendor's engine hands on what output mappings write, out of the scope
    around the element; this one does not.
    `choices`: the variable by which such a sub-process tells what can be chosen.
    `writes_outward` and `quartz`: as in `ProcessModel`. `bare_exits`: a flow without a condition
    that leaves an exclusive gateway beside others is an error, is the default if it is the only
    one and no default is drawn, or is true where it stands. `loose_references`: an error that is
    not defined is a code; there, and with `implied_names`, a receive task that refers to no message
    waits for one that is called by its id. `data_flows`: data objects are variables, and data
    associations move what is in them; else they are only drawn. `example`: how a text is made an
    expression. `names_work`: what names the type of a job; `replaces_work`: what
    does without one, by the element's tag. `prepare` may change the tree before it is read.
    `audit` looks through processes and root elements for extensions that are not translated, and
    reports them; without it `extensions` does.
    """

    name: str
    namespaces: tuple[str, ...]
    platforms: tuple[str, ...]
    extensions: Callable[[SourceElement, Report], Extensions]
    formula: Callable[[str, int], Formula]
    condition: Callable[[str, int], Formula]
    implied_names: bool = False
    executable_by_default: bool = False
    correlates: bool = False
    skips_flows: bool = False
    scopes_choices: bool = False
    undoes_loops_whole: bool = False
    outputs_pass_scopes: bool = False
    choices: Callable[[Iterable[SourceElement], Report], DataObject] | None = None
    writes_outward: bool = False
    quartz: bool = False
    bare_exits: BareExits = "error"
    loose_references: bool = False
    data_flows: bool = False
    example: str = "={}"
    names_work: str = "the attribute implementation"
    replaces_work: Mapping[str, str] = {}
    prepare: Callable[[etree._Element], None] | None = None
    audit: Callable[[Iterable[SourceElement], Report], None] | None = None
