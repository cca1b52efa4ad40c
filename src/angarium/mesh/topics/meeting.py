"""Which classes a pattern wants something of, and the shortest such topic.

The pattern and the states of the universe are followed side by side, level by level, so what is found
first is shortest. A pattern that ends with a wildcard for any number of words wants everything from there
on, and what that is does not depend on the pattern, so it is found once for each state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from angarium.mesh.topics.automaton import MANY, Steps, Wild, kind_of
from angarium.mesh.topics.regular import Term, beginnings, may_be_empty
from angarium.mesh.topics.states import Shape, State, States, nicer, words_for
from angarium.mesh.topics.topic import Topic, Transform

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
            self._everything(state, MANY, renamed.strip, best)
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
