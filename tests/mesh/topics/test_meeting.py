"""Patterns that meet what is published: which topics they want, and the shortest of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.topics.dialects import steps_of, topic_of, written
from angarium.mesh.topics.states import Reading
from angarium.mesh.topics.topic import IDENTITY, Transform
from tests.effort import examples
from tests.mesh.topics import naive
from tests.mesh.topics.made import patterns


def published(
    dialect: str, texts: tuple[str, ...], accepts: tuple[str, ...] = (), scope: str = ""
) -> Universe:
    """A universe of these topics, told apart by what one link accepts."""
    brokers = (Broker("a", dialect), Broker("b", dialect))
    wanted = tuple(Pattern(text, dialect, scope) for text in accepts)
    topics = tuple(Pattern(text, dialect, scope) for text in texts)
    return universe(
        Mesh("m", brokers, (Link("l", "a", "b", accepts=wanted),), (Publisher("p", "a", topics),))
    )


def wanted(found: Universe, text: str, dialect: str, renamed: Transform = IDENTITY) -> list[str]:
    met = found.overlapped((Pattern(text, dialect),), renamed)
    return sorted(written(topic, dialect) for topic in met.values())


SHORTEST = [
    ("mqtt", ("#",), ("a/#",), "+/+", ["a/x", "x/x"]),
    ("mqtt", ("a/b", "a/c"), ("a/b",), "a/#", ["a/b", "a/c"]),
    ("mqtt", ("a/b",), (), "a", []),
    ("nats", (">",), ("a.>",), "*", ["a"]),
    ("amqp", ("#",), ("a.#",), "#.b", ["a.b", "b"]),
    ("mirrormaker", (".*",), ("a.*",), "[ab]c", ["ac", "bc"]),
    ("mirrormaker", (".*",), ("a.*",), "(?!a).*", ["b"]),
    ("mirrormaker", ("(?!a).*",), ("b.*",), ".*", ["b", "c"]),
    ("mirrormaker", (".*",), ("\\..*",), "\\..*", [".a"]),
    ("mirrormaker", (".*",), (), "", []),
    ("mirrormaker", ("a*",), ("aa+",), "(a?|b)", ["a"]),
]


@pytest.mark.parametrize(("dialect", "texts", "accepts", "pattern", "shortest"), SHORTEST)
def test_a_pattern_meets_the_shortest_topic_of_every_class_that_it_wants(
    dialect: str, texts: tuple[str, ...], accepts: tuple[str, ...], pattern: str, shortest: list[str]
) -> None:
    found = published(dialect, texts, accepts)

    assert wanted(found, pattern, dialect) == shortest


def test_the_shortest_topic_is_told_as_it_was_published() -> None:
    found = published("mqtt", ("a/#",))

    arrives_as = Transform(("", "a"), ("", "site", "b"))

    assert wanted(found, "site/b/+", "mqtt", arrives_as) == ["a/x"]
    assert wanted(found, "site/c/+", "mqtt", arrives_as) == []


def test_behind_a_whole_new_name_all_or_nothing_is_wanted() -> None:
    found = published("mqtt", ("a", "b"), ("a",))

    arrives_as = Transform(("",), ("", "all"), whole=True)

    assert wanted(found, "all", "mqtt", arrives_as) == ["a", "b"]
    assert wanted(found, "a", "mqtt", arrives_as) == []


def test_topics_of_another_scope_are_not_met() -> None:
    found = published("amqp", ("#",), scope="orders")

    assert wanted(found, "#", "amqp") == []


@pytest.mark.parametrize("dialect", ["mqtt", "amqp", "nats", "plain", "mirrormaker"])
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_reading_is_complete_where_the_pattern_matches(dialect: str, data: st.DataObject) -> None:
    pattern = data.draw(patterns(dialect))
    reading = Reading(steps_of(pattern))

    for topic in naive.topics(dialect, 3):
        positions = reading.read(topic_of(topic.text, dialect))
        assert any(map(reading.complete, positions)) == naive.matches(pattern, topic), topic


def test_what_ends_with_a_wildcard_has_a_rest_only_there() -> None:
    reading = Reading(steps_of(Pattern("a/#", "mqtt")))

    assert reading.rest(0) is None
    assert reading.rest(2) is not None
    assert Reading(steps_of(Pattern("a/+", "mqtt"))).rest(2) is None
