"""What the corpus shows, as counts: how many models are ok, how many of them run."""

from pathlib import Path

import msgspec

from engine.model.compile import CompiledResource, compile_resource
from engine.settings import Settings
from tests.corpus.files import made_executable, model_files
from tests.corpus.running import End, run_process


class Counts(msgspec.Struct, kw_only=True):
    """Of files: answered by lint, ok, ok once all processes are marked executable. Of processes
    in these: executable, and how their runs came out."""

    files: int = 0
    ok: int = 0
    ok_marked: int = 0
    executable: int = 0
    ends: dict[End, int] = msgspec.field(default_factory=dict)

    def __str__(self) -> str:
        reached = self.ends.get("end", 0) + self.ends.get("wait", 0)
        return (
            f"lint: {self.files} of {self.files} answered, {self.ok} ok,"
            f" {self.ok_marked} ok with every process marked executable\n"
            f"run: {self.executable} executable processes, {reached} reach an end or a wait,"
            f" {self.ends.get('incident', 0)} an incident"
        )


def compiled(path: Path, *, marked: bool) -> CompiledResource:
    content = path.read_bytes()
    return compile_resource(path.name, made_executable(content) if marked else content, Settings())


def count() -> Counts:
    """Compile and run all that there is: some seconds."""
    counts = Counts()
    for path in model_files():
        as_it_is, marked = compiled(path, marked=False), compiled(path, marked=True)
        counts.files += 1
        counts.ok += as_it_is.deployable
        counts.ok_marked += marked.deployable
        made = marked if marked.deployable else as_it_is
        for process in made.processes:
            counts.executable += 1
            worst = max(run_process(made.processes, process.process_id), key=_ORDER.index)
            counts.ends[worst] = counts.ends.get(worst, 0) + 1
    return counts


_ORDER: list[End] = ["end", "wait", "incident"]
