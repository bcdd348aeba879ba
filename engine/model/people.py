"""Who works on a user task, as BPMN itself says it (10.3.1, 10.3.4): performers, potential owners.

`humanPerformer` and `performer` name the assignee, `potentialOwner` the candidates, written as in
Camunda and Flowable: `user(ann), group(sales), boss` are a user and two groups. A resource that is
referred to is a group by its name, whichever of the three refers to it. With parameters, which
choose among its people, it is another group for other values: `Buyer(region=north;level=2)`.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.expressions import Expression
from engine.model.composites import compose_names, compose_query
from engine.model.dialects import juel, languages
from engine.model.elements import Text
from engine.model.extensions import Formula, TaskSource
from engine.model.parse import resolve
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement, children
from engine.model.vocabulary import PEOPLE

_OWNER: Final = "potentialOwner"
_QUALIFIED: Final = re.compile(r"(user|group)\((.*)\)", re.DOTALL)
_OPENING: Final = "({["
_CLOSING: Final = ")}]"


class People(NamedTuple):
    """Who has a task, and who may take it."""

    assignee: Text | None
    candidate_users: Text | None
    candidate_groups: Text | None


def read_people(reading: Reading, node: Node, task: TaskSource) -> People:
    """What the dialect says of a user task, and what BPMN does. Findings for what cannot be."""
    text = reading.formulas.text
    drawn = _Drawn(reading, node)
    for role in node.children:
        if role.tag in PEOPLE:
            drawn.add(role)
    if len(drawn.assignees) > 1:
        reading.report.error(
            "several-assignees",
            f"The task has {len(drawn.assignees)} performers, but one assignee. Keep one of them,"
            " and make the others potential owners.",
            node,
        )
    assignee = text(task.assignee, node, "assignee")
    if assignee is not None and drawn.assignees:
        reading.report.warning(
            "several-assignees",
            "The performer has no effect: the assignee that the extensions name counts. Remove one"
            " of the two.",
            node,
        )
    return People(
        assignee or next(iter(drawn.assignees), None),
        _together(text(task.candidate_users, node, "candidate users"), drawn.users),
        _together(text(task.candidate_groups, node, "candidate groups"), drawn.groups),
    )


def _together(said: Text | None, drawn: list[Text]) -> Text | None:
    """One list of people. What the dialect says may name several, with commas between them."""
    if not drawn:
        return said
    parts = [*(said.split(",") if isinstance(said, str) else [] if said is None else [said])]
    names: list[Text] = [*parts, *drawn]
    if len(names) == 1 and not isinstance(names[0], str):
        return names[0]
    plain = [name.strip() for name in names if isinstance(name, str) and "," not in name]
    return ",".join(plain) if len(plain) == len(names) else compose_names(names)


class _Drawn:
    """The people that are drawn inside of a user task."""

    def __init__(self, reading: Reading, node: Node) -> None:
        self._reading = reading
        self._node = node
        self.assignees: list[Text] = []
        self.users: list[Text] = []
        self.groups: list[Text] = []

    def add(self, role: SourceElement) -> None:
        """Those of one performer or potential owner."""
        parts = {part.tag: part for part in children(role.xml)}
        if "resourceAssignmentExpression" in parts:
            drawn = parts["resourceAssignmentExpression"]
            self._assign(role, next(iter(children(drawn.xml)), drawn))
        elif "resourceRef" in parts:
            self._refer(role, parts["resourceRef"])

    def _assign(self, role: SourceElement, drawn: SourceElement) -> None:
        text = _text(drawn)
        formula = self._reading.dialect.formula(text, drawn.line)
        if (drawn.xml.get("language") or "").strip():
            self._evaluate(role, drawn)
        elif role.tag != _OWNER:
            self._note(self.assignees, formula)
        elif formula.language == "feel":
            self._note(self.groups, formula)
        else:
            self._assign_owners(text, drawn)

    def _assign_owners(self, text: str, drawn: SourceElement) -> None:
        for part in _split(text):
            qualified = _QUALIFIED.fullmatch(part)
            name = part if qualified is None else qualified[2].strip()
            are_users = qualified is not None and qualified[1] == "user"
            formula = self._reading.dialect.formula(name, drawn.line)
            self._note(self.users if are_users else self.groups, formula)

    def _evaluate(self, role: SourceElement, drawn: SourceElement) -> None:
        """In a language of its own it gives all of them: the assignee, or groups."""
        formula = languages.condition(self._reading.dialect, drawn)
        if formula is not None:
            self._note(self.groups if role.tag == _OWNER else self.assignees, formula)
            return
        self._reading.report.error(
            "expression-language",
            f"Who works on the task is written in {quote(drawn.xml.get('language') or '')}, which"
            " is not executed. Rewrite it in FEEL or JUEL and remove the language.",
            self._node,
            drawn.line,
        )

    def _note(self, people: list[Text], formula: Formula) -> None:
        found = self._reading.formulas.text(formula, self._node, "name of who works on the task")
        if found is not None:
            people.append(found)

    # --- resources ---

    def _refer(self, role: SourceElement, drawn: SourceElement) -> None:
        reference = _text(drawn)
        resource = resolve(self._reading.catalogue.resources, reference)
        if resource is None:
            self._reading.report.warning(
                "unknown-resource",
                f"There is no resource {quote(reference)}, so that is what the group is called."
                " Refer to a resource of the file.",
                self._node,
                drawn.line,
            )
        name = reference if resource is None else resource.name or resource.id
        bindings = dict(self._bindings(role, resource))
        self.groups.append(compose_query(name, bindings) if bindings else name)

    def _bindings(
        self, role: SourceElement, resource: SourceElement | None
    ) -> Iterator[tuple[str, Expression]]:
        """The parameters that choose among a resource's people, by their names."""
        declared = [] if resource is None else children(resource.xml)
        names = {part.id: part.name or part.id for part in declared}
        for binding in children(role.xml):
            if binding.tag != "resourceParameterBinding":
                continue
            drawn = next(iter(children(binding.xml)), binding)
            reference = (binding.xml.get("parameterRef") or "").strip()
            name = names.get(reference) or names.get(reference.rpartition(":")[2], reference)
            formula = languages.condition(self._reading.dialect, drawn)
            if formula is None or formula.language == "static":
                formula = juel.value(_text(drawn), drawn.line)
            value = self._reading.formulas.expression(formula, self._node, f"parameter {name}")
            if value is not None:
                yield name, value


def _text(drawn: SourceElement) -> str:
    return "".join(drawn.xml.itertext()).strip()


def _split(text: str) -> Iterator[str]:
    """The parts between commas that stand in no brackets; blank ones are left out."""
    depth, begin = 0, 0
    for position, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth <= 0:
            yield from _unless_blank(text[begin:position])
            begin = position + 1
    yield from _unless_blank(text[begin:])


def _unless_blank(part: str) -> list[str]:
    return [part.strip()] if part.strip() else []
