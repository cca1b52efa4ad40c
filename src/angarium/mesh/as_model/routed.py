"""The model of a mesh whose brokers send by destination: shortest paths, or given tables.

The message is at one broker and wanted at another. There is one step for each hop that a table can ask for,
named after it (`from_b2_to_b4`), and the message is dropped where there is no entry, or where the next broker
or the link to it is dead. Shortest paths are not taken from tables but found in the model itself, as routers
find them: when the message is published, brokers learn from their neighbours how far it is to the
destination, in as many rounds as there are other brokers; each then sends to the first neighbour, in the
order of the mesh, that lies on a shortest path. With `rerouted` they learn it of what lives; without, of the
whole mesh.

Where no path leads on from the broker at which it was published, or none is left because something is dead,
no broker swallows anything: the message is not delivered, but that is no black hole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from angarium.mesh.as_model.parts import Cast, by_origin, distinct, either, publishing, topic_of
from angarium.mesh.mesh import SHORTEST, Link, check_none
from angarium.mesh.topics.topic import IDENTITY

Pair = tuple[str, str]
"""A broker, and the one that is next."""
FATES = """class Fate(Enum):
    \"\"\"What has become of the message.\"\"\"

    UNPUBLISHED = "what is to fail has not failed yet"
    PUBLISHED = "published"
    READY = "where it was published, to be sent on"
    UNDER_WAY = "at a broker that has taken it from another"
    ARRIVED = "where it is wanted"
    NO_PATH = "at a broker from which no path leads on"
    DROPPED = "nowhere any more\""""

GUARANTEES = '''    @ltl
    def reachability(self) -> bool:
        """What is published arrives at every subscriber that wants it."""
        return leads_to(self.fate == Fate.PUBLISHED, self.fate == Fate.ARRIVED)

    @ltl
    def loop_free(self) -> bool:
        """No message goes round for ever."""
        return leads_to(self.fate == Fate.PUBLISHED, self.fate in (Fate.ARRIVED, Fate.NO_PATH, Fate.DROPPED))

    @invariant
    def no_black_hole(self) -> bool:
        """No broker takes a wanted message and hands it to nobody."""
        return self.fate != Fate.DROPPED
'''


def state(cast: Cast) -> Iterator[str]:
    """Where the message is, and how far brokers think that it is to its destination."""
    yield "    at = option(Broker)"
    yield "    to = option(Broker)"
    yield "    fate: Fate"
    if cast.topics:
        yield "    topic: Topic"
    if cast.mesh.routing.hop_limit is not None:
        yield f"    hops = integer(0, {cast.mesh.routing.hop_limit})"
    if cast.mesh.routing.kind == SHORTEST:
        yield f"    distance = array(Broker, integer(0, {_far(cast)}))  # {_far(cast)}: no path is known"


def steps(cast: Cast) -> Iterator[str]:
    """How the message is published, and goes from broker to broker."""
    check_none(cast.mesh, "a model of routers")
    yield from _publishing(cast)
    yield from _settling(cast)
    if cast.mesh.routing.kind == SHORTEST:
        yield from _learning(cast)
        yield from _shortest(cast)
    else:
        yield from _tables(cast)
    yield from GUARANTEES.splitlines()


def _publications(cast: Cast) -> Iterator[tuple[str, str, list[str], str]]:
    """Name, broker, where it is wanted, and the topic if links tell topics apart."""
    for origin, needs in by_origin(cast.wants.needs).items():
        by_topic: dict[str, list[str]] = {}
        for need in needs:
            by_topic.setdefault(topic_of(cast, need.kin) if cast.topics else "", []).append(need.at)
        for topic, targets in by_topic.items():
            what = f"{topic.partition('.')[2]}_" if topic else ""
            yield f"publish_{what}at_{cast.brokers[origin]}", origin, targets, topic


def _publishing(cast: Cast) -> Iterator[str]:
    for name, origin, targets, topic in _publications(cast):
        yield "    @action"
        yield f"    def {name}(self, target: Broker) -> None:"
        yield from publishing(cast, origin, targets)
        if topic:
            yield f"        self.topic = {topic}"
        yield "        self.fate = Fate.PUBLISHED"
        yield ""


def _settling(cast: Cast) -> Iterator[str]:
    """What happens to the message at a broker, and on its way to the next."""
    counts = cast.mesh.routing.hop_limit is not None
    yield "    def move(self, broker: Broker) -> None:"
    yield "        self.at = broker"
    if counts:
        yield "        self.hops += 1"
    yield "        self.fate = Fate.ARRIVED if self.to == broker else Fate.UNDER_WAY"
    yield ""
    yield "    def is_waiting(self, broker: Broker) -> bool:"
    yield "        return self.at == broker and self.fate in (Fate.READY, Fate.UNDER_WAY)"
    yield ""
    broken = "len(self.dead) > 0 or len(self.cut) > 0" if cast.cables else "len(self.dead) > 0"
    yield "    def stay(self) -> None:"
    yield f"        self.fate = Fate.NO_PATH if self.fate == Fate.READY or {broken} else Fate.DROPPED"
    yield ""


# --- shortest paths -----------------------------------------------------------------------------------


def _far(cast: Cast) -> int:
    """More than any way can cost."""
    dearest = max((link.cost for link in cast.mesh.links), default=1)
    return dearest * (len(cast.brokers) - 1) + 1


def _learning(cast: Cast) -> Iterator[str]:
    yield "    @action"
    yield "    def learn(self) -> None:"
    yield '        """Brokers tell their neighbours how far it is, round by round."""'
    yield "        require(self.fate == Fate.PUBLISHED)"
    yield "        self.fate = Fate.ARRIVED if self.at == self.to else Fate.READY"
    yield "        for broker in Broker:"
    yield f"            self.distance[broker] = 0 if self.to == broker else {_far(cast)}"
    yield f"        for _ in range({len(cast.brokers) - 1}):"
    links = [link for link in cast.mesh.links if link.source != link.target]
    for link in links:
        here, there = cast.broker(link.source), cast.broker(link.target)
        alive = f"{here} not in self.dead and {cast.lives(link)} and " if cast.mesh.routing.rerouted else ""
        nearer = f"self.distance[{there}] + {link.cost}"
        yield f"            if {alive}{nearer} < self.distance[{here}]:"
        yield f"                self.distance[{here}] = {nearer}"
    if not links:
        yield "            pass"
    yield ""


def _shortest(cast: Cast) -> Iterator[str]:
    """One step for each pair of neighbours; the first that is on a shortest path is the next hop."""
    links = _joining(cast)
    pairs = [(one, other) for one in cast.brokers for other in cast.brokers if (one, other) in links]
    hops = _hops(cast, pairs)
    earlier: dict[str, list[str]] = {}
    for (source, target), name in hops.items():
        nearer = [_is_nearer(cast, link) for link in links[source, target]]
        yield f"    def is_{name}(self) -> bool:"
        yield f"        return {' or '.join(nearer)}"
        yield ""
        before = earlier.setdefault(source, [])
        chosen = [f"self.is_{name}()", *(f"not self.is_{each}()" for each in before)]
        yield from _hop(cast, (source, target), name, " and ".join(chosen), links[source, target])
        before.append(name)
    for source in cast.brokers:
        yield from _drop(cast, source, f"self.distance[{cast.broker(source)}] == {_far(cast)}")


def _is_nearer(cast: Cast, link: Link) -> str:
    here, there = f"self.distance[{cast.broker(link.source)}]", f"self.distance[{cast.broker(link.target)}]"
    alive = f"{cast.lives(link)} and " if cast.mesh.routing.rerouted else ""
    return f"({alive}{here} < {_far(cast)} and {there} + {link.cost} == {here})"


# --- given tables -------------------------------------------------------------------------------------


def _tables(cast: Cast) -> Iterator[str]:
    """One step for each next hop that some table names; and one where a table says nothing."""
    yield "    @action"
    yield "    def set_out(self) -> None:"
    yield "        require(self.fate == Fate.PUBLISHED)"
    yield "        self.fate = Fate.ARRIVED if self.at == self.to else Fate.READY"
    yield ""
    links, wanted = _joining(cast), _wanted(cast)
    hops = _hops(cast, wanted)
    for (source, target), destinations in wanted.items():
        name = hops[source, target]
        yield from _hop(
            cast, (source, target), name, _for(cast, destinations), links.get((source, target), [])
        )
    for source in cast.brokers:
        row = cast.mesh.routing.tables.get(source, {})
        missing = [each for each in cast.brokers if each not in row and each != source]
        if missing:
            yield from _drop(cast, source, _for(cast, missing))


def _wanted(cast: Cast) -> dict[Pair, list[str]]:
    """Every hop that some table names, and for which destinations."""
    found: dict[Pair, list[str]] = {}
    for source in cast.brokers:
        row = cast.mesh.routing.tables.get(source, {})
        for destination in cast.brokers:
            if destination in row and destination != source:
                found.setdefault((source, row[destination]), []).append(destination)
    return found


def _for(cast: Cast, destinations: Iterable[str]) -> str:
    return f"self.to in {either('Broker', (cast.brokers[each] for each in destinations))}"


# --- hops ---------------------------------------------------------------------------------------------


def _joining(cast: Cast) -> dict[Pair, list[Link]]:
    """The links from each broker to each neighbour, the cheapest first."""
    found: dict[Pair, list[Link]] = {}
    for link in sorted(cast.mesh.links, key=lambda each: each.cost):
        if link.source != link.target:
            found.setdefault((link.source, link.target), []).append(link)
    return found


def _hops(cast: Cast, pairs: Iterable[Pair]) -> dict[Pair, str]:
    """What the step of each hop is called."""
    listed = list(pairs)
    names = distinct(f"from_{cast.brokers[one]}_to_{cast.brokers[other]}" for one, other in listed)
    return dict(zip(listed, names, strict=True))


def _hop(cast: Cast, pair: Pair, name: str, chosen: str, links: list[Link]) -> Iterator[str]:
    source, target = pair
    yield "    @action"
    yield f"    def {name}(self) -> None:"
    yield f"        require(self.is_waiting({cast.broker(source)}) and {chosen})"
    branch = "if"
    for condition, otherwise in _obstacles(cast, target, links):
        yield f"        {branch} {condition}:"
        yield f"            {otherwise}"
        branch = "elif"
    if branch == "if":
        yield f"        self.move({cast.broker(target)})"
    else:
        yield "        else:"
        yield f"            self.move({cast.broker(target)})"
    yield ""


def _drop(cast: Cast, source: str, condition: str) -> Iterator[str]:
    here = cast.broker(source)
    yield "    @action"
    yield f"    def no_entry_at_{cast.brokers[source]}(self) -> None:"
    yield f"        require(self.is_waiting({here}) and {condition})"
    yield "        self.stay()"
    yield ""


def _obstacles(cast: Cast, target: str, links: list[Link]) -> Iterator[tuple[str, str]]:
    """What can keep a message from taking a hop, and what then becomes of it.

    It takes the cheapest link that lives. What is dead is on nobody's shortest path, if tables are new.
    """
    routing = cast.mesh.routing
    if routing.hop_limit is not None:
        yield f"self.hops == {routing.hop_limit}", "self.fate = Fate.DROPPED"
    if not (routing.kind == SHORTEST and routing.rerouted):
        living = " or ".join(cast.whole(link) for link in links) or "False"
        yield f"{cast.broker(target)} in self.dead or not ({living})", "self.fate = Fate.DROPPED"
    if cast.topics:
        chain = [f"{_takes(cast, link)} if {cast.whole(link)}" for link in links]
        yield f"not ({' else '.join([*chain, 'False'])})", "self.stay()"


def _takes(cast: Cast, link: Link) -> str:
    """The condition under which a link's filter lets the topic through."""
    kins = {kin for kin, _ in cast.topics}
    taken = [kin for kin in sorted(kins) if (link.name, (kin, IDENTITY)) in cast.wants.behind]
    if len(taken) == len(kins):
        return "True"
    return (
        f"self.topic in {either('Topic', (cast.topics[kin, IDENTITY] for kin in taken))}"
        if taken
        else "False"
    )
