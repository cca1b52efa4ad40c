"""A mesh as numbers, and the names that copies have in it.

Brokers and links are numbers by their place in the file, and histories are bits. Asking for one spread after
another must not look at names, sets and dialects again, so all that is the same for every message is settled
here once.

A hop is a crossing that `counts`. It is noted in the history of the copy under the source's `known_as`; a
link that does not count leaves no trace there. So a copy has made as many hops as its history has entries,
as in the header of a federated message.

Links that share something compete only where there is somebody else who shares it: then they are in a
`group`, which is a number above 0.

What a broker does within itself (source and target are one broker, it does not count, and takes nothing that
is shared) is `inner`: the copy stays where it is, and still came over the link over which it came.

A name is a topic with the transformation that has made it of the published one. Two names that look the same
may differ in how they came about: a link that gives everything one name tells no topics apart any more.
What a filter says of a name is asked once, for all messages and all failures.

Names may grow, by words or within a word, each time that a copy comes round. A pattern looks at the words at
the front of a name, no more of them than it has itself, and asks whether they equal its own. So no pattern of
the mesh tells two names apart that agree in so many words, each as far as the longest pattern is long; unless
it has `#` between words, and even that sees words only that were added in the rounds before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from angarium.core.errors import MeshError
from angarium.mesh.delivery.choices import Group
from angarium.mesh.mesh import FORWARD, Link, Mesh, Pattern
from angarium.mesh.topics.dialects import Crossing, crossing, in_characters, matcher
from angarium.mesh.topics.labels import ByScope
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

UNLIMITED = 1 << 62
"""A hop limit that nothing reaches."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A link as its source sees it."""

    number: int
    """Its place among all links."""
    path: tuple[int, ...]
    """The same, as a path."""
    link: Link
    bit: int
    """Its place among the links out of its source."""
    target: int
    latency: float
    """Of the link, and of the broker behind it, unless the copy stays in its broker."""
    limit: int
    step: int
    shuns: int
    """The identity of the target, as a bit, if the link avoids who was left; else none."""
    notes: int
    """The identity of the source, as a bit, if crossing is noted; else none."""
    bars: int
    """Links out of the target that a copy that came over this one does not take."""
    inner: bool
    group: int = 0
    """Among which links and subscribers of its source it competes for copies; 0: none."""


class Network:
    """All links, by their sources."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.number = {broker.name: number for number, broker in enumerate(mesh.brokers)}
        known = {name: bit for bit, name in enumerate(dict.fromkeys(each.known_as for each in mesh.brokers))}
        self.identities = len(known)
        self.identity = [known[broker.known_as] for broker in mesh.brokers]
        onward: list[list[Link]] = [[] for _ in mesh.brokers]
        for link in mesh.links:
            onward[self.number[link.source]].append(link)
        self._rules = [_Rules(links) for links in onward]
        self.groups = groups(mesh)
        """Those in which links compete, by number from 1."""
        self.legs: list[Leg] = []
        self.out: list[list[Leg]] = [[] for _ in mesh.brokers]
        for link in mesh.links:
            self._add(link)
        self.targets = [frozenset(leg.target for leg in legs) for legs in self.out]
        """Of each broker, those that its links lead to."""
        self.inner = [sum(leg.bit for leg in legs if leg.inner) for legs in self.out]
        """Of each broker, the links within it, as bits."""
        self.inside = [1 << len(legs) for legs in self.out]
        """Of each broker, a bit behind those of its links, for copies that it has made itself."""

    def _add(self, link: Link) -> None:
        source, target = self.number[link.source], self.number[link.target]
        inner = link.is_inner
        leg = Leg(
            len(self.legs),
            (len(self.legs),),
            link,
            bit=1 << len(self.out[source]),
            target=target,
            latency=link.latency + (0.0 if inner else self.mesh.brokers[target].latency),
            limit=UNLIMITED if link.hop_limit is None else link.hop_limit,
            step=int(link.counts),
            shuns=1 << self.identity[target] if link.avoids_visited else 0,
            notes=1 << self.identity[source] if link.counts else 0,
            bars=self._rules[target].bars(link),
            inner=inner,
            group=0 if inner else self.groups.get((link.source, link.shares), 0),
        )
        self.legs.append(leg)
        self.out[source].append(leg)

    @property
    def honest(self) -> bool:
        """Whether every way out of a broker is noted, and none leads to where a copy has been."""
        return all(leg.shuns and leg.notes for leg in self.legs if not leg.inner)


def groups(mesh: Mesh) -> dict[Group, int]:
    """What links share with anybody else; the subscribers of a group count as one, since they do one work."""
    sharing = [(link.source, link.shares) for link in mesh.links if link.shares]
    others = {(each.broker, each.shares) for each in mesh.subscribers if each.shares}
    times = Counter(sharing) + Counter(others)
    shared = [group for group in dict.fromkeys(sharing) if times[group] > 1]
    return {group: number for number, group in enumerate(shared, start=1)}


def refuse_choices(mesh: Mesh, who: str) -> None:
    """For those who follow one message as if its path were known."""
    if mesh.routing.kind != FORWARD:
        return
    for broker, shared in groups(mesh):
        raise MeshError(
            "ANG121",
            f"links share {shared} out of {broker}, and {who} cannot say which of them takes a message",
            possible="angarium mesh verify and trace look at every choice",
            remedy="take all but one of them out, or their `shares`",
        )


class _Rules:
    """Which links out of a broker a copy does not take because of the one that it came over."""

    def __init__(self, links: list[Link]) -> None:
        self._connections: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        for place, link in enumerate(links):
            bit = 1 << place
            if link.connection:
                self._connections[link.connection] = self._connections.get(link.connection, 0) | bit
            for kind in link.not_after:
                self._kinds[kind] = self._kinds.get(kind, 0) | bit

    def bars(self, came: Link) -> int:
        """No echo, and split horizon."""
        return self._connections.get(came.connection, 0) | self._kinds.get(came.kind, 0)


FAR_ENOUGH = 500
"""No pattern is taken to look at more words, or at more letters of a word."""
KEPT = 2_000_000
"""Letters and words of names that are kept from one message to the next."""
TOO_MUCH = 10_000_000
"""Letters and words of names that copies of one message may have together."""


class Onward(NamedTuple):
    """A link whose filter lets a name through."""

    leg: Leg
    name: int
    """What the name is behind it."""
    long: bool
    """Whether that is longer than any pattern."""


class Names:
    """Numbers for names; and by broker and name, where they go."""

    def __init__(self, network: Network) -> None:
        self._network = network
        dialects = [broker.dialect for broker in network.mesh.brokers]
        self._crossings: list[Crossing] = [
            crossing(leg.link, dialects[network.number[leg.link.source]], dialects[leg.target])
            for leg in network.legs
        ]
        self._out = [ByScope((leg.link, leg) for leg in legs) for legs in network.out]
        self._words, self._letters = horizon(network.mesh)
        self._sharing = _sharing(network)
        self._forget()

    def _forget(self) -> None:
        self.topics: list[Topic] = []
        self.transforms: list[Transform] = []
        self._numbers: dict[tuple[Topic, Transform], int] = {}
        self._onward: dict[tuple[int, int], list[Onward]] = {}
        self._takers: dict[tuple[int, int], dict[int, str]] = {}
        self._size = 0

    def published(self, topic: Topic) -> int:
        """The number of a topic as it was published. Numbers given before may be forgotten."""
        if self._size + len(self._onward) > KEPT:
            self._forget()
        return self._numbered(topic, IDENTITY)

    def _numbered(self, topic: Topic, transform: Transform) -> int:
        number = self._numbers.setdefault((topic, transform), len(self.topics))
        if number == len(self.topics):
            self.topics.append(topic)
            self.transforms.append(transform)
            self._size += len(topic) + sum(map(len, topic))
        return number

    def onward(self, broker: int, name: int) -> list[Onward]:
        """The links out of a broker whose filters let the name through, in the order of the file."""
        known = self._onward.get((broker, name))
        if known is None:
            crossed = (self._crossed(leg, name) for leg in self._out[broker].meeting(self.topics[name]))
            known = self._onward[broker, name] = [each for each in crossed if each]
        return known

    def takers(self, broker: int, name: int) -> dict[int, str]:
        """The groups of which a subscriber at a broker wants the name, and the first such of each."""
        known = self._takers.get((broker, name))
        if known is None:
            known, topic = {}, self.topics[name]
            for group, called, wants in self._sharing.get(broker, ()):
                if group not in known and wants(topic):
                    known[group] = called
            self._takers[broker, name] = known
        return known

    def _crossed(self, leg: Leg, name: int) -> Onward | None:
        behind = self._crossings[leg.number](self.topics[name])
        if behind is None:
            return None
        topic, step = behind
        whole = self.transforms[name].then(step)
        assert whole is not None, "a topic that was renamed can be renamed by both at once"
        name = self._numbered(topic, shortened(whole))
        if self._size > TOO_MUCH:
            raise _too_much(leg)
        return Onward(leg, name, len(topic) > self._words or max(map(len, topic)) > self._letters)

    def after(self, topic: Topic, path: tuple[int, ...]) -> Topic:
        """What a topic is called behind these links."""
        for number in path:
            behind = self._crossings[number](topic)
            assert behind is not None, "the path was gone before"
            topic = behind[0]
        return topic

    def extends(self, longer: int, shorter: int) -> bool:
        """Whether a name is another with something put in front, where no pattern can tell them apart."""
        new, old = self.topics[longer], self.topics[shorter]
        if new[0] != old[0] or self._seen(new) != self._seen(old):
            return False
        text, end = "\0".join(new[1:]), "\0".join(old[1:])
        return len(text) > len(end) and text.endswith(end)

    def _seen(self, topic: Topic) -> tuple[bool, Topic]:
        """What patterns see of a topic."""
        return len(topic) > self._words, tuple(word[: self._letters] for word in topic[: self._words])


def _sharing(network: Network) -> dict[int, list[tuple[int, str, Callable[[Topic], bool]]]]:
    """By broker, its subscribers that share something with links: the group, the name, what is wanted."""
    found: dict[int, list[tuple[int, str, Callable[[Topic], bool]]]] = {}
    for each in network.mesh.subscribers:
        group = network.groups.get((each.broker, each.shares))
        if group:
            wants = matcher(each.topics, exact=True)
            found.setdefault(network.number[each.broker], []).append((group, each.name, wants))
    return found


def shortened(transform: Transform) -> Transform:
    """The same for all topics that get here: what is taken off only to be put there again stays."""
    if transform.whole:
        return Transform((), transform.add, whole=True)
    strip, add = transform.strip, transform.add
    same = 0
    while same < min(len(strip), len(add)) and strip[-1 - same] == add[-1 - same]:
        same += 1
    return Transform(strip[: len(strip) - same], add[: len(add) - same])


def horizon(mesh: Mesh) -> tuple[int, int]:
    """How many words at the front of a name, and letters of each, a pattern may look at; and a few more."""
    named = [link.accepts + link.refuses for link in mesh.links]
    named += [publisher.topics for publisher in mesh.publishers]
    named += [subscriber.topics for subscriber in mesh.subscribers]
    patterns = [pattern for group in named for pattern in group]
    words = max(map(_symbols, patterns), default=1)
    letters = max((len(pattern.text) for pattern in patterns), default=1)
    return min(words, FAR_ENOUGH) + 4, min(letters, FAR_ENOUGH) + 4


def _symbols(pattern: Pattern) -> int:
    if in_characters(pattern.dialect):
        return len(pattern.text) + 1
    return 2 + pattern.text.count("/") + pattern.text.count(".")


def _too_much(leg: Leg) -> MeshError:
    return MeshError(
        "ANG125",
        f"copies of one message have names of more than {TOO_MUCH:,} letters: link {leg.link.name} adds some",
        possible="a name may grow over a few hops, or for ever in a round of brokers",
        remedy="give the link a filter that does not let through what it has renamed, or a smaller hop limit",
        place=leg.link.place,
    )
