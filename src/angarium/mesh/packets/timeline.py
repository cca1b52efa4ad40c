"""What happens in the brokers: who notices, who learns, and who forwards by which table from when on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from angarium.mesh.mesh import NOTHING, Failures

NOTICES, LEARNS = "notices", "learns"


@dataclass(frozen=True, slots=True)
class News:
    """A broker gets to know that a link is dead, or that it works again."""

    time: int
    broker: str
    how: str
    """Whether it `notices` itself, or `learns` from others."""
    link: str
    dead: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """From a time on, a broker forwards by another table."""

    time: int
    broker: str
    known: Failures = NOTHING
    """The tables are those of a mesh in which this is dead."""
    around: frozenset[str] = frozenset()
    """Cables at the broker itself that it takes for dead, and leads packets around by what it has ready."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """All of it, in the order of time."""

    news: tuple[News, ...]
    switches: tuple[Switch, ...]

    def settled(self, start: int, end: int) -> int | None:
        """When the last broker switched its table within some time."""
        return max((each.time for each in self.switches if start <= each.time < end), default=None)

    def noticed(self, start: int, end: int) -> int | None:
        """When the first broker noticed something within some time."""
        return min((each.time for each in _noticing(self.news) if start <= each.time < end), default=None)


def _noticing(news: Sequence[News]) -> list[News]:
    return [each for each in news if each.how == NOTICES]
