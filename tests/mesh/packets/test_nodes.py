"""The simulation and the daemon are the same protocol: on the same scenario they do the same."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from random import Random
from threading import Event, Thread
from time import monotonic

import pytest

from angarium.mesh.mesh import Mesh
from angarium.mesh.packets import nodes
from angarium.mesh.packets.links import MILLISECOND, SECOND, Happening, below, in_order, network_of
from angarium.mesh.packets.nodes import OnLinks
from angarium.mesh.packets.running import timeline
from angarium.mesh.packets.timeline import NOTICES, PCRT, Timeline
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.daemon import Daemon, bound
from angarium.mesh.protocol.forwarding import Forwarder, calculated_tables, started
from angarium.mesh.protocol.interface import State, Timing
from angarium.mesh.protocol.link_state import chart_of
from angarium.mesh.protocol.network import Network, Step, Weather
from angarium.mesh.protocol.node import Changed, Node, Switched
from angarium.mesh.recovery.tables import Colours, coloured
from angarium.mesh.verify.budget import ONE
from tests.mesh.packets.nets import cable, comes_back, cut, dies, heals, net
from tests.waiting import wait_until

DELAY = 5 * MILLISECOND
RING = net(*(cable(one, other, latency=5) for one, other in ("ab", "bc", "cd", "da")))
TAILED = net(*(cable(one, other, latency=5) for one, other in ("ab", "bc", "cd", "de", "ce")))
LATE = 400 * SECOND

Deed = tuple[float, str, str]
"""When who does what."""


def colours_of(mesh: Mesh) -> Colours:
    return coloured(mesh, (failures for _, failures in ONE.failures(mesh)))


def simulated(mesh: Mesh, happenings: Sequence[Happening], seed: int) -> Timeline:
    """What `mesh simulate` makes of it, with brokers that need no time to look at letters."""
    swift = replace(PCRT, timers=replace(PCRT.timers, processing=0, update=0))
    return timeline(network_of(mesh), in_order(happenings), swift, colours_of(mesh), seed=seed, end=LATE)


# --- every time, against the network in which the protocol itself is tested -------------------------------


def by_the_protocol(mesh: Mesh, happenings: Sequence[Happening], seed: int) -> list[Deed]:
    """The same in seconds, heartbeat by heartbeat, nothing skipped."""
    colouring, found = Colouring(chart_of(mesh), colours_of(mesh)), list[Deed]()

    def take(step: Step) -> None:
        for action in step.actions:
            match action:
                case Changed(neighbour, before, after) if State.FAILURE in (before, after):
                    found.append((step.now, step.broker, f"{neighbour} {after is State.FAILURE}"))
                case Switched(view):
                    found.append((step.now, step.broker, str(colouring.chart.cables_of(view.dead))))

    steady = Weather(delay=(DELAY / SECOND,) * 2)
    own = Network(colouring, Timing(1.0), weather=steady, tell=take, begun=False)
    for name in own.chart.brokers:
        own.start(name, beats_at=below(SECOND, seed, "heartbeat", name) / SECOND)
    own.acquaint()
    for each in in_order(happenings):
        own.run(each.time / SECOND - own.now)
        for name in each.what.cables:
            (own.heal if each.heals else own.sever)(*name.split("-"))
        for name in each.what.brokers:
            (own.start if each.heals else own.stop)(name)
            found += [(own.now, name, "nothing")] * each.heals
    own.run(LATE / SECOND - own.now)
    return found


def by_the_simulation(mesh: Mesh, happenings: Sequence[Happening], seed: int) -> list[Deed]:
    """What `mesh simulate` makes of it, with brokers that look at letters and calculate tables at once."""
    found = simulated(mesh, happenings, seed)
    noticed = [
        (each.time / SECOND, each.broker, f"{each.link.partition(':')[2].partition('->')[0]} {each.dead}")
        for each in found.news
        if each.how == NOTICES
    ]
    return noticed + [(each.time / SECOND, each.broker, str(each.known)) for each in found.switches]


def agree(mesh: Mesh, happenings: Sequence[Happening], seed: int = 1) -> bool:
    """Whether everybody notices and switches in both, at the same time, to within rounding."""
    ours, theirs = (find(mesh, happenings, seed) for find in (by_the_simulation, by_the_protocol))
    return told(ours) == told(theirs)


def told(events: list[Deed]) -> dict[str, list[tuple[str, float]]]:
    """By broker, in the order of time; a table that is used already is no switch."""
    found: dict[str, list[tuple[str, float]]] = {}
    using: dict[str, str] = {}
    for time, broker, what in sorted(events):
        is_switch = what.startswith(("link", "nothing"))
        if not is_switch or using.get(broker, "nothing") != what:
            found.setdefault(broker, []).append((what, round(time, 6)))
        if is_switch:
            using[broker] = what
    return found


@pytest.fixture(autouse=True)
def _calculated_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "calculation", lambda _: 0)


SCENARIOS = {
    "a cut that heals": [cut("a-b", 100), heals("a-b", 200)],
    "two cuts, the second while the first heals": [
        cut("a-b", 100),
        heals("a-b", 200),
        cut("c-d", 201.5),
        heals("c-d", 300),
    ],
    "a partition that learns": [cut("a-b", 100), cut("c-d", 150), heals("a-b", 250)],
    "a broker that dies and returns": [dies("a", 100), comes_back("a", 200)],
    "a broker that returns before it is missed": [cut("b-c", 50), dies("a", 100), comes_back("a", 101)],
    "a cut too short to be noticed": [cut("a-b", 100), heals("a-b", 101)],
    "a link that flaps": [
        happening for at in range(100, 200, 7) for happening in (cut("a-b", at), heals("a-b", at + 4.5))
    ],
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_whoever_notices_and_switches_does_so_when_the_protocol_does(name: str) -> None:
    assert agree(RING, SCENARIOS[name])


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", range(100))
def test_so_it_is_whatever_happens(seed: int) -> None:
    assert agree(*at_random(seed), seed)


def at_random(seed: int) -> tuple[Mesh, list[Happening]]:
    """Links and brokers of a mesh with a bridge fail and come back."""
    choice, found = Random(seed), list[Happening]()
    names = [*TAILED.cables, "a", "c", "e"]
    for name in choice.sample(names, choice.randint(1, 4)):
        times = sorted(choice.uniform(10, 300) for _ in range(choice.choice((1, 2, 2, 4))))
        fails, mends = (cut, heals) if "-" in name else (dies, comes_back)
        found += [(mends if place % 2 else fails)(name, time) for place, time in enumerate(times)]
    return TAILED, found


def test_another_dead_interval_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "DEAD_AFTER", 3)

    assert not agree(RING, SCENARIOS["a cut that heals"])


def test_time_that_is_skipped_too_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as no letter is on its way, though somebody may be counting how long nothing has come."""
    monkeypatch.setattr(OnLinks, "ahead", lambda self: self._ahead == [])

    assert not agree(RING, SCENARIOS["a cut that heals"])


def test_time_that_is_skipped_too_far_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats that are under way when time is skipped must be there before the next thing happens."""
    slow = net(*(cable(one, other, latency=3500) for one, other in ("ab", "bc")))
    happenings = [cut("a-b", 100.2), heals("a-b", 200.7)]
    whole = simulated(slow, happenings, 1)
    begin = OnLinks.__init__

    def careless(self: OnLinks, *given: object) -> None:
        begin(self, *given)  # type: ignore[arg-type]
        self._longest = 0

    monkeypatch.setattr(OnLinks, "__init__", careless)

    assert simulated(slow, happenings, 1) != whole


# --- who does what, against real daemons ------------------------------------------------------------------


class Cuttable:
    """A daemon's socket, with links that can be cut: what is sent over those is lost."""

    def __init__(self, line: socket.socket, severed: set[frozenset[str]], name: str) -> None:
        self.line, self.name, self.severed = line, name, severed
        self.peers: dict[tuple[str, int], str] = {}

    def fileno(self) -> int:
        return self.line.fileno()

    def recvfrom(self, size: int) -> tuple[bytes, tuple[str, int]]:
        return self.line.recvfrom(size)  # type: ignore[no-any-return]

    def sendto(self, data: bytes, to: tuple[str, int]) -> None:
        if frozenset((self.name, self.peers[to])) not in self.severed:
            self.line.sendto(data, to)


@dataclass
class Running:
    """The daemons of a mesh."""

    nodes: dict[str, Node]
    told: list[tuple[str, Changed | Switched]]
    severed: set[frozenset[str]]

    def done(self) -> dict[str, set[str]]:
        """What each broker noticed, and which tables it used."""
        found: dict[str, set[str]] = {}
        for name, action in list(self.told):
            match action:
                case Changed(neighbour, before, after) if State.FAILURE in (before, after):
                    found.setdefault(name, set()).add(f"{neighbour} {after is State.FAILURE}")
                case Switched(view):
                    cables = self.nodes[name].colouring.chart.cables_of(view.dead)
                    found.setdefault(name, set()).add(str(cables))
        return found


@contextmanager
def running(mesh: Mesh, timing: Timing) -> Iterator[Running]:
    """Every broker is a daemon on a socket of its own."""
    over, found = Event(), Running({}, [], set())
    names = [broker.name for broker in mesh.brokers]
    with ExitStack() as sockets:
        lines = {name: sockets.enter_context(bound(("127.0.0.1", 0))) for name in names}
        places = {name: line.getsockname() for name, line in lines.items()}
        threads = []
        for name in names:
            node, forwarder = broker(mesh, name, timing)
            found.nodes[name] = node
            line = Cuttable(lines[name], found.severed, name)
            line.peers = {places[each]: each for each in node.interfaces}
            peers = {each: places[each] for each in node.interfaces}

            def tell(action: Changed | Switched, name: str = name) -> None:
                found.told.append((name, action))

            daemon = Daemon(node, forwarder, line, peers, tell=tell)  # type: ignore[arg-type]
            threads.append(Thread(target=daemon.run, kwargs={"stopped": over.is_set}))
        for thread in threads:
            thread.start()
        try:
            yield found
        finally:
            over.set()
            for thread in threads:
                thread.join()


def broker(mesh: Mesh, name: str, timing: Timing) -> tuple[Node, Forwarder]:
    return started(mesh, calculated_tables(mesh, name, ONE), timing, life=5, now=monotonic())


def test_daemons_do_what_the_simulation_says() -> None:
    """Who notices what, and which tables each broker uses: at the cut, and when it has healed."""
    cutting, healing = (at(when) for when in (100, 200))

    with running(RING, Timing(0.25)) as daemons:
        wait_until("all know each other", lambda: all_are_normal(daemons))
        daemons.severed.add(frozenset("ab"))
        wait_until(f"the cut does {cutting}", lambda: daemons.done() == cutting)
        daemons.told.clear()
        daemons.severed.clear()
        wait_until(f"healing does {healing}", lambda: daemons.done() == healing)


def at(when: int) -> dict[str, set[str]]:
    """What each broker does in the simulation in the seconds behind a time."""
    events = told(by_the_simulation(RING, [cut("a-b", 100), heals("a-b", 200)], 1))
    return {name: {what for what, time in each if when <= time < when + 50} for name, each in events.items()}


def all_are_normal(daemons: Running) -> bool:
    states = {each.state for node in daemons.nodes.values() for each in node.interfaces.values()}
    lives = {each.life for node in daemons.nodes.values() for each in node.interfaces.values()}
    return states == {State.NORMAL} and lives == {5}
