"""Scopes and mappings: who sees what, and where a write goes."""

import pytest

from engine import commands as c
from engine.variables import size
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    chain,
    compiled,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    user_task,
)
from tests.support.runner import Runner


def key_of(run: Runner, element_id: str) -> int:
    return next(
        item.key for item in run.living().elements.values() if item.element_id == element_id
    )


def test_inputs_are_locals_and_each_sees_the_earlier_ones(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task(
                "work", inputs=(("net", "=price"), ("gross", "=net * 1.2"), ("price", "=0"))
            ),
            chain("s", "work"),
        )
    )
    run.start("p", variables='{"price": 10}')
    assert run.job("work").variables == '{"price":0,"net":10,"gross":12}'
    assert run.variables() == {"price": "10"}
    run.complete("work")
    assert run.result() == '{"price":10}'


def test_outputs_write_to_the_scope_around_the_activity(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                service_task("work", outputs={"total": "=amount * 2", "seen": "=total"}),
                user_task("wait"),
                chain("s2", "work", "wait"),
            ),
            chain("s", "sub"),
        )
    )
    run.start("p", variables='{"total": 1}')
    run.complete("work", '{"amount": 21, "other": true}')
    assert run.variables() == {"total": "1"}
    assert run.variables(scope=key_of(run, "sub")) == {"total": "42", "seen": "42"}
    run.complete_task("wait")
    assert run.result() == '{"total":1}'  # the locals of a sub-process do not leak


def test_without_outputs_a_result_goes_to_the_nearest_scope_that_has_the_name(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                service_task("work", inputs={"mine": "=1"}),
                user_task("wait"),
                chain("s2", "work", "wait"),
                inputs={"local": "=1"},
            ),
            chain("s", "sub"),
        )
    )
    run.start("p", variables='{"outer": 1}')
    run.complete("work", '{"mine": 2, "local": 2, "outer": 2, "new": 2}')
    assert run.variables() == {"outer": "2", "new": "2"}
    assert run.variables(scope=key_of(run, "sub")) == {"local": "2"}


def test_outputs_of_a_sub_process_see_its_locals(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                script_task("add", "=n + 1", result="n"),
                inputs={"n": "=start"},
                outputs={"end": "=n"},
            ),
            chain("s", "sub"),
        )
    )
    run.start("p", variables='{"start": 1}')
    assert run.result() == '{"start":1,"end":2}'


def test_a_nested_target_merges_its_leaf(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task(
                "work",
                inputs=(("in.a.x", "=1"), ("in.a.y", "=2"), ("in.b", "=3")),
                outputs=(("order.total.net", "=sum"), ("order.paid", "=true")),
            ),
            chain("s", "work"),
        )
    )
    run.start("p", variables='{"order": {"id": 7, "total": {"gross": 12}}, "in": {"c": 1}}')
    assert '"in":{"a":{"x":1,"y":2},"b":3}' in run.job("work").variables
    run.complete("work", '{"sum": 10}')
    assert run.result() == (
        '{"order":{"id":7,"total":{"gross":12,"net":10},"paid":true},"in":{"c":1}}'
    )


def test_numbers_stay_exact(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), script_task("add", "=a + 0.2", result="b"), chain("s", "add"))
    )
    run.start("p", variables='{"a": 0.1, "big": 12345678901234567890.123456789}')
    assert run.result() == '{"a":0.1,"big":12345678901234567890.123456789,"b":0.3}'


def test_dates_are_kept_as_their_texts(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            script_task("now", "=now()", result="at"),
            script_task("later", '=date and time(at) + duration("PT1M")', result="later"),
            chain("s", "now", "later"),
        )
    )
    run.start("p")
    assert run.result() == '{"at":"2023-11-14T22:13:20Z","later":"2023-11-14T22:14:20Z"}'


def test_an_output_with_no_json_form_is_an_incident(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), service_task("work", outputs={"r": "=[1..n]"}), chain("s", "work"))
    )
    run.start("p")
    run.complete("work", '{"n": 3}')
    incident = run.incident()
    assert (incident.kind, incident.step) == ("EXPRESSION_FAILED", "complete")
    assert "'r'" in incident.message


def test_variables_are_set_from_outside_in_the_nearest_scope_or_locally(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process("sub", user_task("wait", inputs={"own": "=1"}), inputs={"local": "=1"}),
            chain("s", "sub"),
        )
    )
    run.start("p", variables='{"outer": 1}')
    wait, sub = key_of(run, "wait"), key_of(run, "sub")
    run.accept(c.SetVariables(instance_id="a", variables='{"outer": 2, "new": 2}'))
    run.accept(
        c.SetVariables(
            instance_id="a",
            element_instance_id=f"a:{wait}",
            variables='{"own": 3, "local": 3, "outer": 3}',
        )
    )
    run.accept(
        c.SetVariables(
            instance_id="a", element_instance_id=f"a:{sub}", variables='{"outer": 4}', local=True
        )
    )
    assert run.variables() == {"outer": "3", "new": "2"}
    assert run.variables(scope=sub) == {"local": "3", "outer": "4"}
    assert run.variables(scope=wait) == {"own": "3"}
    dirty = [outcome.dirty["a"] for outcome in run.outcomes if "a" in outcome.dirty]
    assert dirty[-1] == frozenset({sub})


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"variables": "[]"}, "INVALID_ARGUMENT"),
        ({"element_instance_id": "a:99"}, "NOT_FOUND"),
        ({"element_instance_id": "nonsense"}, "INVALID_ARGUMENT"),
        ({"element_instance_id": "b:65537"}, "INVALID_ARGUMENT"),
    ],
)
def test_variables_that_cannot_be_set_are_refused(
    scenario: Scenario, fields: dict[str, str], code: str
) -> None:
    run = scenario(compiled(start("s"), user_task("wait"), chain("s", "wait")))
    run.start("p")
    before = run.living()
    assert run.reject(c.SetVariables(instance_id="a", **fields))[0] == code  # type: ignore[arg-type]  # texts
    assert run.living() == before


def test_setting_no_variables_changes_nothing(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), user_task("wait"), chain("s", "wait")))
    run.start("p")
    before = run.living()
    run.accept(c.SetVariables(instance_id="a", variables="{}"))
    assert run.living() == before


def test_the_size_of_all_variables_is_known_whatever_is_set_and_dropped(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process("sub", service_task("work", inputs={"x": '="äöü"'}), inputs={"y": "=1"}),
            user_task("wait"),
            chain("s", "sub", "wait"),
        )
    )
    run.start("p", variables='{"name": "Zoë"}')
    for _ in range(2):
        state = run.living()
        assert state.variables_bytes == sum(size(own) for own in state.variables.values())
        if run.jobs("work"):
            run.complete("work", '{"name": "Bob", "y": 22}')
    assert run.living().variables_bytes == len("name") + len('"Bob"')


def test_tasks_that_pass_through_map_their_variables_too(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), script_task("t", "=2", outputs={"y": "=result"}), task("u"),
                 chain("s", "t", "u"))
    )  # fmt: skip
    run.start("p")
    assert run.result() == '{"y":2}'
