"""The names that copies have, by number, and what links make of them.

A name is a topic with the transformation that has made it of the published one. Two names that look the same
may differ in how they came about: a link that gives everything one name tells no topics apart any more.
What a filter says of a name is asked once, for all messages and all failures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from angarium.errors import MeshError
from angarium.mesh.delivery.network import Leg, Network
from angarium.mesh.mesh import Mesh, Pattern
from angarium.mesh.topics.match import crossing
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

Crossing = Callable[[Topic], tuple[Topic, Transform] | None]
FAR_ENOUGH = 500
"""Symbols at the front of a name beyond which no pattern is taken to look."""
TOO_LONG = 10_000
"""Symbols that no name has, unless a broker lengthens it within itself for ever, or for very many hops."""
MANY = 200_000
"""Names and answers that are kept from one message to the next."""


class Onward(NamedTuple):
    """A link whose filter lets a name through."""

    leg: Leg
    name: int
    """What the name is behind it."""
    grown: bool
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
        self.horizon = horizon(network.mesh)
        self._forget()

    def _forget(self) -> None:
        self.topics: list[Topic] = []
        self.transforms: list[Transform] = []
        self._numbers: dict[tuple[Topic, Transform], int] = {}
        self._onward: dict[tuple[int, int], list[Onward]] = {}

    def published(self, topic: Topic) -> int:
        """The number of a topic as it was published. Numbers given before may be forgotten."""
        if len(self._onward) + len(self.topics) > MANY:
            self._forget()
        return self._numbered(topic, IDENTITY)

    def _numbered(self, topic: Topic, transform: Transform) -> int:
        number = self._numbers.setdefault((topic, transform), len(self.topics))
        if number == len(self.topics):
            self.topics.append(topic)
            self.transforms.append(transform)
        return number

    def onward(self, broker: int, name: int) -> list[Onward]:
        """The links out of a broker whose filters let the name through, in the order of the file."""
        known = self._onward.get((broker, name))
        if known is None:
            crossed = (self._crossed(leg, name) for leg in self._network.out[broker])
            known = self._onward[broker, name] = [each for each in crossed if each]
        return known

    def _crossed(self, leg: Leg, name: int) -> Onward | None:
        behind = self._crossings[leg.number](self.topics[name])
        if behind is None:
            return None
        topic, step = behind
        whole = self.transforms[name].then(step)
        assert whole is not None, "a topic that was renamed can be renamed by both at once"
        if len(topic) > TOO_LONG:
            raise _endless_name(leg)
        return Onward(leg, self._numbered(topic, shortened(whole)), len(topic) > self.horizon)

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
        return (
            len(new) > len(old) > self.horizon
            and new[: self.horizon] == old[: self.horizon]
            and new[-len(old) + 1 :] == old[1:]
        )


def shortened(transform: Transform) -> Transform:
    """The same for all topics that get here: what is taken off only to be put there again stays."""
    if transform.whole:
        return Transform((), transform.add, whole=True)
    strip, add = transform.strip, transform.add
    same = 0
    while same < min(len(strip), len(add)) and strip[-1 - same] == add[-1 - same]:
        same += 1
    return Transform(strip[: len(strip) - same], add[: len(add) - same])


def horizon(mesh: Mesh) -> int:
    """How many symbols at the front of a name some pattern may look at, and a few more."""
    said = [link.accepts + link.refuses for link in mesh.links]
    said += [publisher.topics for publisher in mesh.publishers]
    said += [subscriber.topics for subscriber in mesh.subscribers]
    longest = max((_symbols(pattern) for patterns in said for pattern in patterns), default=1)
    return min(longest, FAR_ENOUGH) + 4


def _symbols(pattern: Pattern) -> int:
    if pattern.dialect == "mirrormaker":
        return len(pattern.text) + 1
    return 2 + pattern.text.count("/") + pattern.text.count(".")


def _endless_name(leg: Leg) -> MeshError:
    return MeshError(
        "ANG125",
        f"link {leg.link.name} makes names of more than {TOO_LONG:,} words or letters",
        possible="a link within a broker may rename what stays there, but not for ever",
        remedy="give the link a filter that does not let through what it has renamed",
        place=leg.link.place,
    )
