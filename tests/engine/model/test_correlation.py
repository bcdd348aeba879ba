"""Correlation as BPMN draws it: what cannot be read is a finding."""

import pytest

from engine.model import correlation_keys
from engine.model.compile import CompiledResource
from tests.scenarios.test_correlation import (
    MESSAGES,
    ORDER,
    WAITS,
    conversation,
    correlation_property,
    subscription,
)
from tests.support.findings import codes, only_finding
from tests.support.models import (
    bpmn,
    chain,
    compiled_resource,
    end,
    message_event,
    process,
    start,
    tag,
    throw,
)
from tests.support.vendor_models import vendor_file


def made(*roots: str, parts: tuple[str, ...] = WAITS) -> CompiledResource:
    return compiled_resource(bpmn(MESSAGES, *roots, process("p", *parts)))


def test_a_key_that_refers_to_no_property_is_an_error() -> None:
    finding = only_finding(made(ORDER, conversation("order", "nothing")))
    assert (finding.severity, finding.code) == ("error", "dangling-reference")
    assert "'nothing'" in finding.message


def test_a_subscription_that_refers_to_no_key_is_an_error() -> None:
    drawn = subscription(order="o")
    found = made(ORDER, conversation("order", key_id="other"), parts=(drawn, *WAITS))
    assert codes(found) == [("dangling-reference", "sub")]


def test_a_subscription_binds_every_property() -> None:
    roots = (ORDER, correlation_property("buyer", answered="b"), conversation("order", "buyer"))
    finding = only_finding(made(*roots, parts=(subscription(order="o"), *WAITS)))
    assert (finding.code, finding.element) == ("binding-missing", "p")
    assert "'buyer'" in finding.message


def test_a_message_with_some_of_the_properties_is_a_warning() -> None:
    roots = (ORDER, correlation_property("buyer", asked="b"), conversation("order", "buyer"))
    found = made(*roots)
    assert codes(found) == [("partial-correlation", "answered")]
    assert found.deployable


def test_several_keys_of_a_message_are_a_warning_unless_one_is_subscribed_to() -> None:
    roots = (ORDER, conversation("order"), conversation("order", key_id="second"))
    found = made(*roots)
    assert codes(found) == [("several-correlation-keys", "answered")]
    assert found.deployable
    assert made(*roots, parts=(subscription(order="o"), *WAITS)).findings == ()


@pytest.mark.parametrize(
    ("path", "language", "code"),
    [
        ("/order/id", "http://www.w3.org/1999/XPath", "expression-language"),
        ("order +", None, "expression-syntax"),
    ],
)
@pytest.mark.parametrize("throws", [False, True])
def test_a_path_that_cannot_be_evaluated_is_an_error(
    path: str, language: str | None, code: str, *, throws: bool
) -> None:
    drawn = tag("messagePath", path, language=language)
    retrieval = tag("correlationPropertyRetrievalExpression", drawn, messageRef="answered")
    throwing = (start("s"), throw("t", message_event("answered")), chain("s", "t"))
    found = made(
        tag("correlationProperty", retrieval, id="order"),
        conversation("order"),
        parts=throwing if throws else WAITS,
    )
    assert codes(found) == [(code, "answered")]


def test_what_no_event_needs_is_not_looked_at() -> None:
    roots = (correlation_property("order", asked="order +"), conversation("order"))
    assert made(*roots, parts=(start("s"), tag("userTask", id="u"), chain("s", "u"))).findings == ()


def test_keys_have_so_many_paths_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlation_keys, "PATHS_MAX", 5)
    keys = [conversation("order", key_id=f"key{number}") for number in range(3)]
    assert codes(made(ORDER, *keys)) == [("too-large", "key2")]


def test_in_other_dialects_a_subscription_is_a_warning() -> None:
    parts = (subscription(order="o"), start("s"), tag("userTask", id="u"), end("e"))
    content = vendor_file(
        ORDER, conversation("order"), process("p", *parts, chain("s", "u", "e")),
        platform="Camunda Platform",
    )  # fmt: skip
    finding = only_finding(compiled_resource(content))
    assert (finding.severity, finding.code, finding.element) == ("warning", "no-effect", "sub")
