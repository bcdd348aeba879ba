"""What options accept, and what they say of what they do not."""

from pathlib import Path

import click
import pytest

from consumers.cli import options
from tests.support.command_line import torpor

CONTEXT = click.Context(click.Command("x"))
OPTION = click.Option(["--x"])


@pytest.mark.parametrize("text", ["127.0.0.1:9092", "kafka:1", "[::1]:65535", "a.b:0"])
def test_a_host_and_a_port_are_an_address(text: str) -> None:
    assert options.is_address(text)


@pytest.mark.parametrize("text", ["", "kafka", ":9092", "kafka:", "kafka:x", "kafka:65536", "a:²"])
def test_anything_else_is_none(text: str) -> None:
    assert not options.is_address(text)


def test_kafka_may_have_several_addresses() -> None:
    assert options.kafka_addresses(CONTEXT, OPTION, "a:1,b:2") == "a:1,b:2"
    assert options.kafka_addresses(CONTEXT, OPTION, None) is None
    with pytest.raises(click.BadParameter, match="'b' is not HOST:PORT"):
        options.kafka_addresses(CONTEXT, OPTION, "a:1,b")


def test_an_engine_is_asked_at_an_address_or_at_a_url() -> None:
    assert options.engine_url(CONTEXT, OPTION, "a:80") == "http://a:80"
    assert options.engine_url(CONTEXT, OPTION, "https://gate/torpor/") == "https://gate/torpor"
    with pytest.raises(click.BadParameter, match="no URL"):
        options.engine_url(CONTEXT, OPTION, "ftp://a")


@pytest.mark.parametrize("name", ["", "Shop", "shop.eu", "ü", "x" * 41])
def test_a_namespace_no_topic_can_begin_with_is_a_usage_error(name: str) -> None:
    done = torpor("effects", "--namespace", name, code=2)
    assert "is not 1 to 40 characters of a-z, 0-9 and -" in done.err


@pytest.mark.parametrize(
    "text", ["{}", '{"amount": 12345678901234567890.123456789}', ' {"a": {"b": [1, null]}} ']
)
def test_variables_are_taken_as_they_are_written(text: str) -> None:
    assert options.json_object(CONTEXT, OPTION, text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{'amount': 1}", "not JSON"),
        ("[1]", "expected a JSON object, as in '{\"amount\": 740}'"),
        ("7", "expected a JSON object"),
        ('{"a": NaN}', "not JSON: NaN is not a JSON number"),
        ('{"a": -Infinity}', "not JSON: -Infinity is not"),
        ('{"a":' * 50_000, "the JSON is nested too deeply"),
        ('{"a": "\udcff"}', "not JSON"),
        ("@nowhere.json", "'nowhere.json' cannot be read: No such file or directory"),
        ("@.", "'.' cannot be read: Is a directory"),
    ],
)
def test_variables_that_are_no_object_are_a_usage_error(text: str, said: str) -> None:
    done = torpor("start", "order", "--variables", text, code=2)
    assert f"Invalid value for '--variables': {said}" in done.err


def test_variables_come_from_a_file_or_from_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "variables.json"
    file.write_bytes('\ufeff{"name": "ü"}'.encode())
    assert options.json_object(CONTEXT, OPTION, f"@{file}") == '{"name": "ü"}'
    file.write_bytes(b'{"name": "\xff"}')
    done = torpor("start", "order", "--variables", f"@{file}", code=2)
    assert "cannot be read: it is not UTF-8" in done.err
    done = torpor("start", "order", "--variables", "@-", text="[]", code=2)
    assert "expected a JSON object" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("start", "p", "--version", "0"), "0 is not in the range x>=1"),
        (("start", "p", "--timeout", "0"), "0.0 is not in the range x>0"),
        (("complete", "order-1"), "'order-1' is not an id as `torpor tasks` shows it"),
        (("resolve", "order-1:x"), "'order-1:x' is not an id as `torpor show` shows it"),
        (("activate", "order-1", "one"), "'order-1' is not an id as `torpor show` shows it"),
        (("activate", "order-1:5"), "name activities to activate, or --complete"),
        (("activate", "order-1:5", "one", "--complete"), "one of the two"),
        (("set", "order-1"), "Missing option '--variables'"),
        (("message", "paid", "--ttl", "-1"), "-1 is not in the range x>=0"),
        (("init", "--partitions", "10001"), "10001 is not in the range 1<=x<=10000"),
        (("init", "--frame", "confluent"), "'confluent' is not one of 'single-object', 'json'"),
        (("init", "--redis", "localhost"), "--redis 'localhost'"),
        (("run", "--http", "8080"), "'8080' is not HOST:PORT"),
        (("dev", "--ready-file", "/nowhere/ready.json"), "there is no folder /nowhere"),
        (("deploy", "nowhere.bpmn"), "Path 'nowhere.bpmn' does not exist"),
        (("deploy", "docs"), "There is no .bpmn or .dmn file in docs"),
        (("effects", "--since", "yesterday"), "neither 'now' nor an instant such as 2030-01-31"),
        (("list", "--limit", "501"), "501 is not in the range 1<=x<=500"),
        (("list", "--state", "asleep"), "'asleep' is not RUNNING"),
        (("list", "--state", "completed"), "`torpor show ID` knows one"),
    ],
)
def test_what_cannot_be_used_is_a_usage_error_in_a_sentence(
    arguments: tuple[str, ...], said: str
) -> None:
    done = torpor(*arguments, code=2)
    assert said in done.err
    assert done.out == ""
