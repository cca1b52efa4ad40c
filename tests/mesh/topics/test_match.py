"""Matching and crossing, compared with recursion on the definitions and with renaming by text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.mesh import Link, Pattern, Rename
from angarium.mesh.topics.dialects import crossing, matcher, topic_of, written
from angarium.mesh.topics.topic import IDENTITY, Transform
from tests.effort import examples
from tests.mesh.topics import naive
from tests.mesh.topics.made import patterns, renames

SCOPES = ("", "s")
DIALECTS = ("mqtt", "amqp", "nats", "plain", "mirrormaker")
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)
some = settings(max_examples=examples(60))


@each_dialect
@some
@given(data=st.data())
def test_a_matcher_says_what_the_definitions_say(dialect: str, data: st.DataObject) -> None:
    wanted = tuple(data.draw(st.lists(patterns(dialect, SCOPES), max_size=3)))

    matches = matcher(wanted)

    for topic in naive.topics(dialect, 3, SCOPES):
        expected = any(naive.matches(pattern, topic) for pattern in wanted)
        assert matches(topic_of(topic.text, dialect, topic.scope)) == expected


@each_dialect
@some
@given(data=st.data())
def test_a_topic_crosses_a_link_as_its_text_would(dialect: str, data: st.DataObject) -> None:
    some_patterns = st.lists(patterns(dialect, SCOPES), max_size=2).map(tuple)
    rename = data.draw(renames(dialect, SCOPES))
    link = Link(
        "l", "a", "b", accepts=data.draw(some_patterns), refuses=data.draw(some_patterns), rename=rename
    )

    crosses = crossing(link, dialect, dialect)

    for topic in naive.topics(dialect, 3, SCOPES):
        new = naive.renamed(link, topic) if naive.lets_through(link, topic) else None
        symbols = topic_of(topic.text, dialect, topic.scope)
        crossed = crosses(symbols)
        assert (crossed is None) == (new is None), topic
        if crossed and new:
            assert (crossed[0][0], written(("", *crossed[0][1:]), dialect)) == (new.scope, new.text)
            assert crossed[1](symbols) == crossed[0]


MATCHES = [
    ("mqtt", "a/#", ["a", "a/b", "a/b/c"], ["b", "ab"]),
    ("mqtt", "+/b", ["a/b", "/b"], ["$SYS/b", "b", "a/b/c"]),
    ("mqtt", "#", ["a", "/"], ["$SYS/load"]),
    ("mqtt", "$SYS/#", ["$SYS", "$SYS/load"], ["a"]),
    ("mqtt", "$share/group/a/+", ["a/b"], ["$share/group/a/b", "a"]),
    ("amqp", "#.a.*", ["a.b", "x.y.a.b", "a."], ["a", "b"]),
    ("amqp", "a*", ["a*"], ["ab"]),
    ("amqp", "#", ["", "a.b"], []),
    ("amqp", "*", ["a"], ["", "a.b"]),
    ("nats", "a.>", ["a.b", "a.b.c"], ["a"]),
    ("nats", "*.b", ["a.b", "$JS.b"], ["b"]),
    ("nats", "b*", ["b*"], ["bc"]),
    ("plain", "*", ["a", "a/b"], []),
    ("plain", "a", ["a"], ["b"]),
    ("mirrormaker", "orders.*", ["orders", "orders.eu"], ["eu.orders"]),
]


@pytest.mark.parametrize(("dialect", "text", "good", "bad"), MATCHES)
def test_wildcards_mean_what_their_broker_says(
    dialect: str, text: str, good: list[str], bad: list[str]
) -> None:
    matches = matcher((Pattern(text, dialect),))

    assert [each for each in good if not matches(topic_of(each, dialect))] == []
    assert [each for each in bad if matches(topic_of(each, dialect))] == []


def test_no_pattern_matches_nothing_but_no_filter_lets_everything_through() -> None:
    assert not matcher(())(("", "a"))
    assert crossing(Link("l", "a", "b"), "mqtt", "mqtt")(("", "a")) == (("", "a"), IDENTITY)


def test_a_word_is_kept_between_dialects_and_a_prefix_is_said_in_the_dialect_of_its_side() -> None:
    link = Link("l", "a", "b", rename=Rename(strip="x/y/", add="p.q.", scope="vhost"))

    crossed = crossing(link, "mqtt", "amqp")(("", "x", "y", "t"))

    assert crossed == (("vhost", "p", "q", "t"), Transform(("", "x", "y"), ("vhost", "p", "q")))


@pytest.mark.parametrize(
    ("strip", "add", "before", "after"),
    [
        ("", "site1", ("temp", "1"), ("site1temp", "1")),
        ("site1", "", ("site1", "temp"), ("", "temp")),
        ("a/b", "x/y", ("a", "bc", "d"), ("x", "yc", "d")),
        ("a/", "x", ("a", "b"), ("xb",)),
    ],
)
def test_a_prefix_that_ends_within_a_word_changes_that_word(
    strip: str, add: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    link = Link("l", "a", "b", rename=Rename(strip=strip, add=add))

    crossed = crossing(link, "mqtt", "mqtt")(("", *before))

    assert crossed is not None
    assert crossed[0] == ("", *after)


@pytest.mark.parametrize(
    ("strip", "topic"), [("a/", ("b", "c")), ("a/", ("a",)), ("a/b", ("a", "c")), ("ab", ("a",))]
)
def test_a_link_does_not_take_what_it_cannot_rename(strip: str, topic: tuple[str, ...]) -> None:
    link = Link("l", "a", "b", rename=Rename(strip=strip))

    assert crossing(link, "mqtt", "mqtt")(("", *topic)) is None
