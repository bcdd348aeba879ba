"""The cases of a run: the known attacks, then mutations drawn from the seed, up to the number."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Literal

import msgspec

from tests.hostile import attacks, seeds
from tests.hostile.mutation import hostile_text, mutated_expression, mutated_xml

Kind = Literal[
    "model", "decisions", "feel", "unary tests", "juel", "schedule", "script", "variables"
]


class Case(msgspec.Struct, frozen=True):
    """`content` is a file or a text in UTF-8, lone surrogates included."""

    kind: Kind
    content: bytes


def of_text(kind: Kind, text: str) -> Case:
    return Case(kind, text.encode("utf-8", "surrogatepass"))


def cases(seed: int, number: int) -> Iterator[Case]:
    """The same for the same seed. A run too short for all known attacks takes some of them."""
    chance = Random(seed)
    known = list(_known(chance))
    if number < 2 * len(known):
        known = chance.sample(known, number // 2)
    yield from known
    yield from islice(_random(chance), number - len(known))


def _known(chance: Random) -> Iterator[Case]:
    yield from (Case("model", content) for content in attacks.models())
    yield from (Case("decisions", content) for content in attacks.decision_models(chance))
    yield from (of_text("feel", text) for text in attacks.FEEL)
    yield from (of_text("script", text) for text in attacks.FEEL if len(text) < 3_000)
    yield from (of_text("juel", text) for text in attacks.JUEL)
    yield from (of_text("schedule", text) for text in attacks.SCHEDULES)
    yield from (of_text("variables", text) for text in attacks.VARIABLES)


def _random(chance: Random) -> Iterator[Case]:
    while True:
        yield Case("model", mutated_xml(seeds.own_model(chance), chance))
        yield Case("model", mutated_xml(seeds.corpus_model(chance), chance))
        yield Case("decisions", mutated_xml(seeds.decisions(chance), chance))
        yield of_text("feel", mutated_expression(seeds.feel(chance), chance))
        yield of_text("feel", mutated_expression(seeds.feel(chance), chance))
        yield of_text("script", mutated_expression(seeds.feel(chance), chance))
        yield of_text("unary tests", mutated_expression(seeds.feel(chance), chance))
        yield of_text("juel", mutated_expression(seeds.juel(chance), chance))
        yield of_text("schedule", mutated_expression(seeds.schedule(chance), chance))
        if chance.random() < 0.3:
            yield of_text(
                "variables", f'{{"a": {mutated_expression(hostile_text(chance), chance)}}}'
            )
