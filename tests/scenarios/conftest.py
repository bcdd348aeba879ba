"""Every scenario runs in each variant: repeated records, documents encoded, transitions cut."""

import hashlib
from collections.abc import Callable, Iterator

import msgspec
import pytest

from engine.model.elements import ProcessModel
from engine.settings import Settings
from tests.support.runner import VARIANTS, Runner, Variant

Scenario = Callable[..., Runner]


@pytest.fixture(params=VARIANTS, ids=lambda variant: variant.name.replace(" ", "-"))
def scenario(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Iterator[Scenario]:
    """Makes runners of the variant. A report in XML says what was published, as a digest."""
    variant = request.param
    assert isinstance(variant, Variant)
    runs: list[Runner] = []

    def make(*models: ProcessModel, settings: Settings | None = None) -> Runner:
        runs.append(Runner(*models, variant=variant, settings=settings))
        return runs[-1]

    yield make
    if request.config.getoption("xmlpath"):
        published = [msgspec.json.encode(item) for run in runs for item in run.publications]
        record_property("published", hashlib.sha256(b"\n".join(published)).hexdigest())
