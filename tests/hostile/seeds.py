"""What is mutated: our own models and the expressions of our tests, and the corpora if present."""

import ast
from functools import cache
from pathlib import Path
from random import Random

from tests.corpus.files import made_executable, model_files
from tests.support.random_processes import random_file
from tests.tck.models import models_directory

ROOT = Path(__file__).parents[2]
_OWN = ("tests/models/order.bpmn", "tests/models/plain.bpmn", "examples/order/order.bpmn")
_TEXT_MAX = 200


def own_model(chance: Random) -> bytes:
    """A model of the repository, or a random one of nested blocks."""
    if chance.random() < 0.2:
        return (ROOT / chance.choice(_OWN)).read_bytes()
    return random_file(chance, depth=3)


def corpus_model(chance: Random) -> bytes:
    """A model of the interchange corpus, else one of our own."""
    files = model_files()
    return made_executable(chance.choice(files).read_bytes()) if files else own_model(chance)


@cache
def _decision_files() -> tuple[Path, ...]:
    return tuple(sorted(models_directory().rglob("*.dmn")))


def decisions(chance: Random) -> bytes:
    """A decision model of the conformance tests, else a small one."""
    files = _decision_files()
    return chance.choice(files).read_bytes() if files else _SMALL_DECISION


_SMALL_DECISION = b"""<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="n"
 namespace="http://example.org" id="d"><decision id="a" name="a"><variable name="a"/>
 <informationRequirement><requiredDecision href="#b"/></informationRequirement>
 <literalExpression><text>b + 1</text></literalExpression></decision>
 <decision id="b" name="b"><variable name="b"/><decisionTable hitPolicy="COLLECT">
 <input id="i"><inputExpression typeRef="number"><text>x</text></inputExpression></input>
 <output id="o"/><rule><inputEntry><text>&gt; 1, [2..3]</text></inputEntry>
 <outputEntry><text>x * 2</text></outputEntry></rule></decisionTable></decision></definitions>"""


@cache
def _texts(folder: str) -> tuple[str, ...]:
    """All texts in the tests of a folder: most of them are expressions."""
    nodes = (
        node
        for path in sorted((ROOT / folder).rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    texts = (node.value for node in nodes if isinstance(node, ast.Constant))
    found = [text for text in texts if isinstance(text, str) and 2 < len(text) <= _TEXT_MAX]
    return tuple(dict.fromkeys(found))


def feel(chance: Random) -> str:
    return chance.choice(_texts("tests/engine/expressions"))


def juel(chance: Random) -> str:
    return chance.choice(_texts("tests/engine/expressions/juel"))


def schedule(chance: Random) -> str:
    """A duration, a date, a cycle or a cron expression."""
    return chance.choice(_SCHEDULES + _texts("tests/scenarios")[:1])


_SCHEDULES = (
    "PT1H", "P1Y2M3DT4H5M6.789S", "-P3D", "R3/PT10M", "R/2024-02-29T00:00:00Z/P1Y",
    "R5/2024-01-01T00:00:00Z/PT1H/2025-01-01T00:00:00Z", "2024-03-31T02:30:00@Europe/Berlin",
    "2024-01-01T00:00:00+02:00", "0 0 12 * * *", "*/5 * * * * MON-FRI", "0 0 0 29 2 ?",
    "0 15 10 L * ?", "0 0 9 ? * 6#3", "0 0 0 LW * ? 2030", "0 0/30 8-10 * * *", "@daily",
)  # fmt: skip
