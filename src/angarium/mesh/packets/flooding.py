"""Link state: what brokers say about the links that lead to them, handed on from broker to broker.

A *statement* is one broker's word on one link. It is newer than another about the same link if its broker
has come back more often since, or else by its number; so a broker that has lost its memory is believed,
too, and that a link has healed is learnt in the same way as that it is dead. A cable is dead for a broker
as long as one of the statements that it knows says so.

Who gets a statement that is new hands it on at once, over all other links that it believes in. A message
crosses a link that works all the time; else it is sent again as long as the sender believes in the link. When
two brokers believe in a link again, each sends the other all that it knows. And who learns that a neighbour
has begun anew, perhaps before its silence was noticed, sends it all that it knows, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from angarium.mesh.mesh import Failures
from angarium.mesh.packets.happenings import works
from angarium.mesh.packets.listening import Listening


@dataclass(frozen=True, slots=True)
class Statement:
    """What the broker at the end of a link says about it."""

    link: int
    life: int
    number: int
    dead: bool

    def is_newer(self, other: Statement | None) -> bool:
        return other is None or (self.life, self.number) > (other.life, other.number)


def _begins_anew(said: Statement, known: Mapping[int, Statement]) -> bool:
    """Whether the broker that says this has lost its memory since it was last heard of."""
    before = known.get(said.link)
    return said.life > (before.life if before else 0)


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
        self._unsaid: list[list[Statement]] = [[] for _ in network.names]
        self._speaks: list[int] = [0] * len(network.names)
        """From when on each broker may make statements again."""
        self._free = [0] * len(network.links)
        """From when on each link may carry another update."""

    def dead(self, broker: int) -> Failures:
        """What is dead, for all that a broker knows."""
        links = self._network.links
        told = (links[each.link].fails_as for each in self.known[broker].values() if each.dead)
        return Failures(cables=frozenset(told))

    def state(self, broker: int, link: int, dead: bool) -> None:
        """A broker has a new opinion of a link that leads to it."""
        self._numbers[link] += 1
        said = Statement(link, self._lives[broker], self._numbers[link], dead)
        self.known[broker][link] = said
        if not self._unsaid[broker]:
            self._agenda.at(self._speaks[broker], partial(self._speak, broker, said.life))
        self._unsaid[broker].append(said)
        back = self._network.back[link]
        if not dead and back is not None:
            self._send(broker, back, list(self.known[broker].values()))

    def _speak(self, broker: int, life: int) -> None:
        if not self._lives_on(broker, life):
            return
        self._speaks[broker] = self._agenda.now + self._timers.advertising
        said, self._unsaid[broker] = self._unsaid[broker], []
        for link in self._network.outgoing[broker]:
            self._send(broker, link, said)

    def _send(self, broker: int, link: int, said: Sequence[Statement]) -> None:
        """Over a link that a broker does not believe in, it says nothing: it says all when it does again."""
        if not self._believes_in(link):
            return
        start = max(self._agenda.now, self._free[link])
        self._free[link] = start + self._timers.pacing
        there = start + self._network.control_delays[link]
        life = self._lives[broker]
        if works(self._listening.beats[link].outages, start, there):
            receive = partial(self._receive, self._network.ends[link][1], broker, said)
            self._agenda.at(there + self._timers.processing, receive)
        else:
            self._agenda.at(start + self._timers.resend, partial(self._again, broker, link, said, life))

    def _believes_in(self, link: int) -> bool:
        back = self._network.back[link]
        return back is None or not self._listening.takes_for_dead(back)

    def _again(self, broker: int, link: int, said: Sequence[Statement], life: int) -> None:
        """Nothing was acknowledged; where nothing leads back, nothing can be."""
        if self._lives_on(broker, life) and self._network.back[link] is not None:
            self._send(broker, link, said)

    def _receive(self, broker: int, sender: int, said: Sequence[Statement]) -> None:
        if not self._listening.alive[broker]:
            return
        known = self.known[broker]
        fresh = [each for each in said if each.is_newer(known.get(each.link))]
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
        self.known[broker], self._unsaid[broker] = {}, []

    def comes_back(self, broker: int) -> None:
        """A broker begins anew: it takes all links to it for alive, and says so."""
        self._lives[broker] += 1
        self._speaks[broker] = self._agenda.now
        for link in self._network.incoming[broker]:
            self.state(broker, link, False)
