"""The published topics, symbol by symbol: a deterministic automaton, made as far as it is asked for.

A state is the set of nodes in which the beginning of a topic is: of the publishers' patterns, and of each
part of the labels. It lives as long as some publisher has a topic that goes on. Symbols that no node knows by
name lead where wildcards lead; the first readable word that is not known stands for all of them.

Of a hundred thousand words that filters know by name, most lead from the same nodes to the same nodes as many
others do. One of them stands for all: what the universe looks at are not words but these sorts of words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count

from angarium.core.errors import MeshError
from angarium.mesh.topics.automaton import EMPTY, KINDS, ORDINARY, Automaton, Nodes, Step, Steps, kind_of
from angarium.mesh.topics.regular import LETTERS, RANK
from angarium.mesh.topics.topic import Topic

Shape = tuple[object, ...]


def in_order(symbol: str) -> tuple[int, int, str]:
    """Which symbols are nicer to read: ordinary ones, letters before other characters."""
    return kind_of(symbol), RANK.get(symbol, 0) if len(symbol) == 1 else 0, symbol


class Sorts:
    """For every symbol of an automaton, as it is now, the nicest one that is like it."""

    def __init__(self, automaton: Automaton) -> None:
        uses: dict[str, list[tuple[int, Nodes]]] = {}
        for node, edges in enumerate(automaton.literals):
            for symbol, targets in edges.items():
                uses.setdefault(symbol, []).append((node, targets))
        first: dict[tuple[object, ...], str] = {}
        self._first = {
            symbol: first.setdefault((kind_of(symbol), *uses[symbol]), symbol)
            for symbol in sorted(uses, key=in_order)
        }
        self._kept = [
            {symbol: targets for symbol, targets in edges.items() if self._first[symbol] == symbol}
            for edges in automaton.literals
        ]

    def first(self, symbol: str) -> str:
        """The symbol that stands for it: itself, if no node knows it."""
        return self._first.get(symbol, symbol)

    def edges(self, node: int) -> dict[str, Nodes]:
        """Where a node leads by name: one symbol for each sort."""
        return self._kept[node]

    def shape(self, steps: Steps, apart: Topic) -> Shape:
        """A pattern with sorts in place of words, but for `apart`; patterns of one shape meet the same."""
        return tuple(
            step if not isinstance(step, str) or step in apart else self._sort(step) for step in steps
        )

    def _sort(self, symbol: str) -> tuple[object, ...]:
        return (self._first.get(symbol), kind_of(symbol))


def words_for(steps: tuple[Step, ...], others: tuple[Step, ...]) -> dict[str, str] | None:
    """Which word of the first pattern is which of the other of its shape; None if one is two."""
    found: dict[str, str] = {}
    for step, other in zip(steps, others, strict=True):
        if isinstance(step, str) and isinstance(other, str) and found.setdefault(step, other) != other:
            return None
    return found


MOST_STATES = 500_000
_PART = 1 << 40
"""Items of a state are nodes, plus this often the number of their part; the publishers' is part 0."""


@dataclass(slots=True, eq=False)
class State:
    """Where beginnings of topics are that nothing tells apart."""

    items: frozenset[int]
    leads: Leads | None = None
    """None until it is asked for."""


@dataclass(slots=True, eq=False)
class Leads:
    """Where a state leads."""

    named: dict[str, State | None]
    """Symbols that some node knows by name, one for each sort."""
    others: tuple[State | None, ...]
    """All other symbols, by kind."""


Edges = tuple[tuple[str, State], ...]
_NOWHERE = Leads({}, (None,) * len(KINDS))


def nicer(topic: Topic) -> tuple[bool, int, list[tuple[int, int, str]]]:
    """Shorter topics come first, but one without any words last."""
    return len(topic) == 1, len(topic), [in_order(symbol) for symbol in topic]


class States:
    """All states so far, and where they lead."""

    def __init__(self, automaton: Automaton, parts: list[Nodes], characters: bool) -> None:
        self.automaton, self.characters, self.sorts = automaton, characters, Sorts(automaton)
        self._known: dict[frozenset[int], State] = {}
        self._edges: dict[tuple[State, tuple[int, ...]], Edges] = {}
        items = frozenset(number * _PART + node for number, nodes in enumerate(parts) for node in nodes)
        self.start = self._state(items) or State(frozenset(), _NOWHERE)

    def _state(self, items: frozenset[int]) -> State | None:
        found = self._known.get(items)
        if found is None and items and min(items) < _PART:
            if len(self._known) >= MOST_STATES:
                raise _too_many()
            found = self._known[items] = State(items)
        return found

    def after(self, state: State | None, front: Topic) -> State | None:
        """Where symbols lead; None: no publisher has such a topic."""
        for symbol in front:
            if state is None:
                break
            leads, first = self._leads(state), self.sorts.first(symbol)
            state = leads.named[first] if first in leads.named else self._other(leads, symbol)
        return state

    def _other(self, leads: Leads, symbol: str) -> State | None:
        legal = not self.characters or symbol in RANK
        return leads.others[kind_of(symbol)] if legal else None

    def tags(self, state: State) -> dict[int, set[int]]:
        """The tags of a state, part by part."""
        found: dict[int, set[int]] = {}
        for item in state.items:
            tags = self.automaton.tags[item % _PART]
            if tags:
                found.setdefault(item // _PART, set()).update(tags)
        return found

    def edges(self, state: State, kinds: tuple[int, ...] = KINDS) -> Edges:
        """Every state that symbols of these kinds lead to, with the nicest symbol that does."""
        leads = self._leads(state)
        if leads is _NOWHERE:
            return ()
        if (state, kinds) not in self._edges:
            self._edges[state, kinds] = self._best(leads, kinds)
        return self._edges[state, kinds]

    def _best(self, leads: Leads, kinds: tuple[int, ...]) -> Edges:
        best: dict[State, str] = {}
        for symbol, target in chain(leads.named.items(), self._fresh(leads, kinds)):
            if target is None or kind_of(symbol) not in kinds:
                continue
            if target not in best or in_order(symbol) < in_order(best[target]):
                best[target] = symbol
        edges = ((symbol, target) for target, symbol in best.items())
        return tuple(sorted(edges, key=lambda edge: in_order(edge[0])))

    def _fresh(self, leads: Leads, kinds: tuple[int, ...]) -> Iterator[tuple[str, State]]:
        """Symbols that no node knows, one for each state that they lead to."""
        seen: set[State] = set()
        for kind in kinds:
            target = leads.others[kind]
            if target is not None and target not in seen:
                seen.add(target)
                words = ("",) if kind == EMPTY else LETTERS if self.characters else _words(kind)
                yield next(word for word in words if self.sorts.first(word) not in leads.named), target

    def _leads(self, state: State) -> Leads:
        """Finds out where a state leads."""
        if state.leads is None:
            kinds, named = self._looked_at(state)
            state.leads = self._found(state, kinds, named) if kinds or named else _NOWHERE
        return state.leads

    def _found(self, state: State, kinds: set[int], named: set[str]) -> Leads:
        targets: dict[str, list[int]] = {symbol: [] for symbol in named}
        others: list[list[int]] = [[] for _ in KINDS]
        for item in state.items:
            node = item % _PART
            part, edges = item - node, self.sorts.edges(node)
            for symbol in edges if len(edges) < len(targets) else targets:
                if symbol in edges and symbol in targets:
                    targets[symbol] += [part + to for to in edges[symbol]]
            for kind, nodes in enumerate(self.automaton.wilds[node]):
                if nodes:
                    others[kind] += [part + to for to in nodes]
        return Leads(
            {
                symbol: self._state(frozenset(items + others[kind_of(symbol)]))
                for symbol, items in targets.items()
            },
            tuple(self._state(frozenset(others[kind])) if kind in kinds else None for kind in KINDS),
        )

    def _looked_at(self, state: State) -> tuple[set[int], set[str]]:
        """The kinds of which publishers can have any symbol next, and symbols to look at by name."""
        edges, wilds = self.sorts.edges, self.automaton.wilds
        published = [item for item in state.items if item < _PART]
        named = {symbol for node in published for symbol in edges(node)}
        kinds = {kind for node in published for kind in KINDS if wilds[node][kind]}
        if not kinds:
            return kinds, named
        every = (symbol for item in state.items for symbol in edges(item % _PART))
        named |= {symbol for symbol in every if kind_of(symbol) in kinds}
        return self._not_exhausted(kinds, named), named

    def _not_exhausted(self, kinds: set[int], named: set[str]) -> set[int]:
        """The kinds of which there are symbols that have no name here."""
        if self.characters:
            left = any(self.sorts.first(letter) not in named for letter in LETTERS)
            return {ORDINARY} & kinds if left else set()
        return kinds - {EMPTY} if "" in named else kinds


def _words(kind: int) -> Iterator[str]:
    """Readable words without end."""
    if kind == ORDINARY:
        return chain("xyz", map("x{}".format, count(1)))
    return chain(("$x", "$y", "$z"), map("$x{}".format, count(1)))


def _too_many() -> MeshError:
    what = f"the filters and publishers of the mesh tell topics apart in more than {MOST_STATES:,} ways"
    possible = "possible: fewer publishers, fewer wildcards before the end of a pattern"
    return MeshError("ANG125", what, possible=possible, remedy="verify the mesh in parts")
