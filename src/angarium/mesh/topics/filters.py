"""The filters of all links: in one automaton, by their scopes, and which of them a topic can satisfy at once.

In the automaton each filter is there once, however many links have it.

The first symbol of every name is its scope, and a pattern has one scope. A broker may have hundreds of
scopes, such as the exchanges and queues of a cluster, with links out of each; a name in one of them meets the
links of that scope only, and those that take everything.

Whether some topic satisfies several patterns at once is a search through their automata side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Generic, TypeVar

from angarium.mesh.mesh import Link, Mesh, Pattern
from angarium.mesh.topics.automaton import Automaton, Nodes, Trie
from angarium.mesh.topics.dialects import steps_of
from angarium.mesh.topics.topic import Topic

T = TypeVar("T")


class ByScope(Generic[T]):
    """Things of links, in the order of the links."""

    def __init__(self, things: Iterable[tuple[Link, T]]) -> None:
        self.all: list[T] = []
        self._open: list[int] = []
        self._places: dict[str, list[int]] = {}
        self._known: dict[str, list[T]] = {}
        for place, (link, thing) in enumerate(things):
            self.all.append(thing)
            for scope in {pattern.scope for pattern in link.accepts}:
                self._places.setdefault(scope, []).append(place)
            if not link.accepts:
                self._open.append(place)

    def meeting(self, front: Topic) -> Sequence[T]:
        """What may let a name through that begins so; with no symbol known, everything."""
        if not front:
            return self.all
        scope = front[0]
        if scope not in self._known:
            places = sorted((*self._open, *self._places.get(scope, ())))
            self._known[scope] = [self.all[place] for place in places]
        return self._known[scope]


MOST = 2_000
"""Places that are looked at; beyond, something in common is taken to exist."""
_OTHERS = ("\0", "$\0", "")
"""A symbol of each kind that no pattern knows by name."""


def have_something_in_common(automaton: Automaton, all_of: Collection[Nodes]) -> bool:
    """Whether some end of a topic is accepted behind each of these nodes."""
    start = tuple(sorted(set(all_of)))
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if all(automaton.tags_of(nodes) for nodes in here):
            return True
        if len(seen) > MOST:
            return True
        for there in _onwards(automaton, here):
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return False


def _onwards(automaton: Automaton, here: tuple[Nodes, ...]) -> list[tuple[Nodes, ...]]:
    """Where one more symbol leads that all of them know; the fewest names say which may matter."""
    fewest = min(here, key=lambda nodes: (_is_open(automaton, nodes), len(_names(automaton, nodes))))
    symbols = _names(automaton, fewest)
    if _is_open(automaton, fewest):
        symbols = {*_OTHERS, *(name for nodes in here for name in _names(automaton, nodes))}
    steps = (tuple(tuple(sorted(automaton.step(nodes, symbol))) for nodes in here) for symbol in symbols)
    return [step for step in steps if all(step)]


def _names(automaton: Automaton, nodes: Nodes) -> set[str]:
    return {symbol for node in nodes for symbol in automaton.literals[node]}


def _is_open(automaton: Automaton, nodes: Nodes) -> bool:
    """Whether symbols without a name lead on as well."""
    return any(any(automaton.wilds[node]) for node in nodes)


FEW = 16
Sides = tuple[tuple[Pattern, ...], tuple[Pattern, ...]]


class Filters:
    """What links accept and refuse. Tags of what is accepted are even, of what is refused odd."""

    def __init__(self, mesh: Mesh, automaton: Automaton) -> None:
        self.automaton = automaton
        self._numbers: dict[Sides, int] = {}
        self._of = {
            link.name: self._numbers.setdefault(_sides(link), len(self._numbers)) for link in mesh.links
        }
        self._roots: dict[int, Nodes] = {}
        self._steps = {
            2 * number + side: [steps_of(pattern) for pattern in patterns]
            for sides, number in self._numbers.items()
            for side, patterns in enumerate(sides)
        }
        self.longest = max((len(steps) for patterns in self._steps.values() for steps in patterns), default=0)
        self.together = self._all()
        """Where all filters begin."""

    def _all(self) -> Nodes:
        """Few filters are as good side by side, and may be needed so; many are better in one trie."""
        tags = [tag for tag, patterns in self._steps.items() if patterns]
        if len(tags) <= FEW:
            return tuple(sorted({node for tag in tags for node in self._root(tag)}))
        together = Trie()
        for tag in tags:
            self._put(together, tag)
        return self.automaton.taken(together)

    def accepts(self, link: Link) -> int | None:
        """The tag of what the link accepts; None if that is everything."""
        return 2 * self._of[link.name] if link.accepts else None

    def refuses(self, link: Link) -> int | None:
        return 2 * self._of[link.name] + 1 if link.refuses else None

    def accepted(self, link: Link, front: Topic) -> Nodes:
        """What the link accepts behind this beginning."""
        return self.automaton.walk(self._root(2 * self._of[link.name]), front)

    def refused(self, link: Link, front: Topic) -> Nodes:
        return self.automaton.walk(self._root(2 * self._of[link.name] + 1), front)

    def _put(self, trie: Trie, tag: int) -> None:
        for steps in self._steps[tag]:
            trie.add(steps, tag)

    def _root(self, tag: int) -> Nodes:
        if tag not in self._roots:
            trie = Trie()
            self._put(trie, tag)
            self._roots[tag] = self.automaton.taken(trie)
        return self._roots[tag]

    def lets_some(self, link: Link, front: Topic, complete: bool) -> bool:
        """Whether something that begins so, or is so if `complete`, may get through."""
        accepted, refused = self.accepted(link, front), self.refused(link, front)
        if complete:
            tags = self.automaton.tags_of((*accepted, *refused))
            return (not link.accepts or self.accepts(link) in tags) and self.refuses(link) not in tags
        return bool(accepted or not link.accepts) and not self.automaton.always(refused)


def _sides(link: Link) -> Sides:
    return link.accepts, link.refuses
