"""What becomes of a message: the common answer of every way to carry messages.

One spread answers for one publishing broker and one class of topics: where copies arrive, under which name,
how many, over which way first; where they go round; and where one that was still wanted was dropped.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import Enum

from angarium.mesh.delivery.choices import ALONE, Choices, Group, Rival, Wish
from angarium.mesh.topics.topic import IDENTITY, Transform

Path = tuple[str, ...]
"""Names of links, one behind the other."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Copies of a message at a broker."""

    broker: str
    topic: str
    """The name under which they arrive, in the dialect of the broker."""
    copies: int | None
    """How many, at most; None: without end."""
    path: Path
    """The quickest path, of equally quick ones that with the fewest hops; () where it was published."""
    latency: float
    """Milliseconds over that way, all brokers on it included."""
    renamed: Transform = IDENTITY
    """What the links on the path make of the name; arrivals that differ in it are distinguished."""
    is_sure: bool = True
    """Whether any copy arrives if somebody else takes what is shared out."""


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy at a broker."""

    path: Path
    latency: float


@dataclass(frozen=True, slots=True)
class Entry:
    """Copies that enter a broker, each of which the broker gives several names: who wants two gets one."""

    broker: str
    renamed: frozenset[Transform]
    copies: int | None


@dataclass(frozen=True, slots=True)
class Loop:
    """A path that a message goes for ever."""

    before: Path
    """From where it was published to the first broker of the round."""
    round: Path
    topic: str
    """The name at the beginning of the round."""
    grows: bool = False
    """Whether the name is another one after each round: no two copies have the same topic."""


class EndBy(Enum):
    """What keeps a copy from being handed on."""

    HOP_LIMIT = "hop limit"
    FILTER = "filter"
    NO_ENTRY = "no entry"
    """In a routing table."""
    DEATH = "death"
    NO_LINK = "no link"


@dataclass(frozen=True, eq=False)
class Reason(str):
    """Why a copy goes no further: words that know by what, so that nobody searches them for it."""

    by: EndBy
    text: str

    def __new__(cls, by: EndBy, text: str) -> Reason:
        return super().__new__(cls, text)

    def __getnewargs__(self) -> tuple[EndBy, str]:  # type: ignore[override]
        return self.by, self.text


HOP_LIMIT = Reason(EndBy.HOP_LIMIT, "hop limit")


def filter_of(link: str) -> Reason:
    """The filter of a link lets it not through."""
    return Reason(EndBy.FILTER, f"filter of {link}")


@dataclass(frozen=True, slots=True)
class Drop:
    """Where a copy is not handed on although a link would lead on, and why."""

    path: Path
    broker: str
    reason: Reason
    """`hop limit`, `filter of LINK`, `no entry for DESTINATION`, `NAME is dead`, `no link to NAME` …"""

    @property
    def is_design(self) -> bool:
        """Whether a filter drops it, or the want of any route: then what is dead explains more."""
        return self.reason.by in (EndBy.FILTER, EndBy.NO_ENTRY)


@dataclass(frozen=True, slots=True)
class Spread:
    """What becomes of one class of topics, published at one broker."""

    origin: str
    topic: str
    """A topic of the class, in the dialect of the origin."""
    arrivals: tuple[Arrival, ...] = ()
    loops: tuple[Loop, ...] = ()
    drops: tuple[Drop, ...] = ()
    crossed: frozenset[str] = frozenset()
    """Every link that some copy crosses: if none of them and no broker on them fails, nothing changes."""
    entries: tuple[Entry, ...] = ()
    """All copies by how they enter; empty where brokers hand on nothing within themselves."""
    choices: Choices | None = None
    """Where several compete for a copy, all that may happen; None: nobody competes for any."""

    def is_sure(self, broker: str, names: Set[Transform], group: Group = ALONE) -> bool:
        """Whether someone gets a copy there who wants these names, whoever takes what is shared."""
        if self.choices:
            return 0 in self.choices.sure(Wish({broker: names}, group))
        return self.copies_at(broker, names) != 0

    def rival(self, broker: str, names: Set[Transform], group: Group = ALONE) -> Rival | None:
        """Who may take what someone there wants; None: nobody."""
        return self.choices.rival(Wish({broker: names}, group)) if self.choices else None

    def latest(self, broker: str, names: Set[Transform], group: Group = ALONE) -> float | None:
        """Milliseconds until someone there has a copy whoever takes it; None: nobody chooses."""
        return self.choices.latest(Wish({broker: names}, group)) if self.choices else None

    def copies_at(self, broker: str, names: Set[Transform], group: Group = ALONE) -> int | None:
        """How many copies someone gets there, at most, who wants these names; None: without end."""
        if self.choices:
            return self.choices.most(Wish({broker: names}, group))
        if self.entries:
            entered = (each for each in self.entries if each.broker == broker)
            counts = [each.copies for each in entered if any(name in names for name in each.renamed)]
        else:
            arrived = (each for each in self.arrivals if each.broker == broker)
            counts = [each.copies for each in arrived if each.renamed in names]
        return None if None in counts else sum(count for count in counts if count is not None)
