"""The models of the BPMN interchange working group, which real modelling tools wrote.

They are not part of this repository. They are read from ../shared/corpus/miwg beside the project,
or from the directory that the environment variable TORPOR_MIWG names.
"""

import os
import re
from pathlib import Path

_NOT_EXECUTABLE = re.compile(rb"isExecutable\s*=\s*(['\"])(?:false|0)\1")
_PROCESS = re.compile(rb"<((?:[\w.-]+:)?process)(?=[\s/>])(?![^>]*\sisExecutable)")


def corpus() -> Path:
    """Where the models are, whether or not the directory exists."""
    default = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "miwg"
    return Path(os.environ.get("TORPOR_MIWG", default))


def model_files() -> list[Path]:
    return sorted(corpus().glob("*.bpmn"))


def made_executable(content: bytes) -> bytes:
    """The same model with every process marked executable, so that all of it is judged."""
    marked = _NOT_EXECUTABLE.sub(b'isExecutable="true"', content)
    return _PROCESS.sub(rb'<\1 isExecutable="true"', marked)
