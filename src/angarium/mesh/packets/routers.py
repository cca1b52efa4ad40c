"""Routers that speak OSPF: how they notice, tell each other, and come to use other tables.

Hearing. Every router sends a heartbeat (OSPF calls it hello) over each of its links at equal distances, from
a beginning of its own, by the seed: the same that a node of this name has. What is cut meanwhile is not
heard. A router that has heard nothing for the *dead interval* takes the link for dead. So that takes between
the dead interval less one heartbeat, and the dead interval: as the thesis says, 30 to 40 s of 10 and 40.
Nothing else is looked at: heartbeats go before other packets, and none gets lost but by a cut. They have been
sent for ever when a simulation begins.

Listening. Each router judges the links that lead to it. When it hears something over a link that it has taken
for dead, both begin an adjacency: each must hear a hello of the other that was sent after the other had heard
it, then they exchange what they know. Only then both believe in the link. If it fails again meanwhile, all
begins anew with the next hello that gets through. Where nothing leads back, a router believes what it hears.

Flooding. A *statement* is one router's word on one link. It is newer than another about the same link if its
router has come back more often since, or else by its number; so a router that has lost its memory is
believed, too, and that a link has healed is learnt in the same way as that it is dead. A cable is dead for a
router as long as one of the statements that it knows says so. Who gets a statement that is new hands it on at
once, over all other links that it believes in. A message crosses a link that works all the time; else it is
sent again as long as the sender believes in the link. When two routers believe in a link again, each sends
the other all that it knows; so does who learns that a neighbour has begun anew.

Deciding. The first news starts a delay, in which more may come; between two calculations there is a hold; the
calculation takes its time, and so does the new table, until packets meet it. With loop-free alternates,
whoever notices a dead link beside it leads packets around it at once, by what it has ready.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import count

from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.packets.links import NEVER, Network, Outage, Weather, below, works
from angarium.mesh.packets.timeline import EXCHANGES, Switch, Timers, calculation


class Agenda:
    """A clock with a list of things to do, up to an end."""

    def __init__(self, end: int) -> None:
        self.now = 0
        self._end = end
        self._order = count()
        self._todo: list[tuple[int, int, Callable[[], None]]] = []

    def at(self, time: int, do: Callable[[], None]) -> None:
        """Do something at a time, if that is before the end."""
        if time < self._end:
            heappush(self._todo, (max(time, self.now), next(self._order), do))

    def run(self) -> None:
        """Do all of it."""
        while self._todo:
            self.now, _, do = heappop(self._todo)
            do()


# --- hearing ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Beat:
    """The heartbeats of one link."""

    interval: int
    phase: int
    """When one is sent; others are whole intervals before and after."""
    delay: int
    """How long each takes to cross."""
    outages: Sequence[Outage]

    def sent_from(self, time: int) -> int:
        """When the first one is sent, at a time or after it."""
        return self.phase - (self.phase - time) // self.interval * self.interval

    def heard_from(self, time: int) -> int:
        """When the first one is heard that is sent at a time or after it, and gets through."""
        sent = self.sent_from(time)
        for since, until in self.outages:
            if works([(since, until)], sent, sent + self.delay):
                continue
            if until == NEVER:
                return NEVER
            sent = self.sent_from(max(until, sent))
        return sent + self.delay

    def heard_before(self, time: int) -> int:
        """When the last one is heard before a time, if nothing is cut before."""
        latest = time - 1 - self.delay
        return self.sent_from(latest - self.interval + 1) + self.delay


@dataclass(frozen=True, slots=True)
class Silence:
    """A time in which nothing is heard over a link, long enough to be noticed."""

    noticed: int
    over: int
    """When something is heard again."""


def silences(beat: Beat, dead: int, comebacks: Sequence[int]) -> list[Silence]:
    """When a listener takes a link for dead, and when it hears something again.

    A listener that comes back from the dead has heard nothing yet: it begins to count anew.
    """
    gaps: list[tuple[int, int]] = []
    for since, until in beat.outages:
        last = beat.heard_before(since)
        if gaps and last < gaps[-1][1]:
            last, _ = gaps.pop()
        gaps.append((last, NEVER if until == NEVER else beat.heard_from(until)))
    found = []
    for last, first in gaps:
        counted = max([last, *(back for back in comebacks if back < first)])
        if first - counted > dead:
            found.append(Silence(counted + dead, first))
    return found


# --- listening -------------------------------------------------------------------------------------------

Decide = Callable[[int, int, bool], None]
"""Called with a broker, a link to it, and whether the broker takes it for dead now."""


class Listening:
    """The links that each broker takes for dead."""

    def __init__(
        self, agenda: Agenda, network: Network, weather: Weather, timers: Timers, seed: int, decided: Decide
    ) -> None:
        self.agenda, self.network, self.timers, self._decided = agenda, network, timers, decided
        self.alive = [True] * len(network.names)
        self.dead: list[set[int]] = [set() for _ in network.names]
        self.beats = [
            Beat(timers.heartbeat, below(timers.heartbeat, seed, "heartbeat", link.source), delay, spans)
            for link, delay, spans in zip(network.links, network.control_delays, weather.links, strict=True)
        ]
        self._weather = weather

    def begin(self, mending: Adjacency) -> None:
        """Put down all that will be heard and not heard."""
        for link, beat in enumerate(self.beats):
            target = self.network.ends[link][1]
            comebacks = [back for _, back in self._weather.brokers[target]]
            for silence in silences(beat, self.timers.dead, comebacks):
                self.agenda.at(silence.noticed, partial(self._silent, link))
                self.agenda.at(silence.over, partial(self.hear, mending, link))

    def _silent(self, link: int) -> None:
        target = self.network.ends[link][1]
        if self.alive[target] and link not in self.dead[target]:
            self.dead[target].add(link)
            self._decided(target, link, True)

    def hear(self, mending: Adjacency, link: int) -> None:
        """Something comes over a link."""
        if self.takes_for_dead(link):
            mending.heard(link)

    def takes_for_dead(self, link: int) -> bool:
        """Whether the broker at the end of a link lives, and takes the link for dead."""
        target = self.network.ends[link][1]
        return self.alive[target] and link in self.dead[target]

    def believe(self, link: int) -> None:
        """The broker at the end of a link takes it for alive again."""
        target = self.network.ends[link][1]
        if self.takes_for_dead(link):
            self.dead[target].remove(link)
            self._decided(target, link, False)

    def worked(self, link: int, since: int) -> bool:
        return works(self.beats[link].outages, since, self.agenda.now)

    def die(self, broker: int) -> None:
        """A broker forgets what it knew."""
        self.alive[broker] = False
        self.dead[broker].clear()

    def comes_back(self, broker: int) -> None:
        self.alive[broker] = True


class Adjacency:
    """Hellos in both directions, then an exchange."""

    def __init__(self, listening: Listening) -> None:
        self._listening = listening
        self._since: dict[int, int] = {}
        """When something was heard over a link that is not believed in yet."""

    def heard(self, link: int) -> None:
        one, back = self._listening, self._listening.network.back[link]
        if back is None:
            one.believe(link)
            return
        now = one.agenda.now
        self._since[link] = now
        if one.takes_for_dead(back) and back not in self._since:
            return
        seen = one.beats[link].heard_from(self._since[back]) if back in self._since else now
        seen_there = one.beats[back].heard_from(now)
        delays = one.network.control_delays
        full = max(seen, seen_there) + EXCHANGES * (delays[link] + delays[back])
        one.agenda.at(full, partial(self._full, link, back, now))

    def _full(self, link: int, back: int, begun: int) -> None:
        one = self._listening
        worked = one.worked(link, begun) and one.worked(back, begun)
        for each in (link, back):
            self._since.pop(each, None)
            if worked:
                one.believe(each)
            else:
                self.repeat(each)

    def repeat(self, link: int) -> None:
        """The next hello that gets through begins anew."""
        one = self._listening
        one.agenda.at(one.beats[link].heard_from(one.agenda.now), partial(one.hear, self, link))

    def forget(self, link: int) -> None:
        self._since.pop(link, None)


# --- flooding --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    """What the broker at the end of a link says about it."""

    link: int
    life: int
    number: int
    dead: bool

    def is_newer(self, other: Statement | None) -> bool:
        return other is None or (self.life, self.number) > (other.life, other.number)


def _begins_anew(statement: Statement, known: Mapping[int, Statement]) -> bool:
    """Whether the broker that says this has lost its memory since it was last heard of."""
    before = known.get(statement.link)
    return statement.life > (before.life if before else 0)


Learnt = Callable[[int, Sequence[Statement]], None]
"""Called with a broker and what is new for it."""


class Flooding:
    """What each broker knows."""

    def __init__(self, listening: Listening, learnt: Learnt) -> None:
        network = listening.network
        self._listening, self._network, self._agenda = listening, network, listening.agenda
        self._timers, self._learnt = listening.timers, learnt
        self.known: list[dict[int, Statement]] = [{} for _ in network.names]
        self._lives = [0] * len(network.names)
        self._numbers = [0] * len(network.links)
        self._unsent: list[list[Statement]] = [[] for _ in network.names]
        self._speaks: list[int] = [0] * len(network.names)
        """From when on each broker may make statements again."""
        self._free = [0] * len(network.links)
        """From when on each link may carry another update."""

    def dead(self, broker: int) -> Failures:
        """What is dead, for all that a broker knows."""
        links = self._network.links
        cables = (links[each.link].fails_as for each in self.known[broker].values() if each.dead)
        return Failures(cables=frozenset(cables))

    def state(self, broker: int, link: int, dead: bool) -> None:
        """A broker has a new opinion of a link that leads to it."""
        self._numbers[link] += 1
        statement = Statement(link, self._lives[broker], self._numbers[link], dead)
        self.known[broker][link] = statement
        if not self._unsent[broker]:
            self._agenda.at(self._speaks[broker], partial(self._speak, broker, statement.life))
        self._unsent[broker].append(statement)
        back = self._network.back[link]
        if not dead and back is not None:
            self._send(broker, back, list(self.known[broker].values()))

    def _speak(self, broker: int, life: int) -> None:
        if not self._lives_on(broker, life):
            return
        self._speaks[broker] = self._agenda.now + self._timers.advertising
        statements, self._unsent[broker] = self._unsent[broker], []
        for link in self._network.outgoing[broker]:
            self._send(broker, link, statements)

    def _send(self, broker: int, link: int, statements: Sequence[Statement]) -> None:
        """Over a link that a broker does not believe in, it says nothing: it says all when it does again."""
        if not self._believes_in(link):
            return
        start = max(self._agenda.now, self._free[link])
        self._free[link] = start + self._timers.pacing
        there = start + self._network.control_delays[link]
        life = self._lives[broker]
        if works(self._listening.beats[link].outages, start, there):
            receive = partial(self._receive, self._network.ends[link][1], broker, statements)
            self._agenda.at(there + self._timers.processing, receive)
        else:
            self._agenda.at(start + self._timers.resend, partial(self._again, broker, link, statements, life))

    def _believes_in(self, link: int) -> bool:
        back = self._network.back[link]
        return back is None or not self._listening.takes_for_dead(back)

    def _again(self, broker: int, link: int, statements: Sequence[Statement], life: int) -> None:
        """Nothing was acknowledged; where nothing leads back, nothing can be."""
        if self._lives_on(broker, life) and self._network.back[link] is not None:
            self._send(broker, link, statements)

    def _receive(self, broker: int, sender: int, statements: Sequence[Statement]) -> None:
        if not self._listening.alive[broker]:
            return
        known = self.known[broker]
        fresh = [each for each in statements if each.is_newer(known.get(each.link))]
        if not fresh:
            return
        begun = {self._network.ends[each.link][1] for each in fresh if _begins_anew(each, known)}
        known |= {each.link: each for each in fresh}
        for link in self._network.outgoing[broker]:
            neighbour = self._network.ends[link][1]
            if neighbour in begun:
                self._send(broker, link, list(known.values()))
            elif neighbour != sender:
                self._send(broker, link, fresh)
        self._learnt(broker, fresh)

    def _lives_on(self, broker: int, life: int) -> bool:
        return self._listening.alive[broker] and self._lives[broker] == life

    def die(self, broker: int) -> None:
        """A broker forgets everything."""
        self.known[broker], self._unsent[broker] = {}, []

    def comes_back(self, broker: int) -> None:
        """A broker begins anew: it takes all links to it for alive, and says so."""
        self._lives[broker] += 1
        self._speaks[broker] = self._agenda.now
        for link in self._network.incoming[broker]:
            self.state(broker, link, False)


# --- deciding --------------------------------------------------------------------------------------------


class Forwarding:
    """By which tables brokers forward."""

    def __init__(self, listening: Listening, leads_around: bool) -> None:
        self.switches: list[Switch] = []
        self._listening, self._leads_around = listening, leads_around
        self._known = [NOTHING] * len(listening.network.names)
        self._around: list[frozenset[str]] = [frozenset()] * len(listening.network.names)

    def use(self, broker: int, known: Failures) -> None:
        """Forward by the tables for what is known to be dead."""
        self._switch(broker, known)

    def look(self, broker: int) -> None:
        """Links beside a broker may have died or healed."""
        self._switch(broker, self._known[broker])

    def _switch(self, broker: int, known: Failures) -> None:
        network = self._listening.network
        beside = {network.links[link].fails_as for link in self._listening.dead[broker]}
        around = frozenset(beside - known.cables) if self._leads_around else frozenset()
        if (known, around) == (self._known[broker], self._around[broker]):
            return
        self._known[broker], self._around[broker] = known, around
        self.switches.append(Switch(self._listening.agenda.now, network.names[broker], known, around))


class Calculated:
    """Tables are calculated when something is known, and not too often."""

    def __init__(self, flooding: Flooding, listening: Listening, forwarding: Forwarding) -> None:
        brokers = len(listening.network.names)
        self._flooding, self._forwarding = flooding, forwarding
        self._agenda, self._timers = listening.agenda, listening.timers
        self._takes = calculation(brokers) + self._timers.update
        self._planned = [False] * brokers
        self._held: list[int] = [0] * brokers
        """Until when a broker does not calculate again."""
        self._lives = [0] * brokers

    def news(self, broker: int) -> None:
        """A broker knows something new."""
        if self._planned[broker]:
            return
        self._planned[broker] = True
        time = max(self._agenda.now + self._timers.delay, self._held[broker])
        self._agenda.at(time, partial(self._calculate, broker, self._lives[broker]))

    def _calculate(self, broker: int, life: int) -> None:
        if life != self._lives[broker]:
            return
        self._planned[broker] = False
        self._held[broker] = self._agenda.now + self._timers.hold
        use = partial(self._use, broker, life, self._flooding.dead(broker))
        self._agenda.at(self._agenda.now + self._takes, use)

    def _use(self, broker: int, life: int, known: Failures) -> None:
        if life == self._lives[broker]:
            self._forwarding.use(broker, known)

    def die(self, broker: int) -> None:
        self._lives[broker] += 1
        self._planned[broker] = False
        self._held[broker] = 0
