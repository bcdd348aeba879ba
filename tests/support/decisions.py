"""Decision models for tests: short calls that assemble the XML of a DMN file.

    content = dmn(
        input_data("Age", "number"),
        decision("Discount", table(["Age"], ["rate"], [["< 18", "0.5"]]), needs("(Age)")),
    )

Every call gives a piece of XML text, so anything that has no call here can be written by hand
beside them. Ids are the names without blanks.
"""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from engine.decisions import CompiledDecisions, compile_decisions
from engine.settings import Settings
from engine.values import Value
from tests.engine.expressions.evaluating import environment

DMN_15 = "https://www.omg.org/spec/DMN/20230324/MODEL/"
DMN_13 = "https://www.omg.org/spec/DMN/20191111/MODEL/"
CAMUNDA = "http://camunda.org/schema/1.0/dmn"
MODELER = "http://camunda.org/schema/modeler/1.0"


def tag(kind: str, /, *content: str, **attributes: str | None) -> str:
    """An element; attributes that are None are left out."""
    given = "".join(
        f" {key.rstrip('_')}={quoteattr(value)}"
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{kind}{given}>{''.join(content)}</{kind}>"


def dmn(*parts: str, namespace: str = "http://example.org/dmn", **attributes: str) -> bytes:
    """A whole file of DMN 1.5."""
    return tag(
        "definitions", *parts, xmlns=DMN_15, id="definitions", namespace=namespace, **attributes
    ).encode()


def camunda(*parts: str, platform: str, version: str) -> bytes:
    """A whole file as Camunda's modeler saves it."""
    text = tag("definitions", *parts, xmlns=DMN_13, id="definitions", namespace=CAMUNDA)
    head = (
        f'<definitions xmlns:modeler="{MODELER}" xmlns:camunda="{CAMUNDA}"'
        f' modeler:executionPlatform="{platform}" modeler:executionPlatformVersion="{version}"'
    )
    return text.replace("<definitions", head, 1).encode()


def camunda7(*parts: str, version: str = "7.20.0") -> bytes:
    return camunda(*parts, platform="Camunda Platform", version=version)


def camunda8(*parts: str) -> bytes:
    return camunda(*parts, platform="Camunda Cloud", version="8.6.0")


def key(name: str) -> str:
    """The id of what has this name."""
    return name.replace(" ", "")


def text(content: str) -> str:
    return tag("text", escape(content))


def literal(content: str, **attributes: str) -> str:
    return tag("literalExpression", text(content), **attributes)


def variable(name: str, type_: str | None = None) -> str:
    return tag("variable", name=name, typeRef=type_)


def input_data(name: str, type_: str | None = None) -> str:
    return tag("inputData", variable(name, type_), id=key(name), name=name)


def needs(*names: str) -> str:
    """Information requirements; a name in parentheses is that of an input."""
    return "".join(
        tag(
            "informationRequirement",
            tag("requiredInput", href=f"#{key(name.strip('()'))}")
            if name.startswith("(")
            else tag("requiredDecision", href=f"#{key(name)}"),
        )
        for name in names
    )


def knows(*names: str) -> str:
    """Knowledge requirements."""
    return "".join(
        tag("knowledgeRequirement", tag("requiredKnowledge", href=f"#{key(name)}"))
        for name in names
    )


def decision(
    name: str, logic: str, requirements: str = "", type_: str | None = None, result: str = ""
) -> str:
    return tag(
        "decision",
        variable(result or name, type_) if result or type_ else "",
        requirements,
        logic,
        id=key(name),
        name=name,
    )


def knowledge(name: str, parameters: Sequence[str], logic: str, type_: str | None = None) -> str:
    """A business knowledge model. A parameter is `name` or `name: type`."""
    return tag(
        "businessKnowledgeModel",
        variable(name, type_),
        tag("encapsulatedLogic", formal(parameters), logic),
        id=key(name),
        name=name,
    )


def formal(parameters: Sequence[str]) -> str:
    pairs = (parameter.partition(": ") for parameter in parameters)
    return "".join(
        tag("formalParameter", name=name, typeRef=kind or None) for name, _, kind in pairs
    )


def table(
    inputs: Sequence[str],
    outputs: Sequence[str],
    rules: Sequence[Sequence[str]],
    policy: str | None = None,
    aggregation: str | None = None,
) -> str:
    """A decision table. Inputs are expressions or whole elements; outputs names or elements."""
    columns = [
        each if each.startswith("<") else tag("input", tag("inputExpression", text(each)))
        for each in inputs
    ]
    results = [each if each.startswith("<") else tag("output", name=each) for each in outputs]
    rows = [
        tag(
            "rule",
            *(tag("inputEntry", text(cell)) for cell in rule[: len(inputs)]),
            *(tag("outputEntry", text(cell)) for cell in rule[len(inputs) :]),
        )
        for rule in rules
    ]
    return tag(
        "decisionTable", *columns, *results, *rows, hitPolicy=policy, aggregation=aggregation
    )


def item(name: str, *content: str, type_: str | None = None, collection: bool = False) -> str:
    """An item definition, or (inside of another) a component."""
    return _item("itemDefinition", name, content, type_, collection=collection)


def component(name: str, *content: str, type_: str | None = None, collection: bool = False) -> str:
    return _item("itemComponent", name, content, type_, collection=collection)


def _item(
    kind: str, name: str, content: tuple[str, ...], type_: str | None, *, collection: bool
) -> str:
    reference = "" if type_ is None else tag("typeRef", type_)
    return tag(kind, reference, *content, name=name, isCollection="true" if collection else None)


def allowed(tests: str, kind: str = "allowedValues") -> str:
    return tag(kind, text(tests))


def compiled(content: bytes, *imports: CompiledDecisions) -> CompiledDecisions:
    """The file compiled, failing the test on any error."""
    result = compile_decisions("test.dmn", content, Settings(), imports)
    assert result.deployable, result.findings
    return result


def compiled_anyway(content: bytes) -> CompiledDecisions:
    """The file compiled, whatever its findings are."""
    return compile_decisions("test.dmn", content, Settings())


def decide(content: bytes, decision_id: str, variables: Mapping[str, Value] | None = None) -> Value:
    """The result of a decision of a file without errors."""
    return compiled(content).model.evaluate(decision_id, variables or {}, environment())


def found(content: bytes) -> list[tuple[str, str, str | None]]:
    """The findings, as triples of severity, code and element."""
    findings = compiled_anyway(content).findings
    return [(finding.severity, finding.code, finding.element) for finding in findings]
