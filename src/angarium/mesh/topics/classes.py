"""The topics of a mesh, as classes: what no filter and no publisher distinguishes is one class.

The class of a topic is the set of its labels: which filters let it through, behind which renaming, and who
publishes it. Whatever is true of one topic of a class, its path through the mesh, is true of all. Subscribers
do not make classes, however many patterns they have: they are asked which classes they want something of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from angarium.core.errors import MeshError
from angarium.mesh.collecting import without_collecting
from angarium.mesh.mesh import Broker, Mesh, Pattern, Publisher, Subscriber
from angarium.mesh.topics.automaton import Automaton, Nodes, Trie
from angarium.mesh.topics.dialects import in_characters, never_published, steps_of
from angarium.mesh.topics.labels import Filters, Label, Part, parts, renamings
from angarium.mesh.topics.states import Meeting, State, States
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

_NO_TOPIC = -1
"""The tag of what wildcards match but nobody can publish."""


@dataclass(frozen=True, slots=True)
class TopicClass:
    """Topics that nothing distinguishes, and the shortest of them."""

    number: int
    topic: Topic
    alike: int
    """The first class that all filters treat as they treat this one; only publishers tell them apart."""


_Traits = tuple[frozenset[int], frozenset[int]]
"""What makes a class: its publishers and its labels, by number."""
_Labels = dict[int, list[tuple[int, Label]]]
"""Numbered labels, by the tag that they ask for first."""


class Universe:
    """All topics that are published in a mesh."""

    def __init__(self, mesh: Mesh) -> None:
        _same_symbols(mesh)
        automaton = Automaton()
        published, longest = _published(mesh.publishers, automaton)
        filters = Filters(mesh, automaton)
        found = renamings(mesh, filters, automaton, published, max(longest, filters.longest))
        self.cut = found.cut
        """Why names behind very many renamings were not looked at; None: all were."""
        found_parts = parts(mesh, filters, found, automaton)
        self._labels = _numbered(found_parts)
        characters = any(in_characters(broker.dialect) for broker in mesh.brokers)
        self._states = States(automaton, [published, *(part.start for part in found_parts)], characters)
        self._numbers: dict[State, int | None] = {}
        self.classes = self._classes()
        self._of_publisher = self._by_publisher(mesh.publishers)
        self._meeting = Meeting(self._states, self._numbers.get)
        self._asked: dict[tuple[tuple[Pattern, ...], Transform, bool], Mapping[int, Topic]] = {}

    def topic(self, number: int) -> Topic:
        """The shortest topic of a class."""
        return self.classes[number].topic

    def published(self, publisher: str) -> tuple[int, ...]:
        """The classes of what a publisher publishes."""
        return self._of_publisher[publisher]

    def overlapped(
        self, patterns: tuple[Pattern, ...], renamed: Transform = IDENTITY, exact: bool = True
    ) -> Mapping[int, Topic]:
        """The classes with a topic that, renamed, matches a pattern; and the shortest such, as published.

        What can be a name in MirrorMaker's dialect is one, as subscribers say it; to ask for a filter's
        patterns, which are always expressions there, say that they are not `exact`.
        """
        key = patterns, renamed, exact
        if key not in self._asked:
            steps = (steps_of(pattern, exact) for pattern in patterns)
            self._asked[key] = self._meeting.met_by_any(steps, renamed)
        return self._asked[key]

    def _classes(self) -> tuple[TopicClass, ...]:
        """Numbers every state that is a topic, the shortest topics first."""
        numbers: dict[_Traits, int] = {}
        topics: list[Topic] = []
        for state, topic in sorted(self._reached(), key=lambda each: len(each[1]) == 1):
            traits = self._traits(state)
            if traits is None:
                self._numbers[state] = None
                continue
            self._numbers[state] = numbers.setdefault(traits, len(numbers))
            if len(numbers) > len(topics):
                topics.append(topic)
        alike: dict[frozenset[int], int] = {}
        firsts = [alike.setdefault(labels, number) for number, (_, labels) in enumerate(numbers)]
        self._all_traits = tuple(numbers)
        return tuple(
            TopicClass(number, *each) for number, each in enumerate(zip(topics, firsts, strict=True))
        )

    def _reached(self) -> list[tuple[State, Topic]]:
        """Every state, with the shortest and nicest beginning that leads there, in that order."""
        start: tuple[State, Topic] = (self._states.start, ())
        seen, found, waiting = {self._states.start}, [start], deque([start])
        while waiting:
            state, topic = waiting.popleft()
            for symbol, target in self._states.edges(state):
                if target not in seen:
                    seen.add(target)
                    found.append((target, (*topic, symbol)))
                    waiting.append(found[-1])
        return found

    def _traits(self, state: State) -> _Traits | None:
        """What makes the class of the topics that end here; None: nobody publishes them."""
        tags = self._states.tags(state)
        publishers = tags.pop(0, set())
        if not publishers or _NO_TOPIC in publishers:
            return None
        labels = frozenset(label for part, its in tags.items() for label in self._held(part, its))
        return frozenset(publishers), labels

    def _held(self, part: int, tags: set[int]) -> Iterator[int]:
        """The labels of a part that these tags give."""
        for tag in tags:
            for number, label in self._labels[part - 1].get(tag, ()):
                if label.refuses not in tags and (label.begins is None or label.begins in tags):
                    yield number

    def _by_publisher(self, publishers: tuple[Publisher, ...]) -> dict[str, tuple[int, ...]]:
        classes: list[list[int]] = [[] for _ in publishers]
        for number, (its_publishers, _) in enumerate(self._all_traits):
            for publisher in its_publishers:
                classes[publisher].append(number)
        return {each.name: tuple(its) for each, its in zip(publishers, classes, strict=True)}


def universe(mesh: Mesh) -> Universe:
    """The classes of all topics that are published in a mesh."""
    with without_collecting():
        return Universe(mesh)


def _numbered(found: list[Part]) -> list[_Labels]:
    """The labels of each part; every label of every part has a number of its own."""
    numbers = count()
    numbered: list[_Labels] = []
    for part in found:
        numbered.append({})
        for label in part.labels:
            numbered[-1].setdefault(label.accepts, []).append((next(numbers), label))
    return numbered


def _published(publishers: tuple[Publisher, ...], automaton: Automaton) -> tuple[Nodes, int]:
    """All that is published, each tagged with the number of its publisher; and the longest pattern."""
    trie = Trie()
    for number, publisher in enumerate(publishers):
        for pattern in publisher.topics:
            trie.add(steps_of(pattern, exact=True), number)
            for words in never_published(pattern.dialect):
                trie.add((pattern.scope, *words), _NO_TOPIC)
    return automaton.taken(trie), trie.longest


def _same_symbols(mesh: Mesh) -> None:
    """Raises MeshError if some topics are words and others characters."""
    clients: list[Publisher | Subscriber] = [*mesh.publishers, *mesh.subscribers]
    patterns = [pattern for client in clients for pattern in client.topics]
    filters = [pattern for link in mesh.links for pattern in (*link.accepts, *link.refuses)]
    first: dict[bool, str] = {}
    things: list[Broker | Pattern] = [*mesh.brokers, *patterns, *filters]
    for thing in things:
        first.setdefault(in_characters(thing.dialect), thing.dialect)
        if len(first) > 1:
            what = f"{first[False]} and mirrormaker in one mesh: here topics are words, there characters"
            possible = "possible: mirrormaker everywhere, or any of the other dialects"
            raise MeshError(
                "ANG124", what, possible=possible, remedy="make two meshes of it", place=thing.place
            )
