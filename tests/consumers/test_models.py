"""Models and decisions, compiled from stored content, each once."""

import hashlib

import pytest

from consumers.models import CompiledModels
from engine.definitions import DecisionFile
from engine.errors import InvariantError
from engine.expressions import Environment
from engine.partition import ReadModel
from engine.settings import SEMANTICS
from schemas.errors import NewerDocumentError
from storage.errors import ContentMissingError
from storage.keys import PartitionKeys, deployments_partition
from storage.memory_store import MemoryKeyspace, MemoryStore
from tests.support.decisions import decision, dmn, literal, tag
from tests.support.models import bpmn, chain, compiled_resource, end, process, start

CONTENT = bpmn(
    process("a", start("s"), end("e"), chain("s", "e")),
    process("b", start("s2"), end("e2"), chain("s2", "e2")),
)
CHECKSUM = compiled_resource(CONTENT).checksum
LIBRARY = dmn(decision("Base", literal("21")), namespace="urn:lib")
IMPORTING = dmn(
    tag("import", name="lib", namespace="urn:lib"),
    decision(
        "Rate",
        literal("lib.Base * 2"),
        tag("informationRequirement", tag("requiredDecision", href="urn:lib#Base")),
    ),
)
PARTITIONS = 4


def checksum_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(MemoryKeyspace(), "shop")


@pytest.fixture
def models(store: MemoryStore) -> CompiledModels:
    return CompiledModels(store, "shop", PARTITIONS)


def keep(store: MemoryStore) -> None:
    keys = PartitionKeys("shop", deployments_partition(PARTITIONS))
    store.keyspace.set(keys.content(CHECKSUM), CONTENT)


async def test_content_that_is_not_there_yet_is_missing(models: CompiledModels) -> None:
    with pytest.raises(ContentMissingError):
        await models.get(ReadModel(CHECKSUM, "a", 1), {})


async def test_a_model_comes_from_the_stored_content_and_is_compiled_once(
    store: MemoryStore, models: CompiledModels
) -> None:
    keep(store)
    first = await models.get(ReadModel(CHECKSUM, "a", 1), {})
    assert first.process_id == "a"
    store.keyspace.restore({})
    assert await models.get(ReadModel(CHECKSUM, "a", 1), {}) is first
    assert (await models.get(ReadModel(CHECKSUM, "b", 1), {})).process_id == "b"


async def test_content_that_the_batch_has_needs_no_store(models: CompiledModels) -> None:
    found = await models.get(ReadModel(CHECKSUM, "a", 1), {CHECKSUM: CONTENT})
    assert found.process_id == "a"


async def test_decisions_are_compiled_with_what_they_import_and_once(
    store: MemoryStore, models: CompiledModels
) -> None:
    file = DecisionFile(checksum_of(IMPORTING), (checksum_of(LIBRARY),), 1)
    known = {checksum_of(IMPORTING): IMPORTING}
    with pytest.raises(ContentMissingError):
        await models.decisions(file, known)
    keys = PartitionKeys("shop", deployments_partition(PARTITIONS))
    store.keyspace.set(keys.content(checksum_of(LIBRARY)), LIBRARY)
    first = await models.decisions(file, known)
    assert first.evaluate("Rate", {}, Environment()) == 42
    store.keyspace.restore({})
    assert await models.decisions(file, {}) is first


async def test_a_model_of_rules_that_only_a_newer_engine_knows_is_left_to_it(
    store: MemoryStore, models: CompiledModels
) -> None:
    keep(store)
    with pytest.raises(NewerDocumentError):
        await models.get(ReadModel(CHECKSUM, "a", SEMANTICS + 1), {})
    with pytest.raises(NewerDocumentError):
        await models.decisions(DecisionFile(CHECKSUM, (), SEMANTICS + 1), {})


async def test_a_process_that_its_resource_does_not_hold_is_a_bug(
    store: MemoryStore, models: CompiledModels
) -> None:
    keep(store)
    with pytest.raises(InvariantError):
        await models.get(ReadModel(CHECKSUM, "c", 1), {})
