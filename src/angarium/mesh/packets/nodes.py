"""The brokers of `pcrt` and `rrl`: those that `angarium mesh node` runs, on the links of the mesh.

Each is a node of `mesh.protocol`, and all that is added here is what is between them. A letter takes as long
as the link that it crosses; who gets a notification needs a moment to look at it. What is under way on a link
that is cut is lost. Letters cross a cable in both directions, also where messages may go only one way; and of
several cables between the same two brokers, letters and packets take the cheapest one that works, since that
is below what a broker sees: it knows its neighbours, and not the cables to them.

Brokers have known each other for long when a simulation begins. As soon as nothing is left but heartbeats
that come and go, time is skipped up to the next thing that happens.

What is noticed, flooded and seen is the nodes' own doing. Of `pcrt` the tables are used as they are seen to
be needed: at once, if they were calculated beforehand, and else when they have been calculated. Of `rrl` only
counts which neighbours are dead to a broker itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.packets.links import NEVER, SECOND, Happening, Network, Weather, below, weather, works
from angarium.mesh.packets.timeline import (
    DEAD_AFTER,
    LEARNS,
    NOTICES,
    News,
    Switch,
    Timeline,
    Timers,
    calculation,
)
from angarium.mesh.protocol.colouring import Colouring, View
from angarium.mesh.protocol.interface import State, Timing
from angarium.mesh.protocol.link_state import Chart, Statement, chart_of
from angarium.mesh.protocol.messages import Notification
from angarium.mesh.protocol.network import Network as Nodes
from angarium.mesh.protocol.network import Step
from angarium.mesh.protocol.node import Changed, Node, Send, Switched
from angarium.mesh.recovery.tables import Colours

MOST_SETTLING = 100
"""So many heartbeats, at most, go over the links before a simulation begins."""


@dataclass(frozen=True)
class Lines:
    """The links between two brokers, the cheapest first, and when they work."""

    network: Network
    weather: Weather

    @cached_property
    def _between(self) -> Mapping[tuple[str, str], Sequence[int]]:
        found: dict[tuple[str, str], list[int]] = {}
        for number, link in enumerate(self.network.links):
            found.setdefault((link.source, link.target), []).append(number)
        for numbers in found.values():
            numbers.sort(key=lambda number: self.network.links[number].cost)
        return found

    def between(self, source: str, target: str) -> Sequence[int]:
        """By their numbers: those that lead there or, where none does, those that lead back."""
        return self._between.get((source, target)) or self._between[target, source]

    def works(self, link: int, start: int, end: int) -> bool:
        return works(self.weather.links[link], start, end)

    def spared(self) -> Iterator[tuple[int, str, frozenset[str]]]:
        """When which broker spares which of its cables, because another one to the same broker works."""
        hops: dict[str, list[Sequence[int]]] = {}
        for (source, _), links in self._between.items():
            hops.setdefault(source, []).append(links)
        for source, others in hops.items():
            bundles = [links for links in others if len(links) > 1]
            spans = [span for links in bundles for link in links for span in self.weather.links[link]]
            for time in sorted({time for span in spans for time in span if time < NEVER}):
                yield time, source, frozenset().union(*(self._spared(links, time) for links in bundles))

    def _spared(self, links: Sequence[int], time: int) -> set[str]:
        dead = [link for link in links if not self.works(link, time, time)]
        return {self.network.links[link].fails_as for link in dead if len(dead) < len(links)}


class OnLinks(Nodes):
    """Nodes whose letters cross the links of a mesh; all times are whole nanoseconds."""

    def __init__(self, lines: Lines, colouring: Colouring, timers: Timers, record: Record) -> None:
        timing = Timing(timers.heartbeat, missed=DEAD_AFTER, second=SECOND)
        super().__init__(colouring, timing, tell=self._take, begun=False)
        self._lines, self._timers, self._delays = lines, timers, lines.network.control_delays
        self._longest = max(self._delays, default=0) + timers.processing
        self._record, self._skipped = record, 0

    @property
    def time(self) -> int:
        """That of the simulation; before 0 as long as the first heartbeats are on their way."""
        return int(self.now) + self._skipped

    def crossing(self, send: Send) -> int | None:
        now, lines = self.time, self._lines
        between = lines.between(send.letter.sender, send.to)
        link = next((each for each in between if lines.works(each, now, now)), None)
        if link is None or not lines.works(link, now, now + self._delays[link]):
            return None
        looked_at = isinstance(send.letter.message, Notification)
        return self._delays[link] + self._timers.processing * looked_at

    def _take(self, step: Step) -> None:
        self._record.take(self.time, self.nodes[step.broker], step)

    def begin(self, seed: int) -> None:
        """All brokers start, each with a heartbeat of its own, and have known each other for long."""
        beat = self._timers.heartbeat
        self._skipped = -MOST_SETTLING * beat
        for name in self.chart.brokers:
            self.start(name, beats_at=below(beat, seed, "heartbeat", name))
        self.acquaint()
        self.pass_until(0)

    def pass_until(self, time: int) -> None:
        """Let everything happen up to a time; what would only repeat itself is skipped."""
        beat, before = self._timers.heartbeat, None
        while self.time + beat <= time:
            self.run(beat)
            ahead = self.ahead()
            if ahead == before:
                self._skipped += max(0, (time - self._longest - self.time) // beat * beat)
                break
            before = ahead
        self.run(time - self.time)


class Record:
    """What nodes do, in the words of a timeline."""

    def __init__(self, lines: Lines) -> None:
        self.news: list[News] = []
        self.views: dict[str, list[tuple[int, View | None]]] = {name: [] for name in lines.network.names}
        """What each broker sees from when on; None when it dies."""
        self.dead: list[tuple[int, str, frozenset[str]]] = []
        """When which neighbours are dead to which broker."""
        self._lines = lines
        self._known: dict[str, dict[str, frozenset[str]]] = {}

    def begins(self, time: int, node: Node) -> None:
        """A broker begins anew, and sees nothing dead."""
        self._known.pop(node.name, None)
        self.views[node.name].append((time, node.view))
        self.dead.append((time, node.name, frozenset()))

    def dies(self, time: int, broker: str) -> None:
        self.views[broker].append((time, None))

    def take(self, time: int, node: Node, step: Step) -> None:
        """What a step of a node shows."""
        for action in step.actions:
            match action:
                case Changed(neighbour, before, after) if State.FAILURE in (before, after):
                    gone = frozenset(name for name, each in node.interfaces.items() if not each.lives)
                    self.dead.append((time, node.name, gone))
                    self._note(time, node.name, NOTICES, (neighbour, node.name), after is State.FAILURE)
                case Switched(view):
                    self.views[node.name].append((time, view))
        if step.letter and isinstance(step.letter.message, Notification):
            for statement in step.letter.message.statements:
                if node.name != statement.origin and node.database.statements[statement.origin] == statement:
                    self._learn(time, node.name, statement)

    def _learn(self, time: int, broker: str, statement: Statement) -> None:
        known = self._known.setdefault(broker, {})
        before, known[statement.origin] = known.get(statement.origin, frozenset()), statement.dead
        for neighbour in sorted(before ^ statement.dead):
            self._note(time, broker, LEARNS, (neighbour, statement.origin), neighbour in statement.dead)

    def _note(self, time: int, broker: str, how: str, ends: tuple[str, str], dead: bool) -> None:
        names = [self._lines.network.links[each].name for each in self._lines.between(*ends)]
        self.news += [News(time, broker, how, name, dead) for name in names]


def timeline(
    network: Network,
    happenings: Sequence[Happening],
    timers: Timers,
    colours: Colours | None,
    *,
    seed: int,
    end: int,
) -> Timeline:
    """Who notices, learns and switches, up to an end; without colours, who notices and leads around."""
    lines, chart = Lines(network, weather(network.only_links, happenings)), chart_of(network.mesh)
    record = Record(lines)
    nodes = OnLinks(lines, Colouring(chart, colours or Colours((NOTHING,))), timers, record)
    nodes.begin(seed)
    for each in happenings:
        nodes.pass_until(each.time)
        for name in sorted(each.what.brokers):
            if each.heals:
                nodes.start(name)
                record.begins(each.time, nodes.nodes[name])
            else:
                nodes.stop(name)
                record.dies(each.time, name)
    nodes.pass_until(end - 1)
    changes = [*_beside(record, chart), *_spared(lines)]
    if colours:
        changes += _known(record, chart, calculation(len(chart.brokers)) + timers.update)
    news = (each for each in record.news if each.time >= 0 and (colours or each.how == NOTICES))
    return Timeline(tuple(news), tuple(_switches(sorted(changes, key=lambda each: each[0]), colours is None)))


KNOWN, BESIDE, SPARED = range(3)
Change = tuple[int, str, int, Failures]
"""When, to whom, and of what: of what the mesh's tables are for, of what is dead beside a broker, or of what
is spared because another cable works."""


def _known(record: Record, chart: Chart, takes: int) -> Iterator[Change]:
    """Tables that are there are used at once; others when they are calculated, if they are still wanted."""
    for broker, views in record.views.items():
        following = [*(time for time, _ in views[1:]), NEVER]
        for (time, view), until in zip(views, following, strict=False):
            when = time if view is None or view.colour is not None else time + takes
            if view is not None and (when == time or when < until):
                yield when, broker, KNOWN, chart.cables_of(view.dead)


def _beside(record: Record, chart: Chart) -> Iterator[Change]:
    for time, broker, gone in record.dead:
        yield time, broker, BESIDE, chart.cables_of(chart.pair(broker, each) for each in gone)


def _spared(lines: Lines) -> Iterator[Change]:
    for time, broker, cables in lines.spared():
        yield time, broker, SPARED, Failures(cables=cables)


def _switches(changes: Iterable[Change], leads_around: bool) -> Iterator[Switch]:
    """What brokers forward by, each time that it is something else."""
    now: dict[str, list[Failures]] = {}
    before: dict[str, Switch] = {}
    for time, broker, what, failures in changes:
        mine = now.setdefault(broker, [NOTHING] * 3)
        mine[what] = failures
        known, beside, spared = mine
        around = (beside.cables if leads_around else frozenset()) | spared.cables
        switch = Switch(max(time, 0), broker, known, around - known.cables)
        last = before.get(broker, Switch(0, broker))
        if (switch.known, switch.around) != (last.known, last.around):
            yield switch
        before[broker] = switch
