"""Many patterns as one automaton: a trie whose equal parts are one.

Patterns are put into a trie, step by step, each with a tag that says whose it is. From its leaves up,
nodes from which the same topics lead to the same tags become one node, so that a hundred thousand words
behind which the same happens cost one node, not a hundred thousand. The automaton is not deterministic: a
topic is in a set of nodes, seldom more than a few, because a word can go its own way and a wildcard's.

A pattern is made of steps, whatever its dialect: one for each symbol, or for many.

A step is a literal symbol, a wildcard (for one symbol, or for any number), or, at the end, a regular
expression over characters. Wildcards ask only of which kind a symbol is: MQTT's do not see a first word
that begins with `$`, NATS has no empty words, and everything else is alike to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from angarium.mesh.topics.regular import ALL, Term, beginnings, may_be_empty
from angarium.mesh.topics.topic import Topic

ORDINARY, DOLLAR, EMPTY = 0, 1, 2
KINDS = (ORDINARY, DOLLAR, EMPTY)


def kind_of(symbol: str) -> int:
    """What wildcards can tell about a symbol."""
    if not symbol:
        return EMPTY
    return DOLLAR if symbol[0] == "$" else ORDINARY


@dataclass(frozen=True, slots=True)
class Wild:
    """A wildcard: one symbol of these kinds, or, if `many`, any number of them."""

    kinds: tuple[int, ...] = KINDS
    many: bool = False


ONE, MANY = Wild(), Wild(many=True)
ONE_SEEN = Wild((ORDINARY, EMPTY))
"""A first word in MQTT: wildcards do not see `$SYS` and its like."""
ONE_OR_DOLLAR, MANY_OR_DOLLAR = Wild((ORDINARY, DOLLAR)), Wild((ORDINARY, DOLLAR), many=True)
"""Words that are not empty: in NATS there are no others."""

Step = str | Wild | Term
Steps = tuple[Step, ...]


Nodes = tuple[int, ...]
Tags = frozenset[int]
Wilds = tuple[Nodes, ...]
"""For every kind of symbol where wildcards lead."""
_ITSELF = -1
_NO_TAGS: Tags = frozenset()
_NOWHERE: Wilds = ((), (), ())


class Trie:
    """Patterns with tags, before equal parts are found. Its knots are numbers; 0 is the first."""

    def __init__(self) -> None:
        self.children: list[dict[str | Wild, int]] = [{}]
        """By knot and step; children have higher numbers than their parents, always."""
        self.loops: dict[int, tuple[int, ...]] = {}
        """Where a wildcard for any number of symbols leads: the kinds of symbols on which it stays there."""
        self.tags: dict[int, set[int]] = {}
        self.terms: dict[int, set[tuple[Term, int]]] = {}
        """What is left of regular expressions, with tags."""
        self.longest = 0

    def add(self, steps: Steps, tag: int) -> None:
        at, self.longest = 0, max(self.longest, len(steps))
        for step in steps:
            if isinstance(step, Term):
                self.terms.setdefault(at, set()).add((step, tag))
                return
            here = self.children[at]
            at = here[step] if step in here else self._child(here, step)
        self.tags.setdefault(at, set()).add(tag)

    def _child(self, children: dict[str | Wild, int], step: str | Wild) -> int:
        number = children[step] = len(self.children)
        self.children.append({})
        if isinstance(step, Wild) and step.many:
            self.loops[number] = step.kinds
        return number


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
        nodes: list[Nodes] = [()] * len(trie.children)
        for knot in range(len(nodes) - 1, -1, -1):
            nodes[knot] = self._settled(trie, knot, nodes)
        return nodes[0]

    def _settled(self, trie: Trie, knot: int, nodes: list[Nodes]) -> Nodes:
        """The node of a knot, with those that are reached from it without a symbol."""
        literals: dict[str, Nodes] = {}
        wild: list[tuple[Wild, int]] = []
        for step, child in trie.children[knot].items():
            if isinstance(step, str):
                literals[step] = nodes[child]
            else:
                wild.append((step, child))
        tags = frozenset(trie.tags[knot]) if knot in trie.tags else _NO_TAGS
        free = {self._term(term, tag) for term, tag in trie.terms.get(knot, ())}
        free.update(node for step, child in wild if step.many for node in nodes[child])
        wilds = _wilds(trie.loops.get(knot, ()), wild, nodes)
        if literals or tags or any(wilds):
            free.add(self.node(tags, literals, wilds))
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
            if wilds != _NOWHERE:
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


def _wilds(loops: tuple[int, ...], wild: list[tuple[Wild, int]], nodes: list[Nodes]) -> Wilds:
    """Where wildcards lead from a knot that stays where it is on symbols of the kinds `loops`."""
    if not loops and not wild:
        return _NOWHERE
    found: list[set[int]] = [{_ITSELF} if kind in loops else set() for kind in KINDS]
    for step, child in wild:
        for kind in () if step.many else step.kinds:
            found[kind].update(nodes[child])
    return tuple(tuple(sorted(each)) for each in found)
