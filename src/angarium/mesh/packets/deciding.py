"""When a router begins to forward by another table.

calculated  OSPF: the first news starts a delay, in which more may come; between two calculations there is a
            hold; the calculation takes its time, and so does the new table's way into forwarding.
around      Loop-free alternates: whoever notices a dead link beside it leads packets around it at once, by
            what it has ready.
"""

from __future__ import annotations

from functools import partial

from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.packets.flooding import Flooding
from angarium.mesh.packets.listening import Listening
from angarium.mesh.packets.timeline import Switch
from angarium.mesh.packets.timers import calculation


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
