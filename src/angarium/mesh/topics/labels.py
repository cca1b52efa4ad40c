"""What topics are told apart by: every link's filter, seen from where topics are published.

Behind a renaming, a filter sees another name. The topics whose new name it lets through are again the
topics of an automaton: those that begin with what the renaming takes off, followed by what is left of the
filter when it has read what the renaming adds. So for every renaming that a way can make, the filters
that can meet it are one part of the automaton, and each filter in it is a label. Where a link renames,
topics that it renames by different transforms, such as those of two scopes, have different labels.
"""

from __future__ import annotations

from dataclasses import dataclass

from angarium.mesh.mesh import Link, Mesh
from angarium.mesh.topics.automaton import Automaton, Nodes, Trie
from angarium.mesh.topics.filters import Filters
from angarium.mesh.topics.scopes import ByScope
from angarium.mesh.topics.steps import MANY, ONE
from angarium.mesh.topics.topic import Transform
from angarium.mesh.topics.ways import UNCHANGED, Front, Renamed, Ways

ALWAYS = -1
"""The tag of everything; filters and beginnings have tags from 0."""


@dataclass(frozen=True, slots=True)
class Label:
    """A topic has it if it has the first tag, not the second, and the third; None: no such condition."""

    accepts: int
    refuses: int | None = None
    begins: int | None = None


@dataclass(slots=True)
class Part:
    """The filters that meet topics under one renaming."""

    start: Nodes
    labels: set[Label]


class _Maker:
    def __init__(self, mesh: Mesh, filters: Filters, found: Ways, automaton: Automaton) -> None:
        self.filters, self.found, self.automaton = filters, found, automaton
        links: dict[str, list[tuple[Link, Link]]] = {broker.name: [] for broker in mesh.brokers}
        for link in mesh.links:
            links[link.source].append((link, link))
        self.links = {broker: ByScope(each) for broker, each in links.items()}
        self.beginnings: dict[Front, int] = {}
        self.after_filters = 2 * len(mesh.links)

    def part(self, renamed: Renamed) -> Part:
        brokers = self.found.brokers[renamed]
        links = [link for broker in brokers for link in self.links[broker].meeting(renamed.by.add)]
        labels = {label for link in links for label in self._labels(link, renamed)}
        if renamed == UNCHANGED:
            labels.discard(Label(ALWAYS))
            nodes = set(self.filters.together)
        else:
            nodes = self._left(links, renamed.by)
        if any(label.accepts == ALWAYS for label in labels):
            nodes.add(self.automaton.everything(ALWAYS))
        start = {*self._behind(renamed.front, nodes), *self._beginning(labels)}
        return Part(tuple(sorted(start)), labels)

    def _labels(self, link: Link, renamed: Renamed) -> list[Label]:
        """One label for a link under a renaming, or one for each way in which it renames, if any."""
        if renamed.by.whole and not self.filters.lets_some(link, renamed.by.add, complete=True):
            return []
        begins: list[int | None] = [None]
        if link.rename is not None:
            fronts = self.found.taken.get((renamed, link.name), set())
            begins = [None if front == renamed.front else self._tag_of(front) for front in fronts]
        accepts, refuses = self.filters.accepts(link), self.filters.refuses(link)
        if accepts is None or renamed.by.whole:
            accepts = ALWAYS
        return [Label(accepts, None if renamed.by.whole else refuses, each) for each in begins]

    def _tag_of(self, front: Front) -> int:
        return self.beginnings.setdefault(front, self.after_filters + len(self.beginnings))

    def _left(self, links: list[Link], transform: Transform) -> set[int]:
        """What is left of the links' filters behind what the renaming adds."""
        if transform.whole:
            return set()
        sides = (self.filters.accepted, self.filters.refused)
        return {node for link in links for side in sides for node in side(link, transform.add)}

    def _behind(self, front: Front, nodes: set[int]) -> Nodes:
        """The nodes, where a topic begins so."""
        chain: Nodes = tuple(sorted(nodes))
        if front.more:
            chain = self.automaton.unfinished(chain)
        for symbol in reversed(front.symbols):
            chain = (self.automaton.node(literals={symbol: chain}),)
        return chain

    def _beginning(self, labels: set[Label]) -> Nodes:
        """Where topics are told apart by how they begin."""
        wanted = {label.begins for label in labels}
        trie = Trie()
        for front, tag in self.beginnings.items():
            if tag in wanted:
                trie.add((*front.symbols, *((ONE,) if front.more else ()), MANY), tag)
        return self.automaton.taken(trie)


def parts(mesh: Mesh, filters: Filters, found: Ways, automaton: Automaton) -> list[Part]:
    """One for each renaming; renamings behind which the same is left are one."""
    maker = _Maker(mesh, filters, found, automaton)
    merged: dict[Nodes, Part] = {}
    for renamed in found.brokers:
        part = maker.part(renamed)
        if part.labels:
            merged.setdefault(part.start, part).labels.update(part.labels)
    return list(merged.values())
