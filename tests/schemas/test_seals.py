"""What a seal covers, and from which offset on which secret counts."""

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.records import Publication, SendNumber, SentCommand, Topic
from schemas.codec import Codec
from schemas.frames import Frame
from schemas.seals import SEAL_BYTES, SEALED, Epoch, Seals, new_epoch, trusting_until
from tests.schemas.records import Found
from tests.support.sealing import SECRET, sealed, sealed_from

PARTITIONS = 4
EPOCHS = sealed(PARTITIONS)
NUMBER = SendNumber(generation=1, offset=40, index=3)


def sent(namespace: str = "shop", epochs: tuple[Epoch, ...] = EPOCHS) -> Found:
    """What an engine published to partition 3, as it is found there."""
    codec = Codec(namespace, Frame.JSON, epochs=epochs)
    command = SentCommand(
        command=c.Continue(instance_id="i", steps=7),
        command_id="c-1",
        source_partition=2,
        number=NUMBER,
    )
    publication = Publication(topic=Topic.COMMANDS, key="i", record=command, index=0, partition=3)
    entry = codec.encode_publication(publication, 2, 40)
    seal = codec.seals.header(3, entry.key, entry.value, entry.headers)
    return Found(
        value=entry.value, key=entry.key, headers=entry.headers + seal, partition=3, offset=100
    )


def seals(*epochs: Epoch, topic: str = "shop.commands") -> Seals:
    return Seals(topic, epochs or EPOCHS)


def with_header(found: Found, name: str, value: bytes) -> Found:
    return replace(found, headers=(*found.headers, (name, value)))


def test_what_an_engine_sealed_is_its_own() -> None:
    found = sent()
    assert seals().is_trusted(found)
    assert len(dict(found.headers)["torpor-seal"]) == SEAL_BYTES
    stimulus = Codec("shop", epochs=EPOCHS).decode_command(found)
    assert (stimulus.trusted, stimulus.number, stimulus.source_partition) == (True, NUMBER, 2)


@pytest.mark.parametrize(
    "altered",
    [
        replace(sent(), value=(sent().value or b"").replace(b"7", b"8")),
        replace(sent(), key=b"j"),
        replace(sent(), key=None),
        replace(sent(), value=None),
        replace(sent(), partition=2),
        sent("other"),
        replace(sent(), headers=sent().headers[:-1]),
        with_header(sent(), "torpor-seal", b""),
        with_header(sent(), "torpor-seal", bytes(SEAL_BYTES)),
        with_header(sent(), "torpor-seal", dict(sent().headers)["torpor-seal"] + b"x"),
        sent(epochs=(new_epoch((0,) * PARTITIONS),)),
    ],
    ids=(
        *("body", "key", "no key", "no value", "partition", "namespace", "no seal"),
        *("an empty seal", "a made up seal", "a longer seal", "another secret"),
    ),
)
def test_what_is_not_as_it_was_sealed_is_a_client_s(altered: Found) -> None:
    assert not seals().is_trusted(altered)


@pytest.mark.parametrize("name", SEALED)
def test_every_header_that_decides_something_is_sealed(name: str) -> None:
    assert not seals().is_trusted(with_header(sent(), name, b"3"))


def test_a_header_that_an_instrumented_producer_adds_breaks_no_seal() -> None:
    assert seals().is_trusted(with_header(sent(), "traceparent", b"00-1-2-01"))
    assert seals().is_trusted(with_header(sent(), "x-anything", b"1"))


def test_parts_do_not_run_into_each_other() -> None:
    one, other = (
        seals().header(0, key, value, ()) for key, value in ((b"a", b"b1:c"), (b"a1:b", b"c"))
    )
    missing, empty = (seals().header(0, None, value, ()) for value in (None, b""))
    assert len({one, other, missing, empty}) == 4


def test_a_seal_is_the_same_whenever_it_is_made() -> None:
    assert sent() == sent()


def test_without_secrets_all_is_trusted_and_nothing_sealed() -> None:
    trusting = Seals("shop.commands")
    assert trusting.header(0, b"k", b"v", ()) == ()
    assert trusting.is_trusted(replace(sent(), value=b"anything"))


def test_what_was_sent_before_there_were_secrets_counts() -> None:
    ends = (5, 0, 7, 9)
    trusting, sealing = trusting_until(ends)
    checked = seals(trusting, sealing)
    unsealed = replace(sent(), headers=sent().headers[:-1])
    assert checked.is_trusted(replace(unsealed, offset=8))
    assert not checked.is_trusted(replace(unsealed, offset=9))
    assert not checked.is_trusted(replace(unsealed, partition=1, offset=0))


def test_a_secret_counts_up_to_the_offset_at_which_it_was_replaced() -> None:
    old, new = sealed_from((0,) * PARTITIONS), sealed_from((0, 0, 0, 50), b"n" * 32)
    checked = seals(old, new)
    by_old, by_new = (sent(epochs=(epoch,)) for epoch in (old, new))
    assert checked.is_trusted(replace(by_old, offset=49))
    assert not checked.is_trusted(replace(by_old, offset=50))
    assert checked.is_trusted(replace(by_new, offset=50))
    assert not checked.is_trusted(replace(by_new, offset=49))
    assert sent(epochs=(old, new)) == by_new, "the latest seals"


def test_a_secret_is_random_and_in_no_text() -> None:
    one, other = new_epoch((0,)), new_epoch((0,))
    assert one.secret is not None
    assert one.secret != other.secret
    assert len(one.secret) == 32
    shown = repr(EPOCHS) + str(EPOCHS[0]) + f"{EPOCHS[0]}" + repr(EPOCHS[0].__rich_repr__())
    assert repr(SECRET)[2:20] not in shown
    assert "secret" not in shown
