"""Properties of a process that are Torpor's own."""

from collections.abc import Callable

import pytest

from engine.model.compile import CompiledResource
from tests.support.findings import only_finding
from tests.support.models import extension, extensions, resource, start, tag
from tests.support.vendor_models import vendor_resource


def in_camunda_8(value: str) -> CompiledResource:
    asked = extension("property", name="torpor:uncaughtErrors", value=value)
    return resource(extensions(extension("properties", asked)), start("s"))


def in_camunda_7(value: str) -> CompiledResource:
    asked = f'<camunda:property name="torpor:uncaughtErrors" value="{value}"/>'
    properties = f"<camunda:properties>{asked}</camunda:properties>"
    return vendor_resource(tag("extensionElements", properties), start("s"))


both = pytest.mark.parametrize("made", [in_camunda_8, in_camunda_7])


@both
@pytest.mark.parametrize(("value", "fails"), [("fail", True), ("incident", False)])
def test_a_process_says_what_becomes_of_errors_that_nothing_catches(
    made: Callable[[str], CompiledResource], value: str, *, fails: bool
) -> None:
    found = made(value)
    assert found.findings == ()
    assert found.process("p").fails_uncaught is fails


@both
def test_what_a_property_cannot_mean_is_an_error(made: Callable[[str], CompiledResource]) -> None:
    finding = only_finding(made("sometimes"))
    assert (finding.code, finding.element) == ("bad-property", "p")


def test_without_the_property_an_error_is_kept_for_somebody_to_resolve() -> None:
    assert not resource(start("s")).process("p").fails_uncaught
