"""Data objects, stores, inputs and outputs of plain BPMN and Flowable: they are variables."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.state import IncidentWait, ProcessInstance
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    catch,
    chain,
    compiled,
    end,
    event_gateway,
    event_sub_process,
    exclusive,
    flow,
    message,
    message_event,
    start,
    sub_process,
    tag,
    task,
    timer,
)
from tests.support.runner import Runner
from tests.support.vendor_models import vendor_model


def data_object(object_id: str, name: str | None = None) -> str:
    return tag("dataObject", id=object_id, name=name)


def refers(reference_id: str, object_id: str, name: str | None = None) -> str:
    return tag("dataObjectReference", id=reference_id, dataObjectRef=object_id, name=name)


def interface(
    *, inputs: dict[str, str] | None = None, outputs: dict[str, str] | None = None
) -> str:
    """An ioSpecification: id -> name of its inputs and outputs."""
    drawn = [tag("dataInput", id=key, name=name) for key, name in (inputs or {}).items()]
    drawn += [tag("dataOutput", id=key, name=name) for key, name in (outputs or {}).items()]
    needed = (tag("dataInputRefs", key) for key in inputs or ())
    given = (tag("dataOutputRefs", key) for key in outputs or ())
    return tag("ioSpecification", *drawn, tag("inputSet", *needed), tag("outputSet", *given))


def moves(kind: str, source: str | None, target: str, *content: str) -> str:
    """A data association; `kind` is Input or Output."""
    ends = ([tag("sourceRef", source)] if source else []) + [tag("targetRef", target)]
    return tag(f"data{kind}Association", *ends, *content, id=f"{kind}-{source}-{target}")


def assigns(source: str, target: str) -> str:
    return tag("assignment", tag("from", source), tag("to", target))


def work(element_id: str, *content: str) -> str:
    """A service task of plain BPMN: its job type is its id."""
    return tag("serviceTask", *content, id=element_id)


def line(*parts: str, through: str) -> ProcessModel:
    return compiled(start("s"), *parts, end("e"), chain("s", through, "e"))


def values(text: str | None) -> dict[str, str]:
    return decode_object(text or "{}")


def test_a_data_object_is_a_variable_that_is_null_at_first(scenario: Scenario) -> None:
    run = scenario(line(data_object("o", "order"), work("w"), through="w"))
    run.start("p")
    assert run.variables() == {"order": "null"}
    run.complete("w", '{"order": {"n": 1}}')
    assert values(run.result()) == {"order": '{"n":1}'}


def test_what_a_client_sets_comes_before_a_data_object(scenario: Scenario) -> None:
    run = scenario(line(data_object("o", "order"), work("w"), through="w"))
    run.start("p", variables='{"order": 7}')
    assert run.variables() == {"order": "7"}


def test_an_association_copies_into_the_input_and_out_of_the_output(scenario: Scenario) -> None:
    task_ = work(
        "w",
        interface(inputs={"in": "amount"}, outputs={"out": "charged"}),
        moves("Input", "ref", "in"),
        moves("Output", "out", "receipt"),
    )
    objects = (data_object("price"), refers("ref", "price", "Price"), data_object("receipt"))
    run = scenario(line(*objects, task_, through="w"))
    run.start("p", variables='{"Price": 12}')
    assert values(run.job("w").variables)["amount"] == "12"
    run.complete("w", '{"charged": 13, "note": "more"}')
    assert values(run.result()) == {"Price": "12", "receipt": "13", "note": '"more"'}


def test_an_output_that_is_not_there_leaves_the_data_object_as_it_is(scenario: Scenario) -> None:
    task_ = work("w", interface(outputs={"out": "charged"}), moves("Output", "out", "receipt"))
    run = scenario(line(data_object("receipt"), task_, through="w"))
    run.start("p", variables='{"receipt": 1}')
    run.complete("w")
    assert values(run.result()) == {"receipt": "1"}


def test_a_transformation_makes_one_value_of_its_sources(scenario: Scenario) -> None:
    task_ = work(
        "w",
        interface(inputs={"in": "total"}, outputs={"out": "rest"}),
        moves("Input", "a", "in", tag("transformation", "=a + b")),
        moves("Output", "out", "b", tag("transformation", "rest * 2")),
    )
    run = scenario(line(data_object("a"), data_object("b"), task_, through="w"))
    run.start("p", variables='{"a": 1, "b": 2}')
    assert values(run.job("w").variables)["total"] == "3"
    run.complete("w", '{"rest": 5}')
    assert values(run.result()) == {"a": "1", "b": "10"}


def test_assignments_are_executed_in_order_each_seeing_the_earlier(scenario: Scenario) -> None:
    task_ = work(
        "w",
        interface(inputs={"in": "request"}),
        moves(
            "Input", "a", "in", assigns("=a", "in.first"), assigns("request.first + 1", "in.next")
        ),
    )
    run = scenario(line(data_object("a"), task_, through="w"))
    run.start("p", variables='{"a": 1}')
    assert values(run.job("w").variables)["request"] == '{"first":1,"next":2}'


def test_what_leaves_an_inner_scope_goes_where_the_object_is_declared(scenario: Scenario) -> None:
    task_ = work("w", interface(outputs={"out": "made"}), moves("Output", "out", "outer"),
                 moves("Output", "out", "inner"))  # fmt: skip
    inside = sub_process("sub", data_object("inner"), start("a"), task_, end("b"),
                         chain("a", "w", "b"))  # fmt: skip
    run = scenario(compiled(start("s"), data_object("outer"), inside, work("after"), end("e"),
                            chain("s", "sub", "after", "e")))  # fmt: skip
    run.start("p")
    run.complete("w", '{"made": 4}')
    assert run.variables() == {"outer": "4"}
    assert values(run.job("after").variables) == {"outer": "4"}


def test_each_iteration_has_the_data_objects_of_its_sub_process(scenario: Scenario) -> None:
    loop = tag("multiInstanceLoopCharacteristics", tag("loopCardinality", "2"))
    inside = sub_process("sub", loop, data_object("own"), start("a"), work("w"), end("b"),
                         chain("a", "w", "b"))  # fmt: skip
    run = scenario(line(inside, through="sub"))
    run.start("p")
    run.complete("w", '{"own": 1}')
    assert values(run.job("w").variables)["own"] == "null"
    run.complete("w", '{"own": 2}')
    assert values(run.result()) == {}


def test_an_event_sub_process_has_its_own_data_objects(scenario: Scenario) -> None:
    begins = start("x", message_event("m"))
    handler = event_sub_process("ev", data_object("own"), begins, work("h"), end("y"),
                                chain("x", "h", "y"))  # fmt: skip
    run = scenario(compiled(message("m", "go"), start("s"), work("w"), end("e"), handler,
                            chain("s", "w", "e")))  # fmt: skip
    run.start("p")
    run.accept(c.PublishMessage(name="go", correlation_key="a", variables='{"n": 1}'))
    assert values(run.job("h").variables) == {"own": "null", "n": "1"}


def test_names_of_several_words_can_be_used_in_feel(scenario: Scenario) -> None:
    model = compiled(
        data_object("o", "Approval Status"), start("s"), work("w"), exclusive("g", default="g-no"),
        task("yes"), task("no"), chain("s", "w", "g"), flow("g", "no"),
        flow("g", "yes", condition='Approval Status.result = "granted"'),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete("w", '{"Approval Status": {"result": "granted"}}')
    assert "yes" in run.path()


def test_a_loop_runs_over_the_collection_associated_with_its_input(scenario: Scenario) -> None:
    loop = tag(
        "multiInstanceLoopCharacteristics",
        tag("loopDataInputRef", "in"), tag("loopDataOutputRef", "out"),
        tag("inputDataItem", id="item", name="line"), tag("outputDataItem", id="price"),
    )  # fmt: skip
    task_ = work(
        "w",
        interface(inputs={"in": "all of them"}, outputs={"out": "all made"}),
        moves("Input", "lines", "in"), moves("Output", "out", "prices"), loop,
    )  # fmt: skip
    run = scenario(line(data_object("lines"), data_object("prices"), task_, through="w"))
    run.start("p", variables='{"lines": ["x", "y"]}')
    assert [values(job.variables)["line"] for job in run.jobs("w")] == ['"x"', '"y"']
    run.complete("w", '{"price": 1}')
    run.complete("w", '{"price": 2}')
    assert values(run.result()) == {"lines": '["x","y"]', "prices": "[1,2]"}


def test_events_give_and_take_data(scenario: Scenario) -> None:
    caught = tag("intermediateCatchEvent", tag("dataOutput", id="got", name="answer"),
                 moves("Output", "got", "o"), message_event("m"), id="c")  # fmt: skip
    thrown = tag("intermediateThrowEvent", tag("dataInput", id="put", name="question"),
                 moves("Input", "o", "put"), message_event("n"), id="t")  # fmt: skip
    run = scenario(compiled(message("m", "reply"), message("n", "ask"), data_object("o", "object"),
                            start("s"), caught, thrown, end("e"),
                            chain("s", "c", "t", "e")))  # fmt: skip
    run.start("p")
    run.accept(c.PublishMessage(name="reply", correlation_key="a", variables='{"answer": 42}'))
    (effect,) = run.effects("MessageThrown") or run.effects("EventThrown")
    assert values(effect.variables) == {"question": "42"}
    assert values(run.result()) == {"object": "42"}


def test_a_process_waits_until_the_inputs_that_it_needs_are_there(scenario: Scenario) -> None:
    run = scenario(line(interface(inputs={"i": "Order Number"}), task("t"), through="t"))
    run.start("p", variables='{"other": 1}')
    assert run.waiting() == [("p", "incident")]
    assert run.incident().kind == "DATA_MISSING"
    assert run.incident().message.endswith("missing: Order Number")
    run.resolve()
    assert run.incident().message.endswith("missing: Order Number")
    run.resolve(variables='{"Order Number": 7}')
    assert run.state() is InstanceState.COMPLETED


def test_a_process_begins_when_one_of_its_input_sets_is_there(scenario: Scenario) -> None:
    drawn = tag(
        "ioSpecification",
        tag("dataInput", id="a"), tag("dataInput", id="b"), tag("dataInput", id="c"),
        tag("inputSet", tag("dataInputRefs", "a"), tag("dataInputRefs", "b")),
        tag("inputSet", tag("dataInputRefs", "c"), tag("dataInputRefs", "a"),
            tag("optionalInputRefs", "a")),
    )  # fmt: skip
    run = scenario(line(drawn, task("t"), through="t"))
    run.start("p", variables='{"c": 1}')
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize("begins", ["at a start event", "behind a gateway"])
def test_a_start_that_names_its_element_waits_for_the_inputs_too(
    scenario: Scenario, begins: str
) -> None:
    drawn = [interface(inputs={"i": "number"}), message("m", "go"), work("t"), chain("x", "t")]
    if begins == "behind a gateway":
        drawn += [event_gateway("x0", instantiate=True), catch("x", message_event("m"))]
        drawn += [chain("x0", "x"), message("n", "no"), catch("y", message_event("n"))]
        drawn += [chain("x0", "y")]
    else:
        drawn += [start("x", message_event("m")), start("s"), end("e"), chain("s", "e")]
    run = scenario(compiled(*drawn))

    def begin(instance_id: str, variables: str) -> None:
        run.accept(
            c.StartInstance(
                process_id="p", instance_id=instance_id, start_element="x", variables=variables
            )
        )

    begin("a", '{"other": 1}')
    assert run.incident().kind == "DATA_MISSING"
    assert run.active() == ["x"]
    assert run.jobs() == []
    run.resolve()
    assert run.incident().message.endswith("missing: number")
    run.resolve(variables='{"number": 1}')
    assert run.active() == ["t"]
    run.complete("t")
    assert run.state() is InstanceState.COMPLETED
    begin("b", '{"number": 1}')
    assert [job.instance_id for job in run.jobs()] == ["b"]


def test_a_called_process_waits_for_its_inputs_too(scenario: Scenario) -> None:
    called = compiled(interface(inputs={"i": "number"}), start("x"), end("y"), chain("x", "y"),
                      process_id="called")  # fmt: skip
    call = tag("callActivity", id="call", calledElement="called")
    run = scenario(called, line(call, through="call"))
    run.start("p")
    (child,) = [
        state.instance_id
        for partition in run.partitions
        for state in partition.states.values()
        if isinstance(state, ProcessInstance)
        and any(isinstance(wait, IncidentWait) for wait in state.waits.values())
    ]
    run.resolve(child, variables='{"number": 1}')
    assert run.state() is InstanceState.COMPLETED


def test_a_data_store_is_a_variable_of_the_process(scenario: Scenario) -> None:
    store = tag("dataStoreReference", id="d", name="Ledger")
    task_ = work("w", interface(outputs={"out": "entry"}), moves("Output", "out", "d"))
    inside = sub_process("sub", store, start("a"), task_, end("b"), chain("a", "w", "b"))
    run = scenario(line(inside, through="sub"))
    run.start("p")
    assert run.variables() == {"Ledger": "null"}
    run.complete("w", '{"entry": 1}')
    assert values(run.result()) == {"Ledger": "1"}


# --- Flowable ---


def flowable_object(name: str, kind: str, value: str | None = None) -> str:
    inner = "" if value is None else f"<flowable:value>{value}</flowable:value>"
    return tag("dataObject", tag("extensionElements", inner), id=f"id-{name}", name=name,
               itemSubjectRef=f"xsd:{kind}")  # fmt: skip


def flowable(run: Scenario, *parts: str) -> Runner:
    model = vendor_model(start("s"), *parts, end("e"), chain("s", "w", "e"), platform=None)
    return run(model)


def test_data_objects_of_flowable_have_their_values_from_the_beginning(scenario: Scenario) -> None:
    run = flowable(
        scenario,
        flowable_object("name", "string", "10"), flowable_object("count", "int", "10"),
        flowable_object("ready", "boolean", "TRUE"), flowable_object("open", "string"),
        tag("serviceTask", id="w", **{"flowable:class": "x.Y"}),
    )  # fmt: skip
    run.start("p", variables='{"count": 3}')
    expected = {"name": '"10"', "count": "3", "ready": "true", "open": "null"}
    assert dict(sorted(run.variables().items())) == dict(sorted(expected.items()))


def test_data_associations_of_flowable_move_data_by_juel(scenario: Scenario) -> None:
    run = flowable(
        scenario,
        flowable_object("price", "int", "10"),
        flowable_object("paid", "int"),
        tag(
            "serviceTask",
            interface(inputs={"in": "amount"}, outputs={"out": "charged"}),
            moves("Input", None, "in", assigns("${price * 2}", "${amount}")),
            moves("Output", "out", "id-paid"),
            id="w",
            **{"flowable:class": "x.Y"},
        ),
    )
    run.start("p")
    assert values(run.job("x.Y").variables)["amount"] == "20"
    run.complete("x.Y", '{"charged": 20}')
    assert values(run.result()) == {"price": "10", "paid": "20"}


def test_data_goes_into_a_receive_task_behind_a_gateway(scenario: Scenario) -> None:
    """In plain BPMN, too: what the message brings goes out, the input is the task's own."""
    taking = interface(inputs={"in": "asked"}, outputs={"out": "got"})
    arm = tag(
        "receiveTask",
        taking,
        moves("Input", "o", "in"),
        moves("Output", None, "o", assigns("string(asked) + string(got)", "o")),
        id="wait",
        messageRef="m",
    )
    run = scenario(
        compiled(
            message("m", "news"),
            data_object("o", "order"),
            start("s"),
            event_gateway("g"),
            arm,
            catch("late", timer(duration="PT1H")),
            chain("s", "g", "wait"),
            flow("g", "late"),
        )
    )
    run.start("p", variables='{"order": 1}')
    run.accept(c.PublishMessage(name="news", correlation_key="a", variables='{"got": 2}'))
    assert values(run.result()) == {"order": '"12"', "got": "2"}
