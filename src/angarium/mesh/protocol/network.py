"""A simulated network of nodes: cables that are cut and healed, letters that are late or lost, by a seed.

A run is a function of its seed. Every letter is written to bytes and read again on its way. Whatever a node
is given and answers is kept in `steps`, in the order of time: that is what a model is asked to do after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random

from angarium.mesh.protocol.chart import Pair
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.messages import Letter
from angarium.mesh.protocol.node import Action, Node, Send
from angarium.mesh.protocol.timing import Timing


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
    ) -> None:
        self.now = 0.0
        self.weather = weather or Weather()
        self.chart = colouring.chart
        self.cut: set[Pair] = set()
        self.steps: list[Step] = []
        self._colouring, self._timing, self._make = colouring, timing, make
        self._random = Random(seed)
        self._ahead: list[tuple[float, int, str, bytes]] = []
        self._sent = 0
        self._lives = 0
        self.nodes: dict[str, Node] = {}
        for name in self.chart.brokers:
            self.start(name)

    # --- what is done from outside ------------------------------------------------------------------

    def sever(self, one: str, other: str) -> None:
        """Cut all cables of a pair: what is under way on them is lost."""
        self.cut.add(self.chart.pair(one, other))

    def heal(self, one: str, other: str) -> None:
        """Mend the cables of a pair."""
        self.cut.discard(self.chart.pair(one, other))

    def stop(self, broker: str) -> None:
        """A broker dies, and forgets everything."""
        self.nodes.pop(broker, None)

    def start(self, broker: str) -> None:
        """A broker starts, in a new life."""
        self._lives += 1
        self.nodes[broker] = self._make(broker, self._colouring, self._timing, life=self._lives, now=self.now)

    def forge(self, letter: Letter, to: str) -> None:
        """A letter arrives that nobody sent who is in its head."""
        if (node := self.nodes.get(to)) is not None:
            self._note(to, letter, node.heard(self.now, letter))

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while (when := self._next()) <= end:
            self.now = when
            self._happen()
        self.now = end

    # --- what happens -------------------------------------------------------------------------------

    def _next(self) -> float:
        alarms = (node.wakes for node in self.nodes.values())
        return max(self.now, min([*alarms, *(when for when, *_ in self._ahead[:1])], default=float("inf")))

    def _happen(self) -> None:
        while self._ahead and self._ahead[0][0] <= self.now:
            _, _, to, data = heappop(self._ahead)
            self._arrive(to, data)
        for name, node in list(self.nodes.items()):
            if node.wakes <= self.now:
                self._note(name, None, node.passed(self.now))

    def _arrive(self, to: str, data: bytes) -> None:
        letter, node = self._colouring.codec.decode(data), self.nodes.get(to)
        assert isinstance(letter, Letter), letter
        if node is not None and self.chart.pair(letter.sender, to) not in self.cut:
            self._note(to, letter, node.heard(self.now, letter))

    def _note(self, broker: str, letter: Letter | None, actions: Iterable[Action]) -> None:
        actions = tuple(actions)
        self.steps.append(Step(self.now, broker, letter, actions))
        for action in actions:
            if isinstance(action, Send):
                self._transmit(action)

    def _transmit(self, send: Send) -> None:
        lost = self._random.random() < self.weather.loss
        delay = self._random.uniform(*self.weather.delay)
        if not lost:
            data = self._colouring.codec.encode(send.letter)
            heappush(self._ahead, (self.now + delay, self._sent, send.to, data))
            self._sent += 1
