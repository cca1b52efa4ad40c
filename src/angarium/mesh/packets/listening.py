"""Who takes which link for dead, and how two routers find out that a link works again.

Each router judges the links that lead to it, by the hellos that it hears. When it hears something over a
link that it has taken for dead, both begin an adjacency, as in OSPF: each must hear a hello of the other that
was sent after the other had heard it, then they exchange what they know. Only then both believe in the link.

If the link fails again meanwhile, all begins anew with the next heartbeat that gets through. Where nothing
leads back, a broker believes what it hears.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from angarium.mesh.packets.agenda import Agenda
from angarium.mesh.packets.happenings import Weather, works
from angarium.mesh.packets.hearing import Beat, silences
from angarium.mesh.packets.network import Network
from angarium.mesh.packets.randomness import below
from angarium.mesh.packets.timers import EXCHANGES, Timers

Judged = Callable[[int, int, bool], None]
"""Called with a broker, a link to it, and whether the broker takes it for dead now."""


class Listening:
    """The links that each broker takes for dead."""

    def __init__(
        self, agenda: Agenda, network: Network, weather: Weather, timers: Timers, seed: int, judged: Judged
    ) -> None:
        self.agenda, self.network, self.timers, self._judged = agenda, network, timers, judged
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
            self._judged(target, link, True)

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
            self._judged(target, link, False)

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
