"""Binary recovery tables: what was written is read, and what was not written by us does no harm."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from random import Random

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Broker
from angarium.mesh.recovery.compact import HEADER as TABLE
from angarium.mesh.recovery.compact import packed
from angarium.mesh.recovery.files.binary import (
    CHECKSUM_BYTES,
    HEADER,
    MAGIC,
    MOST_BYTES,
    VERSION,
    read_binary,
    shared_part,
    written_binary,
)
from angarium.mesh.recovery.tables import Recovery
from tests.mesh.recovery.files.sample import RING, agree, mark, random_recovery, recovered

BODY = HEADER.size + CHECKSUM_BYTES


def written(recovery: Recovery, broker: int = 0) -> bytes:
    shared = shared_part(recovery.mesh.name, recovery.graph.names, recovery.colours)
    return written_binary(shared, mark(recovery), packed(recovery, broker))


@pytest.fixture(scope="module")
def file() -> bytes:
    return written(recovered(RING))


def sealed(body: bytes) -> bytes:
    """A file with any body, whose length and checksum are right: what a stranger could send."""
    header = HEADER.pack(MAGIC, VERSION, BODY + len(body), bytes(32))
    return header + hashlib.sha256(header + body).digest() + body


def test_every_next_hop_is_read_back() -> None:
    for seed in range(40):
        recovery = random_recovery(seed)
        for broker, name in enumerate(recovery.graph.names):
            tables = read_binary(written(recovery, broker))

            assert (tables.broker, tables.fingerprint) == (name, mark(recovery))
            assert agree(tables, recovery), (seed, broker)


def test_who_and_what_is_known_is_read_back(file: bytes) -> None:
    tables = read_binary(file)

    assert (tables.mesh, tables.destinations) == ("net", ("b1", "b2", "b3", "b4", "b5"))
    assert tables.neighbours == ("b2", "b3", "b5")
    assert tables.colours.of(RING.shared_risks[0].failures) == len(tables.colours)


def test_every_broken_bit_is_noticed(file: bytes) -> None:
    for bit in range(8 * len(file)):
        broken = bytearray(file)
        broken[bit // 8] ^= 1 << bit % 8

        with pytest.raises(MeshError, match="no file of recovery tables") as caught:
            read_binary(bytes(broken))

        assert caught.value.code == "ANG120"


def test_every_torn_file_is_noticed(file: bytes) -> None:
    for size in range(len(file)):
        with pytest.raises(MeshError):
            read_binary(file[:size])
    with pytest.raises(MeshError):
        read_binary(file + b"\0")


def test_a_stranger_can_neither_break_the_reader_nor_make_it_lead_out_of_the_mesh(file: bytes) -> None:
    random, body = Random(8), file[BODY:]
    read = 0
    for _ in range(4000):
        changed = bytearray(body)
        for _ in range(random.randint(1, 3)):
            changed[random.randrange(len(body))] = random.choice([0, 1, 2, 127, 255, random.randrange(256)])
        try:
            tables = read_binary(sealed(bytes(changed)))
        except MeshError:
            continue
        read += 1
        hops = {tables.next(colour, to) for colour in tables.colours for to in tables.destinations}
        assert hops <= {None, *tables.neighbours}
    assert read, "some changes are harmless, such as those of names"


@pytest.mark.parametrize("count", [2**32 - 1, 2**31, 10**6])
@pytest.mark.parametrize("place", ["mesh", "brokers", "links", "colours"])
def test_a_count_that_is_too_large_is_refused_before_room_is_made(place: str, count: int) -> None:
    number = count.to_bytes(4, "little")
    none = bytes(4)
    broker = none + b"\1\0\0\0" + none
    before = {"mesh": b"", "brokers": none, "links": broker, "colours": broker + none}

    with pytest.raises(MeshError, match="it ends"):
        read_binary(sealed(before[place] + number))


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (HEADER.pack(b"\x89PNG\r\n\x1a\n", VERSION, BODY, bytes(32)), "it begins with"),
        (HEADER.pack(MAGIC, 2, BODY, bytes(32)), "it is of version 2, and this is version 1"),
        (HEADER.pack(MAGIC, VERSION, BODY + 1, bytes(32)), "bytes of"),
        (HEADER.pack(MAGIC, VERSION, BODY, bytes(32)), "its checksum does not fit: it is damaged"),
    ],
)
def test_a_wrong_header_is_named(head: bytes, why: str) -> None:
    with pytest.raises(MeshError, match=why):
        read_binary(head + bytes(CHECKSUM_BYTES))


def test_a_file_that_is_too_large_is_neither_written_nor_read() -> None:
    with pytest.raises(MeshError, match="it has 16,777,217 bytes"):
        read_binary(bytes(MOST_BYTES + 1))
    with pytest.raises(MeshError, match="the recovery tables of a broker take 16,") as caught:
        written_binary(b"", "00" * 32, bytes(MOST_BYTES))

    assert caught.value.code == "ANG125"


def test_a_table_cannot_have_more_exceptions_than_entries(file: bytes) -> None:
    """A million exceptions of a few bits each would take far more memory than the file."""
    table = packed(recovered(RING), 0)
    many = table[: TABLE.size - 4] + (5 * 13 + 1).to_bytes(4, "little") + table[TABLE.size :]

    with pytest.raises(MeshError, match="66 exceptions, more than entries"):
        read_binary(sealed(file[BODY : -len(table)] + many))


def test_names_may_be_anything() -> None:
    names = "\ud800 New York\n", "../etc", "", "B", "b"
    mesh = replace(RING, brokers=tuple(map(Broker, names)), links=(), shared_risks=())
    recovery = recovered(mesh)

    tables = read_binary(written(recovery, 1))

    assert (tables.broker, tables.destinations) == ("../etc", names)


def test_a_colour_nobody_has_calculated_and_an_unknown_destination_are_refused(file: bytes) -> None:
    tables = read_binary(file)

    for colour in (0, len(tables.colours) + 1):
        with pytest.raises(MeshError, match=f"no colour {colour}"):
            tables.next(colour, "b2")
    with pytest.raises(MeshError, match="no broker 'b9'"):
        tables.next(1, "b9")
