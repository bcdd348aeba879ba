"""Elements by the names that people use: the name in the diagram, or the id."""

from functools import cached_property

from engine.model.elements import ProcessModel
from scenarios.errors import Mismatch, did_you_mean


class Names:
    """The elements of one process, by id and by name."""

    def __init__(self, model: ProcessModel) -> None:
        self.model = model

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for element in self.model.elements:
            if element.name:
                found.setdefault(_flat(element.name), []).append(element.id)
        return found

    def find(self, name: str) -> str:
        """The id of the element. Raises Mismatch: there is none, or several may be meant."""
        self._check_clear(name)
        if name in self.model.element_index:
            return name
        ids = self._by_name.get(_flat(name), [])
        if len(ids) == 1:
            return ids[0]
        process = self.model.process_id
        if ids:
            raise Mismatch(
                f"{len(ids)} elements of {process!r} are called {name!r}.",
                hint=f"Name one by its id: {', '.join(ids)}.",
            )
        known = [*self._by_name, *self.model.element_index]
        raise Mismatch(f"No element of {process!r} is {name!r}.{did_you_mean(name, known)}")

    def is_named(self, element_id: str, name: str) -> bool:
        """Whether a text may mean the element. Raises Mismatch: it may mean another as well."""
        named = element_id == name or element_id in self._by_name.get(_flat(name), [])
        if named:
            self._check_clear(name)
        return named

    def _check_clear(self, name: str) -> None:
        """A text that is the id of one element must not be the name of others alone."""
        ids = self._by_name.get(_flat(name), [])
        if ids and name in self.model.element_index and name not in ids:
            other = self.label(name)
            instead = repr(other) if other != name else "a name, which it needs,"
            raise Mismatch(
                f"{name!r} is the name of {ids[0]!r} and the id of {other!r}"
                f" in {self.model.process_id!r}.",
                hint=f"Say {ids[0]!r} for the one, {instead} for the other.",
            )

    def label(self, element_id: str) -> str:
        """What people call the element."""
        index = self.model.element_index.get(element_id)
        name = None if index is None else self.model.elements[index].name
        return _flat(name) if name else element_id

    def labels(self) -> list[str]:
        """What elements may be called, ids last."""
        return [*self._by_name, *self.model.element_index]


def _flat(name: str) -> str:
    """A name on one line: modellers break long ones."""
    return " ".join(name.split())
