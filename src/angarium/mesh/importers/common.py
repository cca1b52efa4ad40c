"""What all importers share: bounded reading, names for brokers, who is meant by an address, and remarks.

A broker's own configuration says where its links lead by host names and ports, but seldom what the broker
itself is called. So a name is made from where the file lies, and a `Directory` joins addresses to the
brokers whose files were given. It joins, in this order,

- a host that is a broker's name;
- a host whose first label is (`eu.mq.example` is `eu`), if the importer finds that the broker fits;
- the same without the number of a node at the end of the label (`eu1`, `eu-2` are `eu`);
- for this very machine (`localhost`, `127.0.0.1`), the broker that listens on that port.

Further labels say where a host is, not which one: a file `hivemq.conf` is not `a08.s1.eu.hivemq.cloud`. What
was joined by a part of the host may be wrong, so importers remark it. An address that fits no broker, or
several, is outside of the mesh: it becomes a broker of its own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core import files
from angarium.core.errors import MeshError, Place
from angarium.mesh.files.inside import content
from angarium.mesh.mesh import ASSUMED, DANGLING, EFFECTS, EVERYTHING, NOT_READ, NOT_UNDERSTOOD, NOTE, Remark

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of a file that is read as a whole."""
LARGEST_DEFINITIONS = 256 * 1024 * 1024
"""Bytes of what RabbitMQ exports, entry by entry: a million bindings are about 125 MiB."""
LONGEST_EXCERPT = 300
"""Longer lines, as of a file without line ends, are not shown in messages."""

PARSED = 8 * 1024 * 1024
"""Characters: whether a longer text is JSON is for its reader to say, not for whoever looks what it is."""

ROOT = "ANGARIUM_ROOT"
"""The variable of the environment that says below which folder files were copied, with their whole paths."""
HERE = re.compile(r"|localhost|127(\.\d{1,3}){3}|\[?::1?\]?|0\.0\.0\.0|\*")
"""This very machine; also where no host is given, or all addresses of the machine are."""
NUMERIC = re.compile(r"[0-9.]+|[0-9a-f:\[\]%.]*:[0-9a-f:\[\]%.]*")
NODE_NUMBER = re.compile(r"[-_]?[0-9]{1,4}$")
USUAL_NAMES = frozenset(
    """definitions rabbitmq mosquitto nats nats-server server broker brokers mm2 connect-mirror-maker artemis
    skrouterd qdrouterd advanced values config conf conf.d etc data default main""".split()
)
"""Names of files and folders that say what a thing is, not which one."""


def text_of(path: Path, most: int | None = None) -> str:
    """The text of a configuration file, if it can be read and is not too large."""
    most = most or LARGEST_FILE
    try:
        data = content(path, most)
    except files.TooLargeError:
        raise MeshError(
            "ANG125",
            f"{path} is larger than {most >> 20} MiB",
            remedy="Give the file of one broker or cluster; or split it into files of one: --broker"
            " NAME=one.json,two.json.",
        ) from None
    except OSError as error:
        why = error.strerror or str(error)
        raise MeshError(
            "ANG120", f"{path} cannot be read: {why}", remedy="Give a file that can be read."
        ) from None
    return _decoded(path, data)


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise MeshError(
            "ANG120",
            f"byte {data[error.start]:#04x} is not UTF-8",
            remedy="Save the file as UTF-8.",
            place=Place(str(path), line, column),
        ) from None


def keys_of_json(text: str) -> frozenset[str] | None:
    """The keys of a text that is one object of JSON; None if it is not, or too long to be looked at."""
    if len(text) > PARSED:
        return None
    try:
        value = json.loads(text)
    except (RecursionError, ValueError):
        return None
    return frozenset(value) if isinstance(value, dict) else frozenset()


def place(path: Path, line: int, column: int = 1, source: str = "") -> Place:
    """A place with an excerpt of the line, if that is short enough to be read."""
    return Place(str(path), line, column, source if len(source) <= LONGEST_EXCERPT else "")


def not_understood(
    what: str,
    where: Place | None = None,
    remedy: str = "",
    effects: frozenset[str] = EFFECTS,
    brokers: Sequence[str] = (),
) -> Remark:
    """Something that can change delivery, and that is listed because we do not model it.

    Whoever knows what it cannot do says so: every guarantee that one of its effects could change is unknown.
    """
    return Remark(NOT_UNDERSTOOD, what, remedy, where, effects, tuple(brokers))


def unread(what: str, where: Place | None = None, remedy: str = "", brokers: Sequence[str] = ()) -> Remark:
    """A part of a given broker's configuration that could not be read: it may say anything."""
    return Remark(NOT_READ, what, remedy, where, EVERYTHING, tuple(brokers))


def outside(broker: str, where: Place | None = None, remedy: str = "") -> Remark:
    """Of a broker that links lead to and whose file was not given: what it does itself is not known."""
    remedy = remedy or "Give its file too."
    what = f"no file of {broker} was given: what it hands on, to whom, is not known"
    return Remark(NOT_READ, what, remedy, where, EFFECTS, (broker,))


def dangling(
    what: str, where: Place | None = None, remedy: str = "", effects: frozenset[str] = frozenset()
) -> Remark:
    """A reference to nothing; with effects, if it is not known what the broker does with it."""
    return Remark(DANGLING, what, remedy, where, effects)


def assumed(what: str, where: Place | None = None, remedy: str = "") -> Remark:
    """What the verdict takes for granted though no file says it, such as that the broker outside is fair.

    It makes nothing unknown. It is told under a heading of its own, once for each sentence, however many
    places it is said of. The remedy says how to make it sure. Nothing else is needed.
    """
    return Remark(ASSUMED, what, remedy, where)


def note(what: str, where: Place | None = None, remedy: str = "") -> Remark:
    """What was taken to be meant, where files leave it open."""
    return Remark(NOTE, what, remedy, where)


def name_of(path: Path) -> str:
    """A broker's name from where its file lies: `eu.json` and `eu/etc/definitions.json` are both `eu`.

    It is the first word, from the file's name upwards through the folders, that says which one it is.
    """
    words = [path.stem, *_folders(path)]
    return next((word for word in words if word and word.lower() not in USUAL_NAMES), path.stem)


def unique(names: Iterable[tuple[str, Path]]) -> None:
    """Refuses two files that make brokers of the same name."""
    files: dict[str, Path] = {}
    for name, path in names:
        if name in files:
            raise MeshError(
                "ANG122",
                f"{files[name]} and {path} are both of broker {name}",
                possible="a broker is called as its file says, or else as the file or its folder is",
                remedy="Name the files, or the folders that they lie in, after their brokers.",
            )
        files[name] = path


def folder_of(path: Path) -> str:
    """The nearest folder of a file whose name says which one it is."""
    return next((name for name in _folders(path) if name and name.lower() not in USUAL_NAMES), "")


def _folders(path: Path) -> Iterator[str]:
    """The names of a file's folders, from the nearest upwards; of a copy, those that the original has."""
    root = Path(os.environ.get(ROOT, "/"))
    folders = path.absolute().parents
    yield from (each.name for each in folders if each != root and not root.is_relative_to(each))


@dataclass(frozen=True, slots=True)
class Meant:
    """The broker that an address leads to."""

    broker: str
    part: str = ""
    """The part of the host by which it was known, if not by the whole."""


def taken_for(host: str, broker: str, where: Place) -> Remark:
    """Of an address that was joined by a part of its host."""
    remedy = "If that is another one, give the file the name of its own host, or say --host."
    return assumed(f"host {host} is taken to be of {broker}", where, remedy)


def anybody(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one broker, and what it is called if that was said by hand."""

    paths: tuple[Path, ...]
    name: str = ""

    def called(self, otherwise: str = "") -> str:
        """The broker's name: by hand, as its file says, or after where that lies."""
        return self.name or otherwise or name_of(self.paths[0])


@dataclass(frozen=True, slots=True)
class ByHand:
    """Who is who, as whoever gives the files says; it wins over what the files say."""

    names: Mapping[Path, str] = field(default_factory=dict)
    """The broker of a file."""
    hosts: Mapping[str, str] = field(default_factory=dict)
    """The broker at `HOST` or `HOST:PORT`."""
    unread: tuple[str, ...] = ()
    """Brokers whose files are broken: links may lead there all the same."""

    def grouped(self, paths: Sequence[Path]) -> list[Files]:
        """The files of each broker: one, unless several are said to be of it."""
        groups: dict[str, list[Path]] = {}
        for number, path in enumerate(paths):
            groups.setdefault(self.names.get(path) or f"\0{number}", []).append(path)
        return [Files(tuple(files), self.names.get(files[0], "")) for files in groups.values()]

    def alone(self, paths: Sequence[Path], what: str) -> list[Files]:
        """The same, where a broker has no more than one file."""
        found = self.grouped(paths)
        for each in found:
            if len(each.paths) > 1:
                raise MeshError(
                    "ANG127",
                    f"--broker gives {each.name} {len(each.paths)} files",
                    possible=f"possible: one {what} for each broker",
                    remedy="put what they say into one file",
                )
        return found

    def directory(self) -> Directory:
        return Directory(by_hand=self)


NOTHING_BY_HAND = ByHand()


@dataclass(slots=True)
class Directory:
    """Which of the given brokers is meant by an address."""

    names: dict[str, set[str]] = field(default_factory=dict)
    """Host names and other names in small letters, with the brokers that are called so."""
    ports: dict[int, set[str]] = field(default_factory=dict)
    only_whole: set[str] = field(default_factory=set)
    """Brokers that no part of a host stands for."""
    by_hand: ByHand = NOTHING_BY_HAND

    def add(
        self, broker: str, names: Iterable[str] = (), ports: Iterable[int] = (), *, by_part: bool = True
    ) -> None:
        if not by_part:
            self.only_whole.add(broker)
        for name in (broker, *names):
            self.names.setdefault(name.lower(), set()).add(broker)
        for port in ports:
            self.ports.setdefault(port, set()).add(broker)

    def has(self, broker: str) -> bool:
        return broker in self.names.get(broker.lower(), ())

    def find(self, host: str, port: int | None = None) -> str | None:
        """The broker at an address; None if there is none, or no telling which."""
        meant = self.meant(host, port)
        return meant.broker if meant else None

    def meant(
        self, host: str, port: int | None = None, fits: Callable[[str], bool] = anybody
    ) -> Meant | None:
        """The broker at an address, with how it was known; a part of the host only stands for what fits."""
        host = host.lower().rstrip(".")
        said = self._said(host, port)
        if said:
            return Meant(said) if self.has(said) else None
        if HERE.fullmatch(host):
            here = self._one(self.ports.get(port or 0, set()))
            return Meant(here) if here else None
        if NUMERIC.fullmatch(host):
            there = self._told({each for each in self.names.get(host, ()) if self._listens(each, port)}, port)
            return Meant(there) if there else None
        whole = self._told(self.names.get(host, set()), port)
        return Meant(whole) if whole else self._by_part(host, port, fits)

    def _by_part(self, host: str, port: int | None, fits: Callable[[str], bool]) -> Meant | None:
        found = (Meant(self._told(self._called(part, fits), port) or "", part) for part in _parts(host))
        return next((meant for meant in found if meant.broker), None)

    def _said(self, host: str, port: int | None) -> str | None:
        """Who is there by hand."""
        return self.by_hand.hosts.get(f"{host}:{port}") or self.by_hand.hosts.get(host)

    def vouched(self, host: str, port: int) -> bool:
        """Whether somebody says by hand that a broker is at this host and port."""
        return f"{host.lower().rstrip('.')}:{port}" in self.by_hand.hosts

    def _listens(self, broker: str, port: int | None) -> bool:
        """Whether a broker may be at a port of its host: at any, if it is not known at which."""
        known = {number for number, brokers in self.ports.items() if broker in brokers}
        return not known or port is None or port in known

    def _called(self, part: str, fits: Callable[[str], bool]) -> set[str]:
        called_so = self.names.get(part, set()) - self.only_whole
        return {broker for broker in called_so if fits(broker)}

    def _told(self, brokers: set[str], port: int | None) -> str | None:
        """The only one; or the only one that listens on that port."""
        return self._one(brokers) or self._one(brokers & self.ports.get(port or 0, set()))

    @staticmethod
    def _one(brokers: set[str]) -> str | None:
        return next(iter(brokers)) if len(brokers) == 1 else None

    def outside(self, host: str, port: int) -> str:
        """What a broker is called whose address none of the given ones has.

        One whose file is broken is called as it would have been. Several may be on this very machine.
        """
        host = host.lower().rstrip(".")
        said = (self._said(host, port) or "").lower()
        unread = {name.lower(): name for name in self.by_hand.unread}
        known = next((unread[name] for name in (said, host, *_parts(host)) if name in unread), None)
        return known or (f"{host or 'localhost'}:{port}" if HERE.fullmatch(host) else host)

    def unknown(self, name: str, where: Place | None, address: str, own: str = "") -> Remark:
        """Of a broker outside, with what to say by hand if it is one of those that are given."""
        given = sorted({each for names in self.names.values() for each in names} - {own, name})
        if not given:
            return outside(name, where)
        who = f"{address}={given[0]}" if len(given) == 1 else f"{address}=NAME with {_some(given)}"
        return outside(name, where, f"Give its file too; or if that is a given broker, say so: --host {who}.")


def _some(names: Sequence[str], most: int = 5) -> str:
    return " or ".join(names[:most]) + (" …" if len(names) > most else "")


def _parts(host: str) -> list[str]:
    """The parts of a host that may be the name of a broker."""
    label = host.partition(".")[0]
    return [part for part in dict.fromkeys((label, without_node_number(label))) if part]


def without_node_number(label: str) -> str:
    return NODE_NUMBER.sub("", label)
