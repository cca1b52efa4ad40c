"""Every question about topics, answered by trying: matching by recursion, renaming by text, paths one by one.

AMQP's topics have no empty words here: when text is taken off `a.`, nothing is left, and one cannot tell the
empty key, which has no words, from a key of one empty word. So `a.` in front of the empty key is `a`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from angarium.mesh.mesh import Link, Mesh, Pattern, Publisher

SEPARATORS = {"mqtt": "/", "amqp": ".", "nats": "."}
WORDS = {
    "mqtt": ("a", "b", "$s", ""),
    "amqp": ("a", "b", "c"),
    "nats": ("a", "b", "c"),
    "plain": ("a", "b", "c"),
}
WILD = {"mqtt": ("+", "#"), "amqp": ("*", "#"), "nats": ("*", ">")}


@dataclass(frozen=True)
class Named:
    """A topic as text, with its scope."""

    scope: str
    text: str


def matches(pattern: Pattern, topic: Named) -> bool:
    if pattern.scope != topic.scope:
        return False
    if pattern.dialect == "mirrormaker":
        return bool(topic.text) and re.fullmatch(pattern.text, topic.text) is not None
    if pattern.dialect == "plain":
        return pattern.text in ("*", topic.text)
    separator = SEPARATORS[pattern.dialect]
    if pattern.dialect == "mqtt" and topic.text.startswith("$") and pattern.text[:1] in ("+", "#"):
        return False
    empty = pattern.dialect == "amqp"
    split = [[] if empty and not text else text.split(separator) for text in (pattern.text, topic.text)]
    return _fits(pattern.dialect, *split)


def _fits(dialect: str, pattern: list[str], words: list[str]) -> bool:
    if not pattern:
        return not words
    first, rest = pattern[0], pattern[1:]
    if first == "#" and dialect != "nats":
        return _fits(dialect, rest, words) or (bool(words) and _fits(dialect, pattern, words[1:]))
    if first == ">" and dialect == "nats":
        return bool(words)
    one = {"mqtt": "+", "amqp": "*", "nats": "*"}[dialect]
    return bool(words) and first in (one, words[0]) and _fits(dialect, rest, words[1:])


def lets_through(link: Link, topic: Named) -> bool:
    accepted = not link.accepts or any(matches(pattern, topic) for pattern in link.accepts)
    return accepted and not any(matches(pattern, topic) for pattern in link.refuses)


def renamed(link: Link, topic: Named) -> Named | None:
    if link.rename is None:
        return topic
    scope = topic.scope if link.rename.scope is None else link.rename.scope
    if link.rename.whole is not None:
        return Named(scope, link.rename.whole)
    if not topic.text.startswith(link.rename.strip):
        return None
    add = link.rename.add if topic.text else link.rename.add.removesuffix(".")
    return Named(scope, add + topic.text.removeprefix(link.rename.strip))


def publishers(mesh: Mesh, topic: Named) -> frozenset[str]:
    return frozenset(each.name for each in mesh.publishers if _publishes(each, topic))


def _publishes(publisher: Publisher, topic: Named) -> bool:
    """What could be a name in Kafka is one."""
    for pattern in publisher.topics:
        name = pattern.dialect == "mirrormaker" and re.fullmatch(r"(?!\.{1,2}$)[\w.-]+", pattern.text)
        if (pattern.text, pattern.scope) == (topic.text, topic.scope) if name else matches(pattern, topic):
            return True
    return False


def paths(mesh: Mesh, longest: int) -> Iterator[tuple[Link, ...]]:
    """All sequences of links, each of which begins where the one before it ends."""
    level: list[tuple[Link, ...]] = [(link,) for link in mesh.links]
    for _ in range(longest):
        yield from level
        level = [(*path, link) for path in level for link in mesh.links if link.source == path[-1].target]


def crosses(path: tuple[Link, ...], topic: Named) -> bool:
    """Whether a topic gets over every link of a path."""
    at: Named | None = topic
    for link in path:
        at = renamed(link, at) if at is not None and lets_through(link, at) else None
    return at is not None


def ends_well(path: tuple[Link, ...], topic: Named) -> bool | str:
    """Whether the last link of a path would take a topic if the others had no filter.

    Transforms begin with the scope, so topics of two scopes that are renamed are renamed by different ones.
    """
    at: Named | None = topic
    for link in path[:-1]:
        at = renamed(link, at) if at is not None else None
    well = at is not None and lets_through(path[-1], at) and renamed(path[-1], at) is not None
    return f"of {topic.scope}" if well and any(link.rename for link in path) else well


def topics(dialect: str, longest: int, scopes: tuple[str, ...] = ("",)) -> list[Named]:
    """All topics of so many words of a tiny alphabet."""
    if dialect == "mirrormaker":
        texts = ["".join(each) for length in range(1, longest + 1) for each in product("ab.", repeat=length)]
        texts = [text for text in texts if text not in (".", "..")]
    elif dialect == "plain":
        texts = list(WORDS[dialect])
    else:
        separator, words = SEPARATORS[dialect], WORDS[dialect]
        each = (product(words, repeat=length) for length in range(1, longest + 1))
        texts = [separator.join(many) for level in each for many in level]
        texts = [text for text in texts if text] + ([""] if dialect == "amqp" else [])
    return [Named(scope, text) for scope in scopes for text in texts]


def symbols(text: str, dialect: str) -> list[str]:
    """The words of a topic, or its characters."""
    if dialect in ("mirrormaker", "plain"):
        return list(text) if dialect == "mirrormaker" else [text]
    return [] if not text else text.split(SEPARATORS[dialect])
