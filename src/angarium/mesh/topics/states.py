"""The published topics, symbol by symbol: a deterministic automaton, made as far as it is asked for.

A state is the set of nodes in which the beginning of a topic is: of the publishers' patterns, and of each part
of the labels. It lives as long as some publisher has a topic that goes on. Symbols that no node knows by name
lead where wildcards lead; the first readable word that is not known stands for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count

from angarium.errors import MeshError
from angarium.mesh.topics.alike import Sorts, in_order
from angarium.mesh.topics.automaton import Automaton, Nodes
from angarium.mesh.topics.regular import LETTERS, RANK
from angarium.mesh.topics.steps import EMPTY, KINDS, ORDINARY, kind_of
from angarium.mesh.topics.topic import Topic

MOST_STATES = 500_000
_PART = 1 << 40
"""Items of a state are nodes, plus this often the number of their part; the publishers' is part 0."""

Edges = tuple[tuple[str, "State"], ...]


@dataclass(slots=True, eq=False)
class State:
    """Where beginnings of topics are between which nothing tells apart."""

    items: frozenset[int]
    known: dict[str, State] = field(default_factory=dict)
    """Where symbols lead that some node knows by name; those that lead nowhere are not there."""
    named: frozenset[str] = frozenset()
    others: tuple[State | None, ...] = ()
    """Where all other symbols lead, by kind; empty until it is asked for."""
    edges: dict[tuple[int, ...], Edges] = field(default_factory=dict)


def nicer(topic: Topic) -> tuple[bool, int, list[tuple[int, int, str]]]:
    """Shorter topics come first, but one without any words last."""
    return len(topic) == 1, len(topic), [in_order(symbol) for symbol in topic]


class States:
    """All states so far, and where they lead."""

    def __init__(self, automaton: Automaton, parts: list[Nodes], characters: bool) -> None:
        self.automaton, self.characters, self.sorts = automaton, characters, Sorts(automaton)
        self._known: dict[frozenset[int], State] = {}
        items = frozenset(number * _PART + node for number, nodes in enumerate(parts) for node in nodes)
        self.start = self._state(items) or State(frozenset(), others=(None, None, None))

    def _state(self, items: frozenset[int]) -> State | None:
        found = self._known.get(items)
        if found is None and any(item < _PART for item in items):
            if len(self._known) >= MOST_STATES:
                raise _too_many()
            found = self._known[items] = State(items)
        return found

    def after(self, state: State | None, front: Topic) -> State | None:
        """Where symbols lead; None: no publisher has such a topic."""
        for symbol in front:
            if state is None:
                break
            self._lead_on(state)
            first = self.sorts.first(symbol)
            state = state.known.get(first) if first in state.named else self._other(state, symbol)
        return state

    def _other(self, state: State, symbol: str) -> State | None:
        legal = not self.characters or symbol in RANK
        return state.others[kind_of(symbol)] if legal else None

    def tags(self, state: State) -> dict[int, set[int]]:
        """The tags of a state, part by part."""
        found: dict[int, set[int]] = {}
        for item in state.items:
            part, node = divmod(item, _PART)
            if self.automaton.tags[node]:
                found.setdefault(part, set()).update(self.automaton.tags[node])
        return found

    def edges(self, state: State, kinds: tuple[int, ...] = KINDS) -> Edges:
        """Every state that symbols of these kinds lead to, with the nicest symbol that does."""
        if kinds not in state.edges:
            self._lead_on(state)
            best: dict[State, str] = {}
            for symbol, target in chain(state.known.items(), self._fresh(state)):
                if kind_of(symbol) in kinds and (target not in best or in_order(symbol) < in_order(best[target])):
                    best[target] = symbol
            found = sorted(((symbol, target) for target, symbol in best.items()), key=lambda each: in_order(each[0]))
            state.edges[kinds] = tuple(found)
        return state.edges[kinds]

    def _fresh(self, state: State) -> Iterator[tuple[str, State]]:
        """For every kind a symbol that no node knows, and where it leads."""
        for kind, target in enumerate(state.others):
            if target is not None:
                words = ("",) if kind == EMPTY else LETTERS if self.characters else _words(kind)
                yield next(word for word in words if self.sorts.first(word) not in state.named), target

    def _lead_on(self, state: State) -> None:
        """Finds out where a state leads."""
        if state.others:
            return
        open_kinds, named = self._named(state)
        targets: dict[str, list[int]] = {symbol: [] for symbol in named}
        others: list[list[int]] = [[] for _ in KINDS]
        for item in state.items:
            part, node = item // _PART * _PART, item % _PART
            for symbol, nodes in self._literals(node, targets):
                targets[symbol] += [part + to for to in nodes]
            for kind, nodes in enumerate(self.automaton.wilds[node]):
                others[kind] += [part + to for to in nodes]
        state.named = frozenset(named)
        for symbol, items in targets.items():
            target = self._state(frozenset(items + others[kind_of(symbol)]))
            if target is not None:
                state.known[symbol] = target
        state.others = tuple(self._state(frozenset(others[kind])) if kind in open_kinds else None for kind in KINDS)

    def _literals(self, node: int, wanted: dict[str, list[int]]) -> Iterable[tuple[str, Nodes]]:
        """The edges of a node that have these names."""
        edges = self.sorts.edges(node)
        fewer = edges if len(edges) < len(wanted) else wanted
        return [(symbol, edges[symbol]) for symbol in fewer if symbol in edges and symbol in wanted]

    def _named(self, state: State) -> tuple[set[int], set[str]]:
        """Of which kinds publishers can have any symbol next, and the symbols that must be looked at."""
        edges, wilds = self.sorts.edges, self.automaton.wilds
        published = [item for item in state.items if item < _PART]
        kinds = {kind for kind in KINDS for node in published if wilds[node][kind]}
        named = {symbol for node in published for symbol in edges(node)}
        if kinds:
            every = (symbol for item in state.items for symbol in edges(item % _PART))
            named |= {symbol for symbol in every if kind_of(symbol) in kinds}
        return self._not_exhausted(kinds, named), named

    def _not_exhausted(self, kinds: set[int], named: set[str]) -> set[int]:
        """The kinds of which there are symbols that have no name here."""
        if self.characters:
            return {ORDINARY} & kinds if any(self.sorts.first(each) not in named for each in LETTERS) else set()
        return kinds - {EMPTY} if "" in named else kinds


def _words(kind: int) -> Iterator[str]:
    sign = "" if kind == ORDINARY else "$"
    return (sign + word for word in chain("xyz", (f"x{number}" for number in count(1))))


def _too_many() -> MeshError:
    what = f"the filters and publishers of the mesh tell topics apart in more than {MOST_STATES:,} ways"
    return MeshError("ANG125", what, possible="possible: fewer wildcards in the middle of patterns", remedy="verify parts of the mesh")
