"""How the news of a failure passes from broker to broker, in steps that a page can show.

The brokers are the nodes of `mesh.protocol`, the same that `angarium mesh node` runs, in its simulated
network. Every letter takes one millisecond, so that all that happens at one time is one step: who notices
that a neighbour is dead or back, which letters with news leave, and who switches to the tables of another
colour. Heartbeats and acknowledgements are left out.

They have known each other for long when it begins, and compared what they hold: at a first meeting each would
tell the other everything, which is another story.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from angarium.mesh.mesh import Failures
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.interface import State, Timing
from angarium.mesh.protocol.link_state import Chart, Pairs
from angarium.mesh.protocol.messages import Notification
from angarium.mesh.protocol.network import Network, Step, Weather
from angarium.mesh.protocol.node import Action, Changed, Send, Switched

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
