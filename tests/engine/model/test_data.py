"""What data elements are called, what scopes declare, what a process needs."""

import pytest

from engine.model import elements as e
from tests.support.findings import codes, only_finding
from tests.support.models import chain, resource, service_task, start, sub_process, tag


def names(*parts: str) -> list[str]:
    """What the process declares."""
    made = resource(*parts, start("s"))
    assert made.deployable, made.findings
    return [item.name for item in made.process("p").data]


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ([tag("dataObject", id="o", name="order")], "order"),
        ([tag("dataObject", id="o", name=" two\n words ")], "two words"),
        ([tag("dataObject", id="o")], "o"),
        ([tag("dataObject", id="o", name="n" * 300)], "o"),
        (
            [
                tag("dataObjectReference", id="r", dataObjectRef="o", name="Order"),
                tag("dataObject", id="o"),
            ],
            "Order",
        ),
        ([tag("property", id="q", name="kept")], "kept"),
        ([tag("dataStoreReference", id="d", name="Ledger")], "Ledger"),
    ],
)
def test_a_variable_has_the_name_of_the_data_else_its_id(parts: list[str], name: str) -> None:
    assert names(*parts) == [name]


def test_data_of_one_name_is_one_variable() -> None:
    assert names(tag("dataObject", id="a", name="x"), tag("dataObject", id="b", name="x")) == ["x"]


def test_a_sub_process_declares_its_own_data() -> None:
    inside = sub_process("sub", tag("dataObject", id="o"), tag("property", id="q"), start("a"))
    made = resource(start("s"), inside, chain("s", "sub"))
    found = made.process("p").element("sub")
    assert isinstance(found, e.SubProcess)
    assert sorted(item.name for item in found.data) == ["o", "q"]
    assert made.process("p").data == ()


def test_data_of_other_dialects_is_only_drawn() -> None:
    made = resource(tag("dataObject", id="o"), start("s"), service_task("t"), chain("s", "t"))
    assert made.process("p").data == ()


def test_data_that_weighs_too_much_is_an_error() -> None:
    many = (tag("dataObject", id=f"o{n}", name=f"{n:0250}") for n in range(300))
    assert only_finding(resource(*many, start("s"))).code == "too-much-data"


def inputs(*sets: str) -> tuple[tuple[str, ...], ...]:
    drawn = tag("ioSpecification", tag("dataInput", id="a", name="first"),
                tag("dataInput", id="b"), *sets)  # fmt: skip
    return resource(drawn, start("s")).process("p").input_sets


def test_a_process_needs_the_inputs_of_a_set_that_are_not_waived() -> None:
    references = (tag("dataInputRefs", "a"), tag("dataInputRefs", "b"))
    assert inputs(tag("inputSet", *references)) == (("first", "b"),)
    waived = (tag("optionalInputRefs", "a"), tag("whileExecutingInputRefs", "b"))
    assert inputs(tag("inputSet", *references, waived[0])) == (("b",),)
    assert inputs(tag("inputSet", *references, *waived)) == ()


def test_a_process_with_an_empty_input_set_needs_nothing() -> None:
    assert inputs(tag("inputSet", tag("dataInputRefs", "a")), tag("inputSet")) == ()


def test_a_data_store_that_is_moved_from_or_to_is_a_warning() -> None:
    moving = tag("dataInputAssociation", tag("sourceRef", "d"), tag("targetRef", "q"))
    made = resource(
        tag("dataStoreReference", id="d", name="Ledger"), start("s"),
        tag("task", tag("property", id="q"), moving, id="t"), chain("s", "t"),
    )  # fmt: skip
    assert made.deployable
    assert codes(made) == [("data-store-local", "t")]
