"""A simulated network of nodes: cables that are cut and healed, letters that are late or lost.

A run is a function of its seed. Every letter is written to bytes and read again on its way. Whatever a node
is given and answers is a `Step`, in the order of time; the network tells or keeps each: that is what a model
is asked to do after it.

How long a letter takes, and whether it arrives, `crossing` says: by chance, as the `Weather` has it. The
simulation of packets (`mesh.packets.nodes`) runs the same network on the links of a mesh, with their delays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random

from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.interface import Interface, Timing
from angarium.mesh.protocol.link_state import Pair
from angarium.mesh.protocol.messages import Letter
from angarium.mesh.protocol.node import Action, Node, Send


@dataclass(frozen=True, slots=True)
class Weather:
    """How bad a network is."""

    loss: float = 0.0
    """The share of letters that get lost."""
    delay: tuple[float, float] = (0.001, 0.002)
    """The shortest and the longest time on the way, in seconds; letters overtake each other in between."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a node: what it was given, and what it answered."""

    now: float
    broker: str
    letter: Letter | None
    """None if only time has passed."""
    actions: tuple[Action, ...]


MakeNode = Callable[..., Node]


class Network:
    """Nodes, and all letters under way between them."""

    def __init__(
        self,
        colouring: Colouring,
        timing: Timing,
        *,
        seed: int = 0,
        weather: Weather | None = None,
        make: MakeNode = Node,
        tell: Callable[[Step], None] | None = None,
        begun: bool = True,
    ) -> None:
        """With `tell`, steps are told instead of kept; unless it has `begun`, each node waits for `start`."""
        self.now: float = 0
        self.chart = colouring.chart
        self.cut: set[Pair] = set()
        self.steps: list[Step] = []
        self._colouring, self._timing, self._make = colouring, timing, make
        self.weather, self._random = weather or Weather(), Random(seed)
        self._tell = tell or self.steps.append
        self._ahead: list[tuple[float, int, str, bytes]] = []
        self._alarms: list[tuple[float, int, str]] = []
        """When which node wakes; an entry counts if it is still so."""
        self._sent = 0
        self._lives = 0
        self.nodes: dict[str, Node] = {}
        for name in self.chart.brokers if begun else ():
            self.start(name)

    # --- what is done from outside ------------------------------------------------------------------

    def sever(self, one: str, other: str) -> None:
        """Cut all cables of a pair: what is under way on them is lost, and what is sent over them."""
        self.cut.add(self.chart.pair(one, other))

    def heal(self, one: str, other: str) -> None:
        """Mend the cables of a pair."""
        self.cut.discard(self.chart.pair(one, other))

    def stop(self, broker: str) -> None:
        """A broker dies, and forgets everything."""
        self.nodes.pop(broker, None)

    def start(self, broker: str, *, beats_at: float | None = None) -> None:
        """A broker starts, in a new life; its first heartbeat is sent at once, or at a time."""
        self._lives += 1
        node = self._make(broker, self._colouring, self._timing, life=self._lives, now=self.now)
        node.beats_at = self.now if beats_at is None else beats_at
        self.nodes[broker] = node
        self._set_alarm(broker)

    def acquaint(self) -> None:
        """All nodes know each other, and what each holds, as if they had been together for long."""
        statements = [node.own for node in self.nodes.values()]
        for node in self.nodes.values():
            for statement in statements:
                node.database.keep(statement)
            for neighbour, interface in node.interfaces.items():
                interface.life = self.nodes[neighbour].life

    def forge(self, letter: Letter, to: str) -> None:
        """A letter arrives that nobody sent who is in its head."""
        if (node := self.nodes.get(to)) is not None:
            self._note(to, letter, node.heard(self.now, letter))

    def run(self, time: float) -> None:
        """Let time pass."""
        end = self.now + time
        while (when := self._next()) <= end:
            self.now = when
            self._happen()
        self.now = end

    # --- what happens -------------------------------------------------------------------------------

    def _next(self) -> float:
        while self._alarms and not self._counts(*self._alarms[0]):
            heappop(self._alarms)
        first = [queue[0][0] for queue in (self._ahead, self._alarms) if queue]
        return max(self.now, min(first, default=float("inf")))

    def _counts(self, when: float, _: int, name: str) -> bool:
        return name in self.nodes and self.nodes[name].wakes == when

    def _happen(self) -> None:
        while self._ahead and self._ahead[0][0] <= self.now:
            _, _, to, data = heappop(self._ahead)
            self._arrive(to, data)
        due = {alarm for alarm in self._due() if self._counts(*alarm)}
        for _, _, name in sorted(due, key=lambda alarm: alarm[1]):
            self._note(name, None, self.nodes[name].passed(self.now))

    def _due(self) -> Iterable[tuple[float, int, str]]:
        while self._alarms and self._alarms[0][0] <= self.now:
            yield heappop(self._alarms)

    def _set_alarm(self, name: str) -> None:
        heappush(self._alarms, (self.nodes[name].wakes, self.chart.number[name], name))

    def _arrive(self, to: str, data: bytes) -> None:
        letter, node = self._colouring.codec.decode(data), self.nodes.get(to)
        assert isinstance(letter, Letter), letter
        if node is not None and not self._is_cut(letter.sender, to):
            self._note(to, letter, node.heard(self.now, letter))

    def _is_cut(self, sender: str, to: str) -> bool:
        return bool(self.cut) and self.chart.pair(sender, to) in self.cut

    def _note(self, broker: str, letter: Letter | None, actions: Iterable[Action]) -> None:
        actions = tuple(actions)
        self._set_alarm(broker)
        self._tell(Step(self.now, broker, letter, actions))
        for action in actions:
            if isinstance(action, Send):
                self._transmit(action)

    def _transmit(self, send: Send) -> None:
        delay = self.crossing(send)
        if delay is not None and not self._is_cut(send.letter.sender, send.to):
            data = self._colouring.codec.encode(send.letter)
            heappush(self._ahead, (self.now + delay, self._sent, send.to, data))
            self._sent += 1

    def crossing(self, send: Send) -> float | None:
        """How long a letter is on its way that is sent now; None if it gets lost."""
        lost = self._random.random() < self.weather.loss
        delay = self._random.uniform(*self.weather.delay)
        return None if lost else delay

    # --- at rest ------------------------------------------------------------------------------------

    def ahead(self) -> object:
        """All that nodes know and that is under way, with times as seen from now.

        If it is the same one heartbeat later, and nothing happens from outside, it stays so: heartbeats come
        and go, and whoever runs the network need not. Numbers of tests are left out; they only grow.
        """
        nodes = {
            name: (node.beats_at - self.now, _known(node, self.now)) for name, node in self.nodes.items()
        }
        letters = sorted((when - self.now, to, data) for when, _, to, data in self._ahead)
        return nodes, letters


def _known(node: Node, now: float) -> list[object]:
    return [node.database.fingerprint, *(_state(each, now) for each in node.interfaces.values())]


def _state(interface: Interface, now: float) -> object:
    heard = interface.heard_at - now if interface.lives else None
    resends = interface.resend_at - now if interface.owed else None
    owed, counts = set(interface.owed.values()), (interface.tries, interface.differing, interface.answered)
    return interface.state, interface.life, heard, resends, owed, counts
