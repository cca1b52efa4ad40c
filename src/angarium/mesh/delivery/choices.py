"""Copies that one of several takes, and nobody knows which.

Where links and subscribers compete for a copy, the graph of states has places at which one of several
crossings is made instead of all. What is asked is whether something arrives whatever is chosen, and how much
can arrive at most. Every copy is chosen for anew, so all is counted backwards, from where copies count:

    sure(state)  it counts there, or is sure behind some crossing that is always made,
                 or behind each of those among which one is chosen
    most(state)  does it count there + the most behind each crossing that is always made
                 + for each choice, the most that is behind one of its crossings
    late(state)  0 if it counts there; the least of the path over each crossing that is always made,
                 and for each choice, of the longest over one of its crossings

All are the least solutions. So nothing is sure on a round that need not be left; and there is no end of
copies where a round that can be gone again brings something each time.

Rounds that copies go for ever.

A round is a cycle in the graph of states. Cycles that share states are parts of one strongly connected
component; of each, the shortest round through its first state is shown, and how a copy gets into it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import inf
from typing import NamedTuple

from angarium.mesh.topics.topic import Transform

Links = tuple[int, ...]


def components(following: Sequence[Sequence[int]], among: Sequence[int]) -> list[list[int]]:
    """The strongly connected components that have a cycle, of a part of a graph: Kosaraju's two searches."""
    allowed = set(among)
    before: dict[int, list[int]] = {state: [] for state in among}
    for state in among:
        for after in following[state]:
            if after in allowed:
                before[after].append(state)
    free, found = set(among), []
    for state in reversed(finished(following, among)):
        if state in free:
            component = _gathered(before, state, free)
            if len(component) > 1 or state in following[state]:
                found.append(component)
    return found


def finished(following: Sequence[Sequence[int]], among: Sequence[int]) -> list[int]:
    """States in the order in which a search in depth is done with them."""
    free, done = set(among), []
    for root in among:
        path: list[tuple[int, Iterator[int]]] = []
        entered: int | None = root if root in free else None
        while entered is not None or path:
            if entered is not None:
                free.discard(entered)
                path.append((entered, iter(following[entered])))
            entered = next((after for after in path[-1][1] if after in free), None)
            if entered is None:
                done.append(path.pop()[0])
    return done


def _gathered(before: dict[int, list[int]], state: int, free: set[int]) -> list[int]:
    """Free states from which a state can be reached, which are free no more."""
    free.discard(state)
    component = [state]
    for each in component:
        fresh = [earlier for earlier in dict.fromkeys(before[each]) if earlier in free]
        free.difference_update(fresh)
        component += fresh
    return component


def shortest_round(
    following: Sequence[Sequence[int]],
    labels: Sequence[Sequence[Links]],
    component: Sequence[int],
    first: int,
) -> tuple[list[int], Links]:
    """The states, from the first one, and the links of the shortest round within a component."""
    allowed = set(component)
    before: dict[int, tuple[int, Links]] = {}
    waiting = deque([first])
    while first not in before:
        state = waiting.popleft()
        for after, links in zip(following[state], labels[state], strict=True):
            if after in allowed and after not in before:
                before[after] = state, links
                waiting.append(after)
    return _traced(before, first)


def _traced(before: dict[int, tuple[int, Links]], first: int) -> tuple[list[int], Links]:
    states: list[int] = []
    parts: list[Links] = []
    state = first
    while not parts or state != first:
        state, links = before[state]
        states.append(state)
        parts.append(links)
    return states[::-1], tuple(link for links in reversed(parts) for link in links)


def unrolled(before: Links, round_: Links) -> tuple[Links, Links]:
    """The same endless path, with what its beginning has in common with the round taken into the round."""
    while before and before[-1] == round_[-1]:
        before, round_ = before[:-1], (round_[-1], *round_[:-1])
    return before, round_


NANOSECONDS = 6
"""Decimals of a millisecond; finer differences come from adding in another order."""
TAKEN = -1
"""What is behind the crossing by which a subscriber takes a copy: no state."""


Group = tuple[str, str]
"""A broker, and what is shared there."""
ALONE: Group = ("", "")
"""Of whoever competes with nobody."""


class Choice(NamedTuple):
    """One copy, and who competes for it."""

    group: Group
    behind: tuple[int, ...]
    """The states behind the links; `TAKEN` for the subscribers."""
    who: tuple[str, ...]
    """The links, and the subscribers as one."""
    took: tuple[float, ...]
    """Milliseconds over each."""


class Place(NamedTuple):
    """Where copies of one state are, and under which names they count there."""

    broker: str
    own: Transform
    names: frozenset[Transform]
    """All names that the broker gives the copy; none for a copy that it has made within itself."""
    path: tuple[str, ...]
    """The links on the quickest path there."""


class Wish(NamedTuple):
    """Copies that somebody wants."""

    names: Mapping[str, Set[Transform]]
    """By broker, the names by which it wants them."""
    group: Group = ALONE
    """In which it competes for them."""


class Rival(NamedTuple):
    """Who may take a copy so that it does not arrive."""

    broker: str
    shared: str
    taker: str
    others: tuple[str, ...]
    path: tuple[str, ...]
    """To that broker."""

    def __str__(self) -> str:
        others = " and ".join(self.others)
        return f"{self.taker} may take it at {self.broker}, sharing {self.shared} with {others}"


@dataclass(frozen=True, slots=True)
class Choices:
    """The states of the copies of one message, from that of the first one on."""

    places: Sequence[Place]
    always: Sequence[Sequence[int]]
    """Of each state, those that a copy gets into whatever is chosen."""
    took: Sequence[Sequence[float]]
    """And the milliseconds to each."""
    chosen: Sequence[Sequence[Choice]]
    """And the choices that decide into which others."""
    groups: Container[Group]
    """All within which there may be a choice."""
    begin: float = 0.0
    """Milliseconds until the copy is in the first state."""
    _after: list[list[int]] = field(init=False)
    _before: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        after = [list(dict.fromkeys(self._behind(state))) for state in range(len(self.places))]
        before: list[list[int]] = [[] for _ in self.places]
        for state, behind in enumerate(after):
            for each in behind:
                before[each].append(state)
        object.__setattr__(self, "_after", after)
        object.__setattr__(self, "_before", before)

    def _behind(self, state: int) -> Iterator[int]:
        yield from self.always[state]
        yield from (behind for choice in self.chosen[state] for behind in choice.behind if behind != TAKEN)

    def counts(self, state: int, wish: Wish) -> bool:
        """Whether a copy is what is wanted as soon as it is in a state."""
        place = self.places[state]
        return wish.group not in self.groups and not place.names.isdisjoint(wish.names.get(place.broker, ()))

    def taken(self, state: int, choice: Choice, wish: Wish) -> bool:
        """Whether the subscriber that may take a copy is who wants it."""
        place = self.places[state]
        wanted = choice.group == wish.group and place.own in wish.names.get(place.broker, ())
        return wanted and TAKEN in choice.behind

    def sure(self, wish: Wish) -> set[int]:
        """The states from which something arrives whatever is chosen."""
        found: set[int] = set()
        waiting: Iterable[int] = range(len(self.places))
        while fresh := {each for each in waiting if each not in found and self._is_sure(each, found, wish)}:
            found |= fresh
            waiting = {earlier for state in fresh for earlier in self._before[state]}
        return found

    def _is_sure(self, state: int, known: Set[int], wish: Wish) -> bool:
        def arrives(choice: Choice, behind: int) -> bool:
            return self.taken(state, choice, wish) if behind == TAKEN else behind in known

        return (
            self.counts(state, wish)
            or any(each in known for each in self.always[state])
            or any(all(arrives(choice, behind) for behind in choice.behind) for choice in self.chosen[state])
        )

    def most(self, wish: Wish) -> int | None:
        """How many copies can arrive; None: without end."""
        return _Most(self, wish).value()

    def latest(self, wish: Wish) -> float:
        """Milliseconds until the first copy arrives, if everything is chosen badly."""
        settled: dict[int, float] = {}
        waiting = [(0.0, state) for state in range(len(self.places)) if self.counts(state, wish)]
        waiting += [
            (self._longest(state, each, settled, wish), state)
            for state in range(len(self.places))
            for each in self.chosen[state]
            if set(each.behind) == {TAKEN}
        ]
        heapify(waiting)
        while waiting and 0 not in settled:
            late, state = heappop(waiting)
            if state not in settled and late < inf:
                settled[state] = late
                for earlier in self._before[state]:
                    heappush(waiting, (self._late(earlier, settled, wish), earlier))
        return round(self.begin + settled.get(0, inf), NANOSECONDS)

    def _late(self, state: int, known: Mapping[int, float], wish: Wish) -> float:
        options = zip(self.always[state], self.took[state], strict=True)
        return min(
            [known.get(behind, inf) + took for behind, took in options]
            + [self._longest(state, choice, known, wish) for choice in self.chosen[state]]
        )

    def _longest(self, state: int, choice: Choice, known: Mapping[int, float], wish: Wish) -> float:
        taken = 0.0 if self.taken(state, choice, wish) else inf
        options = zip(choice.behind, choice.took, strict=True)
        return max((taken if behind == TAKEN else known.get(behind, inf)) + took for behind, took in options)

    def leading(self, wish: Wish) -> set[int]:
        """The states from which something can arrive."""
        waiting = [state for state in range(len(self.places)) if self._begins(state, wish)]
        found = set(waiting)
        for state in waiting:
            fresh = [each for each in self._before[state] if each not in found]
            found.update(fresh)
            waiting += fresh
        return found

    def _begins(self, state: int, wish: Wish) -> bool:
        return self.counts(state, wish) or any(self.taken(state, each, wish) for each in self.chosen[state])

    def rival(self, wish: Wish) -> Rival | None:
        """Who may take what would arrive if another took it: the nearest, on a path on which all is lost."""
        sure, can = self.sure(wish), self.leading(wish)
        waiting = [0] if 0 in can and 0 not in sure else []
        seen = set(waiting)
        for state in waiting:
            losing = list(self.always[state])
            for choice in self.chosen[state]:
                kept = [self._keeps(state, choice, each, can, wish) for each in choice.behind]
                if any(kept) and not all(kept):
                    return self._rival(state, choice, kept.index(False))
                losing += [each for each in choice.behind if each not in sure and each != TAKEN]
            fresh = [each for each in dict.fromkeys(losing) if each in can and each not in seen]
            seen.update(fresh)
            waiting += fresh
        return None

    def _rival(self, state: int, choice: Choice, taker: int) -> Rival:
        others = tuple(who for place, who in enumerate(choice.who) if place != taker)
        return Rival(
            self.places[state].broker, choice.group[1], choice.who[taker], others, self.places[state].path
        )

    def _keeps(self, state: int, choice: Choice, behind: int, keeping: Set[int], wish: Wish) -> bool:
        return self.taken(state, choice, wish) if behind == TAKEN else behind in keeping


class _Most:
    """The most that can arrive, counted in the part of the graph from which something can."""

    def __init__(self, choices: Choices, wish: Wish) -> None:
        self._choices, self._wish = choices, wish
        self._can = choices.leading(wish)
        self._after = choices._after
        self._round = {
            state: min(component)
            for component in components(self._after, sorted(self._can))
            for state in component
        }
        """Of each state on a round, what stands for all that lie on rounds with it."""
        self._members: dict[int, list[int]] = {}
        for state in sorted(self._can):
            self._members.setdefault(self._stands(state), []).append(state)
        self._values: dict[int, int | None] = {}

    def _stands(self, state: int) -> int:
        return self._round.get(state, state)

    def value(self) -> int | None:
        if 0 not in self._can:
            return 0
        for each in finished(self._condensed(), sorted(self._members)):
            self._values[each] = self._of(each)
        return self._values[self._stands(0)]

    def _condensed(self) -> list[list[int]]:
        """The graph without rounds: each is one state."""
        graph: list[list[int]] = [[] for _ in self._after]
        for one, states in self._members.items():
            behind = (self._stands(each) for state in states for each in self._after[state])
            graph[one] = [each for each in dict.fromkeys(behind) if each != one]
        return graph

    def _of(self, one: int) -> int | None:
        if one not in self._round:
            return _total([int(self._choices.counts(one, self._wish)), *map(_largest, self._parts(one))])
        exits: list[int | None] = [0]
        for state in self._members[one]:
            parts = list(self._parts(state))
            if self._choices.counts(state, self._wish) or len(parts) > 1:
                return None
            exits += [value for part in parts for value in part]
        return _largest(exits)

    def _parts(self, state: int) -> Iterator[list[int | None]]:
        """What comes of a copy: for each crossing or choice that brings something, the possible numbers."""
        for behind in self._choices.always[state]:
            if behind in self._can:
                yield [self._known(behind)]
        for choice in self._choices.chosen[state]:
            values = [self._known(behind) for behind in choice.behind if behind in self._can]
            values += [1] if self._choices.taken(state, choice, self._wish) else []
            if values:
                yield values

    def _known(self, state: int) -> int | None:
        """Within a round, nothing is known yet."""
        return self._values.get(self._stands(state), 0)


def _total(values: Sequence[int | None]) -> int | None:
    return None if None in values else sum(value for value in values if value is not None)


def _largest(values: Sequence[int | None]) -> int | None:
    return None if None in values else max(value for value in values if value is not None)
