"""The scenarios in YAML, in every variant, and under the checks of those in code."""

from pathlib import Path

import pytest

from scenarios.contents import Contents
from scenarios.coverage import Coverage, percent
from scenarios.loading import Case, load
from scenarios.models import ModelFiles
from scenarios.running import run
from scenarios.simulation import VARIANTS, Variant
from tests.support.checked import CheckedSimulation

ROOT = Path(__file__).parents[2]
FILES = [
    *sorted((ROOT / "tests" / "scenarios" / "yaml").glob("*.yaml")),
    *sorted((ROOT / "examples" / "scenarios").glob("*.yaml")),
]
MODELS = ModelFiles()
CASES = [case for file in FILES for case in load(file, MODELS)]
CONTENTS = Contents()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name.replace(" ", "-"))
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{Path(case.file).stem}: {case.name}")
def test_a_scenario_in_yaml_passes(case: Case, variant: Variant) -> None:
    done = run(case, variant, CONTENTS, Coverage(), CheckedSimulation)
    assert done.failures == ()


def test_together_they_pass_every_element_and_flow_of_their_models() -> None:
    coverage = Coverage()
    for case in CASES:
        coverage.expect(case.models)
        run(case, VARIANTS[0], CONTENTS, coverage)
    assert len(coverage.report()) > 12
    assert percent(coverage.report()) == 100, coverage.report()
