"""Small changes of a mesh, as a repair proposes them: a hop limit, a link more or less, an entry of a table,
a setting in a broker's own file.

A change says what is to be different; `applied` gives the mesh after it, `mesh/files/edit.py` the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import TABLES, Link, Mesh, SharedRisk


@dataclass(frozen=True, slots=True)
class SetHopLimit:
    """Another hop limit for the links of a cable; without one, for all links that have a limit."""

    cable: str | None
    limit: int

    def __str__(self) -> str:
        return f"set hop-limit {self.limit} on {self.cable or 'all links that have one'}"

    def concerns(self, link: Link) -> bool:
        return link.hop_limit is not None if self.cable is None else link.fails_as == self.cable


@dataclass(frozen=True, slots=True)
class SetPathLimit:
    """How many hops a message may make where it is routed, by shortest path or by tables."""

    limit: int

    def __str__(self) -> str:
        return f"set hop-limit {self.limit} for routing"


@dataclass(frozen=True, slots=True)
class AddLink:
    """A new link, with the rules of the links of another cable, or with none."""

    source: str
    target: str
    both_ways: bool = True
    like: str | None = None

    def __str__(self) -> str:
        return f"add the link {self.source} {'-' if self.both_ways else '->'} {self.target}"


@dataclass(frozen=True, slots=True)
class RemoveLink:
    """All links of a cable go."""

    cable: str

    def __str__(self) -> str:
        return f"remove the link {self.cable}"


@dataclass(frozen=True, slots=True)
class SetEntry:
    """Where a broker sends what is for a destination."""

    broker: str
    destination: str
    next: str

    def __str__(self) -> str:
        return f"at {self.broker}, send what is for {self.destination} to {self.next}"


Rules = tuple[str, tuple[tuple[str, object], ...]]
"""The name of a link, and the fields that are different then."""


@dataclass(frozen=True, slots=True)
class SetRules:
    """Another setting in a broker's own file: other rules for the links that come of it."""

    words: str
    """What to write, and where."""
    rules: tuple[Rules, ...]
    """A link with no fields is gone."""

    def __str__(self) -> str:
        return self.words

    def of(self, links: Iterable[Link]) -> Iterator[Link]:
        """The links after it."""
        changed = dict(self.rules)
        for link in links:
            fields: dict[str, Any] = dict(changed.get(link.name, ()))
            if fields or link.name not in changed:
                yield replace(link, **fields)


Change = SetHopLimit | SetPathLimit | AddLink | RemoveLink | SetEntry | SetRules


def applied(mesh: Mesh, change: Change) -> Mesh:
    """The mesh after a change."""
    cables = [link.fails_as for link in mesh.links]
    match change:
        case SetHopLimit():
            if change.cable is not None:
                _one_of(change.cable, cables, "link")
            return replace(mesh, links=tuple(_limited(link, change) for link in mesh.links))
        case SetPathLimit(limit):
            return replace(mesh, routing=replace(mesh.routing, hop_limit=limit))
        case AddLink():
            return replace(mesh, links=(*mesh.links, *new_links(mesh, change)))
        case RemoveLink(cable):
            _one_of(cable, cables, "link")
            links = tuple(link for link in mesh.links if link.fails_as != cable)
            return replace(mesh, links=links, shared_risks=tuple(_risks_without(mesh, cable)))
        case SetRules():
            return replace(mesh, links=tuple(change.of(mesh.links)))
        case SetEntry():
            return _with_entry(mesh, change)


def _risks_without(mesh: Mesh, cable: str) -> Iterator[SharedRisk]:
    """What is not there any more cannot fail; a risk of which nothing is left is none."""
    for risk in mesh.shared_risks:
        left = tuple(name for name in risk.cables if name != cable)
        if left or risk.brokers:
            yield replace(risk, cables=left)


def _limited(link: Link, change: SetHopLimit) -> Link:
    return replace(link, hop_limit=change.limit) if change.concerns(link) else link


def new_links(mesh: Mesh, change: AddLink) -> Iterator[Link]:
    """The link that is to be added, in one direction or both."""
    for end in (change.source, change.target):
        _one_of(end, [broker.name for broker in mesh.brokers], "broker")
    template = _template(mesh, change)
    before, free = _free_name(mesh, change)
    if not change.both_ways:
        alone = replace(template, name=free, cable="", connection="", failover="", rank=0, place=None)
        yield replace(alone, source=change.source, target=change.target)
        return
    no_echo = change.like is None or bool(template.connection)
    shared = replace(
        template, cable=free, connection=free if no_echo else "", failover="", rank=0, place=None
    )
    for source, target in ((change.source, change.target), (change.target, change.source)):
        yield replace(shared, name=f"{before}{source}->{target}", source=source, target=target)


def _template(mesh: Mesh, change: AddLink) -> Link:
    if change.like is None:
        return Link("", "", "")
    _one_of(change.like, [link.fails_as for link in mesh.links], "link")
    return next(link for link in mesh.links if link.fails_as == change.like)


def _free_name(mesh: Mesh, change: AddLink) -> tuple[str, str]:
    """What goes before the names of the links, and the name of the cable: none that is there already."""
    arrow = "-" if change.both_ways else "->"
    taken = {link.name for link in mesh.links} | {link.fails_as for link in mesh.links}
    usual = f"{change.source}{arrow}{change.target}"
    directions = {f"{change.source}->{change.target}", f"{change.target}->{change.source}"}
    if not ({usual} | (directions if change.both_ways else set())) & taken:
        return "", usual
    number = 2
    while f"{usual} ({number})" in taken:
        number += 1
    return f"{usual} ({number}):", f"{usual} ({number})"


def _with_entry(mesh: Mesh, change: SetEntry) -> Mesh:
    if mesh.routing.kind != TABLES:
        raise MeshError(
            "ANG121",
            f"routing is {mesh.routing.kind}: there are no tables in which {change.broker} has an entry",
            remedy="say routing: tables and give tables, or add a link",
        )
    for name in (change.broker, change.destination, change.next):
        _one_of(name, [broker.name for broker in mesh.brokers], "broker")
    tables = {broker: dict(table) for broker, table in mesh.routing.tables.items()}
    tables.setdefault(change.broker, {})[change.destination] = change.next
    return replace(mesh, routing=replace(mesh.routing, tables=tables))


def _one_of(name: str, names: list[str], kind: str) -> None:
    if name not in names:
        raise MeshError(
            "ANG123",
            f"there is no {kind} {name}",
            possible=did_you_mean(name, list(dict.fromkeys(names))[:20], also=names),
            remedy=f"name a {kind} of the mesh",
        )
