"""The model of a mesh whose links hand on what their filters let through: federation, bridges, mirrors.

A message becomes many copies, and without end if it goes round. Their number is not the question here, so
the model follows one of them, and which one is open: at each broker it takes any link that would take it, or
ends there. What some copy can do, some run does.

    reachability   From the moment of publishing, some run comes to where the message is wanted, under a
                   name that is wanted there.
    loop-free      Every copy ends, also one that goes on as long as it can. What keeps a copy from going
                   round are the rules of its links: a limit of hops, the brokers that it has left, the link
                   that it came over. All of these are part of the state, as far as some link asks for them.

There is no guarantee `no-black-hole`: a copy that no link takes has come to its end, and whether somebody
misses it is a question of reachability.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from angarium.mesh.as_model.parts import (
    Cast,
    Name,
    by_origin,
    distinct,
    either,
    enumeration,
    publishing,
    word_for,
    words,
)
from angarium.mesh.mesh import Link, Mesh
from angarium.mesh.topics.topic import IDENTITY, Transform

Manner = tuple[str, str]
"""The connection and the kind of a link over which a copy came."""
FATES = """class Fate(Enum):
    \"\"\"What has become of the message.\"\"\"

    UNPUBLISHED = "what is to fail has not failed yet"
    PUBLISHED = "published"
    FORWARDED = "this copy has left where it was published"
    ENDED = "this copy goes no farther\""""

GUARANTEES = '''    @ctl
    def reachability(self) -> bool:
        """What is published arrives at every subscriber that wants it."""
        return AG(implies(self.fate == Fate.PUBLISHED, EF(self.has_arrived())))

    @ltl
    def loop_free(self) -> bool:
        """No message goes round for ever."""
        return leads_to(self.fate == Fate.PUBLISHED, self.fate == Fate.ENDED)
'''


@dataclass(frozen=True, slots=True)
class Past:
    """What copies are distinguished by: what links ask of their past, and the names they are wanted under."""

    hops: int
    """The largest limit; beyond it nobody asks how many hops it were. 0 if nobody ever does."""
    identities: Mapping[str, str]
    """By broker that some link avoids once it has been left: the word for its identity."""
    manners: Mapping[Manner, str]
    """Connections with kinds of links after which some link does not take a copy."""
    wishes: Mapping[frozenset[Transform], str]
    """The names under which something is wanted; empty if names do not change on the path."""


def past(cast: Cast) -> Past:
    """What matters in a mesh."""
    mesh = cast.mesh
    limits = (link.hop_limit for link in mesh.links if link.hop_limit is not None)
    renamed = any(name != IDENTITY for _, name in cast.topics)
    wishes = dict.fromkeys(need.names for need in cast.wants.needs) if renamed else {}
    numbered = {names: f"wish_{number}" for number, names in enumerate(wishes, start=1)}
    return Past(max(limits, default=0), _identities(mesh), _manners(mesh), numbered)


def _identities(mesh: Mesh) -> dict[str, str]:
    known = {broker.name: broker.known_as for broker in mesh.brokers}
    watched = {known[link.target] for link in mesh.links if link.avoids_visited}
    labels = words((each for each in known.values() if each in watched), "i")
    return {broker: labels[identity] for broker, identity in known.items() if identity in watched}


def _manners(mesh: Mesh) -> dict[Manner, str]:
    connections = {link.connection for link in mesh.links if link.connection}
    kinds = frozenset[str]().union(*(link.not_after for link in mesh.links))
    manners = dict.fromkeys((link.connection, link.kind) for link in mesh.links)
    relevant = [each for each in manners if each[0] in connections or each[1] in kinds]
    labels = distinct(word_for(" ".join(each), "m") for each in relevant)
    return dict(zip(relevant, labels, strict=True))


def kinds(cast: Cast) -> Iterator[str]:
    """The enumerations of what copies are distinguished by."""
    known = past(cast)
    enumerations = (
        ("Identity", "What the histories of messages call a broker.", known.identities.values()),
        ("Manner", "Links over which a message may have come.", known.manners.values()),
        ("Wish", "The names under which a message is wanted.", known.wishes.values()),
    )
    for kind, about, members in enumerations:
        if members:
            yield enumeration(kind, about, {word: word for word in members})


def state(cast: Cast) -> Iterator[str]:
    """Where the copy is, and what its links want to know of its past."""
    known = past(cast)
    yield "    at = option(Broker)"
    yield "    to = option(Broker)"
    yield "    fate: Fate"
    if cast.topics:
        yield "    topic: Topic"
    if known.wishes:
        yield "    wish: Wish"
    if known.hops:
        yield f"    hops = integer(0, {known.hops})"
    if known.identities:
        yield "    left = setof(Identity)"
    if known.manners:
        yield "    came = option(Manner)"


def steps(cast: Cast) -> Iterator[str]:
    """How the message is published, and a copy of it crosses links."""
    known = past(cast)
    yield from _publishing(cast, known)
    names = words((link.name for link in cast.mesh.links), "l")
    for link in cast.mesh.links:
        yield from _crossing(cast, known, link, f"over_{names[link.name]}")
    yield from _end(known)
    yield from _arrival(cast, known)
    yield from GUARANTEES.splitlines()


# --- publishing ---------------------------------------------------------------------------------------


def _publishing(cast: Cast, known: Past) -> Iterator[str]:
    for origin, needs in by_origin(cast.wants.needs).items():
        sorts: dict[tuple[str, str], list[str]] = {}
        for need in needs:
            topic = cast.topics[need.kin, IDENTITY] if cast.topics else ""
            sorts.setdefault((topic, known.wishes.get(need.names, "")), []).append(need.at)
        for (topic, wish), targets in sorts.items():
            what = "".join(f"{each}_" for each in (topic, wish) if each)
            yield "    @action"
            yield f"    def publish_{what}at_{cast.brokers[origin]}(self, target: Broker) -> None:"
            yield from publishing(cast, origin, targets)
            if topic:
                yield f"        self.topic = Topic.{topic}"
            if wish:
                yield f"        self.wish = Wish.{wish}"
            yield "        self.fate = Fate.PUBLISHED"
            yield ""


# --- crossing -----------------------------------------------------------------------------------------


def _crossing(cast: Cast, known: Past, link: Link, name: str) -> Iterator[str]:
    yield "    @action"
    yield f"    def {name}(self) -> None:"
    yield f"        require(self.at == {cast.broker(link.source)})"
    for condition in _rules(cast, known, link):
        yield f"        require({condition})"
    yield from _renaming(cast, link)
    yield f"        self.at = {cast.broker(link.target)}"
    yield "        self.fate = Fate.FORWARDED"
    yield from _remembering(known, link)
    yield ""


def _rules(cast: Cast, known: Past, link: Link) -> Iterator[str]:
    """When a link takes a copy: all that is said of `mesh.Link`."""
    if link.source != link.target:
        yield cast.lives(link)
    yield from dict.fromkeys(cast.awaited(link))
    if link.hop_limit is not None:
        yield f"self.hops < {link.hop_limit}" if link.hop_limit > 0 else "False"
    if link.avoids_visited:
        yield f"Identity.{known.identities[link.target]} not in self.left"
    refused = [word for manner, word in known.manners.items() if _is_refused(link, manner)]
    if refused:
        yield f"self.came not in {either('Manner', refused)}"
    if cast.topics:
        taken = [word for topic, word in cast.topics.items() if (link.name, topic) in cast.wants.behind]
        yield f"self.topic in {either('Topic', taken)}" if taken else "False"


def _is_refused(link: Link, manner: Manner) -> bool:
    connection, kind = manner
    return (connection != "" and connection == link.connection) or kind in link.not_after


def _renaming(cast: Cast, link: Link) -> Iterator[str]:
    """What the topic is called behind the link."""
    changed: dict[Name, list[str]] = {}
    for topic, word in cast.topics.items():
        after = cast.wants.behind.get((link.name, topic), topic)
        if after != topic:
            changed.setdefault(after, []).append(word)
    keyword = "if"
    for after, before in changed.items():
        yield f"        {keyword} self.topic in {either('Topic', before)}:"
        yield f"            self.topic = Topic.{cast.topics[after]}"
        keyword = "elif"


def _remembering(known: Past, link: Link) -> Iterator[str]:
    if known.hops and link.counts:
        yield f"        self.hops = min(self.hops + 1, {known.hops})"
    if link.source != link.target and link.source in known.identities:
        yield f"        self.left.add(Identity.{known.identities[link.source]})"
    if known.manners:
        word = known.manners.get((link.connection, link.kind))
        yield f"        self.came = {f'Manner.{word}' if word else 'None'}"


def _end(known: Past) -> Iterator[str]:
    """The copy ends, and nothing of its past matters any more."""
    yield "    @action"
    yield "    def end_here(self) -> None:"
    yield "        require(self.at is not None)"
    yield "        self.at = None"
    yield "        self.to = None"
    yield "        self.fate = Fate.ENDED"
    if known.hops:
        yield "        self.hops = 0"
    if known.identities:
        yield "        self.left.clear()"
    if known.manners:
        yield "        self.came = None"
    yield ""


def _arrival(cast: Cast, known: Past) -> Iterator[str]:
    fits = [_fit(cast, names, word) for names, word in known.wishes.items()]
    named = f" and ({' or '.join(fits)})" if fits else ""
    yield "    def has_arrived(self) -> bool:"
    yield f"        return self.at is not None and self.at == self.to{named}"
    yield ""


def _fit(cast: Cast, names: frozenset[Transform], wish: str) -> str:
    good = [word for (_, name), word in cast.topics.items() if name in names]
    return f"(self.wish == Wish.{wish} and self.topic in {either('Topic', good)})" if good else "False"
