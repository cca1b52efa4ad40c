"""What a mesh does while something is dead: the paths of messages, the tables of brokers, their colours.

Three questions with three answers, because a mesh need not do what its brokers could:

    routes    over which way each message arrives now, by the mesh's own routing, and over which before
    tables    the next brokers by the recovery tables, healthy and now: over the links, whatever the routing
    colours   which failure each broker takes this for; none if no tables were calculated for it beforehand
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from angarium.app.web.mesh_document import Json
from angarium.mesh.delivery.outcome import Path, Spread
from angarium.mesh.mesh import FORWARD, NOTHING, Failures, Mesh
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.link_state import chart_of
from angarium.mesh.recovery.files.as_json import ranges_text, rows_of
from angarium.mesh.recovery.tables import Colours, Recovery, coloured, recovery
from angarium.mesh.routing.graph import NONE, Graph, graph_of, homes
from angarium.mesh.routing.tables import shortest
from angarium.mesh.verify.budget import ONE
from angarium.mesh.verify.carriers import Key
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.fates import Fate, fate
from angarium.mesh.verify.pairs import is_about_pairs
from angarium.mesh.verify.sweep import Sweep, prepared

MOST_ROUTES = 300
"""Of those that are told; changed ones come first."""
MOST_CROSSINGS = 50_000
"""Of links by messages, in a forwarding mesh: these take some seconds."""


def is_slow(mesh: Mesh) -> bool:
    """Whether it takes longer than somebody waits to follow what is published over all links."""
    published = sum(len(each.topics) for each in mesh.publishers) or len(mesh.brokers)
    return mesh.routing.kind == FORWARD and published * len(mesh.links) > MOST_CROSSINGS


@dataclass(frozen=True, slots=True)
class Route:
    """How the messages of one broker come to another."""

    need: Need
    topics: tuple[str, ...]
    before: Path | None
    """None: not at all."""
    now: Path | None
    visits: tuple[str, ...] | None
    """The brokers on the path now."""
    copies: int | None
    moved: tuple[str | None, str | None]
    """Where the publisher and the subscriber are now; None if they are dead with their broker."""

    @property
    def state(self) -> str:
        if None in self.moved:
            return "out of service"
        if self.now is None:
            return "lost" if self.before is not None else "never arrives"
        return "unchanged" if self.now == self.before else "another path"

    def told(self) -> Json:
        return {
            "from": self.need.origin,
            "to": self.need.at,
            "topics": list(self.topics),
            "before": None if self.before is None else list(self.before),
            "now": None if self.now is None else list(self.now),
            "visits": None if self.visits is None else list(self.visits),
            "copies": self.copies,
            "state": self.state,
        }


@dataclass(frozen=True)
class Failing:
    """A mesh in which something may be dead."""

    mesh: Mesh
    failures: Failures

    @cached_property
    def graph(self) -> Graph:
        return graph_of(self.mesh)

    @cached_property
    def colours(self) -> Colours:
        """One for every single link and every single broker."""
        return coloured(self.mesh, (failures for _, failures in ONE.failures(self.mesh)))

    @cached_property
    def colouring(self) -> Colouring:
        return Colouring(chart_of(self.mesh), self.colours)

    @cached_property
    def recovery(self) -> Recovery:
        return recovery(self.mesh, self.colours)

    def seen(self) -> Json:
        """The colour of each living broker, and what it stands for."""
        killed = self.colouring.chart.killed(self.failures)
        living = [name for name in self.graph.names if name not in self.failures.brokers]
        views = {name: self.colouring.view(name, killed) for name in living}
        return {name: {"colour": view.colour, "dead": str(view.failures)} for name, view in views.items()}

    def tables(self) -> Json:
        """By broker and destination, as positions in `brokers`: the next broker when healthy, and now."""
        return {
            "brokers": list(self.graph.names),
            "healthy": shortest(self.graph).tolist(),
            "now": shortest(self.graph, self.failures).tolist(),
        }

    def super_table(self, broker: str) -> Json:
        """Each entry of a broker once, with the colours in which it is used."""
        names, number = self.graph.names, self.graph.number(broker)
        return [
            {
                "destination": names[row.destination],
                "next": None if row.next == NONE else names[row.next],
                "colours": ranges_text(row.colours),
            }
            for row in rows_of(self.recovery.of_broker(number))
        ]

    def routes(self) -> list[Route]:
        """Changed ones first. Of routers without clients the tables say all."""
        if is_about_pairs(self.mesh):
            return []
        sweep, _ = prepared(self.mesh)
        asked = _Asked(sweep, homes(sweep.mesh, self.failures), self.failures)
        return sorted(map(asked.route, sweep.needs), key=lambda route: route.state == "unchanged")


@dataclass(frozen=True)
class _Asked:
    """Follows messages, each spread once: where links hand on, one answers for all that it reaches."""

    sweep: Sweep
    at_home: Mapping[str, str | None]
    failures: Failures

    @cached_property
    def spread(self) -> Callable[[Key, Failures], Spread]:
        return lru_cache(maxsize=None)(self.sweep.carrier.spread)

    def route(self, need: Need) -> Route:
        before = self._fate(need, need.origin, need.at, NOTHING)
        origin, at = self.at_home[need.origin], self.at_home[need.at]
        now = None
        if origin is not None and at is not None:
            now = self._fate(need, origin, at, self.failures)
        topics = tuple(dict.fromkeys(_topics(self.sweep.mesh, need)))
        copies = now.copies if now else 0
        return Route(need, topics, _path(before), _path(now), self._visits(now), copies, (origin, at))

    @cached_property
    def _sources(self) -> Mapping[str, str]:
        return {link.name: link.source for link in self.sweep.mesh.links}

    def _visits(self, met: Fate | None) -> tuple[str, ...] | None:
        if met is None or met.lost:
            return None
        return (*(self._sources[name] for name in met.path), met.at)

    def _fate(self, need: Need, origin: str, at: str, failures: Failures) -> Fate:
        return fate(need, at, self.spread(self.sweep.carrier.key(origin, need.kin, at), failures))


def _path(met: Fate | None) -> Path | None:
    return None if met is None or met.lost else met.path


def _topics(mesh: Mesh, need: Need) -> Iterator[str]:
    from angarium.mesh.results import topic_of

    return (topic_of(mesh, demand) for demand in need.demands[:20])
