"""What no table can recover: failures that cut brokers off, and the links that would help.

The thesis promises that every single failure is recovered from. It is not so where a link is a *bridge*, the
only one between two parts of a mesh, or where a broker is the only one that joins them. Only 26 of the 276
nets of the Topology Zoo have no bridge.

Single links. Without its bridges a mesh falls into parts, and the bridges make a tree of these. Every part
that is a leaf of the tree needs another link, and a link has two ends: ceil(leaves / 2) links are needed, and
they are enough. After Eswaran and Tarjan (Augmentation problems, 1976): walk through the tree from a part
that is no leaf, number the leaves as they come, and join each of the first half to the one that comes half of
all leaves later. Only bridges that are among the failures count: the others are left as they are.

Everything else (brokers, several at once, links that lead one way) is done step by step: of the links from
the smallest part that is cut off, the one that joins what is apart under most failures is added, until
nothing is cut off any more. That is near the smallest number and not always the smallest. Where both kinds of
failures are asked for, the tree is mended first or not at all, whichever leads to fewer links.

What is found is checked: tables of the mesh with the new links are calculated, and what is still cut off gets
more links. If there are no more links than the bridges alone need, no fewer would do.

The parts that a mesh falls into are those in each of which every broker reaches every other.

Whether a failure cuts anything off is known without looking at parts: exceptions of living brokers say so.
A part is found by two searches from one of its brokers, along the links and against them: what both find is
the part. Where links lead both ways, as nearly always, the first search alone would do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control
from angarium.mesh.mesh import NOTHING, Failures, Link, Mesh
from angarium.mesh.recovery.exceptions import Exceptions, all_exceptions
from angarium.mesh.recovery.tables import HEALTHY, Colours, Recovery
from angarium.mesh.routing.graph import NONE, Graph, graph_of
from angarium.mesh.routing.tables import shortest

Labels = NDArray[np.int16]
"""Of each broker: the number of its part; -1 if it is dead."""


def parts_under(graph: Graph, failures: Failures) -> Labels:
    """The parts of the living brokers, numbered by their first ones."""
    changed = graph.changes(failures)
    alive = [hop for hop in range(graph.hops) if changed.get(hop, 1)]
    onwards: list[list[int]] = [[] for _ in range(graph.brokers)]
    back: list[list[int]] = [[] for _ in range(graph.brokers)]
    sources, targets = graph.sources.tolist(), graph.targets.tolist()
    for hop in alive:
        onwards[sources[hop]].append(targets[hop])
        back[targets[hop]].append(sources[hop])
    dead = set(graph.dead_brokers(failures))
    return _numbered(onwards, back, dead)


def _numbered(onwards: list[list[int]], back: list[list[int]], dead: set[int]) -> Labels:
    labels = np.full(len(onwards), NONE, np.int16)
    number = 0
    for broker in range(len(onwards)):
        if broker not in dead and labels[broker] == NONE:
            part = reached(onwards, broker) & reached(back, broker)
            labels[list(part)] = number
            number += 1
    return labels


def reached(onwards: Sequence[Sequence[int]], start: int) -> set[int]:
    """Everything that can be come to."""
    found, waiting = {start}, [start]
    while waiting:
        for after in onwards[waiting.pop()]:
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def cutting(graph: Graph, failures: Sequence[Failures], known: Exceptions | None = None) -> dict[int, int]:
    """The failures that leave living brokers without a path that they had, by their places: how many pairs.

    What is known are the calculated exceptions of these failures; without them they are calculated.
    """
    found = all_exceptions(graph, failures, Control()) if known is None else known
    gone = found.next == NONE
    colours, ends = found.colours[gone].astype(np.int64), (found.brokers[gone], found.destinations[gone])
    dead = [
        colour * graph.brokers + broker
        for colour, each in enumerate(failures, start=HEALTHY + 1)
        for broker in graph.dead_brokers(each)
    ]
    living = ~np.logical_or(*(np.isin(colours * graph.brokers + end, dead) for end in ends))
    counts = np.bincount(colours[living])
    return {colour - HEALTHY - 1: int(counts[colour]) for colour in np.flatnonzero(counts).tolist()}


def pairs_cut_off(graph: Graph, failures: Failures) -> Iterator[tuple[str, str]]:
    """The pairs of living brokers that failures leave without a path that they had."""
    gone = (shortest(graph, failures) == NONE) & (shortest(graph) != NONE)
    for source, destination in np.argwhere(gone).tolist():
        pair = graph.names[source], graph.names[destination]
        if not failures.brokers.intersection(pair):
            yield pair


ENDS = 4
"""Brokers of a part that are tried as the end of a new link."""
AT_ONCE = 4_000
"""Failures that are looked at together."""


@dataclass(frozen=True, order=True, slots=True)
class Addition:
    """A new link, by the names of its brokers."""

    one: str
    other: str
    both_ways: bool = True


def links_that_protect(
    mesh: Mesh, failures: Sequence[Failures], control: Control
) -> tuple[tuple[Addition, ...], bool]:
    """Links with which these failures, each of which cuts, cut nothing; whether no fewer would do.

    When the time is up, no links are the answer: some of them would not be enough.
    """
    bridges = [each for each in failures if len(each.cables) == 1 and not each.brokers]
    plain = _leads_both_ways(mesh)
    paired = joined_leaves(mesh, bridges) if plain else []
    if len(bridges) == len(failures) and plain:
        return tuple(paired), True
    plans = [_until_protected(mesh, failures, start, control) for start in ([paired, []] if paired else [[]])]
    best = min(plans, key=lambda each: len(each))
    return ((), False) if control.is_over() else (tuple(best), len(best) == len(paired))


def added(mesh: Mesh, additions: Iterable[Addition]) -> Mesh:
    """A mesh with new links, each a cable of its own."""
    links = list(mesh.links)
    for number, each in enumerate(additions, start=1):
        cable = f"new link {number}: {each.one} - {each.other}"
        links.append(Link(f"{cable}, there", each.one, each.other, cable=cable))
        if each.both_ways:
            links.append(Link(f"{cable}, back", each.other, each.one, cable=cable))
    return replace(mesh, links=tuple(links))


# --- a tree of bridges --------------------------------------------------------------------------


def _leads_both_ways(mesh: Mesh) -> bool:
    """Whether every cable joins two brokers both ways, and no more."""
    ends: dict[str, set[tuple[str, str]]] = {}
    for link in mesh.links:
        if link.source != link.target:
            ends.setdefault(link.fails_as, set()).add((link.source, link.target))
    return all(len(each) == 2 and {pair[::-1] for pair in each} == each for each in ends.values())


def joined_leaves(mesh: Mesh, bridges: Sequence[Failures]) -> list[Addition]:
    """The fewest links with which none of these bridges is one any more."""
    graph = graph_of(mesh)
    cables = frozenset[str]().union(*(each.cables for each in bridges))
    labels = parts_under(graph, Failures(cables=cables)).tolist()
    members: dict[int, list[int]] = {}
    for broker, label in enumerate(labels):
        members.setdefault(label, []).append(broker)
    found = []
    for leaves in _leaves(_tree(graph, labels, cables)):
        half = len(leaves) // 2
        for one, other in zip(leaves[: len(leaves) - half], leaves[half:], strict=True):
            found.append(_between(graph, members[one], members[other]))
    return found


def _tree(graph: Graph, labels: Sequence[int], cables: Iterable[str]) -> dict[int, list[int]]:
    """The parts next to each part, over the bridges."""
    near: dict[int, list[int]] = {}
    for cable in sorted(cables):
        hop = graph.hops_of_cable[cable][0]
        one, other = labels[graph.sources[hop]], labels[graph.targets[hop]]
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    return near


def _leaves(near: dict[int, list[int]]) -> Iterator[list[int]]:
    """The leaves of each tree, as a walk from a part that is no leaf comes by."""
    seen: set[int] = set()
    for root in sorted(near, key=lambda part: (len(near[part]) == 1, part)):
        if root in seen:
            continue
        leaves, waiting = [], [root]
        while waiting:
            part = waiting.pop()
            seen.add(part)
            if len(near[part]) == 1:
                leaves.append(part)
            waiting += [each for each in near[part] if each not in seen]
        yield leaves


def _between(graph: Graph, ones: Sequence[int], others: Sequence[int]) -> Addition:
    """A link between two parts, if possible between brokers that are not neighbours yet."""
    pairs = list(islice(product(ones[:ENDS], others[:ENDS]), ENDS * ENDS))
    one, other = next((pair for pair in pairs if pair not in graph.hop_between), pairs[0])
    return _addition(graph, one, other)


def _addition(graph: Graph, one: int, other: int) -> Addition:
    first, second = sorted((one, other))
    return Addition(graph.names[first], graph.names[second])


# --- step by step -------------------------------------------------------------------------------


def _until_protected(
    mesh: Mesh, failures: Sequence[Failures], start: Sequence[Addition], control: Control
) -> list[Addition]:
    """Links to begin with, and more of them until nothing is cut off, or the time is up."""
    found = list(start)
    while not control.is_over():
        graph = graph_of(added(mesh, found))
        left = [failures[place] for place in cutting(graph, failures)]
        if not left:
            return found
        found += _Apart(graph, left[:AT_ONCE]).joined() or [_one_way(graph, left[0])]
    return found


def _one_way(graph: Graph, failures: Failures) -> Addition:
    """A link for the first pair that is cut off, where it had only a way there and none back."""
    source, destination = next(pairs_cut_off(graph, failures))
    return Addition(source, destination, both_ways=False)


class _Apart:
    """What is apart under each of some failures, and was together before."""

    def __init__(self, graph: Graph, failures: Sequence[Failures]) -> None:
        self._graph = graph
        self._whole = parts_under(graph, NOTHING)
        labels = np.array([parts_under(graph, each) for each in failures])
        order = np.argsort([self._smallest(row)[0] for row in labels], kind="stable")
        self._labels = labels[order]
        self._pieces = np.array([self._more(row) for row in self._labels])
        self._keep(self._pieces > 0)

    def joined(self) -> list[Addition]:
        """Links that put everything together again."""
        found = []
        while len(self._labels):
            one, other = self._best(self._smallest(self._labels[0])[1])
            self._join(one, other)
            found.append(_addition(self._graph, one, other))
        return found

    def _more(self, row: Labels) -> int:
        """How many parts there are more than there were among the same brokers."""
        living = row != NONE
        return len(np.unique(row[living])) - len(np.unique(self._whole[living]))

    def _keep(self, apart: NDArray[np.bool_]) -> None:
        self._labels, self._pieces = self._labels[apart], self._pieces[apart]

    def _smallest(self, row: Labels) -> tuple[int, list[int]]:
        """The size of the smallest part that others are missing in, and some of its brokers."""
        living = np.flatnonzero(row != NONE)
        sizes, wholes = np.bincount(row[living]), np.bincount(self._whole[living])
        missing = living[sizes[row[living]] < wholes[self._whole[living]]]
        if not len(missing):
            return len(row), []
        label = row[missing[np.argmin(sizes[row[missing]])]]
        return int(sizes[label]), np.flatnonzero(row == label)[:ENDS].tolist()

    def _best(self, ends: Sequence[int]) -> tuple[int, int]:
        """The link from one of some brokers that joins what is apart under most failures."""
        gains = np.array([self._gains(one) for one in ends])
        place = int(gains.argmax())
        return ends[place // gains.shape[1]], place % gains.shape[1]

    def _gains(self, one: int) -> NDArray[np.int64]:
        """By broker: under how many failures a link to it would join what is apart."""
        own = self._labels[:, one : one + 1]
        apart = (self._labels != own) & (self._labels != NONE) & (own != NONE)
        return np.where(self._whole == self._whole[one], apart.sum(axis=0), 0)

    def _join(self, one: int, other: int) -> None:
        into, gone = self._labels[:, one : one + 1], self._labels[:, other : other + 1]
        joins = (into != NONE) & (gone != NONE) & (into != gone)
        self._labels = np.where(joins & (self._labels == gone), into, self._labels)
        self._pieces = self._pieces - joins[:, 0]
        self._keep(self._pieces > 0)


@dataclass(frozen=True)
class Cut:
    """A failure that leaves some living brokers without a path that they had."""

    colour: int
    failures: Failures
    pairs: int
    """Ordered pairs of living brokers that had a path, and have none."""
    graph: Graph = field(repr=False, compare=False)

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """What has fallen apart, the largest part first: in each, everybody still reaches everybody.

        There is none if only paths that led there and not back are gone.
        """
        members: dict[tuple[int, int], list[str]] = {}
        whole, now = (parts_under(self.graph, each).tolist() for each in (NOTHING, self.failures))
        for name, before, after in zip(self.graph.names, whole, now, strict=True):
            if after != NONE:
                members.setdefault((before, after), []).append(name)
        pieces = Counter(before for before, _ in members)
        broken = [tuple(part) for (before, _), part in members.items() if pieces[before] > 1]
        return tuple(sorted(broken, key=len, reverse=True))


@dataclass(frozen=True, slots=True)
class Unprotected:
    """All failures that cut something off, and what would help."""

    cuts: tuple[Cut, ...]
    """By colour."""
    additions: tuple[Addition, ...]
    """Links with which none of these failures would cut anything off; none if the time was up before."""
    smallest: bool
    """Whether it is proved that no fewer links would do."""

    def __bool__(self) -> bool:
        return bool(self.cuts)


def unprotected(
    mesh: Mesh, colours: Colours, known: Recovery | None = None, control: Control | None = None
) -> Unprotected:
    """Which failures cut brokers off, and the links whose addition would protect them.

    What is known are the calculated tables of these colours, without any override; else they are calculated.
    """
    graph, failures = graph_of(mesh), colours.failures[1:]
    cuts = tuple(
        Cut(place + HEALTHY + 1, failures[place], pairs, graph)
        for place, pairs in cutting(graph, failures, known.exceptions if known else None).items()
    )
    additions, smallest = links_that_protect(mesh, [each.failures for each in cuts], control or Control())
    return Unprotected(cuts, additions, smallest)
