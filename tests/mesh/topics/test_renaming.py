"""What renaming does to words: prefixes that end with a word, and prefixes that end within one."""

from __future__ import annotations

import pytest

from angarium.mesh.mesh import Link, Rename
from angarium.mesh.topics.dialects import Renaming, renaming_of, topic_of, whole_words, written
from angarium.mesh.topics.topic import Topic, Transform


def renaming(said: Rename, dialect: str = "mqtt") -> Renaming:
    return renaming_of(Link("l", "a", "b", rename=said), dialect, dialect)


def renamed(said: Rename, text: str, dialect: str = "mqtt") -> str | None:
    topic = topic_of(text, dialect)
    transform = renaming(said, dialect).transform(topic, complete=True)
    new = transform(topic) if transform else None
    return None if new is None else written(new, dialect)


WHOLE = [
    ("mqtt", "", ()),
    ("mqtt", "site1/", ("site1",)),
    ("mqtt", "a/b/", ("a", "b")),
    ("mqtt", "/", ("",)),
    ("mqtt", "site1", None),
    ("mqtt", "a/b", None),
    ("amqp", "eu.", ("eu",)),
    ("amqp", "eu/", None),
    ("plain", "a", None),
    ("mirrormaker", "eu.", ("e", "u", ".")),
    ("mirrormaker", "eu", ("e", "u")),
]


@pytest.mark.parametrize(("dialect", "prefix", "words"), WHOLE)
def test_a_prefix_is_whole_words_if_it_ends_with_the_separator(
    dialect: str, prefix: str, words: Topic | None
) -> None:
    assert whole_words(prefix, dialect) == words


RENAMED = [
    (Rename(add="hub/"), "temp", "hub/temp"),
    (Rename(strip="site1/"), "site1/temp", "temp"),
    (Rename(strip="site1/"), "site1", None),
    (Rename(strip="site1/"), "site2/temp", None),
    (Rename(strip="a/", add="b/c/"), "a/x/y", "b/c/x/y"),
    (Rename(add="site1"), "temp/x", "site1temp/x"),
    (Rename(add="a/b"), "c", "a/bc"),
    (Rename(strip="site"), "site1/temp", "1/temp"),
    (Rename(strip="site"), "hall/temp", None),
    (Rename(strip="site", add="hall/x"), "site1/temp", "hall/x1/temp"),
    (Rename(strip="a/si", add="b"), "a/site/temp", "bte/temp"),
    (Rename(strip="a/si"), "a", None),
    (Rename(whole="all"), "a/b", "all"),
]


@pytest.mark.parametrize(("said", "text", "new"), RENAMED)
def test_a_topic_is_renamed_as_its_text_is(said: Rename, text: str, new: str | None) -> None:
    assert renamed(said, text) == new


def test_in_characters_every_prefix_is_whole() -> None:
    assert renamed(Rename(strip="eu", add="us."), "eu.orders", "mirrormaker") == "us..orders"
    assert renamed(Rename(strip="eu.", add=""), "us.orders", "mirrormaker") is None


def test_between_dialects_words_stay_words() -> None:
    link = Link("l", "a", "b", rename=Rename(strip="plant/", add="mqtt."))
    topic = topic_of("plant/hall/temp", "mqtt")

    transform = renaming_of(link, "mqtt", "amqp").transform(topic, complete=True)

    assert transform == Transform(("", "plant"), ("", "mqtt"))
    assert transform(topic) == topic_of("mqtt.hall.temp", "amqp")


@pytest.mark.parametrize(
    ("said", "needs", "wants_more"),
    [
        (Rename(add="hub/"), 1, False),
        (Rename(strip="a/b/"), 3, True),
        (Rename(strip="a/b"), 3, False),
        (Rename(add="site1"), 2, False),
        (Rename(whole="all"), 1, False),
    ],
)
def test_a_renaming_says_how_many_words_it_must_know(said: Rename, needs: int, wants_more: bool) -> None:
    found = renaming(said)

    assert (found.needs, found.wants_more) == (needs, wants_more)


def test_only_what_is_taken_off_whole_can_be_but_one_word() -> None:
    found = renaming(Rename(strip="a/si"))

    assert [found.only(index) for index in range(3)] == [None, "a", None]


def test_too_few_words_are_not_renamed() -> None:
    assert renaming(Rename(strip="a/b/")).transform(("", "a"), complete=False) is None


def test_a_scope_is_kept_or_replaced() -> None:
    kept = renaming(Rename(add="x/")).transform(("s", "a"), complete=True)
    replaced = renaming(Rename(add="x/", scope="t")).transform(("s", "a"), complete=True)

    assert kept == Transform(("s",), ("s", "x"))
    assert replaced == Transform(("s",), ("t", "x"))
