"""What forwarding links make of a message: federation, bridges and mirrors.

Every link hands on what its filter and its rules let through, so the copies of a message go every path that
the rules allow, and a broker that can be reached over several paths gets several copies. How many exactly is
a question about walks in a graph of states: see `copy_states`.

    legs         the mesh as numbers, and what filters and renames make of names
    copy_states  all states of the copies of one message, with so much of their past as they must carry
    choices      what may be of them where several compete for one, and the rounds where they never end

How many copies get into each state is the number of walks to it, and each comes over one of these. Only a few
are shown, the quickest first, and finding them costs little: what leads to a state among the few quickest
walks passes every state before it among the few quickest to that one. So no state is left more often than
walks are shown.

Copies are handed on from states that nothing more can get into. A state for which that time never comes lies
on a round or behind one: copies get there without end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.delivery.choices import (
    NANOSECONDS,
    TAKEN,
    Choice,
    Choices,
    Place,
    Wish,
    components,
    shortest_round,
    unrolled,
)
from angarium.mesh.delivery.copy_states import Memory, Refusal, Walk
from angarium.mesh.delivery.legs import Leg, Names, Network
from angarium.mesh.delivery.outcome import (
    HOP_LIMIT,
    Arrival,
    Copy,
    Drop,
    Entry,
    Loop,
    Path,
    Spread,
    filter_of,
)
from angarium.mesh.mesh import NOTHING, Failures, Mesh, StandBy
from angarium.mesh.topics.dialects import written
from angarium.mesh.topics.topic import Topic


def copies(following: Sequence[Sequence[int]]) -> list[int | None]:
    """Of each state, how many copies get into it if one starts in the first; None: without end.

    Every state can be reached from the first.
    """
    expected = [0] * len(following)
    for states in following:
        for state in states:
            expected[state] += 1
    counted = [0] * len(following)
    endless = [True] * len(following)
    counted[0] = 1
    ready = [0] if not expected[0] else []
    while ready:
        state = ready.pop()
        endless[state] = False
        for after in following[state]:
            counted[after] += counted[state]
            expected[after] -= 1
            if not expected[after]:
                ready.append(after)
    return [None if without else count for without, count in zip(endless, counted, strict=True)]


MOST_SHOWN = 8
"""Copies of one name at one broker."""


class Coming(NamedTuple):
    """A copy that gets into a state."""

    latency: float
    hops: int
    links: tuple[int, ...]
    state: int


def each_copy(walk: Walk, took: Callable[[tuple[int, ...]], float]) -> Iterator[Coming]:
    """The quickest copies in each state, as they get there; `took` is the time that links take."""
    waiting = [Coming(walk.latency[0], 0, (), 0)]
    left: Counter[int] = Counter()
    while waiting:
        copy = heappop(waiting)
        if left[copy.state] == MOST_SHOWN:
            continue
        left[copy.state] += 1
        yield copy
        for after, over in zip(walk.next[copy.state], walk.labels[copy.state], strict=True):
            latency = round(copy.latency + took(over), NANOSECONDS)
            heappush(waiting, Coming(latency, copy.hops + len(over), (*copy.links, *over), after))


class Forwarding:
    """A mesh of forwarding links, prepared once for any number of messages."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self._network = Network(mesh)
        self._memory = Memory(self._network)
        self._names = Names(self._network)
        self._standby = StandBy(mesh.links)

    def spread(self, origin: str, topic: Topic, failures: Failures = NOTHING) -> Spread:
        """What becomes of a message that is published at a broker while something is dead."""
        broker = self._network.number.get(origin)
        if broker is None:
            raise _no_such_broker(origin, self.mesh)
        named = written(topic, self.mesh.brokers[broker].dialect)
        if origin in failures.brokers:
            return Spread(origin, named)
        return self._outcome(broker, topic, failures).spread(origin, named)

    def each_copy(
        self, origin: str, topic: Topic, failures: Failures = NOTHING
    ) -> dict[tuple[str, str], list[Copy]]:
        """Of each broker and name there, the quickest copies of a message that is published somewhere."""
        if origin in failures.brokers:
            return {}
        return self._outcome(self._network.number[origin], topic, failures).each_copy()

    def _outcome(self, broker: int, topic: Topic, failures: Failures) -> _Outcome:
        dead = frozenset(self._dead(failures))
        walk = Walk(self._network, self._memory, self._names, dead)
        walk.go(broker, self._names.published(topic))
        return _Outcome(self._network, self._names, walk, topic, dead)

    def _dead(self, failures: Failures) -> Iterator[int]:
        """Links that carry nothing: they are dead, or stand by."""
        resting = self._standby.resting(failures)
        for leg in self._network.legs if failures or resting else ():
            if leg.link.name in resting or leg.link.is_dead(failures):
                yield leg.number


class _Outcome:
    """One walk, told by the names of brokers and links."""

    def __init__(
        self, network: Network, names: Names, walk: Walk, topic: Topic, dead: frozenset[int]
    ) -> None:
        self._network, self._names, self._walk, self._topic, self._dead = network, names, walk, topic, dead
        self._copies = copies(walk.next)
        self._choices = self._chosen() if network.groups else None
        self._first: dict[tuple[int, int], int] = {}
        """By broker and name, the state with the quickest path."""
        for number in walk.order:
            state = walk.states[number]
            self._first.setdefault((state.broker, state.name), number)
        self._reached = {broker for broker, _ in self._first}

    def spread(self, origin: str, named: str) -> Spread:
        crossed = {number for labels in self._walk.labels for label in labels for number in label}
        return Spread(
            origin,
            named,
            arrivals=tuple(self._arrivals()),
            loops=tuple(self._loops()),
            drops=tuple(self._drops()),
            crossed=frozenset(self._network.legs[number].link.name for number in crossed),
            entries=tuple(self._entries()),
            choices=self._choices,
        )

    def each_copy(self) -> dict[tuple[str, str], list[Copy]]:
        """The quickest copies by broker and name; of what comes without end, none: its round is told."""
        found: dict[tuple[str, str], list[Copy]] = {}
        for latency, _, links, number in each_copy(self._walk, self._took):
            broker, name = self._walk.states[number].broker, self._walk.states[number].name
            called = self._network.mesh.brokers[broker].name
            its = found.setdefault((called, self._written(broker, self._names.topics[name])), [])
            if len(its) < MOST_SHOWN and self._copies[number] is not None:
                its.append(Copy(self._named(links), latency))
        return found

    def _chosen(self) -> Choices | None:
        """The graph with its choices; None if there are none."""
        chosen = [list(self._choices_in(state)) for state in range(len(self._walk.states))]
        if all(len(each.behind) == 1 for choices in chosen for each in choices):
            return None
        places = [self._place(state) for state in range(len(self._walk.states))]
        free = [list(self._free(state)) for state in range(len(self._walk.states))]
        always = [[behind for behind, _ in each] for each in free]
        took = [[milliseconds for _, milliseconds in each] for each in free]
        return Choices(places, always, took, chosen, self._network.groups, self._walk.latency[0])

    def _free(self, number: int) -> Iterator[tuple[int, float]]:
        """Into which states a copy gets whatever is chosen, and how long that takes."""
        walk = self._walk
        crossings = zip(walk.next[number], walk.labels[number], walk.groups[number], strict=True)
        for behind, over, group in crossings:
            if not group:
                yield behind, self._took(over)

    def _took(self, over: tuple[int, ...]) -> float:
        return sum(self._network.legs[number].latency for number in over)

    def _choices_in(self, number: int) -> Iterator[Choice]:
        """Who competes for a copy that is in a state."""
        walk, state = self._walk, self._walk.states[number]
        groups: dict[int, list[tuple[int, str, float]]] = {}
        crossings = zip(walk.next[number], walk.labels[number], walk.groups[number], strict=True)
        for behind, over, group in crossings:
            if group:
                groups.setdefault(group, []).append((behind, self._named(over)[-1], self._took(over)))
        for group, who in self._names.takers(state.broker, state.name).items():
            groups.setdefault(group, []).append((TAKEN, who, 0.0))
        called = list(self._network.groups)
        for group, members in groups.items():
            yield Choice(called[group - 1], *zip(*members, strict=True))

    def _place(self, number: int) -> Place:
        broker, own = self._walk.states[number].broker, self._walk.states[number].name
        names, transforms = self._given(number), self._names.transforms
        return Place(
            self._network.mesh.brokers[broker].name,
            transforms[own],
            frozenset(transforms[name] for name in names),
            self._path(number),
        )

    def _given(self, number: int) -> frozenset[int]:
        """The names that a broker gives a copy that enters it; none to one that it has made itself."""
        walk, state = self._walk, self._walk.states[number]
        inside = self._network.inside[state.broker]
        if state.barred & inside:
            return frozenset()
        made = (walk.states[after] for after in walk.next[number])
        parts = {each.name for each in made if each.broker == state.broker and each.barred & inside}
        return frozenset({state.name, *parts})

    def _arrivals(self) -> Iterator[Arrival]:
        walk = self._walk
        total: dict[tuple[int, int], int | None] = {}
        for state, count in zip(walk.states, self._copies, strict=True):
            place = state.broker, state.name
            total[place] = _sum(total.get(place, 0), count)
        for place, number in self._first.items():
            broker, name = place
            called = self._network.mesh.brokers[broker].name
            wish = Wish({called: {self._names.transforms[name]}})
            yield Arrival(
                called,
                self._written(broker, self._names.topics[name]),
                self._choices.most(wish) if self._choices else total[place],
                self._path(number),
                walk.latency[number],
                self._names.transforms[name],
                self._choices is None or 0 in self._choices.sure(wish),
            )

    def _entries(self) -> Iterator[Entry]:
        """Copies that enter a broker, by the names that it gives them; none if it gives only one each."""
        walk, network = self._walk, self._network
        if not any(network.inner):
            return
        groups: dict[tuple[int, frozenset[int]], int | None] = {}
        for number, state in enumerate(walk.states):
            given = self._given(number)
            if given:
                place = state.broker, given
                groups[place] = _sum(groups.get(place, 0), self._copies[number])
        for (broker, parts_), count in groups.items():
            transforms = frozenset(self._names.transforms[name] for name in parts_)
            yield Entry(network.mesh.brokers[broker].name, transforms, count)

    def _loops(self) -> Iterator[Loop]:
        walk = self._walk
        endless = [number for number in walk.order if self._copies[number] is None]
        nearest = {number: place for place, number in enumerate(walk.order)}
        seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        found = components(walk.next, endless)
        for component in sorted(found, key=lambda each: min(nearest[number] for number in each)):
            first = min(component, key=nearest.__getitem__)
            states, links = shortest_round(walk.next, walk.labels, component, first)
            grows = any(pair in walk.grown for pair in zip(states, states[1:] + states[:1], strict=True))
            before, round_ = unrolled(walk.path(first), links)
            if (before, round_) not in seen:
                seen.add((before, round_))
                yield Loop(self._named(before), self._named(round_), self._begins(before, round_), grows)

    def _begins(self, before: tuple[int, ...], round_: tuple[int, ...]) -> str:
        broker = self._network.number[self._network.legs[round_[0]].link.source]
        return self._written(broker, self._names.after(self._topic, before))

    def _drops(self) -> Iterator[Drop]:
        """Copies that would have been the first at some broker, had a hop limit or filter not kept them."""
        brokers = self._network.mesh.brokers
        noted: set[tuple[int, str]] = set()
        for refusal in self._walk.refused.values():
            broker = self._walk.states[refusal.state].broker
            if (broker, HOP_LIMIT) not in noted and self._missed(refusal):
                noted.add((broker, HOP_LIMIT))
                yield Drop(self._path(refusal.state), brokers[broker].name, HOP_LIMIT)
        for (broker, name), number in self._first.items():
            for leg in self._filtered(number, broker, name):
                reason = filter_of(leg.link.name)
                if (broker, reason) not in noted:
                    noted.add((broker, reason))
                    yield Drop(self._path(number), brokers[broker].name, reason)

    def _missed(self, refusal: Refusal) -> bool:
        """Whether nothing arrives under that name behind the link, and only the hop limit is to blame."""
        leg = refusal.onward.leg
        if (leg.target, refusal.onward.name) in self._first:
            return False
        noted = 0
        for number in self._walk.path(refusal.state):
            noted |= self._network.legs[number].notes
        return not noted & leg.shuns

    def _filtered(self, number: int, broker: int, name: int) -> Iterator[Leg]:
        """Links to brokers where nothing arrives, whose filters refuse a name."""
        if self._network.targets[broker] <= self._reached:
            return
        passing = {onward.leg.number for onward in self._names.onward(broker, name)}
        barred = self._walk.states[number].barred
        for leg in self._network.out[broker]:
            if leg.number not in passing and leg.number not in self._dead and not barred & leg.bit:
                if leg.target not in self._reached:
                    yield leg

    def _path(self, number: int) -> Path:
        return self._named(self._walk.path(number))

    def _named(self, links: tuple[int, ...]) -> Path:
        return tuple(self._network.legs[number].link.name for number in links)

    def _written(self, broker: int, topic: Topic) -> str:
        return written(topic, self._network.mesh.brokers[broker].dialect)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _no_such_broker(origin: str, mesh: Mesh) -> MeshError:
    return MeshError(
        "ANG123",
        f"there is no broker {origin} in {mesh.name}",
        possible=did_you_mean(origin, (broker.name for broker in mesh.brokers)),
        remedy="publish at one of them",
    )
