"""An interface: what a broker knows of the way to one of its neighbours.

It is in one of three states, as in the thesis (6.1.3, Figure 6-5), with what was left open there decided:

    normal    the neighbour is heard, and has acknowledged all that it was told
    waiting   the neighbour is heard, but has not acknowledged everything yet; packets are forwarded unchanged
    failure   nothing but tests was heard for the dead interval, or nothing was acknowledged however often it
              was sent; the neighbour is dead to us, and only link tests are sent

`TRANSITIONS` is the whole table: what happens in which state, what is done then, and which state follows.
What is not in it changes nothing.

Four things differ from the thesis. A failed interface forgets what waits to be acknowledged, instead of
sending it for ever: when the neighbour is back it gets everything anyway, of which that is a part (without
this, a healed partition never learns what happened on its other side). Link tests are sent as long as the
failure lasts, in place of heartbeats, so both ends notice a healed link. Tests are no sign of life: who sends
them takes us for dead, and a link that carries letters only one way must be dead for both ends. And it takes
several answered tests in a row before the interface is used again, so that a flapping link stays out of use.

Whether a neighbour knows all that we know depends only on our own interface to it: as long as it is not in
failure, whatever is learnt is put on its list and sent until acknowledged; when it leaves failure, or when
the neighbour has another life than before and so has forgotten all, everything known is put there. So the
two ends of a link need not agree on when it failed.

That is so as long as everybody keeps to the protocol. So that a forged statement or acknowledgement does no
lasting harm, neighbours also compare what they hold, by a fingerprint in each heartbeat, and tell each other
everything if it stays different.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from angarium.core.errors import UsageError
from angarium.mesh.protocol.link_state import Stamp, Statement, later

SHORTEST_HEARTBEAT, LONGEST_HEARTBEAT = 0.001, 3600.0


@dataclass(frozen=True, slots=True)
class Timing:
    """When something is sent, and when one stops waiting for it."""

    heartbeat: float = 0.05
    """Between two signs of life over an interface, and between two link tests."""
    missed: int = 4
    """So many heartbeats without anything heard, and an interface has failed (four, as in OSPF)."""
    tries: int = 8
    """How often notifications are sent, if none of them is acknowledged, before the interface has failed."""
    longest_wait: int = 4
    """Between two tries: the first wait is one heartbeat, then twice as long each time, up to so many."""
    tests: int = 3
    """So many tests in a row must be answered before a failed interface is used again."""
    differing: int = 3
    """So many heartbeats in a row tell that a neighbour holds other statements, though it has acknowledged
    all, before it is told everything: one or two may have been overtaken by what they do not know of."""
    second: float = 1.0
    """So many units of time are a second. Who counts in whole nanoseconds has sums that are exact."""

    def __post_init__(self) -> None:
        heartbeat = self.heartbeat / self.second
        if not SHORTEST_HEARTBEAT <= heartbeat <= LONGEST_HEARTBEAT:
            raise UsageError(
                "ANG013",
                f"a heartbeat every {heartbeat * 1000:g} ms",
                possible=f"{SHORTEST_HEARTBEAT * 1000:g} ms to {LONGEST_HEARTBEAT:g} s",
                remedy="for example --heartbeat 50ms",
            )
        if min(self.missed, self.tries, self.longest_wait, self.tests, self.differing) < 1:
            raise ValueError(f"{self}: every count is at least 1")

    @property
    def dead_after(self) -> float:
        """The dead interval."""
        return self.missed * self.heartbeat

    def wait(self, tries: int) -> float:
        """How long to wait for an acknowledgement after so many tries."""
        return self.heartbeat * min(1 << min(tries - 1, 30), self.longest_wait)


TEST_NUMBERS = 1 << 32
"""Behind the last one comes 0."""


class State(StrEnum):
    """Of an interface."""

    NORMAL = "normal"
    WAITING = "waiting"
    FAILURE = "failure"


class Event(StrEnum):
    """What can happen to an interface."""

    SILENT = "nothing was heard for the dead interval"
    OWED = "a notification must be acknowledged"
    ACKNOWLEDGED = "the last notification is acknowledged"
    UNANSWERED = "notifications were sent too often without an answer"
    OTHER_LIFE = "the neighbour is heard for the first time, or has restarted"
    TESTED = "enough tests in a row were answered"
    DIFFERS = "the neighbour goes on to hold other statements, though nothing is left to tell it"


class Deed(StrEnum):
    """What a broker does about it."""

    FORGET = "forget what waits to be acknowledged"
    OFFER = "notify the neighbour of everything known"
    STATE = "state anew which neighbours are dead, to everybody"


class Step(NamedTuple):
    """What follows an event: the new state, and what is done, in this order."""

    state: State
    deeds: tuple[Deed, ...] = ()


TRANSITIONS: Mapping[tuple[State, Event], Step] = {
    (State.NORMAL, Event.OWED): Step(State.WAITING),
    (State.NORMAL, Event.OTHER_LIFE): Step(State.WAITING, (Deed.FORGET, Deed.OFFER)),
    (State.NORMAL, Event.SILENT): Step(State.FAILURE, (Deed.FORGET, Deed.STATE)),
    (State.NORMAL, Event.DIFFERS): Step(State.WAITING, (Deed.OFFER,)),
    (State.WAITING, Event.ACKNOWLEDGED): Step(State.NORMAL),
    (State.WAITING, Event.OTHER_LIFE): Step(State.WAITING, (Deed.FORGET, Deed.OFFER)),
    (State.WAITING, Event.SILENT): Step(State.FAILURE, (Deed.FORGET, Deed.STATE)),
    (State.WAITING, Event.UNANSWERED): Step(State.FAILURE, (Deed.FORGET, Deed.STATE)),
    (State.FAILURE, Event.TESTED): Step(State.WAITING, (Deed.STATE, Deed.OFFER)),
}


@dataclass(slots=True)
class Interface:
    """The way to a neighbour: its state, and what the clock will do to it."""

    neighbour: str
    timing: Timing
    heard_at: float
    """When anything but a test came from the neighbour, or it was last given the benefit of the doubt."""
    state: State = State.NORMAL
    life: int | None = None
    """In which the neighbour is; None before anything was heard."""
    owed: dict[str, Statement] = field(default_factory=dict)
    """By origin: the latest statement that the neighbour has not acknowledged."""
    tries: int = 0
    """How often something was sent since anything was acknowledged."""
    resend_at: float = 0.0
    differing: int = 0
    """How many heartbeats in a row told of other statements, while nothing was owed."""
    test: int = 0
    """The number of the next test."""
    expected: int = 0
    """The number of the next answer that counts."""
    answered: int = 0
    """How many tests in a row were."""

    @property
    def lives(self) -> bool:
        return self.state is not State.FAILURE

    @property
    def wakes(self) -> float | None:
        """When `due` has something to say; None as long as it is in failure."""
        if not self.lives:
            return None
        silent_at = self.heard_at + self.timing.dead_after
        return min(silent_at, self.resend_at) if self.owed else silent_at

    def due(self, now: float) -> Event | None:
        """What the clock does to it, apart from sending again."""
        if self.lives and now >= self.heard_at + self.timing.dead_after:
            return Event.SILENT
        if self.resends(now) and self.tries >= self.timing.tries:
            return Event.UNANSWERED
        return None

    # --- notifications --------------------------------------------------------------------------

    def resends(self, now: float) -> bool:
        """Whether it is time to send again what is not acknowledged."""
        return self.lives and bool(self.owed) and now >= self.resend_at

    def sent(self, now: float) -> None:
        """Everything owed has been sent once more."""
        self.tries += 1
        self.resend_at = now + self.timing.wait(self.tries)

    def owe(self, statements: Iterable[Statement], now: float) -> None:
        """Statements are sent for the first time; later ones of a broker replace earlier ones."""
        if not self.owed:
            self.tries, self.resend_at = 1, now + self.timing.wait(1)
        self.owed.update((each.origin, each) for each in statements)

    def acknowledge(self, stamps: Iterable[Stamp], now: float) -> Event | None:
        """The neighbour has these statements, or later ones."""
        known = [stamp for stamp in stamps if self._covers(stamp)]
        for stamp in known:
            self.owed.pop(stamp.origin, None)
        if known and self.owed:
            self.tries, self.resend_at = 1, now + self.timing.wait(1)
        return Event.ACKNOWLEDGED if known and not self.owed else None

    def _covers(self, stamp: Stamp) -> bool:
        owed = self.owed.get(stamp.origin)
        return owed is not None and not later(owed.stamp, stamp)

    def forget(self) -> None:
        """The interface has failed: what is owed is dropped, and no earlier test counts."""
        self.owed.clear()
        self.answered, self.expected = 0, self.test

    def compare(self, agrees: bool) -> Event | None:
        """The neighbour has told by a heartbeat whether it holds what we hold."""
        self.differing = 0 if agrees or self.owed else self.differing + 1
        return Event.DIFFERS if self.differing >= self.timing.differing else None

    # --- tests ----------------------------------------------------------------------------------

    def next_test(self) -> int:
        """The number of the test that is sent now."""
        number, self.test = self.test, (self.test + 1) % TEST_NUMBERS
        return number

    def answer(self, number: int) -> Event | None:
        """The neighbour has answered a test. One that is left out begins the row anew."""
        if (
            self.lives
            or (number - self.expected) % TEST_NUMBERS >= (self.test - self.expected) % TEST_NUMBERS
        ):
            return None  # it was answered before, or never sent
        self.answered = self.answered + 1 if number == self.expected else 1
        self.expected = (number + 1) % TEST_NUMBERS
        return Event.TESTED if self.answered >= self.timing.tests else None
