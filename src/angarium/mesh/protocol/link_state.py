"""Link state: what each broker says of its own neighbours, and which of two sayings is the later one.

A broker speaks only of its own interfaces, and a later statement replaces its earlier ones. So whatever one
end has noticed can be taken back by it, and a recovery is learnt like a failure. (Were colours flooded, and
united with what the receiver knows, nobody could ever unlearn a failure.)

A statement bears a *life* and a *number*. The life is the time at which its broker started: a later life
beats an earlier one, so a broker that restarts is not taken for old although it counts from 0 again. The
number grows by one with every statement of a life and wraps round at 2**32. Which of two numbers is later is
decided as in RFC 1982: `a` is later than `b` if (a - b) modulo 2**32 lies in 1 .. 2**31 - 1. This is right as
long as fewer than 2**31 statements lie between any two that meet: at a thousand changes a second, 24 days
between saying and hearing. Of two numbers that are 2**31 apart neither is later, and none replaces the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from angarium.mesh.protocol.chart import Chart, Pairs

SERIAL_BITS = 32
NUMBERS = 1 << SERIAL_BITS
WINDOW = 1 << (SERIAL_BITS - 1)
LAST_LIFE = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which statement of a broker."""

    origin: str
    life: int
    number: int


@dataclass(frozen=True, slots=True)
class Statement:
    """What a broker says: which of its neighbours are dead to it."""

    stamp: Stamp
    dead: frozenset[str] = frozenset()

    @property
    def origin(self) -> str:
        return self.stamp.origin


def later(one: Stamp, other: Stamp) -> bool:
    """Whether a stamp is later than another one of the same broker."""
    if one.life != other.life:
        return one.life > other.life
    return 0 < (one.number - other.number) % NUMBERS < WINDOW


def following(stamp: Stamp) -> Stamp:
    """The next stamp of the same life."""
    return Stamp(stamp.origin, stamp.life, (stamp.number + 1) % NUMBERS)


@dataclass(slots=True)
class Database:
    """The latest statement of every broker that has been heard of; of the others, all is believed well."""

    chart: Chart
    statements: dict[str, Statement] = field(default_factory=dict)

    def take(self, statement: Statement) -> bool:
        """Keep a statement if it is later than what is known of its broker; whether it was."""
        known = self.statements.get(statement.origin)
        if known is not None and not later(statement.stamp, known.stamp):
            return False
        self.statements[statement.origin] = statement
        return True

    @property
    def dead(self) -> Pairs:
        """The pairs that are dead: one end saying so is enough, since messages must go both ways."""
        return frozenset(self._pairs(self.statements.values()))

    def _pairs(self, statements: Iterable[Statement]) -> Iterable[tuple[str, str]]:
        return (self.chart.pair(each.origin, other) for each in statements for other in each.dead)
