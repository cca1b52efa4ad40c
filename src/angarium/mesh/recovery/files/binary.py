"""The tables of a broker, by names, wherever they were read from; and as one binary file.

What one broker carries: its next hops in every colour, by names, wherever they were read from.

A fingerprint of what recovery tables are made from.

Tables of several brokers work together only if they were made from the same: the same brokers in the same
order (it settles ties), the same links at the same costs, the same failures under the same colours, and the
same overrides. The fingerprint is the SHA-256 of just that, as JSON in one line. What does not change tables
is left out: the order of links, latencies, filters, topics and clients, and the name of the mesh.

How the files of a folder of recovery tables are called.

A broker may be called anything: `New York`, `../etc`, `B1` beside `b1`. So its file begins with its place in
the mesh, from 1, which is enough to tell it from all others; what follows is for people.

The tables of a broker as one binary file that a broker process loads.

    header   magic, version, the file's length, the mesh's fingerprint, and the checksum of all the rest
    names    the mesh, its brokers, and the links that fail in some colour
    colours  for each the brokers and the links that are dead, by their positions among the names
    table    the compact table, as `recovery.compact` packs it

All numbers are little-endian. docs/reference/recovery-tables.md has the layout byte by byte.

The checksum finds files that were torn or damaged. It keeps nobody from making one, so a reader takes a file
for what a stranger has sent: every count is compared with what is left before anything is made room
for, every position with the names, and nothing of a file is executed.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.recovery.compact import HEADER as TABLE_HEADER
from angarium.mesh.recovery.compact import Compact, neighbours_of, packed, unpacked
from angarium.mesh.recovery.tables import HEALTHY, Colours, Recovery
from angarium.mesh.routing.graph import MOST_BROKERS, NONE

if TYPE_CHECKING:
    from angarium.mesh.recovery.overrides import Override

COLOURS_FILE = "colours.json"
BINARY, JSON = ".tables", ".json"
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")
_OURS = re.compile(r"\d{1,4}-[A-Za-z0-9._-]{1,40}\.(?:tables|json)", re.ASCII)
LONGEST = 40


def file_name(number: int, broker: str, suffix: str = "") -> str:
    """The file of a broker, by its position from 0 and its name."""
    return f"{number + 1}-{_STRANGE.sub('_', broker)[:LONGEST]}{suffix}"


def is_ours(name: str) -> bool:
    """Whether a file is called as one of ours."""
    return name == COLOURS_FILE or _OURS.fullmatch(name) is not None


def fingerprint(mesh: Mesh, colours: Colours, overrides: Sequence[Override] = ()) -> str:
    """Sixty-four hexadecimal digits."""
    links = [
        (each.source, each.target, each.fails_as, each.cost)
        for each in mesh.links
        if each.source != each.target
    ]
    content = {
        "brokers": [broker.name for broker in mesh.brokers],
        "links": sorted(links),
        "colours": [_dead(failures) for failures in colours.failures],
        "overrides": [(each.broker, each.destination, each.next, each.colour) for each in overrides],
    }
    line = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(line.encode("ascii")).hexdigest()


def _dead(failures: Failures) -> list[list[str]]:
    return [sorted(failures.brokers), sorted(failures.cables)]


class Lookup(Protocol):
    """Next hops by positions: of a colour, and of a destination among the brokers."""

    def next(self, colour: int, destination: int) -> int:
        """The position of the next broker; -1 if there is no path, or none is needed."""
        ...


@dataclass(frozen=True)
class BrokerTables:
    """The tables of a broker."""

    mesh: str
    fingerprint: str
    """Of what the tables were made from; brokers whose fingerprints differ must not work together."""
    broker: str
    destinations: tuple[str, ...]
    """Every broker of the mesh, this one too, in the mesh's order."""
    neighbours: tuple[str, ...]
    """The brokers that it can hand on to, in the mesh's order."""
    colours: Colours
    lookup: Lookup

    @cached_property
    def position(self) -> dict[str, int]:
        """Of each destination."""
        return {name: number for number, name in enumerate(self.destinations)}

    def next(self, colour: int, destination: str) -> str | None:
        """The next broker on the way to a destination; None if there is no path, or none is needed."""
        if not HEALTHY <= colour < HEALTHY + len(self.colours):
            raise _no_such("colour", str(colour), f"{HEALTHY} to {len(self.colours)}")
        if destination not in self.position:
            raise _no_such("broker", repr(destination), did_you_mean(destination, self.destinations))
        found = self.lookup.next(colour, self.position[destination])
        return None if found == NONE else self.destinations[found]


def tables_of(recovery: Recovery, broker: int, fingerprint: str) -> BrokerTables:
    """The tables of a broker, by its position."""
    names = recovery.graph.names
    near = tuple(names[number] for number in neighbours_of(recovery.graph, broker).tolist())
    lookup = unpacked(packed(recovery, broker))
    mesh = recovery.mesh.name
    return BrokerTables(mesh, fingerprint, names[broker], names, near, recovery.colours, lookup)


def _no_such(kind: str, given: str, possible: str) -> MeshError:
    return MeshError(
        "ANG123",
        f"these recovery tables have no {kind} {given}",
        possible=possible,
        remedy=f"ask for a {kind} that they were made for",
    )


MAGIC = b"\x89ANGRT\r\n"
"""As with PNG: a transfer that takes it for text, or strips the eighth bit, is noticed at once."""
VERSION = 1
HEADER = struct.Struct("<8sIQ32s")
"""Magic, version, bytes of the whole file, fingerprint."""
CHECKSUM_BYTES = hashlib.sha256().digest_size
NUMBER = struct.Struct("<I")
MOST_BYTES = 16 << 20
"""Of a file: more would take a reader too much memory."""


def shared_part(mesh: str, brokers: Sequence[str], colours: Colours) -> bytes:
    """Names and colours, which are the same in the files of all brokers."""
    cables = list(dict.fromkeys(name for each in colours.failures for name in sorted(each.cables)))
    return b"".join([_text(mesh), _texts(brokers), _texts(cables), *_colours(colours, brokers, cables)])


def written_binary(shared: bytes, fingerprint: str, table: bytes) -> bytes:
    """The file of a broker, from what all files share and the broker's compact table."""
    body = shared + NUMBER.pack(len(table)) + table
    size = HEADER.size + CHECKSUM_BYTES + len(body)
    if size > MOST_BYTES:
        raise MeshError(
            "ANG125",
            f"the recovery tables of a broker take {size:,} bytes",
            possible=f"up to {MOST_BYTES:,} bytes are written and read",
            remedy="protect against fewer failures at the same time",
        )
    header = HEADER.pack(MAGIC, VERSION, size, bytes.fromhex(fingerprint))
    return header + hashlib.sha256(header + body).digest() + body


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    return NUMBER.pack(len(encoded)) + encoded


def _texts(texts: Sequence[str]) -> bytes:
    return NUMBER.pack(len(texts)) + b"".join(map(_text, texts))


def _colours(colours: Colours, brokers: Sequence[str], cables: Sequence[str]) -> Iterable[bytes]:
    at_broker, at_cable = ({name: at for at, name in enumerate(names)} for names in (brokers, cables))
    yield NUMBER.pack(len(colours))
    for failures in colours.failures:
        yield _numbers(sorted(at_broker[name] for name in failures.brokers))
        yield _numbers(sorted(at_cable[name] for name in failures.cables))


def _numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<I{len(numbers)}I", len(numbers), *numbers)


# --- reading --------------------------------------------------------------------------------------


def read_binary(data: bytes) -> BrokerTables:
    """The tables in a file that may come from anywhere; MeshError if it cannot be one of ours."""
    fingerprint, cursor = _opened(data)
    mesh, brokers, cables = cursor.text(), cursor.names("brokers"), cursor.names("links")
    if not 0 < len(brokers) <= MOST_BROKERS:
        raise unreadable(f"it has {len(brokers):,} brokers")
    colours = _read_colours(cursor, brokers, cables)
    table = unpacked(cursor.rest())
    if (table.shape.brokers, table.shape.colours) != (len(brokers), len(colours)):
        raise unreadable("its table is for another number of brokers or colours")
    near = tuple(brokers[number] for number in _neighbours(table))
    return BrokerTables(mesh, fingerprint, brokers[table.shape.broker], brokers, near, colours, table)


def _opened(data: bytes) -> tuple[str, _Cursor]:
    """The fingerprint, and what stands behind the header."""
    start = HEADER.size + CHECKSUM_BYTES
    if not start <= len(data) <= MOST_BYTES:
        raise unreadable(f"it has {len(data):,} bytes, and can have {start} to {MOST_BYTES:,}")
    magic, version, size, fingerprint = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise unreadable(f"it begins with {magic!r}, and not with {MAGIC!r}")
    if version != VERSION:
        raise unreadable(f"it is of version {version}, and this is version {VERSION}")
    if size != len(data):
        raise unreadable(f"it has {len(data):,} bytes of {size:,}")
    if hashlib.sha256(data[: HEADER.size] + data[start:]).digest() != data[HEADER.size : start]:
        raise unreadable("its checksum does not fit: it is damaged")
    return fingerprint.hex(), _Cursor(data, start)


def _neighbours(table: Compact) -> Sequence[int]:
    count = table.shape.neighbours
    numbers = struct.unpack_from(f"<{count}H", table.data, TABLE_HEADER.size)
    if list(numbers) != sorted(set(numbers)):
        raise unreadable("its neighbours are not in their order")
    return numbers


def _read_colours(cursor: _Cursor, brokers: tuple[str, ...], cables: tuple[str, ...]) -> Colours:
    count = cursor.count(2 * NUMBER.size)
    found = tuple(Failures(cursor.some(brokers), cursor.some(cables)) for _ in range(count))
    return checked_colours(found)


def checked_colours(failures: tuple[Failures, ...]) -> Colours:
    """Colours, if the first is the healthy mesh and no two are the same."""
    if not failures or failures[0] != NOTHING:
        raise unreadable("its first colour is not the healthy mesh")
    if len(set(failures)) != len(failures):
        raise unreadable("two of its colours stand for the same failures")
    return Colours(failures)


@dataclass(slots=True)
class _Cursor:
    """Reads a file from front to back, and never beyond its end."""

    data: bytes
    at: int

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise unreadable(f"it ends within something of {count:,} bytes")
        self.at += count
        return self.data[self.at - count : self.at]

    def count(self, least: int) -> int:
        """How many things of so many bytes at least follow."""
        (count,) = NUMBER.unpack(self.take(NUMBER.size))
        if count * least > len(self.data) - self.at:
            raise unreadable(f"it ends before {count:,} things")
        return int(count)

    def text(self) -> str:
        try:
            return self.take(self.count(1)).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as problem:
            raise unreadable(f"a name is no text: {problem.reason}") from None

    def names(self, what: str) -> tuple[str, ...]:
        found = tuple(self.text() for _ in range(self.count(NUMBER.size)))
        if len(set(found)) != len(found):
            raise unreadable(f"two {what} have the same name")
        return found

    def some(self, names: tuple[str, ...]) -> frozenset[str]:
        """Some of the names, by their positions."""
        count = self.count(NUMBER.size)
        numbers = struct.unpack(f"<{count}I", self.take(count * NUMBER.size))
        if any(number >= len(names) for number in numbers) or len(set(numbers)) != count:
            raise unreadable("a colour names what is not there, or names it twice")
        return frozenset(names[number] for number in numbers)

    def rest(self) -> bytes:
        """The last part, which must end the file."""
        found = self.take(self.count(1))
        if self.at != len(self.data):
            raise unreadable(f"there are {len(self.data) - self.at:,} bytes behind its table")
        return found


def unreadable(why: str) -> MeshError:
    """A file that is not what it should be."""
    return MeshError(
        "ANG120",
        f"this is no file of recovery tables: {why}",
        possible=f"what `angarium mesh recover` writes, version {VERSION}",
        remedy="write the tables again, and copy them as they are",
    )
