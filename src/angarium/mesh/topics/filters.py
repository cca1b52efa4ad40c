"""The filters of all links in one automaton, each of them once, however many links have it."""

from __future__ import annotations

from angarium.mesh.mesh import Link, Mesh, Pattern
from angarium.mesh.topics.automaton import Automaton, Nodes, Trie
from angarium.mesh.topics.dialects import steps_of
from angarium.mesh.topics.topic import Topic

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
