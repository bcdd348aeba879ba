"""Context functions."""

import pytest

from engine.values import Value
from tests.engine.expressions.evaluating import feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('get value({foo: 123}, "foo")', 123),
        ('get value({a: 1}, "b")', None),
        ('get value({x: 1, y: {z: 0}}, ["y", "z"])', 0),
        ('get value({a: {b: 3}}, ["b"])', None),
        ("get value({a: 1}, [])", None),
        ("get value({a: 1}, [1])", None),
        ('get value(m: {a: 1}, key: "a")', 1),
        ('get value(context: {a: 1}, key: "a")', 1),
        ('get value(1, "a")', None),
        ("get entries({a: 1})", [{"key": "a", "value": 1}]),
        ("get entries(null)", None),
        ('context put({x: 1}, "y", 2)', {"x": 1, "y": 2}),
        ('context put({x: 1}, "x", null)', {"x": None}),
        ('context put({x: 1}, ["y", "z"], 2)', {"x": 1, "y": {"z": 2}}),
        ('context put({y: {z: 0, w: 1}}, ["y", "z"], 2)', {"y": {"z": 2, "w": 1}}),
        ('context put({y: 1}, ["y", "z"], 2)', None),
        ("context put({y: 1}, [], 2)", None),
        ('put({x: 1}, "y", 2)', {"x": 1, "y": 2}),
        ("context merge([{x: 1, y: 0}, {y: 2}])", {"x": 1, "y": 2}),
        ("context merge({x: 1}, {y: 2})", {"x": 1, "y": 2}),
        ("context merge([{x: 1}, 5])", None),
        ("put all({x: 1}, {y: 2})", {"x": 1, "y": 2}),
        ('context([{key: "a", value: 1}])', {"a": 1}),
        ('context({key: "a", value: 1})', {"a": 1}),
        ('context([{key: "a", value: 1}, {key: "a", value: 2}])', None),
        ('context([{key: "a"}])', None),
        ("context(get entries({a: 1, b: 2}))", {"a": 1, "b": 2}),
    ],
)
def test_functions(text: str, value: Value) -> None:
    assert feel(text) == value
