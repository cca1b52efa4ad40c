"""How each dialect writes topics and patterns, and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.core.errors import MeshError, Place
from angarium.mesh.mesh import Pattern
from angarium.mesh.topics.dialects import legal, topic_of, written
from angarium.mesh.topics.topic import Topic
from tests.mesh.topics.naive import topics

SPLIT: list[tuple[str, str, Topic]] = [
    ("mqtt", "a/b", ("", "a", "b")),
    ("mqtt", "/a//b/", ("", "", "a", "", "b", "")),
    ("mqtt", "$SYS/load", ("", "$SYS", "load")),
    ("amqp", "a.b", ("", "a", "b")),
    ("amqp", "a.*", ("", "a", "*")),
    ("amqp", "", ("",)),
    ("amqp", "a.", ("", "a", "")),
    ("nats", "a.b*", ("", "a", "b*")),
    ("plain", "a/b.c", ("", "a/b.c")),
    ("mirrormaker", "a.b", ("", "a", ".", "b")),
]


@pytest.mark.parametrize(("dialect", "text", "topic"), SPLIT)
def test_a_topic_is_its_scope_and_its_symbols_and_is_written_as_it_was(
    dialect: str, text: str, topic: Topic
) -> None:
    assert topic_of(text, dialect) == topic
    assert written(topic, dialect) == text


@pytest.mark.parametrize("dialect", ["mqtt", "amqp", "nats", "plain", "mirrormaker"])
@given(data=st.data())
def test_writing_is_the_inverse_of_reading(dialect: str, data: st.DataObject) -> None:
    named = data.draw(st.sampled_from(topics(dialect, 3)))

    assert written(topic_of(named.text, dialect), dialect) == named.text


def test_a_scope_that_has_a_name_is_written_in_front() -> None:
    assert written(topic_of("a.b", "amqp", scope="/ orders"), "amqp") == "/ orders: a.b"


ILLEGAL = [
    ("mqtt", "", "mqtt: '': a topic has at least one character, and none is NUL"),
    ("mqtt", "a\0b", r"mqtt: 'a\x00b': a topic has at least one character, and none is NUL"),
    ("mqtt", "a/b+", "mqtt: 'a/b+': in level 2, 'b+', a wildcard is not alone"),
    ("mqtt", "a#", "mqtt: 'a#': in level 1, 'a#', a wildcard is not alone"),
    ("mqtt", "a/#/b", "mqtt: 'a/#/b': # is level 2 and not the last"),
    ("mqtt", "$share/g", "mqtt: '$share/g': a shared subscription is $share/group/filter"),
    ("mqtt", "$share//a", "mqtt: '$share//a': a shared subscription is $share/group/filter"),
    ("mqtt", "$share/+/a", "mqtt: '$share/+/a': a shared subscription is $share/group/filter"),
    ("mqtt", "$share/g/a#", "mqtt: '$share/g/a#': in level 1, 'a#', a wildcard is not alone"),
    ("nats", "", "nats: '': token 1 is empty"),
    ("nats", "a..b", "nats: 'a..b': token 2 is empty"),
    ("nats", "a b", "nats: 'a b': there is white space in it"),
    ("nats", "a.>.b", "nats: 'a.>.b': > is token 2 and not the last"),
    ("plain", "", "plain: '': a topic has at least one character"),
    ("plain", "a*", "plain: 'a*': plain topics have no wildcard but * alone"),
    ("plain", "a/#", "plain: 'a/#': plain topics have no wildcard but * alone"),
    ("amqp", "ä" * 128, f"amqp: '{'ä' * 128}': longer than 255 bytes"),
    ("morse", "a", "'morse' is no dialect"),
]


@pytest.mark.parametrize(("dialect", "text", "message"), ILLEGAL)
def test_an_illegal_pattern_is_refused_at_its_place(dialect: str, text: str, message: str) -> None:
    place = Place("mesh.yaml", 7, 3)

    with pytest.raises(MeshError) as refused:
        legal(Pattern(text, dialect, place=place))

    assert refused.value.what == message
    assert (refused.value.code, refused.value.place) == ("ANG124", place)
    assert refused.value.possible.startswith("possible: ")


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("mqtt", "+/a/#"),
        ("mqtt", "$share/g/+/a"),
        ("mqtt", "/"),
        ("amqp", "a*.#.b"),
        ("nats", "a*.*.>"),
        ("plain", "*"),
    ],
)
def test_what_is_legal_is_not_refused(dialect: str, text: str) -> None:
    legal(Pattern(text, dialect))


NO_TOPICS = [
    ("mqtt", "a/+", "this has a wildcard, and one topic has none"),
    ("nats", "a.>", "this has a wildcard, and one topic has none"),
    ("plain", "*", "this has a wildcard, and one topic has none"),
    ("mirrormaker", "a*", "this is no name of a topic"),
    ("mirrormaker", "..", "this is no name of a topic"),
    ("mirrormaker", "a" * 250, "this is no name of a topic"),
]


@pytest.mark.parametrize(("dialect", "text", "why"), NO_TOPICS)
def test_a_pattern_is_no_topic(dialect: str, text: str, why: str) -> None:
    with pytest.raises(MeshError, match=why):
        topic_of(text, dialect)
