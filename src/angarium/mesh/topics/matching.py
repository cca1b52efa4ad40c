"""Whether a topic matches, and what becomes of it and of its name on a link.

A link renames text: off with `site1/`, on with `hub/`. Where the texts end at the end of a word, that
takes whole words off and puts whole words there, whatever follows. Where they do not (`site1` before
`temp` is `site1temp`, as in Mosquitto), the word behind is changed too, so one must know it: then there
is one transform for each such word. In both cases the scope, which is the first symbol, must be known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from angarium.mesh.mesh import Link, Pattern, Rename
from angarium.mesh.topics.automaton import Automaton, Trie
from angarium.mesh.topics.dialects import in_characters, rules_of, steps_of, words_of
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform


@dataclass(frozen=True, slots=True)
class Renaming:
    """The renaming of one link, from one dialect into another."""

    said: Rename
    strip: Topic
    """Whole words that are taken off."""
    cut: str | None
    """What is taken off the next word; None if whole words are enough."""
    target: str
    """The dialect behind the link."""

    @property
    def needs(self) -> int:
        """How many symbols of a topic must be known, scope included."""
        if self.said.whole is not None:
            return 1
        return 1 + len(self.strip) + (self.cut is not None)

    @property
    def wants_more(self) -> bool:
        """Whether a word must follow: `site1/` is taken off `site1/temp`, not off `site1`."""
        words = not in_characters(self.target)
        return words and bool(self.strip) and self.cut is None and self.said.whole is None

    def only(self, index: int) -> str | None:
        """The only symbol that a topic can have there, if it is to be renamed; None: more than one."""
        inside = self.said.whole is None and 1 <= index <= len(self.strip)
        return self.strip[index - 1] if inside else None

    def transform(self, front: Topic, complete: bool) -> Transform | None:
        """For topics that begin so, or are so if `complete`; None: they are not taken."""
        known = front[: self.needs]
        if len(known) < self.needs or (complete and self.wants_more and len(front) == self.needs):
            return None
        scope = known[0] if self.said.scope is None else self.said.scope
        if self.said.whole is not None:
            return Transform(known, (scope, *words_of(self.said.whole, self.target)), whole=True)
        begin = known[1 : 1 + len(self.strip)]
        if begin != self.strip or (self.cut is not None and not known[-1].startswith(self.cut)):
            return None
        changed = "" if self.cut is None else known[-1].removeprefix(self.cut)
        return Transform(known, (scope, *self._added(changed)))

    def _added(self, changed: str) -> Topic:
        if self.cut is not None:
            return words_of(self.said.add + changed, self.target)
        return whole_words(self.said.add, self.target) or ()


def renaming_of(link: Link, source_dialect: str, target_dialect: str) -> Renaming:
    """What the link, which has one, does to names."""
    said = link.rename or Rename()
    strip, add = whole_words(said.strip, source_dialect), whole_words(said.add, target_dialect)
    if strip is not None and add is not None:
        return Renaming(said, strip, None, target_dialect)
    *before, cut = words_of(said.strip, source_dialect) or ("",)
    return Renaming(said, tuple(before), cut, target_dialect)


def whole_words(prefix: str, dialect: str) -> Topic | None:
    """The words of a prefix; None if it ends within one."""
    separator = rules_of(dialect).separator
    if not prefix or in_characters(dialect):
        return tuple(prefix)
    if separator is None or not prefix.endswith(separator):
        return None
    return tuple(prefix.removesuffix(separator).split(separator))


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
