"""Whether a topic matches, and what becomes of it on a link."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

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
    """What a topic at the link's source is called at the target, and how it was renamed; None: kept out."""
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
    return _passing(link.accepts, link.refuses)


@lru_cache(maxsize=1024)
def _passing(accepts: tuple[Pattern, ...], refuses: tuple[Pattern, ...]) -> Callable[[Topic], bool]:
    """Made once for all links with such a filter: meshes are asked again and again, a little changed."""
    if not accepts and not refuses:
        return lambda topic: True
    trie = Trie()
    for tag, patterns in ((ACCEPTS, accepts), (REFUSES, refuses)):
        for pattern in patterns:
            trie.add(steps_of(pattern), tag)
    tags, wanted = _tagger(trie), {ACCEPTS} if accepts else set[int]()
    return lambda topic: tags(topic) == wanted


def _tagger(trie: Trie) -> Callable[[Topic], set[int]]:
    automaton = Automaton()
    start = automaton.taken(trie)
    return lambda topic: automaton.tags_of(automaton.walk(start, topic))
