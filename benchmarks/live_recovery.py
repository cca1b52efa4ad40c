"""Recovery, live: six daemons over UDP on loopback, a link that is cut and healed, and every packet counted.

Each link goes through a relay of ours, two sockets with the link between them; a cut link is one whose relay
throws everything away. The daemons learn of nothing else. What is told: how long after the cut its two
ends noticed, how long until all brokers had switched, how long after the mending all were back; and of the
packets from b1 to b3, which crossed the link, how many were lost before and after the switch, and how many
came twice.
"""

from __future__ import annotations

import json
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from angarium.mesh.files.find import load
from angarium.mesh.protocol.link_state import Chart, Pair, chart_of
from angarium.mesh.recovery.tables import HEALTHY
from benchmarks.common.row import Row

MESH = Path(__file__).parents[1] / "examples" / "meshes" / "six-nodes.yaml"
SOURCE, DESTINATION = "b1", "b3"
CUT: Pair = ("b2", "b3")
QUIET = 6
"""Heartbeats: as long as this nothing must have changed before a mesh counts as settled."""
PATIENCE = 200.0
Address = tuple[str, int]
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Size:
    heartbeats: tuple[float, ...]
    """In milliseconds."""
    rate: float
    """Packets a second."""


FULL = Size(heartbeats=(50.0, 100.0), rate=200.0)
TINY = Size(heartbeats=(100.0,), rate=200.0)


def rows(size: Size) -> Iterator[Row]:
    for heartbeat in size.heartbeats:
        found, title = measure(heartbeat, size.rate), f"heartbeat {heartbeat:g} ms:"
        yield Row(f"{title} both ends have noticed a cut", f"{found.detected * 1000:.0f} ms")
        yield Row(f"{title} all have switched", f"{found.switched * 1000:.0f} ms")
        yield Row(f"{title} all are back after the mending", f"{found.returned * 1000:.0f} ms")
        yield Row(f"{title} packets lost before the switch", f"{found.lost_before} of {found.sent}")
        lost = found.lost_after + found.doubled
        yield Row(f"{title} lost after the switch, or doubled", str(lost), "0", lost == 0)


class Relay:
    """All links: what comes to the socket that faces one end goes on to the other end, unless it is cut."""

    def __init__(self, chart: Chart) -> None:
        self.cut: set[Pair] = set()
        self.places: dict[str, Address] = {}
        """Where each broker listens."""
        self._facing = {
            ends: _bound() for one, other in chart.cables for ends in ((one, other), (other, one))
        }
        self._ends = {line: ends for ends, line in self._facing.items()}
        self._chart = chart
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._carry, daemon=True)

    def address(self, broker: str, neighbour: str) -> Address:
        """Where a broker believes that its neighbour is."""
        return self._facing[broker, neighbour].getsockname()  # type: ignore[no-any-return]

    @contextmanager
    def running(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()
            for line in self._ends:
                line.close()

    def _carry(self) -> None:
        while not self._over.is_set():
            for line in select.select(list(self._ends), [], [], 0.1)[0]:
                data, (one, other) = line.recv(2048), self._ends[line]
                if self._chart.pair(one, other) not in self.cut and other in self.places:
                    self._facing[other, one].sendto(data, self.places[other])


def _bound() -> socket.socket:
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind(("127.0.0.1", 0))
    return line


@dataclass
class Live:
    """Six daemons, and what they have told so far."""

    heartbeat: float
    rate: float
    relay: Relay
    daemons: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    told: list[Record] = field(default_factory=list)
    colour: dict[str, int | None] = field(default_factory=dict)
    _listeners: list[threading.Thread] = field(default_factory=list)
    _queue: Queue[Record] = field(default_factory=Queue)

    def start(self, chart: Chart) -> None:
        """The source comes last, when the others listen, so that none of its packets goes to nobody."""
        others = [broker for broker in chart.brokers if broker != SOURCE]
        for broker in others:
            self._start(chart, broker)
        self.wait(lambda: len(self.relay.places) == len(others))
        self._start(chart, SOURCE)

    def _start(self, chart: Chart, broker: str) -> None:
        process = subprocess.Popen([*self._words(chart, broker)], stdout=subprocess.PIPE, text=True)
        self.daemons[broker], self.colour[broker] = process, HEALTHY
        self._listeners.append(threading.Thread(target=self._listen, args=(process,), daemon=True))
        self._listeners[-1].start()

    def _words(self, chart: Chart, broker: str) -> Iterator[str]:
        yield from (sys.executable, "-m", "angarium", "mesh", "node", str(MESH), "--broker", broker, "--json")
        yield from ("--heartbeat", f"{self.heartbeat}ms", "--timeout", "300")
        for neighbour in chart.neighbours[broker]:
            host, port = self.relay.address(broker, neighbour)
            yield from ("--peer", f"{neighbour}={host}:{port}")
        if broker == SOURCE:
            yield from ("--probe-to", DESTINATION, "--rate", str(self.rate))

    def _listen(self, process: subprocess.Popen[str]) -> None:
        with process:
            for line in process.stdout or ():
                self._queue.put(json.loads(line))

    def wait(self, done: Callable[[], bool], *, quiet: float = 0.0) -> None:
        """Take what the daemons tell until a condition is true and nothing has been told for a while."""
        deadline, latest = time.monotonic() + PATIENCE, time.monotonic()
        while not done() or time.monotonic() - latest < quiet:
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {PATIENCE:g} s; told so far: {self.told[-20:]}")
            try:
                self._take(self._queue.get(timeout=0.05))
                latest = time.monotonic()
            except Empty:
                pass

    def _take(self, record: Record) -> None:
        self.told.append(record)
        if record["event"] == "listening":
            host, _, port = record["address"].rpartition(":")
            self.relay.places[record["broker"]] = host, int(port)
        elif record["event"] == "switch":
            self.colour[record["broker"]] = record["colour"]

    def all_see(self, colour: int) -> bool:
        return len(self.relay.places) == len(self.daemons) and set(self.colour.values()) == {colour}

    def all_see_the_cut(self) -> bool:
        latest = {each["broker"]: each for each in self.told if each["event"] == "switch"}
        return all(broker in latest and _sees_cut(latest[broker]) for broker in self.daemons)

    def end(self) -> dict[str, Record]:
        """End the source first, so that what is under way arrives; what each daemon says at last."""
        for broker in sorted(self.daemons, key=SOURCE.__ne__):
            self.daemons[broker].send_signal(signal.SIGTERM)
            self.daemons[broker].wait(PATIENCE)
            time.sleep(0.3 if broker == SOURCE else 0.0)
        self.wait(lambda: len(self._last_words()) == len(self.daemons))
        return self._last_words()

    def clear_away(self) -> None:
        """Leave nothing running."""
        for process in self.daemons.values():
            process.kill()
        for listener in self._listeners:
            listener.join()

    def _last_words(self) -> dict[str, Record]:
        return {record["broker"]: record for record in self.told if record["event"] == "ended"}


@contextmanager
def live(heartbeat: float, rate: float) -> Iterator[Live]:
    """Six daemons on loopback, with a relay in each link."""
    chart = chart_of(load(str(MESH)))
    with ExitStack() as opened:
        relay = Relay(chart)
        opened.enter_context(relay.running())
        found = Live(heartbeat, rate, relay)
        opened.callback(found.clear_away)
        found.start(chart)
        yield found


@dataclass(frozen=True)
class Measured:
    """What became of a cut and a mending; times in seconds."""

    detected: float
    """Until both ends of the link had noticed."""
    switched: float
    """Until all brokers had switched."""
    returned: float
    """After the mending, until all brokers were back at the healthy tables."""
    sent: int
    """Packets that b1 sent once the mesh had settled."""
    doubled: int
    lost_before: int
    """Packets lost that were sent before b1 switched."""
    lost_after: int
    """Packets lost that were sent afterwards, also while the link was mended."""
    exits: tuple[int | None, ...]
    disturbed: int
    """Interfaces that failed though their links were whole: their brokers stood still for too long."""


def measure(heartbeat: float = 50.0, rate: float = 200.0) -> Measured:
    """Cut a link, mend it, and count."""
    quiet = QUIET * heartbeat / 1000
    with live(heartbeat, rate) as mesh:
        mesh.wait(lambda: mesh.all_see(HEALTHY), quiet=quiet)
        began, cut_at = len(mesh.told), time.time()
        mesh.relay.cut.add(CUT)
        mesh.wait(mesh.all_see_the_cut, quiet=quiet)
        mended, healed_at = len(mesh.told), time.time()
        mesh.relay.cut.clear()
        mesh.wait(lambda: mesh.all_see(HEALTHY), quiet=quiet)
        back = len(mesh.told)
        ended = mesh.end()
        exits = tuple(process.returncode for process in mesh.daemons.values())
    before, failed, healed = mesh.told[:began], mesh.told[began:mended], mesh.told[mended:back]
    first = max([each["probes_sent"] for each in before if _is_switch_of_source(each)], default=0)
    switch = next(each["probes_sent"] for each in failed if _is_switch_of_source(each) and _sees_cut(each))
    sent, stream = ended[SOURCE]["probes_sent"], ended[DESTINATION]["arrived"][0]
    missing = [*_missing(stream), *range(stream["received"] + len(_missing(stream)), sent)]
    return Measured(
        detected=max(each["at"] for each in failed if _is_failure(each)) - cut_at,
        switched=max(each["at"] for each in failed if each["event"] == "switch") - cut_at,
        returned=max(each["at"] for each in healed if each["event"] == "switch") - healed_at,
        sent=sent - first,
        doubled=stream["doubled"],
        lost_before=sum(first <= number < switch for number in missing),
        lost_after=sum(switch <= number for number in missing),
        exits=exits,
        disturbed=sum(_is_failure(each) and not _is_of_cut(each) for each in mesh.told[began:]),
    )


def _missing(stream: Record) -> list[int]:
    return [number for first, last in stream["missing"] for number in range(first, last + 1)]


def _is_switch_of_source(record: Record) -> bool:
    return record["event"] == "switch" and record["broker"] == SOURCE


def _sees_cut(record: Record) -> bool:
    return "-".join(CUT) in record["dead"]["links"]


def _is_of_cut(record: Record) -> bool:
    return {record["broker"], record["neighbour"]} == {*CUT}


def _is_failure(record: Record) -> bool:
    return record["event"] == "interface" and record["after"] == "failure"
