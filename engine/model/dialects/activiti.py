"""What Camunda 7, Flowable and Activiti have in common: they stem from one engine, as do their
extensions. Their own modules add the rest.
"""

from typing import Final

import msgspec
from lxml import etree
from msgspec.structs import replace

from engine.expressions import schedule
from engine.expressions.juel import holds_expression
from engine.model.dialects import feel, juel
from engine.model.extensions import (
    NOTHING,
    CallSource,
    Extensions,
    Formula,
    JobSource,
    LoopSource,
    MappingSource,
    ScriptSource,
    TaskSource,
)
from engine.model.report import Report, quote
from engine.model.source import SourceElement
from engine.model.xml import BPMN

_EXTENSION_ELEMENTS: Final = f"{{{BPMN}}}extensionElements"

JOB_TASKS: Final = frozenset({"serviceTask", "sendTask", "businessRuleTask"})
LOOP: Final = frozenset({"multiInstanceLoopCharacteristics"})
ERROR: Final = frozenset({"errorEventDefinition"})

INSTANCE_KEY: Final = Formula(
    "${empty execution.processBusinessKey"
    " ? execution.processInstanceId : execution.processBusinessKey}",
    "juel",
)
"""The correlation key of a message that is waited for: these dialects name none in the model."""


class Site(msgspec.Struct, frozen=True):
    """One element with extensions, and where findings about them go.

    `own` are its extension elements, by their local names.
    """

    element: SourceElement
    report: Report
    namespaces: tuple[str, ...]
    own: dict[str, list[etree._Element]]

    @property
    def line(self) -> int:
        return self.element.line

    def text(self, *names: str) -> str | None:
        """The first of these attributes that is there and not blank."""
        for name in names:
            for namespace in self.namespaces:
                text = (self.element.xml.get(f"{{{namespace}}}{name}") or "").strip()
                if text:
                    return text
        return None

    def formula(self, *names: str) -> Formula | None:
        text = self.text(*names)
        return None if text is None else juel.formula(text, self.line)

    def parts(self, name: str, within: etree._Element | None = None) -> list[etree._Element]:
        """The extension elements of this name, or the parts of one of them."""
        if within is None:
            return self.own.get(name, [])
        return list(
            within.iterchildren(*(f"{{{namespace}}}{name}" for namespace in self.namespaces))
        )

    def refuse(self, message: str, line: int = 0) -> None:
        self.report.error("unsupported-extension", message, self.element, line)


def site_of(element: SourceElement, report: Report, namespaces: tuple[str, ...]) -> Site:
    """The extensions of an element in these namespaces, by their local names."""
    own: dict[str, list[etree._Element]] = {}
    container = element.xml.find(_EXTENSION_ELEMENTS)
    for part in () if container is None else container.iterchildren(etree.Element):
        namespace, _, name = str(part.tag)[1:].partition("}")
        if namespace in namespaces:
            own.setdefault(name, []).append(part)
    return Site(element, report, namespaces, own)


def text_of(xml: etree._Element) -> str:
    return "".join(str(part) for part in xml.itertext())


# --- work ---


def read_work(site: Site, extensions: Extensions, external: str) -> Extensions:
    """A job, or an expression that needs no worker. `external`: the type that names a topic."""
    job = retries(site)
    extensions = replace(extensions, **_fields(site))
    said = implementations(site)
    if not said:
        return extensions
    chosen, *others = said
    text = site.text(chosen) or ""
    unused = [*others, *(["topic"] if text != external and site.text("topic") else [])]
    warn_unused(site, chosen, unused)
    if chosen == "expression":
        return _read_expression(site, extensions, text, job)
    if chosen == "type" and text == external:
        return replace(extensions, job=replace(job, type=site.formula("topic")))
    job_type = Formula(text if chosen == "type" else juel.inner(text), "static", site.line)
    return replace(extensions, job=replace(job, type=job_type))


IMPLEMENTATIONS: Final = ("type", "class", "delegateExpression", "expression")
"""Of several the first counts, as in Camunda 7."""


def implementations(site: Site) -> list[str]:
    """The attributes that say what is done."""
    return [name for name in IMPLEMENTATIONS if site.text(name) is not None]


def warn_unused(site: Site, chosen: str, unused: list[str]) -> None:
    """Report attributes beside the one that counts."""
    if unused:
        site.report.warning(
            "no-effect",
            f"What is done is said by {chosen}; {', '.join(unused)} has no effect. Remove it.",
            site.element,
        )


def _read_expression(
    site: Site, extensions: Extensions, text: str, otherwise: JobSource
) -> Extensions:
    """A value is evaluated inline. A call into Java is work for whoever does what it calls."""
    script = ScriptSource(
        expression=juel.formula(text, site.line),
        result_variable=_result_variable(site),
        may_discard=True,
        otherwise=otherwise,
    )
    return replace(extensions, script=script, headers={**extensions.headers, "expression": text})


def _result_variable(site: Site) -> str | None:
    return site.text("resultVariable", "resultVariableName")


def _fields(site: Site) -> dict[str, dict[str, str] | dict[str, Formula]]:
    """Injected fields: fixed ones are headers as they are, expressions when the job is made.

    A worker is told the variable that its result goes to in the same way.
    """
    result = _result_variable(site)
    headers = {} if result is None else {"resultVariable": result}
    computed: dict[str, Formula] = {}
    for field in site.parts("field"):
        name, formula = field.get("name") or "", field_formula(site, field)
        if formula.language == "static":
            headers[name] = formula.text
        else:
            computed[name] = formula
    return {"headers": headers, "computed_headers": computed}


def field_formula(site: Site, field: etree._Element) -> Formula:
    """The value of an injected field; an empty text if it has none."""
    texts = [field.get("stringValue"), field.get("expression")]
    for tag in ("string", "expression"):
        texts += [text_of(part) for part in site.parts(tag, field)]
    text = next((text for text in texts if text), "")
    return juel.formula(text, field.sourceline or site.line)


def read_script(site: Site, extensions: Extensions) -> Extensions:
    """A script task: JUEL and FEEL inline, other formats by a worker, who finds the text."""
    drawn = site.element.xml.find(f"{{{BPMN}}}script")
    text = "" if drawn is None else text_of(drawn).strip()
    language = (site.element.xml.get("scriptFormat") or "").strip().lower()
    result, resource = site.text("resultVariable"), site.text("resource")
    named = {"script": text, "resource": resource, "resultVariable": result}
    headers = {name: value for name, value in named.items() if value}
    job = replace(retries(site), type=Formula(f"script.{language or 'text'}", "static", site.line))
    extensions = replace(extensions, headers=headers)
    if resource is not None or language not in ("juel", "feel"):
        return replace(extensions, job=job)
    read = juel.formula if language == "juel" else feel.condition
    script = ScriptSource(
        expression=read(text, site.line),
        result_variable=result,
        may_discard=True,
        otherwise=job,
    )
    return replace(extensions, script=script)


# --- retries ---


def retries(site: Site) -> JobSource:
    """How often a job is tried and how long it waits in between; its type is still missing.

    `R5/PT10M`: five times in all. `PT1M,PT10M`: after each failure the wait that is next.
    """
    parts = site.parts("failedJobRetryTimeCycle")
    text = text_of(parts[0]).strip() if parts else ""
    if not text:
        return JobSource(type=None)
    line = parts[0].sourceline or site.line
    try:
        attempts, waits = _retry_cycle(text)
    except schedule.ScheduleError as error:
        said = "is an expression" if holds_expression(text) else f"cannot be read: {error}"
        site.refuse(
            f"The retry cycle {quote(text)} {said}. Write one such as R3/PT10M, or the waits"
            " one by one: PT1M,PT10M.",
            line,
        )
        return JobSource(type=None)
    return JobSource(
        type=None, retries=Formula(str(attempts), "static", line), backoff_ms=tuple(waits)
    )


def _retry_cycle(text: str) -> tuple[int, list[int]]:
    """How often it is tried in all, and the waits. Raises ScheduleError."""
    if len(text) > _RETRY_CYCLE_MAX:
        raise schedule.ScheduleError(f"it has more than {_RETRY_CYCLE_MAX} characters.")
    if text.startswith("R"):
        cycle = schedule.parse_cycle(text, _ANY_ZONE)
        if not isinstance(cycle, schedule.Cycle) or not cycle.repetitions:
            raise schedule.ScheduleError("it says not how often.")
        return cycle.repetitions, [_milliseconds(cycle.duration)]
    waits = [_milliseconds(schedule.parse_duration(part)) for part in text.split(",")]
    return len(waits) + 1, waits


def _milliseconds(duration: schedule.Duration) -> int:
    return max(0, schedule.add_duration(0, duration, _ANY_ZONE))


_ANY_ZONE: Final = "UTC"
_RETRY_CYCLE_MAX: Final = 1_000


# --- people ---


def read_task(site: Site) -> TaskSource:
    return TaskSource(
        assignee=site.formula("assignee"),
        candidate_users=site.formula("candidateUsers"),
        candidate_groups=site.formula("candidateGroups"),
        due_date=site.formula("dueDate"),
        follow_up_date=site.formula("followUpDate"),
        priority=site.formula("priority"),
        form_key=site.formula("formKey", "formRef"),
    )


# --- calls ---


def read_call(site: Site) -> CallSource:
    """What a call activity passes and takes: nothing but what its `in` and `out` say."""
    passes = travels(site, "in")
    returns = travels(site, "out")
    everything = [_is_everything(site, tag) for tag in ("in", "out")]
    if everything[1] and returns:
        site.refuse(
            "All variables of the called process are taken, and some of them mapped. Keep either"
            " the out with variables, or the others."
        )
    called = (site.element.xml.get("calledElement") or "").strip()
    return CallSource(
        process_id=juel.formula(called, site.line) if called else None,
        propagate_all_parent_variables=everything[0],
        propagate_all_child_variables=everything[1],
        passes=passes,
        returns=returns,
        inherits_business_key=False,
    )


def travels(site: Site, tag: str) -> tuple[MappingSource, ...]:
    """What goes in or comes out by extension elements with this tag, variable by variable."""
    mappings = []
    for part in site.parts(tag):
        line = part.sourceline or site.line
        source, expression = part.get("source"), part.get("sourceExpression")
        if (part.get("local") or "").strip() == "true":
            site.refuse("Local variables alone are not passed. Name those that are needed.", line)
        if source or expression:
            formula = juel.value(expression, line) if expression else juel.variable(source or "")
            target = part.get("target") or ""
            mappings.append(MappingSource(source=formula, target=target, line=line))
        elif not part.get("variables") and not part.get("businessKey"):
            site.refuse(f"The {tag} says not what it passes. Give it a source and a target.", line)
    return tuple(mappings)


def passed_business_key(site: Site) -> Formula | None:
    """The business key that an `in` passes to the called process."""
    keys = [key for part in site.parts("in") if (key := part.get("businessKey"))]
    return juel.formula(keys[0], site.line) if keys else None


def read_signal(site: Site) -> tuple[MappingSource, ...]:
    """The variables that a signal brings: it passes none that is not named."""
    for part in site.parts("in"):
        if part.get("variables") or part.get("businessKey"):
            site.refuse(
                "A signal passes only variables that are named. Give each an in with a source and"
                " a target.",
                part.sourceline or site.line,
            )
    return travels(site, "in")


def _is_everything(site: Site, tag: str) -> bool:
    return any(part.get("variables") == "all" for part in site.parts(tag))


# --- loops and errors ---


def read_loop(site: Site) -> LoopSource:
    """The collection is named, or an expression. Counters begin at 0."""
    text = site.text("collection")
    collection = None
    if text is not None:
        formula = juel.formula(text, site.line)
        named = Formula(f"${{{text}}}", "juel", site.line)
        collection = named if formula.language == "static" else formula
    return LoopSource(collection=collection, item=site.text("elementVariable"), counter_first=0)


def message_key(element: SourceElement) -> Extensions:
    """Events wait for messages under the key of their instance: these models name none."""
    return replace(NOTHING, correlation_key=replace(INSTANCE_KEY, line=element.line))
