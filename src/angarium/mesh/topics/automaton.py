"""Many patterns as one automaton: a trie whose equal parts are one.

Patterns are put into a trie, step by step, each with a tag that says whose it is. From its leaves up, nodes
from which the same topics lead to the same tags become one node, so that a hundred thousand words behind
which the same happens cost one node, not a hundred thousand. The automaton is not deterministic: a topic is in
a set of nodes, seldom more than a few, because a word can go its own way and a wildcard's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from angarium.mesh.topics.regular import ALL, Term, beginnings, may_be_empty
from angarium.mesh.topics.steps import KINDS, Steps, Wild, kind_of
from angarium.mesh.topics.topic import Topic

Nodes = tuple[int, ...]
Tags = frozenset[int]
Wilds = tuple[Nodes, ...]
"""For every kind of symbol where wildcards lead."""
_ITSELF = -1
_NO_TAGS: Tags = frozenset()
_NOWHERE: Wilds = ((), (), ())


@dataclass(slots=True)
class _Knot:
    """A node of the trie while it grows."""

    children: dict[str | Wild, int] = field(default_factory=dict)
    terms: set[tuple[Term, int]] = field(default_factory=set)
    tags: set[int] = field(default_factory=set)
    loops: tuple[int, ...] = ()
    """The kinds of symbols on which it stays."""


class Trie:
    """Patterns with tags, before equal parts are found."""

    def __init__(self) -> None:
        self.knots = [_Knot()]
        self.longest = 0

    def add(self, steps: Steps, tag: int) -> None:
        at, self.longest = 0, max(self.longest, len(steps))
        for step in steps:
            if isinstance(step, (str, Wild)):
                at = self._child(at, step)
            else:
                self.knots[at].terms.add((step, tag))
                return
        self.knots[at].tags.add(tag)

    def _child(self, at: int, step: str | Wild) -> int:
        """Children have higher numbers than their parents, always."""
        children = self.knots[at].children
        if step not in children:
            children[step] = len(self.knots)
            loops = step.kinds if isinstance(step, Wild) and step.many else ()
            self.knots.append(_Knot(loops=loops))
        return children[step]


class Automaton:
    """Nodes of any number of tries, each different from all others. What they lead to is never changed."""

    def __init__(self) -> None:
        self.literals: list[dict[str, Nodes]] = []
        self.wilds: list[Wilds] = []
        self.tags: list[Tags] = []
        self._known: dict[tuple[Tags, frozenset[tuple[str, Nodes]], Wilds], int] = {}
        self._terms: dict[tuple[Term, int], int] = {}

    def taken(self, trie: Trie) -> Nodes:
        """Where a trie begins, here."""
        nodes: list[Nodes] = [()] * len(trie.knots)
        for number in range(len(trie.knots) - 1, -1, -1):
            nodes[number] = self._settled(trie.knots[number], nodes)
        return nodes[0]

    def _settled(self, knot: _Knot, nodes: list[Nodes]) -> Nodes:
        """The node of a knot, with those that are reached from it without a symbol."""
        literals: dict[str, Nodes] = {}
        wilds: list[set[int]] = [{_ITSELF} if kind in knot.loops else set() for kind in KINDS]
        free = {self._term(term, tag) for term, tag in knot.terms}
        for step, child in knot.children.items():
            if isinstance(step, str):
                literals[step] = nodes[child]
            elif step.many:
                free.update(nodes[child])
            else:
                for kind in step.kinds:
                    wilds[kind].update(nodes[child])
        if literals or knot.tags or any(wilds):
            free.add(self.node(frozenset(knot.tags), literals, tuple(tuple(sorted(each)) for each in wilds)))
        return tuple(sorted(free))

    def node(
        self, tags: Tags = _NO_TAGS, literals: dict[str, Nodes] | None = None, wilds: Wilds = _NOWHERE
    ) -> int:
        """The node with these tags and edges."""
        literals = literals or {}
        key = (tags, frozenset(literals.items()), wilds)
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = self._new(tags, literals)
            self.wilds[number] = tuple(
                tuple(number if to == _ITSELF else to for to in each) for each in wilds
            )
        return number

    def _new(self, tags: Tags, literals: dict[str, Nodes]) -> int:
        self.literals.append(literals)
        self.wilds.append(_NOWHERE)
        self.tags.append(tags)
        return len(self.tags) - 1

    def everything(self, tag: int) -> int:
        """The node behind which everything has this tag."""
        return self.node(frozenset((tag,)), wilds=((_ITSELF,),) * len(KINDS))

    def unfinished(self, nodes: Nodes) -> Nodes:
        """The same nodes for topics that go on, but nothing for one that ends here."""
        return tuple(self.node(literals=self.literals[each], wilds=self.wilds[each]) for each in nodes)

    def _term(self, term: Term, tag: int) -> int:
        """The node of a term, and those of all that can be left of it."""
        found = self._terms.get((term, tag))
        waiting = [] if found is not None else [term]
        first = self._named(term, tag)
        while waiting:
            each = waiting.pop()
            waiting += self._lead_on(each, tag)
        return first

    def _named(self, term: Term, tag: int) -> int:
        key = (term, tag)
        if key not in self._terms:
            self._terms[key] = self._new(frozenset((tag,)) if may_be_empty(term) else _NO_TAGS, {})
        return self._terms[key]

    def _lead_on(self, term: Term, tag: int) -> list[Term]:
        """Gives a term's node its edges; returns terms that are new."""
        literals: dict[str, set[int]] = {}
        wild: set[int] = set()
        new: list[Term] = []
        for chars, left in beginnings(term):
            new += [] if (left, tag) in self._terms else [left]
            target = self._named(left, tag)
            if chars == ALL:
                wild.add(target)
            else:
                for char in chars:
                    literals.setdefault(char, set()).add(target)
        number = self._terms[term, tag]
        self.literals[number].update((char, tuple(sorted(nodes))) for char, nodes in literals.items())
        self.wilds[number] = (tuple(sorted(wild)),) * len(KINDS)
        return new

    def step(self, nodes: Iterable[int], symbol: str) -> Nodes:
        """Where one symbol leads."""
        kind, found = kind_of(symbol), set[int]()
        for node in nodes:
            found.update(self.literals[node].get(symbol, ()), self.wilds[node][kind])
        return tuple(found)

    def walk(self, nodes: Nodes, topic: Topic) -> Nodes:
        """Where a topic, or the beginning of one, leads."""
        for symbol in topic:
            if not nodes:
                break
            nodes = self.step(nodes, symbol)
        return nodes

    def tags_of(self, nodes: Iterable[int]) -> set[int]:
        return set().union(*(self.tags[node] for node in nodes))

    def always(self, nodes: Iterable[int]) -> set[int]:
        """The tags of everything that may follow."""
        return self.tags_of(node for node in nodes if all(node in to for to in self.wilds[node]))
