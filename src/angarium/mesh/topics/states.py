"""The published topics, symbol by symbol: a deterministic automaton, made as far as it is asked for.

A state is the set of nodes in which the beginning of a topic is: of the publishers' patterns, and of each
part of the labels. It lives as long as some publisher has a topic that goes on. Symbols that no node knows by
name lead where wildcards lead; the first readable word that is not known stands for all of them.

Of a hundred thousand words that filters know by name, most lead from the same nodes to the same nodes as many
others do. One of them stands for all: what the universe looks at are not words but these sorts of words.

Which classes a pattern wants something of, and the shortest such topic.

The pattern and the states of the universe are followed side by side, level by level, so what is found
first is shortest. A pattern that ends with a wildcard for any number of words wants everything from there
on, and what that is does not depend on the pattern, so it is found once for each state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count

from angarium.core.errors import MeshError
from angarium.mesh.topics.automaton import (
    EMPTY,
    KINDS,
    MANY,
    ORDINARY,
    Automaton,
    Nodes,
    Step,
    Steps,
    Wild,
    kind_of,
)
from angarium.mesh.topics.regular import LETTERS, RANK, Term, beginnings, may_be_empty
from angarium.mesh.topics.topic import Topic, Transform

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
    """Where beginnings of topics are that nothing distinguishes."""

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


Position = int | Term
"""How many steps of a pattern have been read, or what is left of an expression."""
Positions = tuple[Position, ...]
Level = dict[tuple[Position, State], Topic]
Found = dict[int, Topic]


def behind(front: Topic, met: Mapping[int, Topic], best: Found) -> None:
    """Takes over what is met behind a beginning, where it is nicer than the best so far."""
    for number, rest in met.items():
        topic, old = front + rest, best.get(number)
        if old is None or (old != topic and nicer(topic) < nicer(old)):
            best[number] = topic


@dataclass(frozen=True, slots=True, eq=False)
class Likewise(Mapping[int, Topic]):
    """What a pattern of the same shape met, with this one's words in place of those."""

    met: Found
    front: int
    """How many symbols stay as they are."""
    words: dict[str, str]

    def __getitem__(self, number: int) -> Topic:
        topic = self.met[number]
        return topic[: self.front] + tuple(self.words.get(symbol, symbol) for symbol in topic[self.front :])

    def __iter__(self) -> Iterator[int]:
        return iter(self.met)

    def __len__(self) -> int:
        return len(self.met)


class Reading:
    """A pattern, read symbol by symbol."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def settled(self, index: int) -> Positions:
        """Where reading goes on; wildcards for any number of symbols may also be skipped."""
        if index == len(self.steps):
            return (index,)
        step = self.steps[index]
        if isinstance(step, Wild):
            return (index, *self.settled(index + 1)) if step.many else (index,)
        return (index,) if isinstance(step, str) else (step,)

    def complete(self, position: Position) -> bool:
        """Whether the pattern matches what has been read."""
        return position == len(self.steps) if isinstance(position, int) else may_be_empty(position)

    def after(self, position: Position, symbol: str) -> Positions:
        """Where one symbol leads."""
        if not isinstance(position, int):
            return tuple(left for chars, left in beginnings(position) if symbol in chars)
        step = self.steps[position] if position < len(self.steps) else None
        if isinstance(step, Wild):
            return self.wild(position, step) if kind_of(symbol) in step.kinds else ()
        return self.settled(position + 1) if step == symbol else ()

    def wild(self, position: int, step: Wild) -> Positions:
        """Where a symbol leads that a wildcard matches."""
        return self.settled(position if step.many else position + 1)

    def read(self, front: Topic) -> set[Position]:
        """Where many symbols lead."""
        positions: set[Position] = set(self.settled(0))
        for symbol in front:
            positions = {to for position in positions for to in self.after(position, symbol)}
        return positions

    def rest(self, position: Position) -> Wild | None:
        """The wildcard with which the pattern ends, if there is nothing else left to read."""
        last = self.steps[-1]
        ends = position == len(self.steps) - 1 and isinstance(last, Wild) and last.many
        return last if ends and isinstance(last, Wild) else None


class Meeting:
    """Patterns that meet the states of one universe."""

    def __init__(self, states: States, number_of: Callable[[State], int | None]) -> None:
        self.states, self.number_of = states, number_of
        self._going_on: dict[tuple[State, Wild], Found] = {}
        self._before: dict[tuple[Shape, Transform], tuple[Steps, Found]] = {}
        self._brought: dict[Topic, Found] = {}
        """All that begins so, for the many renamings that make one name of it."""

    def met_by_any(self, patterns: Iterable[Steps], renamed: Transform) -> Mapping[int, Topic]:
        """The classes that some of the patterns want, and the topics as they were published."""
        shapes: dict[Shape, Steps] = {}
        for steps in patterns:
            shape = steps if self.states.characters else self.states.sorts.shape(steps, renamed.add)
            shapes.setdefault(shape, steps)
        met = [self._met_as_before(steps, shape, renamed) for shape, steps in shapes.items()]
        if len(met) == 1:
            return met[0]
        best: Found = {}
        for each in met:
            behind((), each, best)
        return best

    def _met_as_before(self, steps: Steps, shape: Shape, renamed: Transform) -> Mapping[int, Topic]:
        """What a pattern meets, taken over from one of the same shape if there was one."""
        if (shape, renamed) not in self._before:
            self._before[shape, renamed] = steps, self.met(steps, renamed)
        others, met = self._before[shape, renamed]
        words = words_for(others, steps)
        return self.met(steps, renamed) if words is None else Likewise(met, len(renamed.strip), words)

    def met(self, steps: Steps, renamed: Transform) -> Found:
        """The classes that one pattern wants."""
        best: Found = {}
        state = self.states.after(self.states.start, renamed.strip)
        if state is None:
            return best
        reading = Reading(steps)
        positions = reading.read(renamed.add)
        if not renamed.whole:
            self._follow(reading, {(position, state): renamed.strip for position in positions}, best)
        elif any(map(reading.complete, positions)):
            if renamed.strip not in self._brought:
                self._everything(state, MANY, renamed.strip, best)
                self._brought[renamed.strip] = best
            return self._brought[renamed.strip]
        return best

    def _follow(self, reading: Reading, level: Level, best: Found) -> None:
        seen = set(level)
        while level:
            coming: Level = {}
            for (position, state), topic in level.items():
                if rest := reading.rest(position):
                    self._everything(state, rest, topic, best)
                    continue
                if reading.complete(position):
                    self._note(state, topic, best)
                for symbol, target, positions in self._moves(reading, position, state):
                    _come(coming, ((each, target) for each in positions), (*topic, symbol))
            level = {place: topic for place, topic in coming.items() if place not in seen}
            seen.update(level)

    def _moves(
        self, reading: Reading, position: Position, state: State
    ) -> Iterator[tuple[str, State, Positions]]:
        """The symbols that both can read, where the state leads with them, and where the pattern."""
        step = (
            reading.steps[position] if isinstance(position, int) and position < len(reading.steps) else None
        )
        if isinstance(step, Wild) and isinstance(position, int):
            positions = reading.wild(position, step)
            yield from (
                (symbol, target, positions) for symbol, target in self.states.edges(state, step.kinds)
            )
            return
        for symbol in (step,) if isinstance(step, str) else _letters(position):
            target = self.states.after(state, (symbol,))
            if target is not None:
                yield symbol, target, reading.after(position, symbol)

    def _note(self, state: State, topic: Topic, best: Found) -> None:
        number = self.number_of(state)
        if number is not None:
            behind(topic, {number: ()}, best)

    def _everything(self, state: State, rest: Wild, front: Topic, best: Found) -> None:
        """Notes all topics that go on from a state with any number of symbols."""
        self._note(state, front, best)
        behind(front, self._rests(state, rest), best)

    def _rests(self, state: State, rest: Wild) -> Found:
        """The classes of topics that go on from a state, and the shortest path in which they do."""
        if (state, rest) not in self._going_on:
            found: Found = {}
            reached: dict[State, Topic] = {}
            waiting: list[tuple[State, Topic]] = [(state, ())]
            for each, topic in waiting:
                new = [edge for edge in self.states.edges(each, rest.kinds) if edge[1] not in reached]
                reached.update((target, (*topic, symbol)) for symbol, target in new)
                waiting += [(target, reached[target]) for _, target in new]
            for target, topic in reached.items():
                number = self.number_of(target)
                if number is not None:
                    found.setdefault(number, topic)
            self._going_on[state, rest] = found
        return self._going_on[state, rest]


def _come(coming: Level, places: Iterable[tuple[Position, State]], topic: Topic) -> None:
    for place in places:
        if place not in coming or nicer(topic) < nicer(coming[place]):
            coming[place] = topic


def _letters(position: Position) -> set[str]:
    """The characters with which an expression can go on."""
    if isinstance(position, int):
        return set()
    return {char for chars, _ in beginnings(position) for char in chars}
