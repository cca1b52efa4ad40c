"""Whether a topic matches, and what becomes of it on a link."""

from __future__ import annotations

from collections.abc import Callable

from angarium.mesh.mesh import Link, Pattern
from angarium.mesh.topics.automaton import Automaton, Trie
from angarium.mesh.topics.dialects import steps_of
from angarium.mesh.topics.renaming import renaming_of
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

ACCEPTS, REFUSES = 0, 1
Crossing = Callable[[Topic], tuple[Topic, Transform] | None]


def matcher(patterns: tuple[Pattern, ...], exact: bool = False) -> Callable[[Topic], bool]:
    """Whether one of the patterns matches a topic; if `exact`, names in MirrorMaker's dialect are names."""
    trie = Trie()
    for pattern in patterns:
        trie.add(steps_of(pattern, exact), ACCEPTS)
    tags = _tagger(trie)
    return lambda topic: ACCEPTS in tags(topic)


def crossing(link: Link, source_dialect: str, target_dialect: str) -> Crossing:
    """For a topic at the link's source: what it is called at the target, and how it was renamed; None if it is kept out."""
    passes = passing(link)
    if link.rename is None:
        return lambda topic: (topic, IDENTITY) if passes(topic) else None
    renaming = renaming_of(link, source_dialect, target_dialect)

    def crossed(topic: Topic) -> tuple[Topic, Transform] | None:
        transform = renaming.transform(topic, complete=True) if passes(topic) else None
        renamed = transform(topic) if transform else None
        return (renamed, transform) if transform and renamed is not None else None

    return crossed


def passing(link: Link) -> Callable[[Topic], bool]:
    """Whether the filter of a link lets a topic through."""
    if not link.accepts and not link.refuses:
        return lambda topic: True
    trie = filter_of(link)
    tags, wanted = _tagger(trie), {ACCEPTS} if link.accepts else set[int]()
    return lambda topic: tags(topic) == wanted


def filter_of(link: Link, accepts: int = ACCEPTS, refuses: int = REFUSES) -> Trie:
    """The filter of a link, as a trie with these two tags."""
    trie = Trie()
    for tag, patterns in ((accepts, link.accepts), (refuses, link.refuses)):
        for pattern in patterns:
            trie.add(steps_of(pattern), tag)
    return trie


def _tagger(trie: Trie) -> Callable[[Topic], set[int]]:
    automaton = Automaton()
    start = automaton.taken(trie)
    return lambda topic: automaton.tags_of(automaton.walk(start, topic))
