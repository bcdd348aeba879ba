"""Every scenario runs in each variant: repeated records, documents encoded, transitions cut."""

from collections.abc import Callable

import pytest

from engine.model.elements import ProcessModel
from engine.settings import Settings
from tests.support.runner import VARIANTS, Runner, Variant

Scenario = Callable[..., Runner]


@pytest.fixture(params=VARIANTS, ids=lambda variant: variant.name.replace(" ", "-"))
def scenario(request: pytest.FixtureRequest) -> Scenario:
    variant = request.param
    assert isinstance(variant, Variant)

    def make(*models: ProcessModel, settings: Settings | None = None) -> Runner:
        return Runner(*models, variant=variant, settings=settings)

    return make
