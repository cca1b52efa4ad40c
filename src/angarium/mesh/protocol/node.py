"""A broker's part in the recovery protocol: no socket, no clock, no thread, no chance.

Whoever runs a node brings it letters and the time, and does what it answers:

    node.heard(now, letter)    a letter has come
    node.passed(now)           the time is `now`; before `node.wakes` nothing happens

Each call is one atomic step: it takes what has happened, changes the node, and returns, in order, what is to
be done about it: letters to `Send`, interfaces whose state has `Changed`, and at most one `Switched`, the
last, if the broker now sees another mesh. Nothing else changes a node, so the calls and their answers are the
whole story of it; `network.Network` keeps them as a list of steps.

What a node does:

- Every heartbeat interval it sends a heartbeat over each interface, or a link test over one in failure. Every
  letter is a sign of life but a test: who sends tests takes us for dead. So where a link carries letters only
  one way, both of its ends come to know that it is dead.
- When an interface fails or is healed, it states anew which of its neighbours are dead (`link_state`), and
  floods that: to every neighbour that is not dead to it, each of which acknowledges it and hands it on to its
  own neighbours, if it is later than what it knew. What is not acknowledged is sent again, less and less
  often.
- A neighbour that comes back, or has restarted, is given everything that is known (`interface`).
- The colour follows from what has been stated (`colouring`).
- Somebody may have kept a statement of an earlier life of this broker with a later stamp, because the clock
  was set back, or somebody has forged one. A broker that meets such a statement about itself takes over its
  stamp and states the truth behind it.
- A heartbeat carries a fingerprint of all statements that its sender holds. Neighbours that go on to differ
  tell each other everything. So whatever was put into any broker by whatever means, the latest statement of
  each origin reaches all, the origin too, which answers it: some time after forgers are silent, everybody is
  right again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from angarium.mesh.protocol.colouring import Colouring, View
from angarium.mesh.protocol.interface import TRANSITIONS, Deed, Event, Interface, State, Timing
from angarium.mesh.protocol.link_state import FAR, Database, Stamp, Statement, following, later
from angarium.mesh.protocol.messages import (
    Acknowledgement,
    Answer,
    Heartbeat,
    Letter,
    LinkTest,
    Message,
    Notification,
)


@dataclass(frozen=True, slots=True)
class Send:
    """A letter is to go to a neighbour."""

    to: str
    letter: Letter


@dataclass(frozen=True, slots=True)
class Changed:
    """An interface is in another state."""

    neighbour: str
    before: State
    after: State
    why: Event


@dataclass(frozen=True, slots=True)
class Switched:
    """The broker sees another mesh: from now on it uses the tables for that."""

    view: View


Action = Send | Changed | Switched


class Node:
    """One broker. `interfaces`, `database`, `view` and `beats_at` are there to look at."""

    def __init__(
        self, name: str, colouring: Colouring, timing: Timing, *, life: int = 1, now: float = 0.0
    ) -> None:
        """`life` must differ from that of every earlier start, and should be later: a time will do."""
        neighbours = colouring.chart.neighbours[colouring.chart.check(name)]
        self.name, self.life, self.timing, self.colouring = name, life, timing, colouring
        self.interfaces = {each: Interface(each, timing, heard_at=now) for each in neighbours}
        self.database = Database(colouring.chart, {name: Statement(Stamp(name, life, 0))})
        self.view = colouring.view(name, frozenset())
        self.ignored: Counter[str] = Counter()
        self._begun = self.beats_at = now
        self._has_news = False
        self._actions: list[Action] = []

    @property
    def own(self) -> Statement:
        """What this broker states of its neighbours."""
        return self.database.statements[self.name]

    @property
    def wakes(self) -> float:
        """When `passed` has something to do."""
        alarms = (interface.wakes for interface in self.interfaces.values())
        return min((self.beats_at, *(when for when in alarms if when is not None)))

    # --- what happens -----------------------------------------------------------------------------

    def heard(self, now: float, letter: Letter) -> list[Action]:
        """A letter has come."""
        interface = self.interfaces.get(letter.sender)
        if interface is None:
            self.ignored["not from a neighbour"] += 1
            return []
        if not isinstance(letter.message, LinkTest):
            interface.heard_at = now
        if letter.life != interface.life:
            interface.life = letter.life
            self._happen(now, interface, Event.OTHER_LIFE)
        self._read(now, interface, letter.message)
        return self._done()

    def passed(self, now: float) -> list[Action]:
        """Time has passed."""
        for interface in self.interfaces.values():
            event = interface.due(now)
            if event is not None:
                self._happen(now, interface, event)
            elif interface.resends(now):
                interface.sent(now)
                self._notify(interface, interface.owed.values())
        if now >= self.beats_at:
            self._beat(now)
        return self._done()

    # --- letters ----------------------------------------------------------------------------------

    def _read(self, now: float, interface: Interface, message: Message) -> None:
        match message:
            case Notification(statements):
                believed = self._believable(now, statements)
                self._send(interface, Acknowledgement(tuple(each.stamp for each in believed)))
                self._learn(now, interface, believed)
            case Heartbeat(held):
                self._happen(now, interface, interface.compare(held == self.database.fingerprint))
            case Acknowledgement(stamps):
                self._happen(now, interface, interface.acknowledge(stamps, now))
            case LinkTest(number):
                self._send(interface, Answer(number))
            case Answer(number):
                self._happen(now, interface, interface.answer(number))
            case _:
                pass  # packets are no matter of recovery

    def _learn(self, now: float, source: Interface, statements: Iterable[Statement]) -> None:
        """Keep what is later than what is known, and hand it on; answer what is said in our own name."""
        others = [each for each in statements if each.origin != self.name]
        news = [each for each in others if self.database.take(each)]
        self._has_news |= bool(news)
        self._flood(now, news, besides=source)
        for statement in statements:
            if statement.origin == self.name and self._is_out_of_date(statement):
                self._state(now, statement.stamp)

    def _believable(self, now: float, statements: Iterable[Statement]) -> list[Statement]:
        """All but those so far ahead that their origin might not be able to say anything later."""
        alive = (now - self._begun) / self.timing.second
        last, found = self.life + alive * 1000 + FAR, []
        for each in statements:
            if each.stamp.life <= last:
                found.append(each)
            else:
                self.ignored["a statement of a life far ahead of the clock"] += 1
        return found

    def _is_out_of_date(self, statement: Statement) -> bool:
        """Whether others believe something of this broker that it does not state."""
        return later(statement.stamp, self.own.stamp) or (
            statement.stamp == self.own.stamp and statement != self.own
        )

    def _beat(self, now: float) -> None:
        for interface in self.interfaces.values():
            self._send(
                interface,
                Heartbeat(self.database.fingerprint) if interface.lives else LinkTest(interface.next_test()),
            )
        late = (now - self.beats_at) // self.timing.heartbeat
        self.beats_at += (late + 1) * self.timing.heartbeat

    # --- what follows -----------------------------------------------------------------------------

    def _happen(self, now: float, interface: Interface, event: Event | None) -> None:
        """Take the step that the table of transitions has for an event."""
        step = TRANSITIONS.get((interface.state, event)) if event is not None else None
        if event is None or step is None:
            return
        before, interface.state = interface.state, step.state
        if before is not step.state:
            self._actions.append(Changed(interface.neighbour, before, step.state, event))
        for deed in step.deeds:
            self._do(now, interface, deed)

    def _do(self, now: float, interface: Interface, deed: Deed) -> None:
        match deed:
            case Deed.FORGET:
                interface.forget()
            case Deed.OFFER:
                self._tell(now, interface, self._everything(interface))
            case Deed.STATE:
                self._state(now, self.own.stamp)

    def _everything(self, interface: Interface) -> list[Statement]:
        """What a neighbour that knows nothing must be told, and is not being told already."""
        known = self.database.statements.values()
        return [each for each in known if interface.owed.get(each.origin) != each]

    def _state(self, now: float, stamp: Stamp) -> None:
        """State which neighbours are dead, with the stamp behind the given one, and flood it."""
        dead = frozenset(name for name, interface in self.interfaces.items() if not interface.lives)
        self.database.keep(Statement(following(stamp), dead))
        self._has_news = True
        self._flood(now, [self.own])

    def _flood(self, now: float, statements: list[Statement], besides: Interface | None = None) -> None:
        for interface in self.interfaces.values():
            if interface.lives and interface is not besides:
                self._tell(now, interface, statements)

    def _tell(self, now: float, interface: Interface, statements: list[Statement]) -> None:
        if statements:
            interface.owe(statements, now)
            self._notify(interface, statements)
            self._happen(now, interface, Event.OWED)

    def _notify(self, interface: Interface, statements: Iterable[Statement]) -> None:
        for notification in self.colouring.codec.batches(statements):
            self._send(interface, notification)

    def _send(self, interface: Interface, message: Message) -> None:
        self._actions.append(Send(interface.neighbour, Letter(self.name, self.life, message)))

    def _done(self) -> list[Action]:
        """What is to be done about it all."""
        if self._has_news:
            self._has_news = False
            self._look(self.colouring.view(self.name, self.database.dead))
        actions, self._actions = self._actions, []
        return actions

    def _look(self, view: View) -> None:
        if view != self.view:
            self.view = view
            self._actions.append(Switched(view))
