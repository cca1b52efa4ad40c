"""Meshes and patterns for tests, made by chance."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher, Rename
from tests.mesh.topics.naive import SEPARATORS, WILD, WORDS

CHAIN = (("ab", "a", "b"), ("bc", "b", "c"), ("ac", "a", "c"), ("cd", "c", "d"))
"""Paths without a round."""
ROUND = (("ab", "a", "b"), ("bc", "b", "c"), ("ca", "c", "a"))
EXPRESSIONS = (
    "a.*",
    "[ab]+",
    "a|b\\.a",
    "(ab)*",
    ".*",
    "b{1,2}.?",
    "[^a]b*",
    "a?b+?\\.",
    ".",
    "a.",
    "(a|ab)(b|\\.)*",
)


def patterns(dialect: str, scopes: tuple[str, ...] = ("",)) -> SearchStrategy[Pattern]:
    if dialect == "mirrormaker":
        texts: SearchStrategy[str] = st.sampled_from(EXPRESSIONS)
    elif dialect == "plain":
        texts = st.sampled_from(("*", *WORDS[dialect]))
    else:
        words = st.lists(st.sampled_from(WORDS[dialect] + WILD[dialect]), min_size=1, max_size=4)
        texts = words.filter(lambda each: _legal(dialect, each)).map(SEPARATORS[dialect].join)
    return st.builds(Pattern, texts, st.just(dialect), st.sampled_from(scopes))


def _legal(dialect: str, words: list[str]) -> bool:
    last_only = {"mqtt": "#", "nats": ">"}.get(dialect)
    return words != [""] and last_only not in words[:-1]


def prefixes(dialect: str) -> SearchStrategy[str]:
    separator = SEPARATORS.get(dialect, "")
    aligned = ["", *(word + separator for word in ("a", "b"))]
    return st.sampled_from([*aligned, f"a{separator}b{separator}"] if separator else aligned)


def renames(dialect: str, scopes: tuple[str, ...]) -> SearchStrategy[Rename | None]:
    if dialect == "plain":
        return st.sampled_from([None, Rename(whole="a"), Rename(scope=scopes[-1])])
    scope = st.sampled_from([None, *scopes])
    whole = st.sampled_from([None, None, None, "a"])
    return st.none() | st.builds(Rename, prefixes(dialect), prefixes(dialect), whole, scope)


@st.composite
def meshes(draw: st.DrawFn, dialect: str, ends: tuple[tuple[str, str, str], ...] = CHAIN) -> Mesh:
    scopes = draw(st.sampled_from([("",), ("", "s")]))
    some = st.lists(patterns(dialect, scopes), max_size=2).map(tuple)
    links = [
        Link(
            name,
            source,
            target,
            accepts=draw(some),
            refuses=draw(some),
            rename=draw(renames(dialect, scopes)),
        )
        for name, source, target in ends
    ]
    wanted = st.lists(patterns(dialect, scopes), min_size=1, max_size=2).map(tuple)
    publishers = [Publisher(f"p{number}", "a", draw(wanted)) for number in range(draw(st.integers(1, 2)))]
    brokers = [Broker(name, dialect) for name in "abcd"]
    return Mesh("made", tuple(brokers), tuple(links), tuple(publishers))
