"""How each broker writes topics and patterns: separators, wildcards, and what is illegal.

    dialect      words between  one word  any number       special
    mqtt         /              +         # (last)         a/# matches a; a first wildcard sees no $SYS;
                                                           $share/group/filter is the filter
    amqp         .              *         # (anywhere)     the empty key has no words at all
    nats         .              *         > (last, not 0)  no empty words
    plain        one word                 * (alone)
    mirrormaker  characters               a regular expression that matches the whole name

Wildcards within a word (`a*`) are literals in AMQP and NATS, and illegal in MQTT. Names have at least one
character in MirrorMaker's dialect, so no expression matches the empty one. A publisher's or
subscriber's `orders.eu` in MirrorMaker's dialect is a name; only filters read it as an expression.

Whether a topic matches, and what becomes of it and of its name on a link.

A link renames text: off with `site1/`, on with `hub/`. Where the texts end at the end of a word, that
takes whole words off and puts whole words there, whatever follows. Where they do not (`site1` before
`temp` is `site1temp`, as in Mosquitto), the word behind is changed too, so one must know it: then there
is one transform for each such word. In both cases the scope, which is the first symbol, must be known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.mesh import DIALECTS, Link, Pattern, Rename
from angarium.mesh.topics.automaton import (
    MANY,
    MANY_OR_DOLLAR,
    ONE,
    ONE_OR_DOLLAR,
    ONE_SEEN,
    Automaton,
    Step,
    Steps,
    Trie,
)
from angarium.mesh.topics.regular import (
    ALL,
    EVERYTHING,
    NOTHING_LEFT,
    Letter,
    Row,
    Term,
    not_empty,
    read,
    row,
)
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

_SIMPLE = re.compile(r"((?:[A-Za-z0-9_-]|\\[._-])*)(\.\*)?")
LONGEST_NAME = 249
"""Characters of a Kafka topic's name."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One broker's way to write."""

    separator: str | None
    """None: every character is a symbol, or all of them are one."""
    longest: int
    """Bytes of a topic or pattern."""
    wild: str
    """What stands for other words."""
    possible: str
    """What may be written, for messages."""


RULES: Mapping[str, Dialect] = {
    "plain": Dialect(None, 65_535, "*", "possible: a topic's name, or * for every topic"),
    "mqtt": Dialect(
        "/", 65_535, "+#", "possible: levels with / between, + for one level, # for all at the end"
    ),
    "amqp": Dialect(".", 255, "*#", "possible: words with . between, * for one word, # for any number"),
    "nats": Dialect(
        ".", 4_096, "*>", "possible: tokens with . between, * for one token, > for all at the end"
    ),
    "mirrormaker": Dialect(None, 4_096, "", "possible: letters, digits, . _ and -, at most 249"),
}


def in_characters(dialect: str) -> bool:
    """Whether topics are sequences of characters, not of words."""
    return dialect == "mirrormaker"


def never_published(dialect: str) -> tuple[Topic, ...]:
    """What wildcards match although no topic is called so: one empty word, and names that Kafka refuses."""
    return (tuple("."), tuple("..")) if in_characters(dialect) else (("",),)


def rules_of(dialect: str, place: Place | None = None) -> Dialect:
    if dialect not in RULES:
        raise MeshError(
            "ANG124", f"{dialect!r} is no dialect", possible=did_you_mean(dialect, DIALECTS), place=place
        )
    return RULES[dialect]


def words_of(text: str, dialect: str) -> Topic:
    """The symbols of a topic's text, without its scope."""
    if in_characters(dialect):
        return tuple(text)
    separator = rules_of(dialect).separator
    if separator is None:
        return (text,)
    return () if dialect == "amqp" and not text else tuple(text.split(separator))


def topic_of(text: str, dialect: str, scope: str = "") -> Topic:
    """A topic that is published under this name."""
    pattern = Pattern(text, dialect, scope)
    _not_too_long(pattern)
    words = words_of(text, dialect)
    if in_characters(dialect):
        if not _is_name(text):
            raise _illegal(pattern, "this is no name of a topic", "use only these characters")
        return (scope, *words)
    _CHECKS[dialect](pattern, words)
    if dialect != "amqp" and any(word in words for word in RULES[dialect].wild):
        raise _illegal(pattern, "this has a wildcard, and one topic has none", "name the topic")
    return (scope, *words)


def written(topic: Topic, dialect: str) -> str:
    """A topic as its broker writes it, behind its scope if that has a name."""
    separator = "" if in_characters(dialect) else rules_of(dialect).separator or "/"
    text = separator.join(topic[1:])
    return f"{topic[0]}: {text}" if topic[0] else text


def legal(pattern: Pattern) -> None:
    """Raises MeshError, at the pattern's place, if its broker would refuse it."""
    steps_of(pattern)


def steps_of(pattern: Pattern, exact: bool = False) -> Steps:
    """A pattern as one step for each symbol, its scope first; if `exact`, what can be a name is one."""
    rules_of(pattern.dialect, pattern.place)
    _not_too_long(pattern)
    if in_characters(pattern.dialect):
        name = exact and _is_name(pattern.text)
        return (pattern.scope, *(pattern.text if name else _steps_of_expression(pattern)))
    words = words_of(_without_group(pattern), pattern.dialect)
    _CHECKS[pattern.dialect](pattern, words)
    return (pattern.scope, *_STEPS[pattern.dialect](words))


def _illegal(pattern: Pattern, why: str, remedy: str) -> MeshError:
    what = f"{pattern.dialect}: {pattern.text[:200]!r}: {why}"
    return MeshError(
        "ANG124", what, possible=RULES[pattern.dialect].possible, remedy=remedy, place=pattern.place
    )


def _not_too_long(pattern: Pattern) -> None:
    longest = rules_of(pattern.dialect, pattern.place).longest
    if len(pattern.text) * 4 > longest and len(pattern.text.encode("utf-8", "replace")) > longest:
        raise _illegal(pattern, f"longer than {longest} bytes", "shorten it")


def _is_name(text: str) -> bool:
    return (
        0 < len(text) <= LONGEST_NAME
        and set(text) <= ALL
        and tuple(text) not in never_published("mirrormaker")
    )


def _without_group(pattern: Pattern) -> str:
    """MQTT's shared subscription `$share/group/filter` wants what its filter says."""
    if pattern.dialect != "mqtt" or not pattern.text.startswith("$share/"):
        return pattern.text
    _, group, *rest = pattern.text.split("/", 2)
    if not group or not rest or not rest[0] or "+" in group or "#" in group:
        raise _illegal(pattern, "a shared subscription is $share/group/filter", "name a group and a filter")
    return rest[0]


def _check_mqtt(pattern: Pattern, levels: Topic) -> None:
    if not pattern.text or "\0" in pattern.text:
        raise _illegal(pattern, "a topic has at least one character, and none is NUL", "name a topic")
    if "+" not in pattern.text and "#" not in pattern.text:
        return
    for number, level in enumerate(levels, 1):
        if ("+" in level or "#" in level) and len(level) > 1:
            raise _illegal(
                pattern,
                f"in level {number}, {level!r}, a wildcard is not alone",
                "give it a level of its own",
            )
    if "#" in levels[:-1]:
        raise _illegal(
            pattern, f"# is level {levels.index('#') + 1} and not the last", "use + there, or end with #"
        )


def _check_amqp(pattern: Pattern, words: Topic) -> None:
    """Everything that is short enough is legal."""


def _check_nats(pattern: Pattern, tokens: Topic) -> None:
    if "" in tokens:
        raise _illegal(pattern, f"token {tokens.index('') + 1} is empty", "remove a dot, or name the token")
    if any(char in pattern.text for char in "\t\n\f\r \0"):
        raise _illegal(pattern, "there is white space in it", "remove it")
    if ">" in tokens[:-1]:
        raise _illegal(
            pattern, f"> is token {tokens.index('>') + 1} and not the last", "use * there, or end with >"
        )


def _check_plain(pattern: Pattern, words: Topic) -> None:
    if not pattern.text:
        raise _illegal(pattern, "a topic has at least one character", "name a topic")
    parts = pattern.text.replace(".", "/").split("/")
    if pattern.text != "*" and ("*" in pattern.text or any(part in ("+", "#", ">") for part in parts)):
        raise _illegal(
            pattern, "plain topics have no wildcard but * alone", "name the topic, or the broker's dialect"
        )


_CHECKS: Mapping[str, Callable[[Pattern, Topic], None]] = {
    "mqtt": _check_mqtt,
    "amqp": _check_amqp,
    "nats": _check_nats,
    "plain": _check_plain,
}


def _mqtt(levels: Topic) -> Steps:
    steps: list[Step] = [{"+": ONE, "#": MANY}.get(level, level) for level in levels]
    first = {"+": (ONE_SEEN,), "#": (ONE_SEEN, MANY)}.get(levels[0], (steps[0],))
    return (*first, *steps[1:])


_STEPS: Mapping[str, Callable[[Topic], Steps]] = {
    "mqtt": _mqtt,
    "amqp": lambda words: tuple({"*": ONE, "#": MANY}.get(word, word) for word in words),
    "nats": lambda tokens: (
        *({"*": ONE_OR_DOLLAR}.get(token, token) for token in tokens if token != ">"),
        *((ONE_OR_DOLLAR, MANY_OR_DOLLAR) if tokens[-1] == ">" else ()),
    ),
    "plain": lambda words: (ONE_OR_DOLLAR, MANY) if words == ("*",) else words,
}


def _steps_of_expression(pattern: Pattern) -> Steps:
    """The steps of a regular expression. Most are a name with `.*` behind it: nothing need be parsed."""
    simple = _SIMPLE.fullmatch(pattern.text)
    if simple is None or not simple[1]:
        return _steps_of_term(not_empty(read(pattern)))
    return (*simple[1].replace("\\", ""), *((MANY,) if simple[2] else ()))


def _steps_of_term(term: Term) -> Steps:
    """Steps as long as the expression goes character by character; then what is left, in one.

    A wildcard for many belongs to what is left: another character may be its last before the rest begins.
    """
    parts = term.parts if isinstance(term, Row) else (term,)
    steps = tuple(map(_step_of, parts))
    if None not in steps:
        return tuple(step for step in steps if step is not None)
    clear = next(index for index, step in enumerate(steps) if step is None or step == MANY)
    return (*(step for step in steps[:clear] if step is not None), row(NOTHING_LEFT, *parts[clear:]))


def _step_of(part: Term) -> Step | None:
    if part == Letter(ALL):
        return ONE
    if part == EVERYTHING:
        return MANY
    return next(iter(part.chars)) if isinstance(part, Letter) and len(part.chars) == 1 else None


@dataclass(frozen=True, slots=True)
class Renaming:
    """The renaming of one link, from one dialect into another."""

    rule: Rename
    strip: Topic
    """Whole words that are taken off."""
    cut: str | None
    """What is taken off the next word; None if whole words are enough."""
    target: str
    """The dialect behind the link."""

    @property
    def needs(self) -> int:
        """How many symbols of a topic must be known, scope included."""
        if self.rule.whole is not None:
            return 1
        return 1 + len(self.strip) + (self.cut is not None)

    @property
    def wants_more(self) -> bool:
        """Whether a word must follow: `site1/` is taken off `site1/temp`, not off `site1`."""
        words = not in_characters(self.target)
        return words and bool(self.strip) and self.cut is None and self.rule.whole is None

    def only(self, index: int) -> str | None:
        """The only symbol that a topic can have there, if it is to be renamed; None: more than one."""
        inside = self.rule.whole is None and 1 <= index <= len(self.strip)
        return self.strip[index - 1] if inside else None

    def transform(self, front: Topic, complete: bool) -> Transform | None:
        """For topics that begin so, or are so if `complete`; None: they are not taken."""
        known = front[: self.needs]
        if len(known) < self.needs or (complete and self.wants_more and len(front) == self.needs):
            return None
        scope = known[0] if self.rule.scope is None else self.rule.scope
        if self.rule.whole is not None:
            return Transform(known, (scope, *words_of(self.rule.whole, self.target)), whole=True)
        begin = known[1 : 1 + len(self.strip)]
        if begin != self.strip or (self.cut is not None and not known[-1].startswith(self.cut)):
            return None
        changed = "" if self.cut is None else known[-1].removeprefix(self.cut)
        return Transform(known, (scope, *self._added(changed)))

    def _added(self, changed: str) -> Topic:
        if self.cut is not None:
            return words_of(self.rule.add + changed, self.target)
        return whole_words(self.rule.add, self.target) or ()


def renaming_of(link: Link, source_dialect: str, target_dialect: str) -> Renaming:
    """What the link, which has one, does to names."""
    rule = link.rename or Rename()
    strip, add = whole_words(rule.strip, source_dialect), whole_words(rule.add, target_dialect)
    if strip is not None and add is not None:
        return Renaming(rule, strip, None, target_dialect)
    *before, cut = words_of(rule.strip, source_dialect) or ("",)
    return Renaming(rule, tuple(before), cut, target_dialect)


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
