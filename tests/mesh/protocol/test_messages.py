"""Letters survive their way through bytes, and no bytes whatever do any harm."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.protocol.link_state import LAST_LIFE, NUMBERS, Chart, Stamp, Statement
from angarium.mesh.protocol.messages import (
    KINDS,
    LONGEST_LETTER,
    LONGEST_PAYLOAD,
    Acknowledgement,
    Answer,
    Codec,
    Heartbeat,
    Letter,
    LinkTest,
    Message,
    Notification,
    Packet,
    Refusal,
)
from tests.effort import examples
from tests.mesh.protocol.meshes import TAILED, colouring

CHART = colouring(TAILED).chart
CODEC = Codec(CHART, fingerprint=0x1234)
HUB = Chart(
    ("hub", *map(str, range(8191))), {("hub", str(each)): frozenset({f"c{each}"}) for each in range(8191)}
)
"""As large as a mesh can be, all of it joined to one broker."""

BROKER = st.sampled_from(CHART.brokers)
LIFE = st.integers(0, LAST_LIFE)
NUMBER = st.integers(0, NUMBERS - 1)
STAMP = st.builds(Stamp, BROKER, LIFE, NUMBER)
STATEMENT = STAMP.flatmap(
    lambda stamp: st.builds(
        Statement, st.just(stamp), st.frozensets(st.sampled_from(CHART.neighbours[stamp.origin]))
    )
)
MESSAGE: st.SearchStrategy[Message] = st.one_of(
    st.builds(Heartbeat, LIFE),
    st.builds(Notification, st.lists(STATEMENT, max_size=5).map(tuple)),
    st.builds(Acknowledgement, st.lists(STAMP, max_size=5).map(tuple)),
    st.builds(LinkTest, NUMBER),
    st.builds(Answer, NUMBER),
    st.builds(
        Packet, BROKER, LIFE, LIFE, BROKER, NUMBER, st.integers(0, 65535), st.binary(max_size=LONGEST_PAYLOAD)
    ),
)
LETTER = st.builds(Letter, BROKER, LIFE, MESSAGE)


@given(LETTER)
def test_what_is_written_is_read(letter: Letter) -> None:
    data = CODEC.encode(letter)

    assert len(data) <= LONGEST_LETTER
    assert CODEC.decode(data) == letter


@settings(max_examples=examples(150))
@given(st.binary(max_size=LONGEST_LETTER + 10))
def test_bytes_of_no_sense_are_refused(data: bytes) -> None:
    assert isinstance(CODEC.decode(data), Refusal)


@settings(max_examples=examples(150))
@given(st.integers(1, len(KINDS)), st.binary(max_size=80))
def test_whatever_stands_behind_a_header_is_refused_or_a_letter_that_would_be_written_so(
    kind: int, body: bytes
) -> None:
    header = bytearray(CODEC.encode(Letter("1", 1, Heartbeat(5))))[:-8]
    header[3] = kind

    read = CODEC.decode(bytes(header) + body)

    assert isinstance(read, Refusal) or CODEC.encode(read) == bytes(header) + body


@settings(max_examples=examples(150))
@given(LETTER, st.lists(st.tuples(st.integers(0, 1300), st.integers(0, 255)), min_size=1, max_size=3))
def test_changed_bytes_are_refused_or_a_letter_that_would_be_written_so(
    letter: Letter, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(CODEC.encode(letter))
    for place, value in changes:
        data[place % len(data)] = value

    read = CODEC.decode(bytes(data))

    assert isinstance(read, Refusal) or CODEC.encode(read) == data


@given(LETTER, st.integers(0, 40))
def test_what_is_cut_off_or_too_long_is_refused_unless_it_is_only_a_payload(
    letter: Letter, less: int
) -> None:
    data = CODEC.encode(letter)
    has_payload = isinstance(letter.message, Packet)

    shorter, longer = CODEC.decode(data[: len(data) - 1 - less]), CODEC.decode(data + bytes(1 + less))

    assert isinstance(shorter, Refusal) or (has_payload and len(letter.message.payload) > less)
    assert isinstance(longer, Refusal) or has_payload


def test_a_letter_about_another_mesh_is_refused() -> None:
    data = Codec(CHART, fingerprint=0x1235).encode(Letter("1", 1, Heartbeat(5)))

    assert CODEC.decode(data) == Refusal("it is about another mesh, or other tables")


@pytest.mark.parametrize("kind", [0, len(KINDS) + 1, 255])
def test_a_kind_that_there_is_not_is_refused(kind: int) -> None:
    data = bytearray(CODEC.encode(Letter("1", 1, Heartbeat(5))))
    data[3] = kind

    assert CODEC.decode(bytes(data)) == Refusal("it is malformed")


def test_a_bit_for_a_neighbour_that_there_is_not_is_refused() -> None:
    data = bytearray(CODEC.encode(Letter("1", 1, Notification((Statement(Stamp("1", 1, 1)),)))))
    data[-1] = 0b10  # broker 1 has one neighbour

    assert CODEC.decode(bytes(data)) == Refusal("it is malformed")


def test_the_largest_hub_fits_into_a_datagram() -> None:
    codec = Codec(HUB, 0)
    everything = [Statement(Stamp("hub", 1, 1), frozenset(HUB.neighbours["hub"]))]
    everything += [Statement(Stamp(str(each), 1, 1)) for each in range(200)]

    letters = [Letter("hub", 1, batch) for batch in codec.batches(everything)]

    assert all(len(codec.encode(letter)) <= LONGEST_LETTER for letter in letters)
    assert [each for letter in letters for each in letter.message.statements] == everything
    assert [codec.decode(codec.encode(letter)) for letter in letters] == letters
