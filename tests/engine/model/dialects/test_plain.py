"""BPMN without extensions: texts are FEEL, or JUEL where they begin as no FEEL does."""

import pytest

from engine.model.dialects.plain import DIALECT
from engine.model.extensions import Formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("=a", Formula("a", "feel", 1)),
        ("${a}", Formula("${a}", "juel", 1)),
        (" #{a}", Formula("#{a}", "juel", 1)),
        ("a ${b}", Formula("a ${b}", "static", 1)),
    ],
)
def test_a_text_says_itself_what_it_is(text: str, formula: Formula) -> None:
    assert DIALECT.formula(text, 1) == formula


def test_a_condition_needs_no_mark_in_feel() -> None:
    assert DIALECT.condition("a > 1", 1) == Formula("a > 1", "feel", 1)
    assert DIALECT.condition("${a > 1}", 1) == Formula("${a > 1}", "juel", 1)
