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

What brokers do is a pure function of the mesh, of what happens, of the timers and the seed. It does not
depend on packets: messages between brokers go before them. A broker that dies forgets everything; one that
comes back begins with the tables of the healthy mesh, and takes its links for alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from angarium.mesh.mesh import NOTHING, Mesh
from angarium.mesh.packets.agenda import Agenda
from angarium.mesh.packets.deciding import AtOnce, Calculated, Forwarding, IsReady
from angarium.mesh.packets.flooding import Flooding, Statement
from angarium.mesh.packets.happenings import Happening, weather
from angarium.mesh.packets.listening import Adjacency, LinkTest, Listening
from angarium.mesh.packets.network import Network
from angarium.mesh.packets.timeline import LEARNS, NOTICES, News, Timeline
from angarium.mesh.packets.timers import CLASSIC, FAST, LOCAL, PRECALCULATED, Timers
from angarium.mesh.recovery.colours import Colours

Mending = Callable[[Listening], LinkTest | Adjacency]


@dataclass(frozen=True, slots=True)
class Scheme:
    """How the brokers of a mesh recover."""

    name: str
    timers: Timers
    mending: Mending
    floods: bool = True
    precalculated: bool = False
    leads_around: bool = False

    def beating(self, heartbeat: int | None) -> Scheme:
        """The same with another heartbeat."""
        return replace(self, timers=self.timers.beating(heartbeat))


PCRT = Scheme("pcrt", PRECALCULATED, LinkTest, precalculated=True)
OSPF = Scheme("ospf", CLASSIC, Adjacency)
OSPF_FAST = Scheme("ospf-fast", FAST, Adjacency)
LFA = Scheme("lfa", FAST, Adjacency, leads_around=True)
RRL = Scheme("rrl", LOCAL, LinkTest, floods=False, leads_around=True)
SCHEMES = {scheme.name: scheme for scheme in (PCRT, OSPF, OSPF_FAST, LFA, RRL)}


def timeline(
    network: Network,
    happenings: Sequence[Happening],
    scheme: Scheme,
    ready: IsReady,
    *,
    seed: int,
    end: int,
) -> Timeline:
    """Who notices, learns and switches, up to an end."""
    plane = _Plane(network, happenings, scheme, ready, seed, end)
    plane.agenda.run()
    return Timeline(tuple(plane.news), tuple(plane.forwarding.switches))


class _Plane:
    """The brokers, and what they say to each other."""

    def __init__(
        self,
        network: Network,
        happenings: Sequence[Happening],
        scheme: Scheme,
        ready: IsReady,
        seed: int,
        end: int,
    ) -> None:
        self.agenda, self.news, self._network = Agenda(end), list[News](), network
        skies = weather(_only_links(network), happenings)
        self._listening = Listening(self.agenda, network, skies, scheme.timers, seed, self._judged)
        self._mending = scheme.mending(self._listening)
        self.forwarding = Forwarding(self._listening, scheme.leads_around)
        self._flooding = Flooding(self._listening, self._learnt) if scheme.floods else None
        self._deciding = self._decider(scheme, ready)
        self._listening.begin(self._mending)
        for each in happenings:
            for name in each.what.brokers:
                do = self._comes_back if each.heals else self._dies
                self.agenda.at(each.time, partial(do, network.number[name]))

    def _decider(self, scheme: Scheme, ready: IsReady) -> AtOnce | Calculated | None:
        if self._flooding is None:
            return None
        if scheme.precalculated:
            return AtOnce(self._flooding, self._listening, self.forwarding, ready)
        return Calculated(self._flooding, self._listening, self.forwarding)

    def _judged(self, broker: int, link: int, dead: bool) -> None:
        self._note(broker, NOTICES, [(link, dead)])
        if self._flooding:
            self._flooding.state(broker, link, dead)
        self.forwarding.look(broker)
        if self._deciding:
            self._deciding.news(broker)

    def _learnt(self, broker: int, said: Sequence[Statement]) -> None:
        self._note(broker, LEARNS, [(each.link, each.dead) for each in said])
        if self._deciding:
            self._deciding.news(broker)

    def _note(self, broker: int, how: str, links: Iterable[tuple[int, bool]]) -> None:
        name, now = self._network.names[broker], self.agenda.now
        self.news += [News(now, name, how, self._network.links[link].name, dead) for link, dead in links]

    def _dies(self, broker: int) -> None:
        self._listening.die(broker)
        for link in self._network.incoming[broker]:
            self._mending.forget(link)
        for part in (self._flooding, self._deciding):
            if part:
                part.die(broker)

    def _comes_back(self, broker: int) -> None:
        self._listening.comes_back(broker)
        self.forwarding.use(broker, NOTHING)
        if self._flooding:
            self._flooding.comes_back(broker)


def _only_links(network: Network) -> Mesh:
    """The mesh with just the links that have numbers."""
    mesh = network.mesh
    return Mesh(mesh.name, mesh.brokers, network.links)


def ready_for(network: Network, colours: Colours) -> IsReady:
    """Whether there are tables for what is dead. Brokers know of cables only: of a dead one, all its own."""
    own: dict[str, set[str]] = {name: set() for name in network.names}
    for link in network.links:
        own[link.source].add(link.fails_as)
        own[link.target].add(link.fails_as)
    prepared = {
        failures.cables.union(*(own[name] for name in failures.brokers)) for failures in colours.failures
    }
    return lambda known: known.cables in prepared
