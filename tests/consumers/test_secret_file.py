"""The copy of the secrets outside of Redis."""

from pathlib import Path

import pytest

from consumers.namespace import NamespaceError, NamespaceRecord
from consumers.secret_file import KeptSecrets, later, read_kept, read_secrets, write_secrets
from schemas.frames import Frame
from schemas.seals import Epoch
from tests.support.sealing import sealed, sealed_from

FIRST = sealed_from((0, 0))
SECOND = sealed_from((4, 7), b"2" * 32)
THIRD = sealed_from((9, 9), b"3" * 32)


def record(*epochs: Epoch) -> NamespaceRecord:
    return NamespaceRecord(partitions=2, frame=Frame.JSON, zone="Europe/Berlin", epochs=epochs)


def test_what_is_written_is_read_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    assert read_secrets(file, "shop", 2) == ()
    assert write_secrets(file, "shop", record(FIRST, SECOND))
    assert not write_secrets(file, "shop", record(FIRST, SECOND)), "it has them"
    assert read_secrets(file, "shop", 2) == (FIRST, SECOND)
    assert file.stat().st_mode & 0o777 == 0o600
    assert write_secrets(file, "shop", record(FIRST))
    assert [each.name for each in tmp_path.iterdir()] == ["secrets.json"]


def test_it_keeps_what_a_restored_namespace_must_have_again_and_old_files_lack(
    tmp_path: Path,
) -> None:
    file = tmp_path / "secrets.json"
    write_secrets(file, "shop", record(FIRST))
    kept = read_kept(file, "shop")
    assert kept is not None
    assert (kept.partitions, kept.frame, kept.zone) == (2, Frame.JSON, "Europe/Berlin")
    file.write_bytes(b'{"namespace":"shop","epochs":[]}')
    assert read_kept(file, "shop") == KeptSecrets(namespace="shop", epochs=())


def test_a_file_of_something_else_is_refused_and_none_of_it_is_quoted(tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    write_secrets(file, "shop", record(*sealed(2)))
    with pytest.raises(NamespaceError, match="namespace shop"):
        read_secrets(file, "other", 2)
    with pytest.raises(NamespaceError, match="--partitions"):
        read_secrets(file, "shop", 3)
    for content in (b"", b"{", b'{"namespace":"shop","epochs":[{"secret":"hush","since":"x"}]}'):
        file.write_bytes(content)
        with pytest.raises(NamespaceError, match="cannot be read") as refused:
            read_secrets(file, "shop", 2)
        assert "hush" not in str(refused.value)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(NamespaceError, match="cannot be written"):
        write_secrets(tmp_path / "missing" / "secrets.json", "shop", record(FIRST))


def test_of_redis_and_the_file_the_one_counts_that_goes_on_where_the_other_ends() -> None:
    assert later((FIRST,), (FIRST, SECOND)) == (FIRST, SECOND)
    assert later((FIRST, SECOND), (FIRST,)) == (FIRST, SECOND)
    assert later((), (FIRST,)) == later((FIRST,), ()) == (FIRST,)
    for stored, kept in (((FIRST,), (SECOND,)), ((FIRST, SECOND), (FIRST, THIRD))):
        with pytest.raises(NamespaceError, match="not those in Redis"):
            later(stored, kept)
