"""The schemes, and what the brokers of a mesh do in each of them when something is cut or heals.

    pcrt       heartbeats; who notices a dead link tells all others, and each uses the tables that were
               calculated for it beforehand, at once; a healed link is tested
    ospf       hellos; who notices a dead link tells all others, and each calculates new tables
    ospf-fast  the same with faster timers
    lfa        ospf-fast, and the broker beside a dead link leads packets over a neighbour that is nearer to
               their destination than the way back, if it has one (loop-free alternates)
    rrl        the broker beside a dead link marks packets with a layer in which the link is not needed, and
               all forward what is marked by the layer's tables (Resilient Routing Layers); others are not
               told

The brokers of pcrt and rrl are the nodes that `angarium mesh node` runs (`nodes`); routers are modelled
(`routers`).

What brokers do is a pure function of the mesh, of what happens, of the timers and the seed. It does not
depend on packets: messages between brokers go before them. A broker that dies forgets everything; one that
comes back begins with the tables of the healthy mesh, and takes its links for alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from angarium.mesh.mesh import NOTHING
from angarium.mesh.packets import nodes
from angarium.mesh.packets.links import Happening, Network, weather
from angarium.mesh.packets.routers import (
    Adjacency,
    Agenda,
    Calculated,
    Flooding,
    Forwarding,
    Listening,
    Statement,
)
from angarium.mesh.packets.timeline import (
    CLASSIC,
    FAST,
    LEARNS,
    LOCAL,
    NOTICES,
    PRECALCULATED,
    News,
    Timeline,
    Timers,
)
from angarium.mesh.recovery.tables import Colours


@dataclass(frozen=True, slots=True)
class Scheme:
    """How the brokers of a mesh recover."""

    name: str
    timers: Timers
    routers: bool = True
    """Whether brokers are routers that speak OSPF; else they are the nodes of `mesh.protocol`."""
    leads_around: bool = False

    def beating(self, heartbeat: int | None) -> Scheme:
        """The same with another heartbeat."""
        return replace(self, timers=self.timers.beating(heartbeat))


PCRT = Scheme("pcrt", PRECALCULATED, routers=False)
OSPF = Scheme("ospf", CLASSIC)
OSPF_FAST = Scheme("ospf-fast", FAST)
LFA = Scheme("lfa", FAST, leads_around=True)
RRL = Scheme("rrl", LOCAL, routers=False, leads_around=True)
SCHEMES = {scheme.name: scheme for scheme in (PCRT, OSPF, OSPF_FAST, LFA, RRL)}


def timeline(
    network: Network,
    happenings: Sequence[Happening],
    scheme: Scheme,
    prepared: Colours,
    *,
    seed: int,
    end: int,
) -> Timeline:
    """Who notices, learns and switches, up to an end."""
    if not scheme.routers:
        colours = None if scheme.leads_around else prepared
        return nodes.timeline(network, happenings, scheme.timers, colours, seed=seed, end=end)
    plane = _Plane(network, happenings, scheme, seed, end)
    plane.agenda.run()
    return Timeline(tuple(plane.news), tuple(plane.forwarding.switches))


class _Plane:
    """Routers, and what they say to each other."""

    def __init__(
        self, network: Network, happenings: Sequence[Happening], scheme: Scheme, seed: int, end: int
    ) -> None:
        self.agenda, self.news, self._network = Agenda(end), list[News](), network
        skies = weather(network.only_links, happenings)
        self._listening = Listening(self.agenda, network, skies, scheme.timers, seed, self._judged)
        self._mending = Adjacency(self._listening)
        self.forwarding = Forwarding(self._listening, scheme.leads_around)
        self._flooding = Flooding(self._listening, self._learnt)
        self._deciding = Calculated(self._flooding, self._listening, self.forwarding)
        self._listening.begin(self._mending)
        for each in happenings:
            for name in each.what.brokers:
                do = self._comes_back if each.heals else self._dies
                self.agenda.at(each.time, partial(do, network.number[name]))

    def _judged(self, broker: int, link: int, dead: bool) -> None:
        self._note(broker, NOTICES, [(link, dead)])
        self._flooding.state(broker, link, dead)
        self.forwarding.look(broker)
        self._deciding.news(broker)

    def _learnt(self, broker: int, said: Sequence[Statement]) -> None:
        self._note(broker, LEARNS, [(each.link, each.dead) for each in said])
        self._deciding.news(broker)

    def _note(self, broker: int, how: str, links: Iterable[tuple[int, bool]]) -> None:
        name, now = self._network.names[broker], self.agenda.now
        self.news += [News(now, name, how, self._network.links[link].name, dead) for link, dead in links]

    def _dies(self, broker: int) -> None:
        self._listening.die(broker)
        for link in self._network.incoming[broker]:
            self._mending.forget(link)
        self._flooding.die(broker)
        self._deciding.die(broker)

    def _comes_back(self, broker: int) -> None:
        self._listening.comes_back(broker)
        self.forwarding.use(broker, NOTHING)
        self._flooding.comes_back(broker)
