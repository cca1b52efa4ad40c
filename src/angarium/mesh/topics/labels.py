"""What topics are distinguished by: every link's filter, and every name under which they can come to it.

Behind a renaming, a filter sees another name. The topics whose new name it lets through are again the
topics of an automaton: those that begin with what the renaming takes off, followed by what is left of the
filter when it has read what the renaming adds. So for every renaming that a path can make, the filters
that can meet it are one part of the automaton, and each filter in it is a label. Where a link renames,
topics that it renames by different transforms, such as those of two scopes, have different labels.

The names are those of every renaming that a path through the mesh can make.

Renamings of links one behind the other are one transform, so the question is which pairs of a broker and
a transform can be reached. Rounds through links that only add make names that grow for ever, and rounds
that only take off take longer and longer names; then the search is cut where that is much longer than any
pattern, and says so. A path is not followed where a filter keeps everything out, or no publisher has a
topic that begins so. What the filters of links that rename have let through is remembered on the path:
`berlin/commands/#` that has become `commands/#` does not go on as `alarms/#`.

The filters of all links: in one automaton, by their scopes, and which of them a topic can satisfy at once.

In the automaton each filter is there once, however many links have it.

The first symbol of every name is its scope, and a pattern has one scope. A broker may have hundreds of
scopes, such as the exchanges and queues of a cluster, with links out of each; a name in one of them meets the
links of that scope only, and those that take everything. Behind the exchange that routes to queues by name,
each of hundreds of links takes one word only, and these are found by that word.

Whether some topic satisfies several patterns at once is a search through their automata side by side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Generic, TypeVar

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Link, Mesh, Pattern
from angarium.mesh.topics.automaton import MANY, ONE, Automaton, Nodes, Trie
from angarium.mesh.topics.dialects import Renaming, renaming_of, steps_of
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

T = TypeVar("T")
FEW = 16
"""Filters side by side that need no index."""


_Key = tuple[str] | tuple[str, str | None]


class ByScope(Generic[T]):
    """Things of links, in the order of the links."""

    def __init__(self, things: Iterable[tuple[Link, T]]) -> None:
        self.all: list[T] = []
        self._open: list[int] = []
        self._places: dict[str, dict[int, list[Pattern]]] = {}
        self._known: dict[_Key, list[T]] = {}
        self._words: dict[str, dict[str | None, list[int]]] = {}
        for place, (link, thing) in enumerate(things):
            self.all.append(thing)
            for pattern in link.accepts:
                self._places.setdefault(pattern.scope, {}).setdefault(place, []).append(pattern)
            if not link.accepts:
                self._open.append(place)

    def meeting(self, front: Topic) -> Sequence[T]:
        """What may let a name through that begins so; with no symbol known, everything."""
        if not front:
            return self.all
        key = self._key(*front[:2])
        if key not in self._known:
            places = sorted({*self._open, *self._of(*key)})
            self._known[key] = [self.all[place] for place in places]
        return self._known[key]

    def _key(self, scope: str, word: str | None = None) -> _Key:
        """The scope, and the word where many are told apart by it: None for all that nobody begins with."""
        places = self._places.get(scope, {})
        if word is None or len(places) <= FEW:
            return (scope,)
        if scope not in self._words:
            self._words[scope] = _by_word(places)
        return scope, word if word in self._words[scope] else None

    def _of(self, scope: str, *word: str | None) -> Iterable[int]:
        """The places of what accepts something that begins so."""
        if not word:
            return self._places.get(scope, ())
        return chain(*(self._words[scope].get(each, ()) for each in (None, *word)))


def _by_word(places: Mapping[int, Iterable[Pattern]]) -> dict[str | None, list[int]]:
    """The places, by the word with which their patterns begin behind the scope; None: by more than one."""
    found: dict[str | None, list[int]] = {}
    for place, patterns in places.items():
        for word in {first_word(pattern) for pattern in patterns}:
            found.setdefault(word, []).append(place)
    return found


def first_word(pattern: Pattern, exact: bool = False) -> str | None:
    """The only symbol that may be behind the scope of a pattern; None: there are several, or none."""
    _, *steps = steps_of(pattern, exact)
    return steps[0] if steps and isinstance(steps[0], str) else None


MOST_TOGETHER = 2_000
"""Places that are looked at; beyond, something in common is taken to exist."""
_OTHERS = ("\0", "$\0", "")
"""A symbol of each kind that no pattern knows by name."""


def have_something_in_common(automaton: Automaton, all_of: Collection[Nodes]) -> bool:
    """Whether some end of a topic is accepted behind each of these nodes."""
    start = tuple(sorted(set(all_of)))
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if all(automaton.tags_of(nodes) for nodes in here):
            return True
        if len(seen) > MOST_TOGETHER:
            return True
        for there in _onwards(automaton, here):
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return False


def _onwards(automaton: Automaton, here: tuple[Nodes, ...]) -> list[tuple[Nodes, ...]]:
    """Where one more symbol leads that all of them know; the fewest names say which may matter."""
    fewest = min(here, key=lambda nodes: (_is_open(automaton, nodes), len(_names(automaton, nodes))))
    symbols = _names(automaton, fewest)
    if _is_open(automaton, fewest):
        symbols = {*_OTHERS, *(name for nodes in here for name in _names(automaton, nodes))}
    steps = (tuple(tuple(sorted(automaton.step(nodes, symbol))) for nodes in here) for symbol in symbols)
    return [step for step in steps if all(step)]


def _names(automaton: Automaton, nodes: Nodes) -> set[str]:
    return {symbol for node in nodes for symbol in automaton.literals[node]}


def _is_open(automaton: Automaton, nodes: Nodes) -> bool:
    """Whether symbols without a name lead on as well."""
    return any(any(automaton.wilds[node]) for node in nodes)


Sides = tuple[tuple[Pattern, ...], tuple[Pattern, ...]]


class Filters:
    """What links accept and refuse. Tags of what is accepted are even, of what is refused odd."""

    def __init__(self, mesh: Mesh, automaton: Automaton) -> None:
        self.automaton = automaton
        self._numbers: dict[Sides, int] = {}
        self._of = {
            link.name: self._numbers.setdefault(_sides(link), len(self._numbers)) for link in mesh.links
        }
        self._roots: dict[int, Nodes] = {}
        self._steps = {
            2 * number + side: [steps_of(pattern) for pattern in patterns]
            for sides, number in self._numbers.items()
            for side, patterns in enumerate(sides)
        }
        self.longest = max((len(steps) for patterns in self._steps.values() for steps in patterns), default=0)
        self.together = self._all()
        """Where all filters begin."""

    def _all(self) -> Nodes:
        """Few filters are as good side by side, and may be needed so; many are better in one trie."""
        tags = [tag for tag, patterns in self._steps.items() if patterns]
        if len(tags) <= FEW:
            return tuple(sorted({node for tag in tags for node in self._root(tag)}))
        together = Trie()
        for tag in tags:
            self._put(together, tag)
        return self.automaton.taken(together)

    def accepts(self, link: Link) -> int | None:
        """The tag of what the link accepts; None if that is everything."""
        return 2 * self._of[link.name] if link.accepts else None

    def refuses(self, link: Link) -> int | None:
        return 2 * self._of[link.name] + 1 if link.refuses else None

    def accepted(self, link: Link, front: Topic) -> Nodes:
        """What the link accepts behind this beginning."""
        return self.automaton.walk(self._root(2 * self._of[link.name]), front)

    def refused(self, link: Link, front: Topic) -> Nodes:
        return self.automaton.walk(self._root(2 * self._of[link.name] + 1), front)

    def _put(self, trie: Trie, tag: int) -> None:
        for steps in self._steps[tag]:
            trie.add(steps, tag)

    def _root(self, tag: int) -> Nodes:
        if tag not in self._roots:
            trie = Trie()
            self._put(trie, tag)
            self._roots[tag] = self.automaton.taken(trie)
        return self._roots[tag]

    def lets_some(self, link: Link, front: Topic, complete: bool) -> bool:
        """Whether something that begins so, or is so if `complete`, may get through."""
        accepted, refused = self.accepted(link, front), self.refused(link, front)
        if complete:
            tags = self.automaton.tags_of((*accepted, *refused))
            return (not link.accepts or self.accepts(link) in tags) and self.refuses(link) not in tags
        return bool(accepted or not link.accepts) and not self.automaton.always(refused)


def _sides(link: Link) -> Sides:
    return link.accepts, link.refuses


LONGER = 64
"""By how many symbols that which is added, or taken off, may be longer than every pattern."""
MOST_NAMES = 200_000
"""Pairs of a broker and a transform."""


@dataclass(frozen=True, slots=True)
class Front:
    """Topics that begin so; with `more`, not those that end there."""

    symbols: Topic
    more: bool


@dataclass(frozen=True, slots=True)
class Renamed:
    """What a path makes of names, and whether something must follow behind what it takes off."""

    by: Transform
    more: bool = False

    @property
    def front(self) -> Front:
        return Front(self.by.strip, self.more)


UNCHANGED = Renamed(IDENTITY)
Passed = frozenset[Nodes]
"""What the rest of a name must still match, for every filter of a link that renamed it."""
_NOTHING: Passed = frozenset()


@dataclass(slots=True)
class Renamings:
    """What was found."""

    brokers: dict[Renamed, dict[str, None]] = field(default_factory=dict)
    """Where topics can be that were renamed so."""
    taken: dict[tuple[Renamed, str], set[Front]] = field(default_factory=dict)
    """For a link that renames: how the original topics begin that it can rename."""
    cut: str | None = None
    """Why not everything was looked at."""

    def first(self, broker: str, renamed: Renamed) -> bool:
        """Whether this pair is new; then it is remembered."""
        there = self.brokers.setdefault(renamed, {})
        new = broker not in there
        there[broker] = None
        return new


def renamings(
    mesh: Mesh, filters: Filters, automaton: Automaton, published: Nodes, longest: int
) -> Renamings:
    """All pairs of a broker and a transform; every broker is where something may be published."""
    search = _Search(mesh, filters, automaton, published)
    found = Renamings()
    for broker in mesh.brokers:
        found.first(broker.name, UNCHANGED)
    if any(link.rename for link in mesh.links):
        _follow(mesh, search, found, longest + LONGER)
    return found


def _follow(mesh: Mesh, search: _Search, found: Renamings, longest: int) -> None:
    seen: set[tuple[str, Renamed, Passed]] = {(broker.name, UNCHANGED, _NOTHING) for broker in mesh.brokers}
    waiting = deque((broker.name, UNCHANGED, _NOTHING) for broker in mesh.brokers)
    while waiting:
        broker, before, passed = waiting.popleft()
        for link, after, now in search.onwards(broker, before, passed, found):
            there = link.target, after, now
            if max(len(after.by.add), len(after.by.strip)) > longest:
                found.cut = f"behind link {link.name}, names are renamed without end"
            elif len(seen) >= max(MOST_NAMES, len(mesh.brokers)):
                found.cut = f"more than {len(seen):,} ways to rename"
            elif there not in seen:
                seen.add(there)
                found.first(link.target, after)
                waiting.append(there)


class _Search:
    """One step from a pair to the next."""

    def __init__(self, mesh: Mesh, filters: Filters, automaton: Automaton, published: Nodes) -> None:
        dialects = {broker.name: broker.dialect for broker in mesh.brokers}
        self.filters, self.automaton, self.published = filters, automaton, published
        links: dict[str, list[tuple[Link, tuple[Link, Renaming | None]]]] = {
            broker: [] for broker in dialects
        }
        for link in mesh.links:
            renaming = (
                renaming_of(link, dialects[link.source], dialects[link.target]) if link.rename else None
            )
            links[link.source].append((link, (link, renaming)))
        self.links = {broker: ByScope(each) for broker, each in links.items()}

    def onwards(
        self, broker: str, before: Renamed, passed: Passed, found: Renamings
    ) -> Iterator[tuple[Link, Renamed, Passed]]:
        for link, renaming in self.links[broker].meeting(before.by.add):
            if renaming is not None:
                for after, known in self._renamed(link, renaming, before):
                    now = self._passed(link, before.by, passed, known)
                    if now is not None:
                        found.taken.setdefault((before, link.name), set()).add(after.front)
                        yield link, after, now
            elif self.filters.lets_some(link, before.by.add, before.by.whole):
                if self._passed(link, before.by, passed, ()) is not None:
                    yield link, before, passed

    def _passed(self, link: Link, before: Transform, passed: Passed, known: Topic) -> Passed | None:
        """What is left to match behind a link, of all filters so far; None if nothing can match all."""
        if before.whole:
            return _NOTHING
        left = {self.automaton.walk(nodes, known) for nodes in passed}
        left |= {self.filters.accepted(link, before.add + known)} if link.accepts else set()
        now = frozenset(tuple(sorted(nodes)) for nodes in left if not self.automaton.always(nodes))
        return now if have_something_in_common(self.automaton, now) else None

    def _renamed(self, link: Link, renaming: Renaming, before: Renamed) -> Iterator[tuple[Renamed, Topic]]:
        whole = before.by.whole
        for known in self._known(link, renaming, before.by):
            front = before.by.add + known
            now = renaming.transform(front, whole)
            after = before.by.then(now) if now else None
            if after is None or not self.filters.lets_some(link, front, whole):
                continue
            if self.automaton.walk(self.published, after.strip):
                new = renaming.wants_more and not whole and len(front) == renaming.needs
                yield Renamed(after, new or (before.more and not known)), known

    def _known(self, link: Link, renaming: Renaming, before: Transform) -> list[Topic]:
        """The symbols that must be known behind those that are: every possibility."""
        found: list[Topic] = [()]
        if before.whole:
            return found
        for index in range(len(before.add), renaming.needs):
            only = renaming.only(index)
            found = [
                (*known, symbol)
                for known in found
                for symbol in ([only] if only is not None else self._next(link, before, known))
            ]
        return found

    def _next(self, link: Link, before: Transform, known: Topic) -> list[str]:
        published = self.automaton.walk(self.published, before.strip + known)
        symbols, open_end = self._symbols(published)
        accepted, anything = self._symbols(self.filters.accepted(link, before.add + known))
        if anything or not link.accepts:
            if open_end:
                raise _within_a_word(link)
            return sorted(symbols)
        return sorted(accepted if open_end else symbols & accepted)

    def _symbols(self, nodes: Nodes) -> tuple[set[str], bool]:
        """The literal symbols that may come next, and whether others may."""
        literals = {symbol for node in nodes for symbol in self.automaton.literals[node]}
        return literals, any(any(self.automaton.wilds[node]) for node in nodes)


def _within_a_word(link: Link) -> MeshError:
    rule = link.rename
    texts = [text for text in (rule.strip, rule.add) if text] if rule else []
    what = f"link {link.name}: {' and '.join(map(repr, texts))} ends within a word, and that word may be any"
    possible = (
        "possible: prefixes that end with the separator, or a filter whose first words have no wildcard"
    )
    return MeshError("ANG124", what, possible=possible, remedy="end the prefix with / or .", place=link.place)


ALWAYS = -1
"""The tag of everything; filters and beginnings have tags from 0."""


@dataclass(frozen=True, slots=True)
class Label:
    """A topic has it if it has the first tag, not the second, and the third; None: no such condition."""

    accepts: int
    refuses: int | None = None
    begins: int | None = None


@dataclass(slots=True)
class Part:
    """The filters that meet topics under one renaming."""

    start: Nodes
    labels: set[Label]


class _Maker:
    def __init__(self, mesh: Mesh, filters: Filters, found: Renamings, automaton: Automaton) -> None:
        self.filters, self.found, self.automaton = filters, found, automaton
        links: dict[str, list[tuple[Link, Link]]] = {broker.name: [] for broker in mesh.brokers}
        for link in mesh.links:
            links[link.source].append((link, link))
        self.links = {broker: ByScope(each) for broker, each in links.items()}
        self.beginnings: dict[Front, int] = {}
        self.after_filters = 2 * len(mesh.links)

    def part(self, renamed: Renamed) -> Part:
        brokers = self.found.brokers[renamed]
        links = [link for broker in brokers for link in self.links[broker].meeting(renamed.by.add)]
        labels = {label for link in links for label in self._labels(link, renamed)}
        if renamed == UNCHANGED:
            labels.discard(Label(ALWAYS))
            nodes = set(self.filters.together)
        else:
            nodes = self._left(links, renamed.by)
        if any(label.accepts == ALWAYS for label in labels):
            nodes.add(self.automaton.everything(ALWAYS))
        start = {*self._behind(renamed.front, nodes), *self._beginning(labels)}
        return Part(tuple(sorted(start)), labels)

    def _labels(self, link: Link, renamed: Renamed) -> list[Label]:
        """One label for a link under a renaming, or one for each way in which it renames, if any."""
        if renamed.by.whole and not self.filters.lets_some(link, renamed.by.add, complete=True):
            return []
        begins: list[int | None] = [None]
        if link.rename is not None:
            fronts = self.found.taken.get((renamed, link.name), set())
            begins = [None if front == renamed.front else self._tag_of(front) for front in fronts]
        accepts, refuses = self.filters.accepts(link), self.filters.refuses(link)
        if accepts is None or renamed.by.whole or self._takes_all(link, renamed.by):
            accepts = ALWAYS
        return [Label(accepts, None if renamed.by.whole else refuses, each) for each in begins]

    def _tag_of(self, front: Front) -> int:
        return self.beginnings.setdefault(front, self.after_filters + len(self.beginnings))

    def _left(self, links: list[Link], transform: Transform) -> set[int]:
        """What is left of the links' filters behind what the renaming adds."""
        if transform.whole:
            return set()
        some = [link for link in links if not self._takes_all(link, transform)]
        sides = (self.filters.accepted, self.filters.refused)
        return {node for link in some for side in sides for node in side(link, transform.add)}

    def _takes_all(self, link: Link, transform: Transform) -> bool:
        """Whether a filter distinguishes nothing behind a renaming: `#` of a queue, in the queue's scope."""
        if link.refuses or not link.accepts:
            return False
        left = self.filters.accepted(link, transform.add)
        return self.filters.accepts(link) in self.automaton.always(left)

    def _behind(self, front: Front, nodes: set[int]) -> Nodes:
        """The nodes, where a topic begins so."""
        behind: Nodes = tuple(sorted(nodes))
        if front.more:
            behind = self.automaton.unfinished(behind)
        for symbol in reversed(front.symbols):
            behind = (self.automaton.node(literals={symbol: behind}),)
        return behind

    def _beginning(self, labels: set[Label]) -> Nodes:
        """Where topics are distinguished by how they begin."""
        wanted = {label.begins for label in labels}
        trie = Trie()
        for front, tag in self.beginnings.items():
            if tag in wanted:
                trie.add((*front.symbols, *((ONE,) if front.more else ()), MANY), tag)
        return self.automaton.taken(trie)


def parts(mesh: Mesh, filters: Filters, found: Renamings, automaton: Automaton) -> list[Part]:
    """One for each renaming; renamings behind which the same is left are one."""
    maker = _Maker(mesh, filters, found, automaton)
    merged: dict[Nodes, Part] = {}
    for renamed in found.brokers:
        part = maker.part(renamed)
        if part.labels:
            merged.setdefault(part.start, part).labels.update(part.labels)
    return list(merged.values())
