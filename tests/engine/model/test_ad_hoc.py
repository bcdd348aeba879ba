"""How ad-hoc sub-processes are read, and what is wrong with those that could not run."""

import pytest

from engine.model.elements import AdHocSubProcess, ProcessModel
from tests.support.findings import codes, only_finding
from tests.support.models import (
    ad_hoc,
    boundary,
    catch,
    chain,
    compensation,
    compiled,
    end,
    event_sub_process,
    exclusive,
    extension,
    extensions,
    for_compensation,
    parallel,
    resource,
    service_task,
    start,
    tag,
    task,
    timer,
)


def around(*parts: str) -> tuple[str, ...]:
    """An ad-hoc sub-process `pool` of these, in a process that is otherwise in order."""
    return (start("s"), ad_hoc("pool", *parts), chain("s", "pool"))


def pool(model: ProcessModel) -> AdHocSubProcess:
    element = model.element("pool")
    assert isinstance(element, AdHocSubProcess)
    return element


def test_it_offers_what_no_flow_leads_to() -> None:
    model = compiled(
        *around(
            task("one"),
            task("behind"),
            chain("one", "behind"),
            boundary("late", "one", timer(duration="PT1H")),
            compensation("one", "undo"),
            for_compensation(task("undo")),
            catch("wait", timer(duration="PT1H")),
            parallel("fork"),
            event_sub_process("on", start("tick", timer(cycle="R/PT1H"), interrupting=False)),
        )
    )
    assert [model.elements[index].id for index in pool(model).offered] == ["one", "wait", "fork"]


def test_by_the_specification_it_is_parallel_and_cancels_what_remains() -> None:
    element = pool(compiled(*around(task("one"))))
    assert not element.sequential
    assert element.cancels_remaining
    assert element.completion is None
    assert element.active is None


@pytest.mark.parametrize("event", [start("inner"), end("inner")])
def test_start_and_end_events_have_no_place_in_it(event: str) -> None:
    made = resource(*around(task("one"), event))
    assert ("ad-hoc-event", "inner") in codes(made)
    assert not made.deployable


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (exclusive("x"),),
        (event_sub_process("on", start("tick", timer(duration="PT1H"))),),
    ],
)
def test_it_has_an_activity(parts: tuple[str, ...]) -> None:
    finding = only_finding(resource(*around(*parts)))
    assert (finding.code, finding.element) == ("ad-hoc-empty", "pool")


def test_something_in_it_can_be_chosen() -> None:
    made = resource(*around(task("one"), task("two"), chain("one", "two", "one")))
    assert ("ad-hoc-nothing-offered", "pool") in codes(made)
    assert not made.deployable


def test_an_ordering_that_nobody_knows_is_an_error() -> None:
    inside = tag("adHocSubProcess", task("one"), id="pool", ordering="Random")
    finding = only_finding(resource(start("s"), inside, chain("s", "pool")))
    assert (finding.code, finding.element) == ("ad-hoc-ordering", "pool")
    assert "Parallel or Sequential" in finding.message


def test_nothing_triggers_it() -> None:
    inside = tag("adHocSubProcess", task("one"), id="pool", triggeredByEvent="true")
    finding = only_finding(resource(start("s"), inside, chain("s", "pool")))
    assert finding.code == "ad-hoc-event"


def test_only_an_ad_hoc_sub_process_has_a_completion_condition() -> None:
    inside = tag("subProcess", task("one"), tag("completionCondition", "=true"), id="pool")
    finding = only_finding(resource(start("s"), inside, chain("s", "pool")))
    assert (finding.code, finding.element) == ("unsupported-element", "pool")


def test_conditions_and_collections_that_do_not_compile_are_errors() -> None:
    made = resource(
        start("s"), ad_hoc("pool", task("one"), active="one", until="=1 +"), chain("s", "pool")
    )
    assert sorted(codes(made)) == [("expression-syntax", "pool"), ("not-an-expression", "pool")]


def test_a_condition_in_a_foreign_language_is_an_error() -> None:
    condition = tag("completionCondition", "done", language="http://example.org/xpath")
    inside = tag("adHocSubProcess", task("one"), condition, id="pool")
    finding = only_finding(resource(start("s"), inside, chain("s", "pool")))
    assert (finding.code, finding.element) == ("expression-language", "pool")


def test_a_job_type_makes_a_worker_direct_it() -> None:
    work = extensions(
        extension("taskDefinition", type="agent", retries="5"),
        extension("taskHeaders", extension("header", key="model", value="small")),
        extension("adHoc", outputCollection="results", outputElement="=result"),
    )
    inside = tag("adHocSubProcess", work, service_task("one"), id="pool")
    element = pool(compiled(start("s"), inside, chain("s", "pool")))
    assert element.job is not None
    assert (element.job.type, element.job.retries) == ("agent", 5)
    assert element.job.headers == {"model": "small"}
    assert element.shows_outputs, "the worker may ask for them"


def test_what_a_model_of_language_is_to_give_is_written_out() -> None:
    inside = service_task("one", inputs={"n": "=fromAi(toolCall.n, 1)"})
    finding = only_finding(
        resource(start("s"), ad_hoc("pool", inside, job="a"), chain("s", "pool"))
    )
    assert (finding.code, finding.element) == ("bad-from-ai", "one")
    assert finding.line


def test_what_else_would_choose_has_no_effect_where_a_worker_directs() -> None:
    inside = ad_hoc("pool", task("one"), job="agent", active='=["one"]', until="=true")
    made = resource(start("s"), inside, chain("s", "pool"))
    assert codes(made) == [("no-effect", "pool")] * 2
    assert made.deployable
    element = pool(made.processes[0])
    assert (element.active, element.completion) == (None, None)


@pytest.mark.parametrize(
    "attributes",
    [
        {"outputCollection": "all"},
        {"outputElement": "=one"},
        {"outputElement": "=one", "outputCollection": "a-b"},
    ],
)
def test_an_output_collection_needs_an_element_and_a_name(attributes: dict[str, str]) -> None:
    collects = extensions(extension("adHoc", **attributes))
    inside = tag("adHocSubProcess", collects, task("one"), id="pool")
    finding = only_finding(resource(start("s"), inside, chain("s", "pool")))
    assert (finding.code, finding.element) == ("ad-hoc-output", "pool")


def test_in_camunda_8_what_is_chosen_has_a_scope_of_its_own() -> None:
    model = compiled(start("s"), ad_hoc("pool", task("one"), active="=[]"), chain("s", "pool"))
    assert pool(model).scoped


def test_in_plain_bpmn_all_shares_the_scope_of_the_ad_hoc_sub_process() -> None:
    model = compiled(start("s"), ad_hoc("pool", task("one")), chain("s", "pool"))
    assert not pool(model).scoped


@pytest.mark.parametrize(
    ("active", "said"),
    [
        ('=["one", "behind", "nowhere"]', "names 'behind, nowhere'"),
        ('="one"', "is no list"),
        ("=[1]", "names '1'"),
        ('=assert("one", false)', "fails: "),
    ],
)
def test_a_constant_list_names_what_is_offered(active: str, said: str) -> None:
    parts = (task("one"), task("behind"), chain("one", "behind"))
    made = resource(start("s"), ad_hoc("pool", *parts, active=active), chain("s", "pool"))
    finding = only_finding(made)
    assert (finding.code, finding.element) == ("ad-hoc-active-elements", "pool")
    assert said in finding.message
    assert "no flow leads to: one." in finding.message
