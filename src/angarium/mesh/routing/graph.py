"""A mesh as arrays: which broker can hand on to which, at what cost, over which links.

Two brokers may be joined by several links one way. Together they are one *hop*: a message takes the
cheapest link that lives, of equally cheap ones the first in the file. So a table need only say which broker
is next, and a hop is as dear as its cheapest living link. Hops are sorted by source, then by target, both
by their position in the file: the first of several equally good hops is then the one that the tie-break
asks for.

What a broker does within itself is no hop. A cost must be at least 1: with costs of 0 the rule "the lowest
broker among the equally cheap ones" could send a message to and fro between two brokers of the same distance.

Reconfiguration: the clients of a dead broker move to its substitute, and back when it returns.

After the thesis's three-broker model (5.1): broker 1 is substituted by broker 2, 2 by 3, 3 by 1; the
publishers and subscribers of a dead broker are taken over by its substitute, and when it lives again they
are linked to it as before. The thesis lets one broker fail at a time. We go on: if the substitute is dead
too, its own substitute takes over, and so on; if that leads back to where it began, the clients are
nowhere.

The thesis's three guarantees, as they are meant (its formulas do not say it: `G a -> X b` is `(G a) -> X
b`, and `Y` is false in the first state), are questions about one set of failures each, because where a
client is depends on what is dead now and on nothing else:

    rehomed      every client of a dead broker is linked to a living one, and to no dead one
    returned     a client whose own broker lives is linked to it, whatever was dead before
    matched      every publisher has a subscriber to one of its topics and the reverse; moving clients keeps
                 their topics, so it holds in every state if it holds in the first, as long as none is nowhere

Where the thesis contradicts itself about who takes over publisher 1 (broker 3 once, broker 2 elsewhere), its
rule is followed: broker 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import Broker, Failures, Link, Mesh, Publisher, StandBy, Subscriber
from angarium.mesh.topics.dialects import passing
from angarium.mesh.topics.topic import Topic

Neighbours = Mapping[str, Sequence[str]]


def neighbours(pairs: Iterable[tuple[str, str]]) -> Neighbours:
    """Where links lead, by where they begin; turn the pairs round to ask where they come from."""
    found: dict[str, list[str]] = {}
    for here, there in pairs:
        found.setdefault(here, []).append(there)
    return found


def reached(among: Neighbours, start: str) -> dict[str, None]:
    """The start and all brokers behind it, in the order in which they are found."""
    seen, waiting = {start: None}, [start]
    while waiting:
        for there in among.get(waiting.pop(), ()):
            if there not in seen:
                seen[there] = None
                waiting.append(there)
    return seen


Ints = NDArray[np.int32]
NONE = -1
MOST_BROKERS = 8192
"""A table of more would need more than 256 MiB."""
DEAREST = 2**31 - 1


@dataclass(frozen=True)
class Graph:
    """Brokers by their position in the file, and hops between them in compressed rows."""

    mesh: Mesh
    rows: Ints
    """Where the hops of each broker begin; one more than there are brokers."""
    targets: Ints
    sources: Ints
    costs: Ints
    """Of each hop, when nothing has failed; 0 if its links stand by until something does."""
    links: tuple[tuple[Link, ...], ...]
    """Of each hop: the cheapest first, of equally cheap ones the first in the file."""
    filters: dict[str, Callable[[Topic], bool]] = field(default_factory=dict, compare=False)
    """Of links, made when the first topic comes by."""

    @property
    def brokers(self) -> int:
        return len(self.mesh.brokers)

    @property
    def hops(self) -> int:
        return len(self.targets)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(broker.name for broker in self.mesh.brokers)

    @cached_property
    def broker(self) -> Mapping[str, Broker]:
        return {broker.name: broker for broker in self.mesh.brokers}

    @cached_property
    def position(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def back(self) -> tuple[Ints, Ints]:
        """The hops that lead to each broker: where they begin in the list, and their numbers."""
        counts = np.bincount(self.targets, minlength=self.brokers)
        rows = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return rows, np.argsort(self.targets, kind="stable").astype(np.int32)

    @cached_property
    def hop_between(self) -> Mapping[tuple[int, int], int]:
        pairs = zip(self.sources.tolist(), self.targets.tolist(), strict=True)
        return {pair: hop for hop, pair in enumerate(pairs)}

    @cached_property
    def hops_of_cable(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, dict[int, None]] = {}
        for hop, links in enumerate(self.links):
            for link in links:
                found.setdefault(link.fails_as, {})[hop] = None
        return {cable: tuple(hops) for cable, hops in found.items()}

    @cached_property
    def hops_of_broker(self) -> tuple[tuple[int, ...], ...]:
        """The hops that lead from or to each broker."""
        rows, entering = (each.tolist() for each in self.back)
        starts = self.rows.tolist()
        return tuple(
            (*range(starts[b], starts[b + 1]), *entering[rows[b] : rows[b + 1]]) for b in range(self.brokers)
        )

    def number(self, broker: str) -> int:
        """The position of a broker; MeshError if there is none of this name."""
        if broker not in self.position:
            raise _no_such("broker", broker, self.names)
        return self.position[broker]

    @cached_property
    def standby(self) -> StandBy:
        return StandBy(self.mesh.links)

    def when(self, resting: Set[str]) -> Graph:
        """The same hops at what they cost while just these links stand by, and nothing is dead."""
        costs = np.array([_cheapest(each, resting) for each in self.links], np.int32)
        return replace(self, costs=costs)

    def link(self, hop: int, failures: Failures) -> Link | None:
        """Which link a message takes on a hop."""
        resting = self.standby.resting(failures)
        living = (link for link in self.links[hop] if not link.is_dead(failures))
        return next((link for link in living if link.name not in resting), None)

    def lets_through(self, link: Link, topic: Topic) -> bool:
        """Whether the filter of a link takes a topic."""
        if not (link.accepts or link.refuses):
            return True
        if link.name not in self.filters:
            self.filters[link.name] = passing(link)
        return self.filters[link.name](topic)

    def dead_brokers(self, failures: Failures) -> list[int]:
        return sorted(self.number(name) for name in failures.brokers)

    def changes(self, failures: Failures) -> dict[int, int]:
        """The hops whose costs failures change, with what they cost then; 0 if no link of them is left."""
        dead = set(chain.from_iterable(self.hops_of_broker[b] for b in self.dead_brokers(failures)))
        changed = dict.fromkeys(dead, 0)
        touched = set(chain.from_iterable(map(self._hops_of, failures.cables)))
        for hop in (touched | self._taking_over(failures)) - dead:
            left = self.link(hop, failures)
            changed[hop] = left.cost if left else 0
        return changed

    def _taking_over(self, failures: Failures) -> set[int]:
        """The hops with links that do not stand by any more."""
        woken = self.standby.healthy - self.standby.resting(failures)
        numbered = enumerate(self.links) if woken else ()
        return {hop for hop, links in numbered if not woken.isdisjoint(each.name for each in links)}

    def _hops_of(self, cable: str) -> Iterable[int]:
        if cable in self.hops_of_cable:
            return self.hops_of_cable[cable]
        if cable in {link.fails_as for link in self.mesh.links}:
            return ()
        raise _no_such("link", cable, self.mesh.cables)

    def costs_under(self, failures: Failures) -> Ints:
        """What each hop costs; 0 if it is dead."""
        costs = self.costs.copy()
        for hop, cost in self.changes(failures).items():
            costs[hop] = cost
        return costs


_latest: list[Graph] = []
"""The last one that was made: what is asked of a mesh is asked of it many times."""


def graph_of(mesh: Mesh) -> Graph:
    """The arrays of a mesh. MeshError if it is too large, or a cost cannot be."""
    latest = _latest[:]
    if latest and latest[0].mesh is mesh:
        return latest[0]
    graph = _made(mesh)
    _latest[:] = [graph]
    return graph


def _made(mesh: Mesh) -> Graph:
    if len(mesh.brokers) > MOST_BROKERS:
        raise MeshError(
            "ANG125",
            f"a routed mesh of {len(mesh.brokers):,} brokers",
            possible=f"tables are made for up to {MOST_BROKERS:,} brokers",
            remedy="verify parts of it by themselves",
        )
    position = {broker.name: number for number, broker in enumerate(mesh.brokers)}
    hops: dict[tuple[int, int], list[Link]] = {}
    for link in mesh.links:
        if link.source != link.target:
            _check_cost(link)
            hops.setdefault((position[link.source], position[link.target]), []).append(link)
    pairs = sorted(hops)
    links = tuple(tuple(sorted(hops[pair], key=lambda link: link.cost)) for pair in pairs)
    sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    rows = np.searchsorted(sources, np.arange(len(position) + 1)).astype(np.int32)
    resting = StandBy(mesh.links).healthy
    costs = np.array([_cheapest(each, resting) for each in links], np.int32)
    return Graph(mesh, rows, targets, sources, costs, links)


def _cheapest(links: Sequence[Link], resting: Set[str]) -> int:
    """What a hop costs while nothing is dead; 0 if all its links stand by."""
    return next((link.cost for link in links if link.name not in resting), 0)


def _check_cost(link: Link) -> None:
    if not 1 <= link.cost <= DEAREST:
        raise MeshError(
            "ANG121",
            f"the link {link.name} costs {link.cost}",
            possible=f"where brokers route, a cost is 1 to {DEAREST}",
            remedy="give it a cost of at least 1: with 0, equally cheap paths could lead in a circle",
            place=link.place,
        )


def _no_such(kind: str, name: str, possible: Iterable[str]) -> MeshError:
    return MeshError(
        "ANG123",
        f"no {kind} is called {name!r}",
        possible=did_you_mean(name, possible),
        remedy=f"name a {kind} of the mesh",
    )


Client = Publisher | Subscriber
C = TypeVar("C", Publisher, Subscriber)


@dataclass(frozen=True, slots=True)
class Move:
    """A client that cannot stay where it was."""

    client: str
    kind: str
    """`publisher` or `subscriber`."""
    origin: str
    home: str | None
    """The broker that takes over; None if there is none."""
    by: tuple[str, ...]
    """The dead brokers, each the substitute of the one before."""


def homes(mesh: Mesh, failures: Failures) -> Mapping[str, str | None]:
    """Where the clients of each broker are: the first living one of it, its substitute, and so on."""
    living = {broker.name: broker.name for broker in mesh.brokers}
    return living | {name: _home(mesh, failures, name)[0] for name in failures.brokers}


def _home(mesh: Mesh, failures: Failures, broker: str) -> tuple[str | None, tuple[str, ...]]:
    substitutes = {each.name: each.substitute for each in mesh.brokers}
    dead: dict[str, None] = {}
    at: str | None = broker
    while at is not None and at in failures.brokers:
        if at in dead:
            return None, tuple(dead)
        dead[at] = None
        at = substitutes[at]
    return at, tuple(dead)


def moves(mesh: Mesh, failures: Failures) -> tuple[Move, ...]:
    """The clients that move, in their order, publishers first."""
    clients: tuple[Client, ...] = (*mesh.publishers, *mesh.subscribers)
    return tuple(_move(mesh, failures, each) for each in clients if each.broker in failures.brokers)


def _move(mesh: Mesh, failures: Failures, client: Client) -> Move:
    home, dead = _home(mesh, failures, client.broker)
    kind = "publisher" if isinstance(client, Publisher) else "subscriber"
    return Move(client.name, kind, client.broker, home, dead)


def reconfigured(mesh: Mesh, failures: Failures) -> Mesh:
    """The mesh with every client where it is while something is dead; who has no home is left out."""
    at = homes(mesh, failures)
    return replace(mesh, publishers=_moved(mesh.publishers, at), subscribers=_moved(mesh.subscribers, at))


def _moved(clients: tuple[C, ...], at: Mapping[str, str | None]) -> tuple[C, ...]:
    return tuple(
        client if home == client.broker else replace(client, broker=home)
        for client in clients
        if (home := at[client.broker]) is not None
    )
