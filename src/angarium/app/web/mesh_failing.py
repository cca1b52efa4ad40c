"""What a mesh does while something is dead: the paths of messages, the tables of brokers, their colours.

Three questions with three answers, because a mesh need not do what its brokers could:

    routes    over which way each message arrives now, by the mesh's own routing, and over which before
    tables    the next brokers by the recovery tables, healthy and now: over the links, whatever the routing
    colours   which failure each broker takes this for; none if no tables were calculated for it beforehand

How the news of a failure passes from broker to broker, in steps that a page can show.

The brokers are the nodes of `mesh.protocol`, the same that `angarium mesh node` runs, in its simulated
network. Every letter takes one millisecond, so that all that happens at one time is one step: who notices
that a neighbour is dead or back, which letters with news leave, and who switches to the tables of another
colour. Heartbeats and acknowledgements are left out.

They have known each other for long when it begins, and compared what they hold: at a first meeting each would
tell the other everything, which is another story.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from angarium.app.web.mesh_document import Json
from angarium.mesh.delivery.outcome import Path, Spread
from angarium.mesh.mesh import FORWARD, NOTHING, Failures, Mesh
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.interface import State, Timing
from angarium.mesh.protocol.link_state import Chart, Pairs, chart_of
from angarium.mesh.protocol.messages import Notification
from angarium.mesh.protocol.network import Network, Step, Weather
from angarium.mesh.protocol.node import Action, Changed, Send, Switched
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


# --- mesh flood -----------------------------------------------------------------------------------


HOP = 0.001
_SETTLED = 0.3
"""Seconds without news behind which there is none to come."""
_BEATS = 30
"""Heartbeats over each link, there and back, until all is settled; about so many."""
MOST_LETTERS = 60_000
"""More are not followed: these take some seconds."""


@dataclass(slots=True)
class Moment:
    """What happens at one time."""

    milliseconds: int
    """Since the failure."""
    notices: list[tuple[str, str, bool]] = field(default_factory=list)
    """Who notices of which neighbour that it is dead, or (False) back."""
    letters: list[tuple[str, str]] = field(default_factory=list)
    """With news, from whom to whom."""
    switched: list[tuple[str, int | None]] = field(default_factory=list)
    """Who uses the tables of which colour at the end of it; None: of none that was calculated before."""

    def take(self, broker: str, action: Action, gone: Pairs) -> None:
        match action:
            case Changed(neighbour, before, after) if State.FAILURE in (before, after):
                self.notices.append((broker, neighbour, after is State.FAILURE))
            case Send(to, letter) if isinstance(letter.message, Notification):
                if (broker, to) not in gone and (to, broker) not in gone:
                    self.letters.append((broker, to))
            case Switched(view):
                others = [each for each in self.switched if each[0] != broker]
                self.switched = [*others, (broker, view.colour)]

    def __bool__(self) -> bool:
        return bool(self.notices or self.letters or self.switched)


def flood(colouring: Colouring, before: Failures, after: Failures) -> list[Moment] | None:
    """What happens when one set of failures becomes another; None if that takes too many letters."""
    if _letters(colouring.chart, before, after) > MOST_LETTERS:
        return None
    network = Network(colouring, Timing(), weather=Weather(delay=(HOP, HOP)))
    network.acquaint()
    if before:
        _become(network, before)
    _settle(network)
    begin, first = network.now, len(network.steps)
    _become(network, after)
    _settle(network)
    return _moments(network.steps[first:], begin, colouring.chart.killed(after))


def _letters(chart: Chart, before: Failures, after: Failures) -> int:
    """About how many: everybody who notices something tells it over every link, there and back."""
    noticing = {broker for pair in chart.killed(before) ^ chart.killed(after) for broker in pair}
    return (2 * len(noticing) + _BEATS) * len(chart.cables)


def _become(network: Network, failures: Failures) -> None:
    """Cut, mend, stop and start, until just this is dead."""
    killed = network.chart.killed(Failures(cables=failures.cables))
    for pair in network.chart.cables:
        (network.sever if pair in killed else network.heal)(*pair)
    for broker in network.chart.brokers:
        if broker in failures.brokers:
            network.stop(broker)
        elif broker not in network.nodes:
            network.start(broker)


def _settle(network: Network) -> None:
    """Let time pass until there is no more news."""
    quiet, seen = network.now, len(network.steps)
    while network.now < quiet + _SETTLED:
        network.run(Timing().heartbeat)
        if any(_has_news(step.actions) for step in network.steps[seen:]):
            quiet = network.now
        seen = len(network.steps)


def _has_news(actions: Iterable[Action]) -> bool:
    moment = Moment(0)
    for action in actions:
        moment.take("", action, frozenset())
    return bool(moment)


def _moments(steps: Sequence[Step], begin: float, gone: Pairs) -> list[Moment]:
    found: dict[int, Moment] = {}
    for step in steps:
        when = round((step.now - begin) * 1000)
        moment = found.setdefault(when, Moment(when))
        for action in step.actions:
            moment.take(step.broker, action, gone)
    return [moment for _, moment in sorted(found.items()) if moment]
