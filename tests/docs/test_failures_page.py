"""docs/failures.md tells the truth: the tests that it names exist."""

import pytest

from tests.docs.named_tests import assert_tests_exist, rows_of

ROWS = rows_of("failures.md")


@pytest.mark.parametrize("row", ROWS)
def test_the_tests_that_a_row_names_exist(row: str) -> None:
    assert_tests_exist(row)


def test_there_are_rows() -> None:
    assert len(ROWS) > 50
