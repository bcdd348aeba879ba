"""What is mapped inside a sub-process and ends there is warned of: the vendor goes further."""

import pytest

from tests.support.findings import codes
from tests.support.models import (
    Pairs,
    chain,
    multi_instance,
    resource,
    service_task,
    start,
    sub_process,
)

STAYS = "outputs-stay-inside"


def staying(sub: str) -> list[str | None]:
    made = resource(start("s"), sub, chain("s", "sub"))
    assert made.deployable, made.findings
    return [element for code, element in codes(made) if code == STAYS]


def inside(*parts: str, inputs: Pairs = (), outputs: Pairs = ()) -> str:
    work = service_task("work", outputs={"total": "=amount * 2", "seen": "=total"})
    inner = (start("s2"), work, chain("s2", "work"))
    return sub_process("sub", *inner, *parts, inputs=inputs, outputs=outputs)


def test_an_output_that_nothing_hands_on_ends_with_its_sub_process() -> None:
    made = resource(start("s"), inside(), chain("s", "sub"))
    assert made.deployable
    (finding,) = [each for each in made.findings if each.code == STAYS]
    assert (finding.severity, finding.element) == ("warning", "sub")
    assert "'seen', 'total'" in finding.message
    assert "Give the sub-process an output mapping" in finding.message


@pytest.mark.parametrize(
    "sub",
    [
        inside(outputs={"sum": "=total + seen"}),
        inside(inputs={"total": "=0", "seen": "=0"}),
        inside(outputs={"sum": "=total"}, inputs={"seen": "=0"}),
        inside(multi_instance(over="=items", output="=[total, seen]", into="results")),
    ],
)
def test_what_is_handed_on_or_was_local_anyway_is_not_warned_of(sub: str) -> None:
    assert staying(sub) == []


def test_outputs_of_the_process_itself_reach_it() -> None:
    made = resource(start("s"), service_task("work", outputs={"x": "=y"}), chain("s", "work"))
    assert made.findings == ()
