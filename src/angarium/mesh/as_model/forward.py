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

from collections.abc import Iterator

from angarium.mesh.as_model.parts import Cast, by_origin, publishing, topic_of
from angarium.mesh.as_model.wants import Name
from angarium.mesh.as_model.words import either, enumeration, words
from angarium.mesh.mesh import Link, Mesh
from angarium.mesh.topics.topic import IDENTITY, Transform
from angarium.mesh.verify.demands import Need

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


def kinds(cast: Cast) -> Iterator[str]:
    """What copies are told apart by."""
    if _watched(cast.mesh):
        yield enumeration("Identity", "What the histories of messages call a broker.", _identities(cast.mesh))
    if _manners(cast.mesh):
        members = {word: word for word in _manners(cast.mesh).values()}
        yield enumeration("Manner", "Links over which a message may have come.", members)
    if _is_renamed(cast):
        members = {word: word for word in _wishes(cast).values()}
        yield enumeration("Wish", "The names under which a message is wanted.", members)


def state(cast: Cast) -> Iterator[str]:
    """Where the copy is, and what its links want to know of its past."""
    yield "    at = option(Broker)"
    yield "    to = option(Broker)"
    yield "    fate: Fate"
    if cast.topics:
        yield "    topic: Topic"
    if _is_renamed(cast):
        yield "    wish: Wish"
    if _most_hops(cast.mesh):
        yield f"    hops = integer(0, {_most_hops(cast.mesh)})"
    if _watched(cast.mesh):
        yield "    left = setof(Identity)"
    if _manners(cast.mesh):
        yield "    came = option(Manner)"


def steps(cast: Cast) -> Iterator[str]:
    """How the message is published, and a copy of it crosses links."""
    yield from _publishing(cast)
    names = words((link.name for link in cast.mesh.links), "l")
    for link in cast.mesh.links:
        yield from _crossing(cast, link, f"over_{names[link.name]}")
    yield from _end(cast)
    yield from _arrival(cast)
    yield from GUARANTEES.splitlines()


# --- publishing ---------------------------------------------------------------------------------------


def _publications(cast: Cast) -> Iterator[tuple[str, str, list[Need], str, str]]:
    """Name, broker, needs, and the topic and the wish if there are any to tell apart."""
    for origin, needs in by_origin(cast.wants.needs).items():
        sorts: dict[tuple[str, str], list[Need]] = {}
        for need in needs:
            topic = topic_of(cast, need.kin) if cast.topics else ""
            wish = f"Wish.{_wishes(cast)[need.names]}" if _is_renamed(cast) else ""
            sorts.setdefault((topic, wish), []).append(need)
        for (topic, wish), same in sorts.items():
            what = "".join(f"{each.partition('.')[2]}_" for each in (topic, wish) if each)
            yield f"publish_{what}at_{cast.brokers[origin]}", origin, same, topic, wish


def _publishing(cast: Cast) -> Iterator[str]:
    for name, origin, needs, topic, wish in _publications(cast):
        yield "    @action"
        yield f"    def {name}(self, target: Broker) -> None:"
        yield from publishing(cast, origin, (need.at for need in needs))
        if topic:
            yield f"        self.topic = {topic}"
        if wish:
            yield f"        self.wish = {wish}"
        yield "        self.fate = Fate.PUBLISHED"
        yield ""


# --- crossing -----------------------------------------------------------------------------------------


def _crossing(cast: Cast, link: Link, name: str) -> Iterator[str]:
    yield "    @action"
    yield f"    def {name}(self) -> None:"
    yield f"        require(self.at == {cast.broker(link.source)})"
    for condition in _rules(cast, link):
        yield f"        require({condition})"
    yield from _renaming(cast, link)
    yield f"        self.at = {cast.broker(link.target)}"
    yield "        self.fate = Fate.FORWARDED"
    yield from _remembering(cast, link)
    yield ""


def _rules(cast: Cast, link: Link) -> Iterator[str]:
    """When a link takes a copy: all that is said of `mesh.Link`."""
    if link.source != link.target:
        yield cast.lives(link)
    if link.hop_limit is not None:
        yield f"self.hops < {link.hop_limit}" if link.hop_limit > 0 else "False"
    if link.avoids_visited:
        yield f"Identity.{_identities(cast.mesh)[_identity(cast.mesh, link.target)]} not in self.left"
    refused = [word for manner, word in _manners(cast.mesh).items() if _is_refused(link, manner)]
    if refused:
        yield f"self.came not in {either('Manner', refused)}"
    if cast.topics:
        taken = [word for topic, word in cast.topics.items() if (link.name, topic) in cast.wants.behind]
        yield f"self.topic in {either('Topic', taken)}" if taken else "False"


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


def _remembering(cast: Cast, link: Link) -> Iterator[str]:
    most = _most_hops(cast.mesh)
    if most and link.counts:
        yield f"        self.hops = min(self.hops + 1, {most})"
    left = _identity(cast.mesh, link.source)
    if link.source != link.target and left in _watched(cast.mesh):
        yield f"        self.left.add(Identity.{_identities(cast.mesh)[left]})"
    if _manners(cast.mesh):
        word = _manners(cast.mesh).get((link.connection, link.kind))
        yield f"        self.came = {f'Manner.{word}' if word else 'None'}"


def _end(cast: Cast) -> Iterator[str]:
    """The copy ends, and nothing of its past matters any more."""
    yield "    @action"
    yield "    def end_here(self) -> None:"
    yield "        require(self.at is not None)"
    yield "        self.at = None"
    yield "        self.to = None"
    yield "        self.fate = Fate.ENDED"
    if _most_hops(cast.mesh):
        yield "        self.hops = 0"
    if _watched(cast.mesh):
        yield "        self.left.clear()"
    if _manners(cast.mesh):
        yield "        self.came = None"
    yield ""


def _arrival(cast: Cast) -> Iterator[str]:
    yield "    def has_arrived(self) -> bool:"
    if not _is_renamed(cast):
        yield "        return self.at is not None and self.at == self.to"
    else:
        fits = [_fit(cast, names, word) for names, word in _wishes(cast).items()]
        yield f"        return self.at is not None and self.at == self.to and ({' or '.join(fits)})"
    yield ""


def _fit(cast: Cast, names: frozenset[Transform], wish: str) -> str:
    good = [word for (_, name), word in cast.topics.items() if name in names]
    return f"(self.wish == Wish.{wish} and self.topic in {either('Topic', good)})" if good else "False"


# --- what copies are told apart by --------------------------------------------------------------------


def _most_hops(mesh: Mesh) -> int:
    """The largest limit: beyond it nobody asks how many hops it were."""
    return max((link.hop_limit for link in mesh.links if link.hop_limit is not None), default=0)


def _identity(mesh: Mesh, broker: str) -> str:
    return next(each.known_as for each in mesh.brokers if each.name == broker)


def _watched(mesh: Mesh) -> set[str]:
    """The identities that some link avoids once they have been left."""
    return {_identity(mesh, link.target) for link in mesh.links if link.avoids_visited}


def _identities(mesh: Mesh) -> dict[str, str]:
    watched = _watched(mesh)
    return words((broker.known_as for broker in mesh.brokers if broker.known_as in watched), "i")


def _manners(mesh: Mesh) -> dict[tuple[str, str], str]:
    """Connections with kinds of links after which some link does not take a copy."""
    manners = dict.fromkeys((link.connection, link.kind) for link in mesh.links)
    asked = [each for each in manners if any(_is_refused(link, each) for link in mesh.links)]
    labels = words(
        (f"{connection or 'any'} {kind} {number}" for number, (connection, kind) in enumerate(asked)), "m"
    )
    return dict(zip(asked, labels.values(), strict=True))


def _is_refused(link: Link, manner: tuple[str, str]) -> bool:
    connection, kind = manner
    return (connection != "" and connection == link.connection) or kind in link.not_after


def _wishes(cast: Cast) -> dict[frozenset[Transform], str]:
    wishes = dict.fromkeys(need.names for need in cast.wants.needs)
    return {names: f"wish_{number}" for number, names in enumerate(wishes, start=1)}


def _is_renamed(cast: Cast) -> bool:
    """Whether the name under which a message arrives says whether it is wanted."""
    return any(name != IDENTITY for _, name in cast.topics)
