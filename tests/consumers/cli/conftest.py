"""The command line keeps libraries quiet in its whole process: here only as long as a test."""

import logging
from collections.abc import Iterator

import pytest

from consumers.cli.output import QUIET


@pytest.fixture(autouse=True)
def log_levels() -> Iterator[None]:
    """Put the levels back that a command, run in this process, has set."""
    before = {name: logging.getLogger(name).level for name in QUIET}
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)
