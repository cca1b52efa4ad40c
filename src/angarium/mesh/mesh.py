"""A mesh: brokers, the links between them, and who publishes and subscribes what.

Every file format is read into this one form, and every question is asked of it. Two kinds of meshes carry
messages in two ways:

    forward    every link takes what its filter lets through and hands it on: federation, bridges, mirrors.
               A message that can go two ways arrives twice; what keeps it from going round for ever are the
               rules of each link.
    shortest   link-state routers send a message for each destination over the cheapest path, or
    tables     as given tables say.

A link leads one way. What operators call a link is often two of them that live and die together: a `cable`.
Names are unique within their kind. A `Place` says where in which file a thing was said, for messages.

Links may stand by, and take over when others die, as of a bridge with several addresses. Such a connection is
one, wherever it leads. So its links are one `failover`, and their `rank` is the order in which they are
tried: those of the least rank that live carry, all the others stand by and carry nothing.

    a > b   rank 0      carries while it lives
    a > c   rank 1      carries while a > b is dead: it, or b
    a > d   rank 2      carries while both are dead

More that is dead may therefore let a message arrive that arrived nowhere before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from angarium.core.errors import MeshError, Place
from angarium.core.escaping import without_passwords
from angarium.mesh.distributions import Failing, Varying

DIALECTS = ("plain", "mqtt", "amqp", "nats", "mirrormaker")
"""How topics and patterns are written: `plain` has no wildcards but a lone `*`."""
FORWARD, SHORTEST, TABLES = "forward", "shortest", "tables"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of topics, said in a broker's own way."""

    text: str
    dialect: str = "plain"
    scope: str = ""
    """What keeps equal names apart within a broker: an exchange with its virtual host, an account."""
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Rename:
    """What a link does to the name of a topic that it takes: off with `strip`, then `add` in front."""

    strip: str = ""
    add: str = ""
    whole: str | None = None
    """The whole new name, whatever the old one was."""
    scope: str | None = None
    """The scope behind the link, if it is another one."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Takes messages, delivers them to subscribers, hands them on."""

    name: str
    dialect: str = "plain"
    latency: float = 0.0
    """Milliseconds that a message spends in it, on average."""
    identity: str = ""
    """What the histories of messages call it; its name if empty. Clusters of equal names are mistaken."""
    substitute: str | None = None
    """Who takes over its publishers and subscribers when it is dead."""
    place: Place | None = field(default=None, compare=False)
    varying: Varying | None = None
    """How the latency varies; None: it does not. Its mean is `latency`."""
    failing: Failing | None = None
    """How often it fails; None: not known, and taken for never where probabilities are asked for."""

    @property
    def known_as(self) -> str:
        return self.identity or self.name


@dataclass(frozen=True, slots=True)
class Link:
    """Carries messages one way, if its filter and its rules let them through.

    The filter looks at the name as it is at the source; the new name is what arrives. A message crosses if

    - some pattern of `accepts` matches it, or there is none, and no pattern of `refuses` does;
    - it has made fewer hops than `hop_limit`;
    - with `avoids_visited`: the target is none of the brokers that it has left;
    - it did not come over a link of the same `connection`, unless that is empty (no echo);
    - it did not come over a link whose `kind` is in `not_after` (split horizon);
    - it does not stand by: see `failover`.

    Links out of a broker that share something (`shares`), and subscribers there that share the same, compete:
    each copy goes to one of those that are alive and would take it, and nobody knows to which.
    """

    name: str
    source: str
    target: str
    cable: str = ""
    """Links of one cable fail together; a link without one is its own."""
    cost: int = 1
    latency: float = 0.0
    """Milliseconds to cross it, on average."""
    rate: float | None = None
    """Thousands of bits that it takes up in a second; without one, a message is on its way at once."""
    capacity: int | None = None
    """How many messages may wait for the one that is being sent; without one, any number."""
    accepts: tuple[Pattern, ...] = ()
    refuses: tuple[Pattern, ...] = ()
    rename: Rename | None = None
    hop_limit: int | None = None
    counts: bool = True
    """Whether crossing is a hop, and noted as leaving: what a broker does within itself is not."""
    avoids_visited: bool = False
    connection: str = ""
    kind: str = "link"
    not_after: frozenset[str] = frozenset()
    shares: str = ""
    """What its source shares out among this link and others, such as a queue: each message goes to one."""
    buffering: str = "kept"
    """What becomes of messages while the link is down: `kept`, `lost`, or how long they are kept (`30 s`)."""
    failover: str = ""
    """Of the links of one failover, those of the least `rank` that live carry; the others stand by."""
    rank: int = 0
    takes_over: float = 0.0
    """Milliseconds until it carries, after those before it in its failover have died."""
    place: Place | None = field(default=None, compare=False)
    varying: Varying | None = None
    """How the latency varies; None: it does not. Its mean is `latency`."""
    failing: Failing | None = None
    """How often its cable fails; None: not known, and taken for never where probabilities are asked for."""

    @property
    def fails_as(self) -> str:
        return self.cable or self.name

    def is_dead(self, failures: Failures) -> bool:
        """Whether it carries nothing. What a broker does within itself dies only with it."""
        if self.source in failures.brokers or self.target in failures.brokers:
            return True
        return self.fails_as in failures.cables and self.source != self.target

    @property
    def is_inner(self) -> bool:
        """Whether it is a part of how its broker delivers; who takes from what is shared publishes anew."""
        return self.source == self.target and not self.counts and not self.shares


@dataclass(frozen=True, slots=True)
class Publisher:
    """Publishes topics at a broker."""

    name: str
    broker: str
    topics: tuple[Pattern, ...]
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Wants topics at a broker: a client, or a queue. Gets one copy of what arrives, however many match."""

    name: str
    broker: str
    topics: tuple[Pattern, ...]
    latency_bound: float | None = None
    """Milliseconds within which what it wants must arrive."""
    place: Place | None = field(default=None, compare=False)
    shares: str = ""
    """What it shares with links out of its broker and with other subscribers there; see `Link`.

    Subscribers that share do one work: it is enough that one of them gets a message."""


@dataclass(frozen=True, slots=True)
class Routing:
    """How messages find their way."""

    kind: str = FORWARD
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """For `tables`: broker, destination, next broker."""
    rerouted: bool = True
    """For `shortest`: whether tables are calculated anew when something fails; else the old ones are kept."""
    hop_limit: int | None = None


@dataclass(frozen=True, slots=True)
class SharedRisk:
    """What fails together though it need not look so: links in one duct, brokers on one power line."""

    name: str
    brokers: tuple[str, ...] = ()
    cables: tuple[str, ...] = ()
    place: Place | None = field(default=None, compare=False)
    failing: Failing | None = None
    """How often it happens; None: not known, and taken for never where probabilities are asked for."""

    @property
    def failures(self) -> Failures:
        """What is dead when it happens."""
        return Failures(frozenset(self.brokers), frozenset(self.cables))


CARRIES, DROPS, COPIES, RENAMES, REROUTES = "carries", "drops", "copies", "renames", "reroutes"
EFFECTS = frozenset((CARRIES, DROPS, COPIES, RENAMES, REROUTES))
"""What an entry of a configuration that is not modelled may do to messages."""
DECLARES = "declares"
"""What a part of a configuration that was not read may do besides: give a meaning to names in the others."""
EVERYTHING = EFFECTS | {DECLARES}
NOT_UNDERSTOOD, NOT_READ, DANGLING, NOTE, ASSUMED = (
    "not understood",
    "not read",
    "dangling",
    "note",
    "assumed",
)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that files leave open, or that points nowhere."""

    kind: str
    """`not understood` and `not read` (left out: it may have effects), `dangling` (a reference to nothing),
    `note` (harmless), `assumed` (taken for granted)."""
    what: str
    remedy: str = ""
    place: Place | None = None
    effects: frozenset[str] = frozenset()
    """What it may do to messages, out of `EVERYTHING`; empty: nothing."""
    brokers: tuple[str, ...] = ()
    """Where it acts: only what passes one of them is dropped, renamed or sent elsewhere; empty: anywhere."""
    taken: bool = False
    """Whether somebody takes responsibility for it: then it makes nothing unknown."""

    def __post_init__(self) -> None:
        for part in ("what", "remedy"):
            object.__setattr__(self, part, without_passwords(getattr(self, part)))

    @property
    def leaves_open(self) -> bool:
        """Whether something about messages is not known because of it."""
        return bool(self.effects) and not self.taken


@dataclass(frozen=True, slots=True)
class Mesh:
    """Brokers and links, in the order of their file; that order settles ties."""

    name: str
    brokers: tuple[Broker, ...]
    links: tuple[Link, ...]
    publishers: tuple[Publisher, ...] = ()
    subscribers: tuple[Subscriber, ...] = ()
    routing: Routing = Routing()
    remarks: tuple[Remark, ...] = ()
    shared_risks: tuple[SharedRisk, ...] = ()
    form: str = field(default="", compare=False)
    """Whose own files it was read from, by the name of their importer (`nats`); empty: a mesh file."""

    @property
    def cables(self) -> tuple[str, ...]:
        """What can fail besides brokers, in order. What a broker does within itself cannot."""
        return tuple(dict.fromkeys(link.fails_as for link in self.links if link.source != link.target))


@dataclass(frozen=True, slots=True)
class Failures:
    """What is dead at the same time."""

    brokers: frozenset[str] = frozenset()
    cables: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.brokers or self.cables)

    def __len__(self) -> int:
        return len(self.brokers) + len(self.cables)

    def within(self, more: Failures) -> bool:
        """Whether all of this is dead in the other, too."""
        return self.brokers <= more.brokers and self.cables <= more.cables

    def __str__(self) -> str:
        parts = [f"broker {name}" for name in sorted(self.brokers)]
        parts += [f"link {name}" for name in sorted(self.cables)]
        return " and ".join(parts) or "nothing"


NOTHING = Failures()


_NONE: frozenset[str] = frozenset()


class StandBy:
    """Which links of a mesh stand by, whatever is dead."""

    def __init__(self, links: Iterable[Link]) -> None:
        groups: dict[str, list[Link]] = {}
        for link in links:
            if link.failover:
                groups.setdefault(link.failover, []).append(link)
        self._groups = [sorted(group, key=lambda link: link.rank) for group in groups.values()]
        self._latest: tuple[Failures, frozenset[str]] = NOTHING, self._resting(NOTHING)
        self.healthy = self._latest[1]
        """Those that stand by while nothing is dead."""

    def resting(self, failures: Failures) -> frozenset[str]:
        """The names of the links that carry nothing because an earlier one lives."""
        if not self.healthy or not failures:
            return self.healthy
        known, resting = self._latest
        if known != failures:
            resting = self._resting(failures)
            self._latest = failures, resting
        return resting

    def _resting(self, failures: Failures) -> frozenset[str]:
        return _NONE.union(*(_behind(group, failures) for group in self._groups))

    def awaits(self, link: Link) -> tuple[Link, ...]:
        """The links that must be dead before this one carries."""
        group = next((each for each in self._groups if each[0].failover == link.failover), ())
        return tuple(each for each in group if each.rank < link.rank)


def _behind(group: Sequence[Link], failures: Failures) -> Iterable[str]:
    """Those behind the first that lives."""
    first = next((link.rank for link in group if not link.is_dead(failures)), None)
    return (link.name for link in group if first is not None and link.rank > first)


def takes(links: Iterable[Link]) -> float:
    """Milliseconds until all of some links have taken over that stand by while nothing is dead."""
    return max((link.takes_over for link in links if link.failover), default=0.0)


def without_standby(mesh: Mesh, failures: Failures = NOTHING) -> Mesh:
    """The mesh with just those links that do not stand by now."""
    resting = StandBy(mesh.links).resting(failures)
    if not resting:
        return mesh
    return replace(mesh, links=tuple(link for link in mesh.links if link.name not in resting))


def check_none(mesh: Mesh, who: str) -> None:
    """Refuse links that stand by, for those who do not know of any."""
    link = next((link for link in mesh.links if link.name in StandBy(mesh.links).healthy), None)
    if link:
        raise MeshError(
            "ANG121",
            f"the link {link.name} stands by until others are dead, which {who} cannot take into account",
            possible="failover is followed by verify, trace, diff, repair, latency and export",
            remedy="leave out the links with a rank, and ask again",
            place=link.place,
        )
