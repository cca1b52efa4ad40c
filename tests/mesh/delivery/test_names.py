"""Names are told apart exactly as far as some pattern could tell them apart."""

from __future__ import annotations

from angarium.mesh.delivery.legs import Names, Network, horizon, shortened
from angarium.mesh.mesh import Pattern, Rename
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform
from tests.mesh.delivery.meshes import link, mesh_of, ring

LONG: Topic = ("", *["a"] * 8, "t")


def names(*topics: Topic) -> tuple[Names, list[int]]:
    """Names of a mesh without patterns, and the numbers of some topics."""
    made = Names(Network(ring(2)))
    return made, [made.published(topic) for topic in topics]


def test_a_name_with_more_of_the_same_in_front_extends_another() -> None:
    made, (old, new) = names(LONG, ("", "a", *LONG[1:]))

    assert made.extends(new, old)
    assert not made.extends(old, new)


def test_a_name_with_something_else_in_front_does_not() -> None:
    made, (old, new) = names(LONG, ("", "b", *LONG[1:]))

    assert not made.extends(new, old)


def test_a_name_in_another_scope_does_not() -> None:
    made, (old, new) = names(LONG, ("e", "a", *LONG[1:]))

    assert not made.extends(new, old)


def test_a_short_name_does_not_since_a_pattern_may_tell_its_length() -> None:
    made, (old, new) = names(("", "a", "t"), ("", "a", "a", "t"))

    assert not made.extends(new, old)


def test_words_and_letters_of_the_longest_pattern_are_looked_at() -> None:
    patterns = (Pattern("a/+/c", "mqtt"), Pattern("abcdefgh", "mqtt"))

    assert horizon(mesh_of([link("b1", "b2", accepts=patterns)])) == (2 + 2 + 4, 8 + 4)


def test_a_filter_is_asked_once_for_each_name() -> None:
    made = Names(Network(ring(2, rename=Rename(add="a/"))))
    published = made.published(("", "t"))

    assert made.onward(0, published) is made.onward(0, published)
    assert made.topics[made.onward(0, published)[0].name] == ("", "a", "t")


def test_what_is_taken_off_and_put_back_is_no_change() -> None:
    assert shortened(Transform(("", "a"), ("", "a"))) == IDENTITY
    assert shortened(Transform(("", "a"), ("", "b"))) == Transform(("", "a"), ("", "b"))
    assert shortened(Transform(("", "a", "c"), ("e", "c"))) == Transform(("", "a"), ("e",))
    assert shortened(Transform(("", "a"), ("", "u"), whole=True)) == Transform((), ("", "u"), whole=True)
