"""The names that copies have, by number, and what links make of them.

A name is a topic with the transformation that has made it of the published one. Two names that look the same
may differ in how they came about: a link that gives everything one name tells no topics apart any more.
What a filter says of a name is asked once, for all messages and all failures.

Names may grow, by words or within a word, each time that a copy comes round. A pattern looks at the words at
the front of a name, no more of them than it has itself, and asks whether they equal its own. So no pattern of
the mesh tells two names apart that agree in so many words, each as far as the longest pattern is long; unless
it has `#` between words, and even that sees words only that were added in the rounds before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from angarium.core.errors import MeshError
from angarium.mesh.delivery.network import Leg, Network
from angarium.mesh.mesh import Mesh, Pattern
from angarium.mesh.topics.dialects import in_characters
from angarium.mesh.topics.match import Crossing, crossing, matcher
from angarium.mesh.topics.scopes import ByScope
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

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

    def after(self, topic: Topic, way: tuple[int, ...]) -> Topic:
        """What a topic is called behind these links."""
        for number in way:
            behind = self._crossings[number](topic)
            assert behind is not None, "the way was gone before"
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
    said = [link.accepts + link.refuses for link in mesh.links]
    said += [publisher.topics for publisher in mesh.publishers]
    said += [subscriber.topics for subscriber in mesh.subscribers]
    patterns = [pattern for group in said for pattern in group]
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
