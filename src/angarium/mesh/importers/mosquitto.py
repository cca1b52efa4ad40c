"""Mosquitto's configuration: one mosquitto.conf a broker, with the bridges that it has.

A broker is called after its file (`hub.conf`), or after the folder of a file that is called as all are
(`hub/mosquitto.conf`). An address joins the broker of that name, or, on this machine, the one that listens
on that port. It is never the broker that has the bridge, which people call after where it leads, unless it is
this machine and a port of its own. Several addresses of a bridge are tried in turn: while the first lives it
leads there.
Neither publishers nor subscribers are in such files. `mosquitto_conf` reads them, `mosquitto_bridges` makes
links of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from angarium.mesh.importers import common, mosquitto_conf
from angarium.mesh.importers.mosquitto_bridges import Ends, bridge_links, remarks
from angarium.mesh.importers.mosquitto_conf import KEYWORDS, PREFIXES, Bridge, Conf, Line, port_of
from angarium.mesh.importers.mosquitto_listeners import comes_in, crowded, known_users, rivals
from angarium.mesh.mesh import Broker, Mesh, Remark

NAME = "mosquitto"
PORT = 1883
MOSTLY = 0.8
"""Of the lines, how many must be Mosquitto's."""
HALF = 0.5
"""How many, if one is about connections: then others may be misspelt."""
TELLING = frozenset(("listener", "connection", "include_dir", "allow_anonymous"))


def recognises(path: Path, text: str) -> bool:
    """Whether a text is a mosquitto.conf: most of its lines begin with a word of Mosquitto's.

    If the file is not called so, all do, and one of them is about connections: words such as `user` are
    everybody's.
    """
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    words = [line.split()[0] for line in lines]
    known = [word for word in words if word in KEYWORDS or word.startswith(PREFIXES)]
    if path.suffix == ".conf":
        least = MOSTLY if TELLING.isdisjoint(known) else HALF
        return len(known) >= least * len(words) if words else path.name == "mosquitto.conf"
    return len(known) == len(words) and not TELLING.isdisjoint(known)


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the brokers that these files configure."""
    read_so = [mosquitto_conf.read(files.called(), files.paths) for files in hand.grouped(paths)]
    parts = {included for conf in read_so for included in conf.included}
    found = [conf for conf in read_so if conf.path.resolve() not in parts]
    common.unique((conf.name, conf.path) for conf in found)
    confs = {conf.name: conf for conf in found}
    bridges = Bridges(confs, hand)
    links = [link for ends in bridges.all for link in bridge_links(ends)]
    return Mesh(
        name=common.name_of(paths[0]) if len(paths) == 1 else paths[0].absolute().parent.name,
        brokers=(*map(_broker, confs.values()), *bridges.outside.values()),
        links=tuple(links),
        remarks=tuple(dict.fromkeys(_remarks(confs, bridges))),
    )


def _broker(conf: Conf) -> Broker:
    return Broker(conf.name, dialect="mqtt", place=common.place(conf.path, 1))


def _remarks(confs: dict[str, Conf], bridges: Bridges) -> Iterator[Remark]:
    yield from (remark for conf in confs.values() for remark in conf.remarks)
    yield from bridges.remarks
    for ends in bridges.all:
        yield from remarks(ends)
        yield from comes_in(ends, bridges.directory)
    yield from known_users(bridges.all)
    yield from crowded(list(confs.values()), bridges.all)
    yield from rivals(bridges.all)


class Bridges:
    """All bridges, and where they lead."""

    def __init__(self, confs: dict[str, Conf], hand: common.ByHand) -> None:
        self.outside: dict[str, Broker] = {}
        self.remarks: list[Remark] = []
        self._confs = confs
        self._guessed: set[str] = set()
        self.directory = hand.directory()
        for conf in confs.values():
            self.directory.add(conf.name, conf.hosts, conf.ports)
        self.all = [
            ends
            for conf in confs.values()
            for bridge in conf.bridges.values()
            for ends in self._ends(conf, bridge)
        ]

    def _ends(self, conf: Conf, bridge: Bridge) -> list[Ends]:
        """One for each broker that the bridge may lead to."""
        line = bridge.last("address", "addresses")
        addresses = self._addresses(conf, bridge, line) if line else []
        if line is None or not addresses:
            raise bridge.line.wrong(
                f"connection {bridge.name} has no address", "possible: address HOST[:PORT]"
            )
        names = [
            self._at(conf, line, address) or self._stranger(conf, line, address) for address in addresses
        ]
        brokers = list(dict.fromkeys(names))
        if conf.name in brokers:
            what = f"connection {bridge.name} of {conf.name} leads to {addresses[names.index(conf.name)]}"
            remedy = "Give the address of another broker."
            self.remarks.append(common.note(f"{what}: that is {conf.name} itself", line.place, remedy))
        found = [address_of(line, address) for address in addresses]
        at = {
            name: tuple(where for where, there in zip(found, names, strict=True) if there == name)
            for name in brokers
        }
        return [
            Ends(bridge, conf, name, self._confs.get(name), rank, len(brokers) == 1, at[name])
            for rank, name in enumerate(brokers)
        ]

    def _addresses(self, conf: Conf, bridge: Bridge, line: Line) -> list[str]:
        """All up to a comment, which Mosquitto knows here since version 2: before, its words were hosts."""
        addresses = list(takewhile(lambda word: not word.startswith("#"), line.values))
        comment = " ".join(line.values[len(addresses) :])
        if comment:
            what = f"{comment} behind the address of connection {bridge.name} of {conf.name}"
            remedy = "Give comments lines of their own: Mosquitto 1 takes their words to be hosts."
            self.remarks.append(common.not_understood(what, line.place, remedy))
        return addresses

    def _at(self, conf: Conf, line: Line, address: str) -> str | None:
        host, port = address_of(line, address)
        if common.HERE.fullmatch(host) and port in conf.ports:
            return conf.name
        meant = self.directory.meant(host, port, lambda name: name != conf.name)
        if meant is None or meant.broker == conf.name:
            return None
        if meant.part and host not in self._guessed:
            self._guessed.add(host)
            self.remarks.append(common.taken_for(host, meant.broker, line.place))
        return meant.broker

    def _stranger(self, conf: Conf, line: Line, address: str) -> str:
        """A broker that no file describes: by its host, on this machine by its port as well."""
        name = self.directory.outside(*address_of(line, address))
        while name in self._confs:
            name += " (outside)"
        if name not in self.outside:
            self.outside[name] = Broker(name, dialect="mqtt", place=line.place)
            self.remarks.append(self.directory.unknown(name, line.place, address, conf.name))
        return name


def address_of(line: Line, address: str) -> tuple[str, int]:
    """Host and port; an IPv6 address always has a port behind it."""
    host, colon, port = address.rpartition(":")
    if not colon:
        return address, PORT
    return host.strip("[]"), port_of(line, (port,))
