"""The command line keeps libraries quiet in its whole process: here only as long as a test."""

import logging
from collections.abc import Iterator

import pytest

from consumers.cli.output import QUIET


@pytest.fixture(autouse=True)
def log_levels() -> Iterator[None]:
    """Let the loggers speak again that a command, run in this process, has kept quiet.

    Whatever has done it: fixtures of a wider scope run commands before this one begins.
    """
    yield
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.NOTSET)
