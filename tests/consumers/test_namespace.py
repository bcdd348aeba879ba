"""The namespace's record as the store keeps it."""

import pytest

from consumers.namespace import NamespaceError, NamespaceRecord, read_namespace, write_epochs
from storage.memory_store import MemoryKeyspace, MemoryStore
from tests.support.sealing import SECRET, sealed, sealed_from

RECORD = NamespaceRecord(partitions=2, zone="Europe/Berlin", epochs=sealed(2))


def store() -> MemoryStore:
    return MemoryStore(MemoryKeyspace(), "shop")


async def test_what_is_registered_is_read() -> None:
    at = store()
    assert await read_namespace(at, "shop") is None
    await at.register(RECORD.fields())
    assert await read_namespace(at, "shop") == RECORD


async def test_a_record_from_before_there_were_secrets_has_none() -> None:
    at = store()
    await at.register({"partitions": b"2", "frame": b"json", "format": b"1", "zone": b"UTC"})
    record = await read_namespace(at, "shop")
    assert record is not None
    assert (record.format, record.epochs) == (1, ())
    sealing = NamespaceRecord(partitions=2, frame=record.frame, epochs=sealed(2))
    assert await write_epochs(at, record, sealing)
    assert await read_namespace(at, "shop") == sealing


async def test_of_two_who_change_the_secrets_one_does() -> None:
    at = store()
    await at.register(RECORD.fields())
    one, other = (
        NamespaceRecord(partitions=2, epochs=(*RECORD.epochs, sealed_from((1, 1), secret)))
        for secret in (b"1" * 32, b"2" * 32)
    )
    assert await write_epochs(at, RECORD, one)
    assert not await write_epochs(at, RECORD, other)
    record = await read_namespace(at, "shop")
    assert record is not None
    assert record.epochs == one.epochs


def test_no_text_of_a_record_shows_its_secret() -> None:
    assert repr(SECRET)[2:20] not in f"{RECORD!r} {RECORD}"


@pytest.mark.parametrize(
    "epochs",
    [b"no json", b'[{"secret":"hush","since":"x"}]', b'[{"since":[0],"secret":"aHVzaA=="}]'],
)
async def test_secrets_that_cannot_be_read_are_refused_and_not_quoted(epochs: bytes) -> None:
    at = store()
    await at.register({"partitions": b"2", "format": b"2", "epochs": epochs})
    with pytest.raises(NamespaceError, match="cannot be read") as refused:
        await read_namespace(at, "shop")
    assert "hush" not in str(refused.value)
    assert "aHVzaA" not in str(refused.value)
